/**
 * Operands for the kernels: small whole numbers, whose sums of products are exact in any order, so that results can be
 * compared bit for bit with a triple loop; and real numbers where the order of rounding is what is tested.
 */
import { createHash } from 'node:crypto';
import type { Backend } from '../../src/linalg/backend.js';
import { type Dtype, Matrix, type RealArray } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';

export type Home = 'inside' | 'outside';

/** A window, `pad` away from every edge of a larger matrix that is full of NaN, inside the backend's memory or not. */
export function windowOf(backend: Backend, home: Home, rows: number, cols: number, dtype: Dtype, pad: number): Matrix {
  const [height, width] = [rows + 2 * pad, cols + 2 * pad];
  const parent = home === 'inside' ? backend.matrix(height, width, dtype) : Matrix.zeros(height, width, dtype);
  return parent.fill(Number.NaN).view(pad, pad + rows, pad, pad + cols);
}

export function fillWhole(matrix: Matrix, random: Random): Matrix {
  for (let i = 0; i < matrix.rows; i++)
    for (let j = 0; j < matrix.cols; j++) matrix.set(i, j, Math.floor(random.uniform() * 17) - 8);
  return matrix;
}

export function fillReal(matrix: Matrix, random: Random): Matrix {
  for (let i = 0; i < matrix.rows; i++) for (let j = 0; j < matrix.cols; j++) matrix.set(i, j, random.normal());
  return matrix;
}

/** Whether everything around a window from `windowOf` still is NaN. */
export function untouchedAround(window: Matrix, pad: number): boolean {
  if (pad === 0 || window.rows * window.cols === 0) return true;
  const { stride, rows, cols } = window;
  const start = window.data.byteOffset - (pad * stride + pad) * window.data.BYTES_PER_ELEMENT;
  const length = (rows + 2 * pad) * stride;
  const buffer = window.data.buffer as ArrayBuffer;
  const all =
    window.dtype === 'float64' ? new Float64Array(buffer, start, length) : new Float32Array(buffer, start, length);
  return all.every((value, at) => {
    const [i, j] = [Math.floor(at / stride) - pad, (at % stride) - pad];
    return (i >= 0 && i < rows && j >= 0 && j < cols) || Number.isNaN(value);
  });
}

/** A fingerprint of the bits of an array, wherever it lives. */
export function fingerprint(array: RealArray): string {
  const bytes = new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
  return createHash('sha256').update(bytes.slice()).digest('hex');
}

export { Random };
