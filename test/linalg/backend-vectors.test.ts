// Vectors may be matrices where the backend keeps them: the same answers as with ordinary arrays.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import type { Backend } from '../../src/linalg/backend.js';
import { type Dtype, Matrix } from '../../src/linalg/matrix.js';
import { backends } from './backends.js';
import { dtypes, Random } from './naive.js';

describe.each(backends)('vectors on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  const arrayOf = (length: number, dtype: Dtype, seed: number) => {
    const values = new Random(seed).normalArray(length);
    return dtype === 'float64' ? values : new Float32Array(values);
  };
  /** In the backend's storage, in the given shape. */
  const kept = (values: Float64Array | Float32Array, rows: number, cols: number) => {
    const matrix = backend.matrix(rows, cols, values instanceof Float64Array ? 'float64' : 'float32');
    backend.copy(matrix, new Matrix(values, rows, cols));
    return matrix;
  };
  const same = (result: Matrix, expected: ArrayLike<number>) => {
    const found = Matrix.zeros(result.rows, result.cols, result.dtype);
    backend.copy(found, result);
    expect(Array.from(found.data)).toEqual(Array.from(expected));
  };

  it.each(dtypes)('multiply, scale and sum in %s', (dtype) => {
    const [rows, cols] = [6, 4];
    const a = kept(arrayOf(rows * cols, dtype, 1), rows, cols);
    const x = arrayOf(cols, dtype, 2);
    const y = arrayOf(rows, dtype, 3);

    const byArray = y.slice();
    backend.gemv(byArray, a, x, { alpha: 0.5, beta: 2 });
    const byMatrix = kept(y, 2, 3);
    backend.gemv(byMatrix, a, kept(x, 4, 1), { alpha: 0.5, beta: 2 });
    same(byMatrix, byArray);

    const factors = arrayOf(rows, dtype, 4);
    const [scaled, scaledToo] = [backend.matrix(rows, cols, dtype), backend.matrix(rows, cols, dtype)];
    for (const target of [scaled, scaledToo]) backend.copy(target, a);
    backend.scaleRows(scaled, factors);
    backend.scaleRows(scaledToo, kept(factors, 1, rows));
    same(scaledToo, scaled.copy().data);

    const dots = y.slice();
    backend.rowDots(dots, a, scaled);
    const dotsKept = backend.matrix(3, 2, dtype);
    backend.rowDots(dotsKept, a, scaled);
    same(dotsKept, dots);
  });

  it.each(dtypes)('go through segments of %s rows in float64', (dtype) => {
    const [rows, cols] = [5, 3];
    const starts = Int32Array.of(0, 2, 2, 5);
    const a = kept(arrayOf(rows * cols, dtype, 5), rows, cols);
    const directions = kept(arrayOf(3 * cols, dtype, 6), 3, cols);
    const out = new Float64Array(rows);
    backend.segmentDots(out, a, directions, starts);
    const outKept = backend.matrix(5, 1);
    backend.segmentDots(outKept, a, directions, starts);
    same(outKept, out);

    const weights = new Random(7).normalArray(rows);
    const [sums, sumsToo] = [backend.matrix(3, cols, dtype), backend.matrix(3, cols, dtype)];
    backend.segmentSums(sums, a, weights, starts);
    backend.segmentSums(sumsToo, a, kept(weights, 1, rows), starts);
    same(sumsToo, sums.copy().data);
  });

  it('are refused when too long, of another precision, or not in one piece', () => {
    const a = backend.matrix(4, 4);
    expect(() => backend.gemv(backend.matrix(1, 5), a, backend.matrix(1, 4))).toThrow('y has 5 elements');
    expect(() => backend.scaleRows(a, backend.matrix(4, 1, 'float32'))).toThrow('float32');
    expect(() => backend.rowDots(backend.matrix(4, 2).view(0, 4, 0, 1), a, a)).toThrow(ArgumentError);
    const starts = Int32Array.of(0, 4);
    expect(() => backend.segmentSums(backend.matrix(1, 4), a, backend.matrix(1, 4, 'float32'), starts)).toThrow(
      'float32',
    );
  });
});
