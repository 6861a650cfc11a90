/**
 * Sequential minimal optimization for the weights: min ½ θ'Hθ − f'θ over 1'θ = n, 0 ≤ θ ≤ b, two weights at a time.
 * The first of the pair violates most, the second promises the largest decrease (second-order choice, Fan, Chen and
 * Lin 2005). Needs the Gram matrix X X'. Stops when the largest violation, in units of θ, is below `tolerance`.
 */
import type { Matrix } from '../../linalg/index.js';
import type { ThetaProblem } from './problem.js';

export interface SmoOptions {
  /** @default 1e-13 */
  tolerance?: number;
  /** @default 100 million */
  maxSteps?: number;
}

/** Solves in place from a feasible θ; returns the number of pairs that were moved. */
export function solveSmo(
  theta: Float64Array,
  problem: ThetaProblem,
  gram: Matrix,
  { tolerance = 1e-13, maxSteps = 100_000_000 }: SmoOptions = {},
): number {
  const n = theta.length;
  const { curvature, linear, coupling, bound } = problem;
  const diagonal = new Float64Array(n);
  let scale = 0;
  for (let i = 0; i < n; i++) {
    diagonal[i] = coupling * gram.at(i, i) + curvature[i];
    scale += diagonal[i] / n;
  }
  const gradient = initialGradient(theta, problem, gram);
  for (let i = 0; i < n; i++) gradient[i] -= linear[i];
  const stop = tolerance * Math.max(scale, Number.MIN_VALUE);

  for (let steps = 0; steps < maxSteps; steps++) {
    let first = -1;
    let steepest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < n; i++)
      if (theta[i] < bound && -gradient[i] > steepest) {
        steepest = -gradient[i];
        first = i;
      }
    if (first < 0) return steps;
    const row = gram.row(first);
    let second = -1;
    let best = 0;
    let gap = 0;
    for (let j = 0; j < n; j++) {
      if (theta[j] <= 0) continue;
      const difference = steepest + gradient[j];
      if (difference <= 0) continue;
      gap = Math.max(gap, difference);
      const bend = Math.max(diagonal[first] + diagonal[j] - 2 * coupling * row[j], 1e-300);
      const promise = (difference * difference) / bend;
      if (promise > best) {
        best = promise;
        second = j;
      }
    }
    if (second < 0 || gap <= stop) return steps;
    const bend = Math.max(diagonal[first] + diagonal[second] - 2 * coupling * row[second], 1e-300);
    let move = (steepest + gradient[second]) / bend;
    const room = Math.min(bound - theta[first], theta[second]);
    if (move >= room) {
      move = room;
      if (bound - theta[first] <= theta[second]) {
        theta[second] -= move;
        theta[first] = bound;
      } else {
        theta[first] += move;
        theta[second] = 0;
      }
    } else {
      theta[first] += move;
      theta[second] -= move;
    }
    const other = gram.row(second);
    const change = coupling * move;
    for (let i = 0; i < n; i++) gradient[i] += change * (row[i] - other[i]);
    gradient[first] += curvature[first] * move;
    gradient[second] -= curvature[second] * move;
  }
  return maxSteps;
}

/** Hθ. */
function initialGradient(theta: Float64Array, { curvature, coupling }: ThetaProblem, gram: Matrix): Float64Array {
  const result = new Float64Array(theta.length);
  for (let i = 0; i < theta.length; i++) {
    let sum = 0;
    const row = gram.row(i);
    for (let j = 0; j < theta.length; j++) sum += row[j] * theta[j];
    result[i] = coupling * sum + curvature[i] * theta[i];
  }
  return result;
}
