/** Distances, shifts and softmax: what both sides of the estimate compute with. */
import type { Backend, Dtype, RealArray, RowBlocks, RowPeaks } from '../../linalg/index.js';
import { Matrix, visitRows } from '../../linalg/index.js';
import { roomOn, rowDots } from '../../numerics/index.js';
import type { Placed } from './ground.js';

/** Products of pictures with other rows, in the pictures' precision, n×C. */
export function productsWith(
  backend: Backend,
  pictures: RowBlocks,
  others: Matrix,
  result = Matrix.zeros(pictures.rows, others.rows, pictures.dtype) as Matrix,
): Matrix {
  inPrecision(backend, others, pictures, (means) =>
    visitRows(pictures, (block, start) => {
      backend.gemm(result.view(start, start + block.rows), block, means, { transposeB: true });
    }),
  );
  return result;
}

/** The same, where the pictures are. */
export function productsOn(backend: Backend, pictures: RowBlocks, others: Matrix): Matrix {
  const room = roomOn(backend, pictures.rows, others.rows, pictures.dtype);
  return productsWith(backend, pictures, others, room);
}

/** Does a work with a matrix in the precision of another, where the backend computes. */
export function inPrecision<T>(
  backend: Backend,
  matrix: Matrix,
  { dtype }: { dtype: Dtype },
  work: (matrix: Matrix) => T,
): T {
  if (matrix.dtype === dtype) return work(matrix);
  const copy = copyOn(backend, matrix, dtype);
  const result = work(copy);
  backend.release(copy);
  return result;
}

/** A copy where the backend computes. */
export function copyOn(backend: Backend, matrix: Matrix, dtype: Dtype = matrix.dtype): Matrix {
  const copy = roomOn(backend, matrix.rows, matrix.cols, dtype);
  backend.copy(copy, matrix);
  return copy;
}

/** A x for pictures A. */
export function timesVector(backend: Backend, pictures: Matrix, vector: Float64Array): RealArray {
  const [x, y] =
    pictures.dtype === 'float64'
      ? [vector, new Float64Array(pictures.rows)]
      : [Float32Array.from(vector), new Float32Array(pictures.rows)];
  backend.gemv(y, pictures, x);
  return y;
}

/** A' x in double precision, for a matrix A in it. */
export function weightedSum(backend: Backend, rows: Matrix, weights: Float64Array): Float64Array {
  const sum = new Float64Array(rows.cols);
  backend.gemv(sum, rows, weights, { transpose: true });
  return sum;
}

/** n×C squared distances. */
export function distances(backend: Backend, pictures: Placed, means: Matrix): Matrix {
  const result = productsWith(backend, pictures.rows, means);
  const lengths = rowDots(backend, means, means);
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let c = 0; c < row.length; c++) row[c] = Math.max(0, pictures.squaredLengths[i] - 2 * row[c] + lengths[c]);
  }
  return result;
}

/** Room for what stands out in so many rows. */
export function roomForPeaks(rows: number): RowPeaks {
  const numbers = () => new Float64Array(rows);
  const peaks = { closest: numbers(), largest: numbers(), second: numbers(), logSums: numbers() };
  return { ...peaks, nearest: new Int32Array(rows) };
}

/** A mean difference less what chance explains of its square. */
export function shrunken(difference: Float64Array, chance: number): Float64Array {
  let squares = 0;
  for (const value of difference) squares += value * value;
  const real = Math.max(0, squares / difference.length - chance);
  const factor = real > 0 ? real / (real + chance) : 0;
  return difference.map((value) => value * factor);
}

export function axpy(target: RealArray, factor: number, source: RealArray): void {
  if (factor !== 0) for (let j = 0; j < target.length; j++) target[j] += factor * source[j];
}

/** Adds each row times its weight to the sum of its label, and the weight to that label's total. */
export function addByLabel(
  sums: Matrix<Float64Array>,
  totals: Float64Array,
  rows: Matrix,
  labels: ArrayLike<number>,
  weights: Float64Array,
): void {
  for (let i = 0; i < labels.length; i++) {
    axpy(sums.row(labels[i]), weights[i], rows.row(i));
    totals[labels[i]] += weights[i];
  }
}

/** a · b */
export function dotOf(a: RealArray, b: RealArray): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

export const entropy = (p: number): number => (p > 1e-300 ? -p * Math.log(p) : 0);

export const logOdds = (p: number): number => Math.log(p / (1 - p));
