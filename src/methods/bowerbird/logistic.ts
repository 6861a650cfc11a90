/**
 * Logistic regression on a few features: minimizes −Σ [t log p + (1 − t) log(1 − p)] + ½ r ‖w‖² over weights of features
 * at zero mean and unit deviation, p = σ(w·f + b), by Newton's method. Targets t may lie between 0 and 1.
 */
import { Matrix } from '../../linalg/index.js';

export interface Logistic {
  /** Weights of the features as they are. */
  readonly weights: Float64Array;
  readonly intercept: number;
}

const steps = 30;

/** Rows of one feature. */
export const column = (values: ArrayLike<number>): Matrix<Float64Array> =>
  new Matrix(Float64Array.from(values), values.length, 1);

/**
 * @param rows a row of features for each target
 * @param offsets what is added to w·f + b of each row and not learnt
 */
export function fitLogistic(
  rows: Matrix<Float64Array>,
  targets: ArrayLike<number>,
  ridge: number,
  offsets?: ArrayLike<number>,
): Logistic {
  const { rows: n, cols: width, data, stride } = rows;
  const means = new Float64Array(width);
  const deviations = new Float64Array(width);
  for (let i = 0; i < n; i++) for (let k = 0; k < width; k++) means[k] += data[i * stride + k] / n;
  for (let i = 0; i < n; i++)
    for (let k = 0; k < width; k++) deviations[k] += (data[i * stride + k] - means[k]) ** 2 / n;
  for (let k = 0; k < width; k++) deviations[k] = Math.sqrt(deviations[k]) || 1;
  // Each row and, for the intercept, a 1.
  const size = width + 1;
  const scaled = new Float64Array(n * size).fill(1);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < width; k++) scaled[i * size + k] = (data[i * stride + k] - means[k]) / deviations[k];
  const solution = new Float64Array(size);
  const wanted = Float64Array.from(targets);
  const added = offsets ? Float64Array.from(offsets) : new Float64Array(n);
  for (let step = 0; step < steps; step++) {
    const gradient = new Float64Array(size);
    const curvature = new Float64Array(size * size);
    for (let k = 0; k < width; k++) {
      gradient[k] = -ridge * solution[k];
      curvature[k * size + k] = ridge;
    }
    curvature[size * size - 1] = 1e-6;
    addRows(gradient, curvature, solution, scaled, wanted, added);
    const change = solveSymmetric(curvature, gradient);
    let largest = 0;
    for (let k = 0; k < size; k++) {
      const bounded = Math.max(-2, Math.min(2, change[k]));
      solution[k] += bounded;
      largest = Math.max(largest, Math.abs(bounded));
    }
    if (largest < 1e-8) break;
  }
  const weights = Float64Array.from({ length: width }, (_, k) => solution[k] / deviations[k]);
  const intercept = weights.reduce((sum, weight, k) => sum - weight * means[k], solution[width]);
  return { weights, intercept };
}

/** Adds what all rows say, in a loop by itself, which is compiled once. */
function addRows(
  gradient: Float64Array,
  curvature: Float64Array,
  solution: Float64Array,
  rows: Float64Array,
  targets: Float64Array,
  offsets: Float64Array,
): void {
  const size = gradient.length;
  for (let i = 0, row = 0; i < targets.length; i++, row += size) {
    const value = weightedRow(solution, rows, row, offsets[i]);
    const p = 1 / (1 + Math.exp(-value));
    addRow(gradient, curvature, rows, row, targets[i] - p, Math.max(p * (1 - p), 1e-9));
  }
}

/** w·f + offset, f the row that begins there. */
function weightedRow(weights: Float64Array, rows: Float64Array, begin: number, offset: number): number {
  let value = offset;
  for (let k = 0; k < weights.length; k++) value += weights[k] * rows[begin + k];
  return value;
}

/** Adds missing · f to the gradient and weight · f f' to the lower triangle of the curvature, f the row that begins there. */
function addRow(
  gradient: Float64Array,
  curvature: Float64Array,
  rows: Float64Array,
  begin: number,
  missing: number,
  weight: number,
): void {
  const size = gradient.length;
  for (let k = 0, to = 0; k < size; k++, to += size) {
    gradient[k] += missing * rows[begin + k];
    const factor = weight * rows[begin + k];
    for (let m = 0; m <= k; m++) curvature[to + m] += factor * rows[begin + m];
  }
}

/** w·f + b of each row f. */
export function logisticValues({ weights, intercept }: Logistic, { rows, data, stride }: Matrix): Float64Array {
  const values = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let value = intercept;
    for (let k = 0; k < weights.length; k++) value += weights[k] * data[i * stride + k];
    values[i] = value;
  }
  return values;
}

/** Cholesky, of the lower triangle. */
function solveSymmetric(matrix: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const x = Float64Array.from(right);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * n + k] * matrix[j * n + k];
      matrix[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[j * n + j];
    }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= matrix[i * n + k] * x[k];
    x[i] /= matrix[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= matrix[k * n + i] * x[k];
    x[i] /= matrix[i * n + i];
  }
  return x;
}
