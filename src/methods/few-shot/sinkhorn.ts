/**
 * Balanced assignments: the matrix diag(u) exp(S) diag(v) whose rows sum to one and whose columns all sum to n/C, found by
 * scaling rows and columns in turn (Sinkhorn and Knopp, "Concerning nonnegative matrices and doubly stochastic matrices",
 * Pacific J. Math. 1967). Of all such assignments P it maximizes Σ P S + entropy(P) (Cuturi, NeurIPS 2013).
 */
import type { Matrix } from '../../linalg/index.js';
import { columnSums, softmaxRows } from './cosines.js';

export interface Balanced {
  /** n×C, rows sum to one. */
  readonly assignments: Matrix<Float64Array>;
  /** log v: what was added to the scores of each category. */
  readonly offsets: Float64Array;
}

/** Stops when no column misses its sum by more than `tolerance` of it. */
export function sinkhorn(scores: Matrix<Float64Array>, { tolerance = 1e-3, maxIterations = 300 } = {}): Balanced {
  const assignments = softmaxRows(scores);
  const [n, categories] = [assignments.rows, assignments.cols];
  const target = n / categories;
  const offsets = new Float64Array(categories);
  let sums = columnSums(assignments);
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const factors = sums.map((sum) => target / Math.max(sum, 1e-200));
    if (factors.every((factor) => Math.abs(1 / factor - 1) <= tolerance)) break;
    for (let c = 0; c < categories; c++) offsets[c] += Math.log(factors[c]);
    sums = scaleRows(assignments.data, n, factors);
  }
  return { assignments, offsets };
}

/** Multiplies the columns of n rows by factors and brings the rows to a sum of one again; returns the sums of the columns. */
function scaleRows(data: Float64Array, n: number, factors: Float64Array): Float64Array {
  const categories = factors.length;
  const sums = new Float64Array(categories);
  for (let i = 0, from = 0; i < n; i++, from += categories) {
    let total = 0;
    for (let c = 0; c < categories; c++) {
      const value = data[from + c] * factors[c];
      data[from + c] = value;
      total += value;
    }
    for (let c = 0; c < categories; c++) {
      const value = data[from + c] / total;
      data[from + c] = value;
      sums[c] += value;
    }
  }
  return sums;
}

/** Scores with the offsets added, as a new matrix. */
export function withOffsets(scores: Matrix<Float64Array>, offsets: Float64Array): Matrix<Float64Array> {
  const result = scores.copy('float64');
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let c = 0; c < row.length; c++) row[c] += offsets[c];
  }
  return result;
}
