/**
 * How sharply distances decide. Pictures are not spread evenly in all directions, so differences of squared distances
 * overstate how sure one may be. The factor β under which leave-one-out posteriors of auxiliary pictures,
 * p(c | x) ∝ exp(−β ‖x − m_c‖²/2v), are most likely corrects for that, from clean labels of other categories.
 */
import type { Backend } from '../../linalg/backend.js';
import type { Problem } from '../../problem/problem.js';
import { contentOrder } from '../blocks/content-order.js';
import { timesTransposed } from '../blocks/products.js';
import { type PictureSpace, rowDots } from './space.js';

/** More would not change the second digit. */
const most = 2000;

export function auxiliaryTemperature(backend: Backend, space: PictureSpace, problem: Problem): number {
  const { auxiliaryLabels: labels } = problem;
  const { counts } = space;
  const usable = contentOrder(problem.auxiliaryFeatures, labels).filter((i) => counts[labels[i]] > 1);
  const step = Math.max(1, Math.ceil(usable.length / most));
  const chosen = usable.filter((_, position) => position % step === 0);
  if (chosen.length === 0) return 1;
  const { rows, squaredLengths } = space.auxiliary(chosen);
  const scores = timesTransposed(backend, rows, space.solvedMeans);
  const lengths = rowDots(backend, space.means, space.solvedMeans);
  const own = Int32Array.from(chosen, (i) => labels[i]);
  for (let i = 0; i < scores.rows; i++) {
    const row = scores.row(i);
    for (let c = 0; c < row.length; c++) {
      let distance = squaredLengths[i] - 2 * row[c] + lengths[c];
      // Less the mean of the others: x − (n m − x)/(n − 1) = n/(n − 1) (x − m).
      if (c === own[i]) distance *= (counts[c] / (counts[c] - 1)) ** 2;
      row[c] = -distance / (2 * space.within);
    }
  }
  const likelihood = (beta: number) => {
    let total = 0;
    for (let i = 0; i < scores.rows; i++) {
      const row = scores.row(i);
      let largest = Number.NEGATIVE_INFINITY;
      for (let c = 0; c < row.length; c++) largest = Math.max(largest, row[c]);
      let sum = 0;
      for (let c = 0; c < row.length; c++) sum += Math.exp(beta * (row[c] - largest));
      total += beta * (row[own[i]] - largest) - Math.log(sum);
    }
    return total;
  };
  return Math.exp(maximum((logarithm) => likelihood(Math.exp(logarithm)), Math.log(1e-3), Math.log(2)));
}

/** Golden-section search; the likelihood is concave in β, so it has one maximum. */
function maximum(f: (x: number) => number, low: number, high: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [left, right] = [high - golden * (high - low), low + golden * (high - low)];
  let [atLeft, atRight] = [f(left), f(right)];
  while (high - low > 0.02) {
    if (atLeft >= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - golden * (high - low);
      atLeft = f(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + golden * (high - low);
      atRight = f(right);
    }
  }
  return (low + high) / 2;
}
