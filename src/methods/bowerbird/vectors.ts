/** Distances, shifts and softmax: what both sides of the estimate compute with. */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { rowDots, softmaxInPlace, timesTransposed } from '../../numerics/index.js';
import type { Placed } from './ground.js';

/** Rows plus a vector. */
export function shiftedRows(rows: Matrix<Float64Array>, shift: Float64Array): Matrix<Float64Array> {
  const result = rows.copy('float64');
  for (let c = 0; c < result.rows; c++) axpy(result.row(c), 1, shift);
  return result;
}

/** n×C squared distances. */
export function distances(backend: Backend, pictures: Placed, means: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = timesTransposed(backend, pictures.rows, means);
  const lengths = rowDots(backend, means, means);
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let c = 0; c < row.length; c++) row[c] = Math.max(0, pictures.squaredLengths[i] - 2 * row[c] + lengths[c]);
  }
  return result;
}

/** A mean difference less what chance explains of its square. */
export function shrunken(difference: Float64Array, chance: number): Float64Array {
  let squares = 0;
  for (const value of difference) squares += value * value;
  const real = Math.max(0, squares / difference.length - chance);
  const factor = real > 0 ? real / (real + chance) : 0;
  return difference.map((value) => value * factor);
}

export function axpy(target: Float64Array, factor: number, source: Float64Array): void {
  if (factor !== 0) for (let j = 0; j < target.length; j++) target[j] += factor * source[j];
}

/** A vector as a matrix of one row. */
export function rowMatrix(vector: Float64Array): Matrix<Float64Array> {
  const matrix = Matrix.zeros(1, vector.length);
  matrix.row(0).set(vector);
  return matrix;
}

/** Adds each row times its weight to the sum of its label, and the weight to that label's total. */
export function addByLabel(
  sums: Matrix<Float64Array>,
  totals: Float64Array,
  rows: Matrix<Float64Array>,
  labels: ArrayLike<number>,
  weights: Float64Array,
): void {
  for (let i = 0; i < labels.length; i++) {
    axpy(sums.row(labels[i]), weights[i], rows.row(i));
    totals[labels[i]] += weights[i];
  }
}

export const entropy = (p: number): number => (p > 1e-300 ? -p * Math.log(p) : 0);

/** Row by row, target ← softmax(scores). */
export function softmaxRows(target: Matrix<Float64Array>, scores: Matrix<Float64Array>): void {
  for (let i = 0; i < scores.rows; i++) {
    const [to, from] = [target.row(i), scores.row(i)];
    to.set(from);
    softmaxInPlace(to);
  }
}
