/** How sharply scores decide: the factor under which known labels are most likely. */
import type { Matrix } from '../../linalg/index.js';

/** Scores of pictures, n×C, and what they show. */
export interface Judged {
  readonly scores: Matrix<Float64Array>;
  readonly labels: ArrayLike<number>;
}

/** argmax over s of Σ log softmax(s · scores)[label]; the sum is concave in s, so that a golden section finds it. */
export function likeliestFactor(sets: readonly Judged[], low: number, high: number): number {
  const value = (logarithm: number) => {
    const factor = Math.exp(logarithm);
    let total = 0;
    for (const { scores, labels } of sets)
      for (let i = 0; i < scores.rows; i++) {
        const row = scores.row(i);
        let largest = Number.NEGATIVE_INFINITY;
        for (let c = 0; c < row.length; c++) if (row[c] > largest) largest = row[c];
        let sum = 0;
        for (let c = 0; c < row.length; c++) sum += Math.exp(factor * (row[c] - largest));
        total += factor * (row[labels[i]] - largest) - Math.log(sum);
      }
    return total;
  };
  const golden = (Math.sqrt(5) - 1) / 2;
  let [from, to] = [Math.log(low), Math.log(high)];
  let [left, right] = [to - golden * (to - from), from + golden * (to - from)];
  let [atLeft, atRight] = [value(left), value(right)];
  while (to - from > 0.01) {
    if (atLeft >= atRight) {
      [to, right, atRight] = [right, left, atLeft];
      left = to - golden * (to - from);
      atLeft = value(left);
    } else {
      [from, left, atLeft] = [left, right, atRight];
      right = from + golden * (to - from);
      atRight = value(right);
    }
  }
  return Math.exp((from + to) / 2);
}
