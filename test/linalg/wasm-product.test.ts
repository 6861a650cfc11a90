import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { createWasmBackend, wasmFeatures } from '../../src/linalg/wasm/index.js';
import fc from '../property.js';
import { dtypes, product, symmetric, transpose } from './naive.js';
import { fillReal, fillWhole, fingerprint, type Home, Random, untouchedAround, windowOf } from './wasm-operands.js';

const { kernels } = wasmFeatures();
const size = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 30 }) }, fc.integer({ min: 31, max: 110 }));
const home = fc.constantFrom<Home>('inside', 'outside');
const anything = fc.record({
  seed: fc.nat(),
  m: size,
  n: size,
  k: size,
  pad: fc.integer({ min: 0, max: 2 }),
  dtype: fc.constantFrom(...dtypes),
  transposeA: fc.boolean(),
  transposeB: fc.boolean(),
  alpha: fc.constantFrom(1, -1, 2, 0, 0.5),
  beta: fc.constantFrom(0, 1, -2, 0.25),
  homes: fc.tuple(home, home, home),
});

describe.each(kernels)('the product kernel %s', (kernel) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createWasmBackend({ threads: 1, kernel });
  });
  afterAll(() => backend.dispose());

  it('multiplies exactly as a triple loop, wherever the operands live', () => {
    fc.assert(
      fc.property(anything, ({ seed, m, n, k, pad, dtype, transposeA, transposeB, alpha, beta, homes }) => {
        const random = new Random(seed);
        const [a, b] = [transposeA ? [k, m] : [m, k], transposeB ? [n, k] : [k, n]].map(([rows, cols], i) =>
          fillWhole(windowOf(backend, homes[i], rows, cols, dtype, pad), random),
        );
        const c = windowOf(backend, homes[2], m, n, dtype, pad);
        if (beta !== 0) fillWhole(c, random);
        const expected = product(transposeA ? transpose(a) : a, transposeB ? transpose(b) : b, alpha, beta, c);
        backend.gemm(c, a, b, { transposeA, transposeB, alpha, beta });
        expect(c.copy('float64').data.every((value, i) => value === expected.data[i])).toBe(true);
        expect(untouchedAround(c, pad)).toBe(true);
      }),
      { numRuns: 120 },
    );
  });

  it('forms both triangles of A times its transpose exactly', () => {
    fc.assert(
      fc.property(anything, ({ seed, n, k, pad, dtype, transposeA, alpha, beta, homes }) => {
        const random = new Random(seed);
        const [rows, cols] = transposeA ? [k, n] : [n, k];
        const a = fillWhole(windowOf(backend, homes[0], rows, cols, dtype, pad), random);
        const c = windowOf(backend, homes[1], n, n, dtype, pad);
        if (beta !== 0) c.copyFrom(symmetric(fillWhole(Matrix.zeros(n, n), random)));
        const left = transposeA ? transpose(a) : a;
        const expected = product(left, transpose(left), alpha, beta, c);
        backend.syrk(c, a, { transpose: transposeA, alpha, beta });
        expect(c.copy('float64').data.every((value, i) => value === expected.data[i])).toBe(true);
        expect(untouchedAround(c, pad)).toBe(true);
      }),
      { numRuns: 80 },
    );
  });
});

describe('blocks of a product', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createWasmBackend({ threads: 1 });
  });
  afterAll(() => backend.dispose());

  // Either side of the packed rows (48), the depth of a block (256) and of a panel (2048), the columns of a panel (2016)
  // and the rows staged at once (960).
  it.each([
    [47, 7, 255],
    [48, 8, 256],
    [49, 9, 257],
    [5, 3, 2047],
    [5, 3, 2049],
    [3, 2015, 5],
    [3, 2017, 5],
    [2, 4033, 300],
    [961, 5, 3],
    [1921, 2, 2050],
  ])('meet without a gap in %i×%i sums of %i products', (m, n, k) => {
    for (const dtype of dtypes)
      for (const where of ['inside', 'outside'] as const) {
        const random = new Random(m + n + k);
        const a = fillWhole(windowOf(backend, where, m, k, dtype, 1), random);
        const b = fillWhole(windowOf(backend, where, k, n, dtype, 1), random);
        const c = fillWhole(windowOf(backend, where, m, n, dtype, 1), random);
        const expected = product(a, b, 2, -1, c);
        backend.gemm(c, a, b, { alpha: 2, beta: -1 });
        expect(c.copy('float64').data.every((value, i) => value === expected.data[i])).toBe(true);
        expect(untouchedAround(c, 1)).toBe(true);
      }
  });

  it('of a triangle meet across panels', () => {
    const [n, k] = [2100, 3];
    for (const where of ['inside', 'outside'] as const) {
      const a = fillWhole(windowOf(backend, where, n, k, 'float32', 0), new Random(1));
      const c = windowOf(backend, where, n, n, 'float32', 0);
      backend.syrk(c, a);
      const expected = product(a, transpose(a));
      expect(c.data.every((value, i) => value === expected.data[i])).toBe(true);
    }
  });
});

describe('the bits of a product', () => {
  /** A product and a triangle with real numbers, large enough for several blocks in every direction. */
  async function compute(options: { threads?: number; kernel?: string }, where: Home): Promise<string[]> {
    const backend = await createWasmBackend({ threads: 1, ...options });
    const results = dtypes.flatMap((dtype) => {
      const random = new Random(3);
      const a = fillReal(windowOf(backend, where, 211, 600, dtype, 1), random);
      const b = fillReal(windowOf(backend, where, 600, 301, dtype, 1), random);
      const c = windowOf(backend, where, 211, 301, dtype, 0);
      backend.gemm(c, a, b, { alpha: 0.3 });
      const gram = windowOf(backend, where, 600, 600, dtype, 0);
      backend.syrk(gram, a, { transpose: true, alpha: 1.7 });
      return [fingerprint(c.data), fingerprint(gram.data)];
    });
    backend.dispose();
    return results;
  }

  for (const family of ['simd', 'fma']) {
    const tiles = kernels.filter((kernel) => kernel.startsWith(family));
    it.skipIf(tiles.length === 0)(`are the same with every ${family} tile, thread count and home`, async () => {
      const reference = await compute({ kernel: tiles[0] }, 'inside');
      for (const kernel of tiles) expect(await compute({ kernel }, 'inside'), kernel).toEqual(reference);
      for (const threads of [1, 2, 3])
        for (const where of ['inside', 'outside'] as const)
          expect(await compute({ kernel: tiles[0], threads }, where), `${threads} ${where}`).toEqual(reference);
    });
  }
});
