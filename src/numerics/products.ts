/** Products that own their result, for the outer parts of a method where storage is not worth reusing. */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { labelTargets } from './linear-model.js';

/** A B' */
export function timesTransposed(backend: Backend, a: Matrix, b: Matrix): Matrix<Float64Array> {
  const result = Matrix.zeros(a.rows, b.rows);
  backend.gemm(result, a, b, { transposeB: true });
  return result;
}

/** A B */
export function times(backend: Backend, a: Matrix, b: Matrix): Matrix<Float64Array> {
  const result = Matrix.zeros(a.rows, b.cols);
  backend.gemm(result, a, b);
  return result;
}

/** a · b, of vectors too short to be worth a backend */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

/** (row i of A) · (row i of B), in double precision */
export function rowDots(backend: Backend, a: Matrix, b: Matrix): Float64Array {
  const result = new Float64Array(a.rows);
  backend.rowDots(result, a, b);
  return result;
}

/** C×d: the rows of each category added up. */
export function labelSums(
  backend: Backend,
  features: Matrix<Float64Array>,
  labels: Int32Array,
  categories: number,
): Matrix<Float64Array> {
  const result = Matrix.zeros(categories, features.cols);
  backend.gemm(result, labelTargets(labels, categories), features, { transposeA: true });
  return result;
}

/** How many labels each category has. */
export function labelCounts(labels: Int32Array, categories: number): Float64Array {
  const counts = new Float64Array(categories);
  for (const label of labels) counts[label]++;
  return counts;
}
