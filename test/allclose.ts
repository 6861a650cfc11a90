/**
 * `expect(actual).toBeAllClose(expected)` for matrices and vectors: every element within `tolerance · scale` of what
 * was expected. The scale is the largest expected magnitude, so that a tolerance bounds the error relative to the norm.
 */
import { expect } from 'vitest';
import { Matrix, type RealArray } from '../src/linalg/matrix.js';

export interface AllCloseOptions {
  /** @default 1e-12 for float64, 1e-5 for float32 */
  tolerance?: number;
  /** What the tolerance multiplies. @default the largest magnitude of `expected`, at least the smallest normal number */
  scale?: number;
}

type Numbers = Matrix | RealArray | readonly number[];

declare module 'vitest' {
  interface Matchers {
    toBeAllClose(expected: Numbers, options?: AllCloseOptions): void;
  }
}

expect.extend({
  toBeAllClose(actual: Numbers, expected: Numbers, options: AllCloseOptions = {}) {
    const [a, e] = [asMatrix(actual), asMatrix(expected)];
    if (a.rows !== e.rows || a.cols !== e.cols)
      return { pass: false, message: () => `the shape is ${a.rows}×${a.cols}; expected ${e.rows}×${e.cols}` };
    const tolerance = options.tolerance ?? (a.dtype === 'float64' ? 1e-12 : 1e-5);
    const scale = options.scale ?? largestMagnitude(e);
    let worst = { i: 0, j: 0, error: -1 };
    for (let i = 0; i < a.rows; i++)
      for (let j = 0; j < a.cols; j++) {
        const error = Object.is(a.at(i, j), e.at(i, j)) ? 0 : Math.abs(a.at(i, j) - e.at(i, j));
        // NaN counts as infinitely wrong unless it was expected.
        if (!(error <= worst.error)) worst = { i, j, error: Number.isNaN(error) ? Number.POSITIVE_INFINITY : error };
      }
    const { i, j, error } = worst;
    return {
      pass: error <= tolerance * scale,
      message: () =>
        `(${i}, ${j}) is ${a.at(i, j)}; expected ${e.at(i, j)}: off by ${error}, allowed ${tolerance * scale}`,
    };
  },
});

function asMatrix(value: Numbers): Matrix {
  if (value instanceof Matrix) return value;
  const data = Array.isArray(value) ? Float64Array.from(value) : (value as RealArray);
  return new Matrix(data, 1, data.length);
}

export function largestMagnitude(matrix: Matrix): number {
  let largest = Number.MIN_VALUE;
  for (let i = 0; i < matrix.rows; i++)
    for (let j = 0; j < matrix.cols; j++) if (Math.abs(matrix.at(i, j)) > largest) largest = Math.abs(matrix.at(i, j));
  return largest;
}
