import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { type Dtype, Matrix } from '../../src/linalg/matrix.js';
import fc from '../property.js';
import '../allclose.js';
import { largestMagnitude } from '../allclose.js';
import { everyKernel } from './backends.js';
import { asColumn, changesAround, dtypes, epsilon, operand, product, Random, symmetric, transpose } from './naive.js';

const size = fc.integer({ min: 0, max: 40 });
const factor = fc.constantFrom(0, 1, -1, 0.5, -2.25);
const anything = {
  seed: fc.nat(),
  m: size,
  n: size,
  k: size,
  pad: fc.integer({ min: 0, max: 3 }),
  dtype: fc.constantFrom(...dtypes),
  transposeA: fc.boolean(),
  transposeB: fc.boolean(),
  alpha: factor,
  beta: factor,
};

/** Rounding errors of a sum of k products, with room for a few more operations. */
function bound(dtype: Dtype, k: number, ...factors: Matrix[]): { tolerance: number; scale: number } {
  const scale = factors.reduce((total, matrix) => total * Math.max(1, largestMagnitude(matrix)), 1);
  return { tolerance: 8 * (k + 4) * epsilon[dtype], scale: 4 * scale };
}

describe.each(everyKernel)('products on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it('multiplies as the definition says, for any shape, transpose, factor and window', () => {
    fc.assert(
      fc.property(fc.record(anything), ({ seed, m, n, k, pad, dtype, transposeA, transposeB, alpha, beta }) => {
        const random = new Random(seed);
        const a = transposeA ? operand(random, k, m, dtype, pad) : operand(random, m, k, dtype, pad);
        const b = transposeB ? operand(random, n, k, dtype, pad) : operand(random, k, n, dtype, pad);
        const c = operand(random, m, n, dtype, pad);
        const [aBefore, bBefore] = [a.copy(), b.copy()];
        const expected = product(transposeA ? transpose(a) : a, transposeB ? transpose(b) : b, alpha, beta, c);
        backend.gemm(c, a, b, { transposeA, transposeB, alpha, beta });
        expect(c).toBeAllClose(expected, bound(dtype, k, a, b));
        expect(changesAround(c)).toBe(0);
        expect(a.copy().data).toEqual(aBefore.data);
        expect(b.copy().data).toEqual(bBefore.data);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    { m: 137, n: 251, k: 129 },
    { m: 260, n: 70, k: 515 },
    { m: 33, n: 700, k: 64 },
    { m: 1, n: 300, k: 400 },
    { m: 300, n: 1, k: 400 },
    { m: 200, n: 200, k: 1 },
    { m: 513, n: 513, k: 65 },
  ])('multiplies $m×$k by $k×$n matrices, transposed or not', ({ m, n, k }) => {
    for (const dtype of dtypes)
      for (const [transposeA, transposeB] of [
        [false, false],
        [true, false],
        [false, true],
        [true, true],
      ]) {
        const random = new Random(m + n + k);
        const a = transposeA ? operand(random, k, m, dtype, 2) : operand(random, m, k, dtype, 2);
        const b = transposeB ? operand(random, n, k, dtype, 1) : operand(random, k, n, dtype, 1);
        const c = operand(random, m, n, dtype, 3);
        const expected = product(transposeA ? transpose(a) : a, transposeB ? transpose(b) : b, 1.5, -0.5, c);
        backend.gemm(c, a, b, { transposeA, transposeB, alpha: 1.5, beta: -0.5 });
        expect(c).toBeAllClose(expected, bound(dtype, k, a, b));
        expect(changesAround(c)).toBe(0);
      }
  });

  it('works on matrices from its own storage', () => {
    const random = new Random(5);
    for (const dtype of dtypes) {
      const a = backend.matrix(70, 90, dtype).copyFrom(operand(random, 70, 90, dtype));
      const b = backend.matrix(90, 50, dtype).copyFrom(operand(random, 90, 50, dtype));
      const c = backend.matrix(70, 50, dtype);
      expect(c).toBeAllClose(Matrix.zeros(70, 50));
      backend.gemm(c, a, b);
      expect(c).toBeAllClose(product(a, b), bound(dtype, 90, a, b));
      const corner = c.view(10, 30, 5, 45);
      backend.gemm(corner, a.view(10, 30), b.view(0, 90, 5, 45), { beta: -1 });
      expect(corner).toBeAllClose(Matrix.zeros(20, 40), bound(dtype, 90, a, b));
      for (const matrix of [a, b, c]) backend.release(matrix);
    }
  });

  it('does not read the output when beta is 0, also where there is nothing to add', () => {
    for (const dtype of dtypes)
      for (const k of [0, 1, 65]) {
        const random = new Random(k);
        const a = operand(random, 65, k, dtype);
        const b = operand(random, k, 33, dtype);
        const c = Matrix.zeros(65, 33, dtype).fill(Number.NaN);
        backend.gemm(c, a, b);
        expect(c).toBeAllClose(product(a, b), bound(dtype, k, a, b));
        const gram = Matrix.zeros(65, 65, dtype).fill(Number.NaN);
        backend.syrk(gram, a);
        expect(gram).toBeAllClose(product(a, transpose(a)), bound(dtype, k, a, a));
        const y = Matrix.zeros(1, 65, dtype).fill(Number.NaN).data;
        backend.gemv(y, a, operand(random, 1, k, dtype).data.subarray(0, k));
        expect([...y].some(Number.isNaN)).toBe(false);
      }
  });

  it('carries NaN and infinity of the inputs to the outputs they belong to, and no others', () => {
    for (const dtype of dtypes) {
      const a = operand(new Random(1), 40, 30, dtype);
      const b = operand(new Random(2), 30, 20, dtype);
      a.set(7, 3, Number.NaN);
      a.set(9, 4, Number.POSITIVE_INFINITY);
      const c = Matrix.zeros(40, 20, dtype);
      backend.gemm(c, a, b);
      for (let i = 0; i < 40; i++)
        for (let j = 0; j < 20; j++) expect([i, j, Number.isFinite(c.at(i, j))]).toEqual([i, j, i !== 7 && i !== 9]);
    }
  });

  it('forms AAʹ and AʹA in both triangles, for any shape, factor and window', () => {
    fc.assert(
      fc.property(fc.record(anything), ({ seed, n, k, pad, dtype, transposeA, alpha, beta }) => {
        const random = new Random(seed);
        const a = transposeA ? operand(random, k, n, dtype, pad) : operand(random, n, k, dtype, pad);
        const before = a.copy();
        const c = operand(random, n, n, dtype, pad);
        c.copyFrom(symmetric(c));
        const rows = transposeA ? transpose(a) : a;
        const expected = product(rows, transpose(rows), alpha, beta, c);
        backend.syrk(c, a, { transpose: transposeA, alpha, beta });
        expect(c).toBeAllClose(expected, bound(dtype, k, a, a));
        expect(transpose(c).data).toEqual(c.copy('float64').data);
        expect(changesAround(c)).toBe(0);
        expect(a.copy().data).toEqual(before.data);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    [300, 40],
    [129, 517],
    [260, 1],
  ])('forms AAʹ and AʹA of order %i from vectors of %i elements', (n, k) => {
    for (const dtype of dtypes)
      for (const transposed of [false, true]) {
        const random = new Random(n);
        const a = transposed ? operand(random, k, n, dtype, 1) : operand(random, n, k, dtype, 1);
        const c = operand(random, n, n, dtype, 2);
        const rows = transposed ? transpose(a) : a;
        backend.syrk(c, a, { transpose: transposed, alpha: 0.5 });
        expect(c).toBeAllClose(product(rows, transpose(rows), 0.5), bound(dtype, k, a, a));
        expect(changesAround(c)).toBe(0);
      }
  });

  it('multiplies a matrix and a vector, for any shape, transpose, factor and window', () => {
    fc.assert(
      fc.property(fc.record(anything), ({ seed, m, n, pad, dtype, transposeA, alpha, beta }) => {
        const random = new Random(seed);
        const a = operand(random, m, n, dtype, pad);
        const [outputs, inputs] = transposeA ? [n, m] : [m, n];
        const x = operand(random, 1, inputs, dtype, pad).data.subarray(0, inputs);
        const y = operand(random, 1, outputs, dtype, pad).data.subarray(0, outputs);
        const before = { a: a.copy().data, x: x.slice() };
        const expected = product(transposeA ? transpose(a) : a, asColumn(x), alpha, beta, asColumn(y));
        backend.gemv(y, a, x, { transpose: transposeA, alpha, beta });
        expect(y).toBeAllClose(expected.data, bound(dtype, inputs, a, asColumn(x)));
        expect(a.copy().data).toEqual(before.a);
        expect(x).toEqual(before.x);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [3000, 200],
    [200, 3000],
    [1, 5000],
    [5000, 1],
  ])('multiplies a %i×%i matrix, and its transpose, and a vector', (m, n) => {
    for (const dtype of dtypes)
      for (const transposed of [false, true]) {
        const random = new Random(m);
        const a = operand(random, m, n, dtype, 1);
        const x = operand(random, 1, transposed ? m : n, dtype).data;
        const y = operand(random, 1, transposed ? n : m, dtype).data;
        const expected = product(transposed ? transpose(a) : a, asColumn(x), 2, 0.5, asColumn(y));
        backend.gemv(y, a, x, { transpose: transposed, alpha: 2, beta: 0.5 });
        expect(y).toBeAllClose(expected.data, bound(dtype, x.length, a, asColumn(x)));
      }
  });
});
