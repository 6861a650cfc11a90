/** What the operations mean, written as plainly as possible, and operands to try them on. */
import { type Dtype, Matrix, type RealArray } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import fc from '../property.js';

export const dtypes = ['float64', 'float32'] as const;

/** Rounding of one operation. */
export const epsilon = { float64: 2 ** -53, float32: 2 ** -24 } as const;

/** Outside the views handed out by `operand`; must never be read into a result nor changed. */
const border = 12345.678;

/** A matrix of normal numbers; with `pad` > 0 it is a window in the middle of a larger one. */
export function operand(random: Random, rows: number, cols: number, dtype: Dtype, pad = 0): Matrix {
  const parent = Matrix.zeros(rows + 2 * pad, cols + 2 * pad, dtype).fill(border);
  const matrix = parent.view(pad, pad + rows, pad, pad + cols);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) matrix.set(i, j, random.normal());
  return matrix;
}

/** Arguments of `operand` to draw, with columns as the test wants them. */
export function shapesWith(cols: fc.Arbitrary<number>) {
  return {
    seed: fc.nat(),
    rows: fc.integer({ min: 0, max: 12 }),
    cols,
    pad: fc.integer({ min: 0, max: 2 }),
    dtype: fc.constantFrom(...dtypes),
  };
}

/** How many elements of the storage around a window changed. */
export function changesAround(window: Matrix): number {
  const all = new (window.data.constructor as Float64ArrayConstructor)(window.data.buffer as ArrayBuffer);
  const expected = window.dtype === 'float64' ? border : Math.fround(border);
  const start = (window.data.byteOffset - all.byteOffset) / all.BYTES_PER_ELEMENT;
  let changed = 0;
  for (let at = 0; at < all.length; at++) {
    const row = Math.floor((at - start) / window.stride);
    const col = at - start - row * window.stride;
    const inside = row >= 0 && row < window.rows && col < window.cols;
    if (!inside && all[at] !== expected) changed++;
  }
  return changed;
}

export function transpose(a: Matrix): Matrix {
  const result = Matrix.zeros(a.cols, a.rows);
  for (let i = 0; i < a.rows; i++) for (let j = 0; j < a.cols; j++) result.set(j, i, a.at(i, j));
  return result;
}

/** α A B + β C in float64. */
export function product(a: Matrix, b: Matrix, alpha = 1, beta = 0, c?: Matrix): Matrix {
  const result = Matrix.zeros(a.rows, b.cols);
  const [left, right, sums] = [a.copy('float64').data, b.copy('float64').data, new Float64Array(b.cols)];
  for (let i = 0; i < a.rows; i++) {
    sums.fill(0);
    for (let k = 0; k < a.cols; k++)
      for (let j = 0; j < b.cols; j++) sums[j] += left[i * a.cols + k] * right[k * b.cols + j];
    for (let j = 0; j < b.cols; j++) result.set(i, j, alpha * sums[j] + (beta === 0 || !c ? 0 : beta * c.at(i, j)));
  }
  return result;
}

export function asColumn(vector: RealArray): Matrix {
  return new Matrix(vector, vector.length, 1);
}

export function symmetric(lower: Matrix): Matrix {
  const result = Matrix.zeros(lower.rows, lower.rows);
  for (let i = 0; i < lower.rows; i++)
    for (let j = 0; j < lower.rows; j++) result.set(i, j, lower.at(Math.max(i, j), Math.min(i, j)));
  return result;
}

export function lowerTriangle(a: Matrix): Matrix {
  const result = Matrix.zeros(a.rows, a.cols);
  for (let i = 0; i < a.rows; i++) for (let j = 0; j <= i; j++) result.set(i, j, a.at(i, j));
  return result;
}

/** Q of the QR factorization of a random matrix, by Gram-Schmidt done twice: its rows are orthonormal. */
export function orthogonal(random: Random, n: number): Matrix {
  const q = operand(random, n, n, 'float64');
  for (let i = 0; i < n; i++) {
    for (let pass = 0; pass < 2; pass++)
      for (let j = 0; j < i; j++) {
        let dot = 0;
        for (let k = 0; k < n; k++) dot += q.at(i, k) * q.at(j, k);
        for (let k = 0; k < n; k++) q.set(i, k, q.at(i, k) - dot * q.at(j, k));
      }
    const norm = Math.hypot(...q.row(i));
    for (let k = 0; k < n; k++) q.set(i, k, q.at(i, k) / norm);
  }
  return q;
}

/** V' diag(values) V in the given precision, a symmetric matrix with known eigenvalues. */
export function withEigenvalues(random: Random, values: number[], dtype: Dtype = 'float64', pad = 0): Matrix {
  const v = orthogonal(random, values.length);
  const scaled = v.copy();
  values.forEach((value, i) => {
    for (let j = 0; j < values.length; j++) scaled.set(i, j, value * v.at(i, j));
  });
  const exact = symmetric(product(transpose(v), scaled));
  return operand(random, values.length, values.length, dtype, pad).copyFrom(exact);
}

export { Random };
