/** Means, cosines and softmax posteriors of unit vectors: the steps that most few-shot methods are made of. */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { labelTargets, softmaxInPlace, timesTransposed, toUnitRows } from '../../numerics/index.js';
import type { FewShotData } from './few-shot-method.js';

/** Unit vectors in the direction of each category's labelled pictures, C×d. */
export function supportDirections({ backend, support, labels, categories }: FewShotData): Matrix<Float64Array> {
  return toUnitRows(memberSums(backend, labelTargets(labels, categories), support));
}

/** Σᵢ memberships_ic xᵢ, C×d; added to `sums` where given. */
export function memberSums(
  backend: Backend,
  memberships: Matrix<Float64Array>,
  points: Matrix<Float64Array>,
  sums?: Matrix<Float64Array>,
): Matrix<Float64Array> {
  const result = sums ?? Matrix.zeros(memberships.cols, points.cols);
  backend.gemm(result, memberships, points, { transposeA: true, beta: sums ? 1 : 0 });
  return result;
}

/** factor · xᵢ·m_c, n×C. */
export function scaledProducts(
  backend: Backend,
  points: Matrix<Float64Array>,
  means: Matrix<Float64Array>,
  factor: number,
): Matrix<Float64Array> {
  const result = timesTransposed(backend, points, means);
  for (let k = 0; k < result.data.length; k++) result.data[k] *= factor;
  return result;
}

/** The softmax of every row, as a new matrix. */
export function softmaxRows(values: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = values.copy('float64');
  for (let i = 0; i < result.rows; i++) softmaxInPlace(result.row(i));
  return result;
}

/** Natural logarithms, with `least` below the smallest number there is a use for. */
export function logarithms(values: Matrix<Float64Array>, least = 1e-300): Matrix<Float64Array> {
  const result = values.copy('float64');
  for (let k = 0; k < result.data.length; k++) result.data[k] = Math.log(Math.max(result.data[k], least));
  return result;
}

export function columnSums(matrix: Matrix<Float64Array>): Float64Array {
  const sums = new Float64Array(matrix.cols);
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let c = 0; c < row.length; c++) sums[c] += row[c];
  }
  return sums;
}

/** The entry of each row that its label names. */
export function ownEntries(values: Matrix, labels: Int32Array): Float64Array {
  return Float64Array.from(labels, (label, i) => values.at(i, label));
}
