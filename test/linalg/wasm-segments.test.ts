import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { createWasmBackend, wasmFeatures } from '../../src/linalg/wasm/index.js';
import fc from '../property.js';
import { dtypes } from './naive.js';
import { fillReal, fillWhole, fingerprint, type Home, Random, untouchedAround, windowOf } from './wasm-operands.js';

const families = ['simd', 'fma'].filter((family) => wasmFeatures().kernels.some((name) => name.startsWith(family)));
const home = fc.constantFrom<Home>('inside', 'outside');
const anything = fc.record({
  seed: fc.nat(),
  m: fc.integer({ min: 0, max: 40 }),
  n: fc.integer({ min: 0, max: 70 }),
  segments: fc.integer({ min: 1, max: 12 }),
  pad: fc.integer({ min: 0, max: 2 }),
  dtype: fc.constantFrom(...dtypes),
  beta: fc.constantFrom(0, 1, -2, 0.25),
  homes: fc.tuple(home, home),
});

/** Ascending, from 0 to `rows`, some segments empty. */
function startsOf(rows: number, segments: number, random: Random): Int32Array {
  const inner = Array.from({ length: segments - 1 }, () => Math.floor(random.uniform() * (rows + 1)));
  return Int32Array.from([0, ...inner.sort((a, b) => a - b), rows]);
}

describe.each(families)('reductions of the %s kernels', (kernel) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createWasmBackend({ threads: 1, kernel });
  });
  afterAll(() => backend.dispose());

  it('take the dot products and the sums of segments exactly, wherever the operands live', () => {
    fc.assert(
      fc.property(anything, ({ seed, m, n, segments, pad, dtype, beta, homes }) => {
        const random = new Random(seed);
        const starts = startsOf(m, segments, random);
        const a = fillWhole(windowOf(backend, homes[0], m, n, dtype, pad), random);
        const rows = fillWhole(windowOf(backend, homes[1], segments, n, dtype, pad), random);
        const weights = Float64Array.from({ length: m }, () => Math.floor(random.uniform() * 9) - 4);
        const dots = new Float64Array(m);
        const expectedDots = new Float64Array(m);
        const sums = rows.copy('float64');
        for (let c = 0; c < segments; c++)
          for (let j = 0; j < n; j++) {
            sums.set(c, j, beta * rows.at(c, j));
            for (let i = starts[c]; i < starts[c + 1]; i++) {
              expectedDots[i] += a.at(i, j) * rows.at(c, j);
              sums.set(c, j, sums.at(c, j) + weights[i] * a.at(i, j));
            }
          }
        backend.segmentDots(dots, a, rows, starts);
        expect(dots.every((value, i) => value === expectedDots[i])).toBe(true);
        if (beta === 0) rows.fill(Number.NaN);
        backend.segmentSums(rows, a, weights, starts, beta);
        expect(rows.copy('float64').data.every((value, at) => value === sums.data[at])).toBe(true);
        expect(untouchedAround(rows, pad)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('sum products, find the largest magnitude and copy, wherever the operands live', () => {
    fc.assert(
      fc.property(anything, ({ seed, m, n, pad, dtype, homes }) => {
        const random = new Random(seed);
        const [a, b] = [0, 1].map((i) => fillWhole(windowOf(backend, homes[i], m, n, dtype, i * pad), random));
        let [sum, largest] = [0, 0];
        for (let i = 0; i < m; i++)
          for (let j = 0; j < n; j++) {
            sum += a.at(i, j) * b.at(i, j);
            largest = Math.max(largest, Math.abs(b.at(i, j)));
          }
        expect(backend.dot(a, b)).toBe(sum);
        expect(backend.maxAbs(b)).toBe(largest);
        backend.copy(b, a);
        expect(b.copy('float64').data).toEqual(a.copy('float64').data);
        expect(untouchedAround(b, pad)).toBe(true);
        if (m > 0 && n > 0) {
          b.set(seed % m, seed % n, Number.NaN);
          expect(backend.maxAbs(b)).toBeNaN();
        }
      }),
      { numRuns: 200 },
    );
  });

  it('add single-precision products in double precision', () => {
    const ones = backend.matrix(1, 1000, 'float32').fill(1);
    const tiny = backend.matrix(1, 1000, 'float32').fill(2 ** -30);
    tiny.set(0, 0, 1);
    expect(backend.dot(ones, tiny)).toBe(1 + 999 * 2 ** -30);
  });
});

describe('copying between overlapping windows', () => {
  it('copies the old values', async () => {
    const backend = await createWasmBackend({ threads: 1 });
    const a = backend.matrix(5, 4);
    a.data.forEach((_, i) => {
      a.data[i] = i;
    });
    const expected = a.view(0, 4).copy();
    backend.copy(a.view(1, 5), a.view(0, 4));
    expect(a.view(1, 5).copy().data).toEqual(expected.data);
    backend.dispose();
  });
});

describe('the bits of a reduction', () => {
  async function compute(threads: number, where: Home, m: number, n: number, segments: number) {
    const backend = await createWasmBackend({ threads });
    const results = dtypes.flatMap((dtype) => {
      const random = new Random(m + n);
      const starts = startsOf(m, segments, random);
      const [a, b] = [0, 1].map(() => fillReal(windowOf(backend, where, m, n, dtype, 0), random));
      const rows = fillReal(windowOf(backend, where, segments, n, dtype, 0), random);
      const weights = Float64Array.from({ length: m }, () => random.normal());
      const dots = new Float64Array(m);
      backend.segmentDots(dots, a, rows, starts);
      backend.segmentSums(rows, a, weights, starts, 0.3);
      return [backend.dot(a, b), backend.maxAbs(a), fingerprint(dots), fingerprint(rows.data)];
    });
    backend.dispose();
    return results;
  }

  it.each([
    [900, 403, 30],
    [3000, 205, 2],
    [2, 270_001, 1],
  ])('over %i×%i in %i segments are the same with 1, 2 and 3 threads, inside and outside', async (m, n, segments) => {
    const reference = await compute(1, 'inside', m, n, segments);
    for (const threads of [1, 2, 3])
      for (const where of ['inside', 'outside'] as const)
        expect(await compute(threads, where, m, n, segments), `${threads} ${where}`).toEqual(reference);
  });
});

describe('a matrix of another precision', () => {
  it('is copied with conversion', async () => {
    const backend = await createWasmBackend({ threads: 1 });
    const single = backend.matrix(2, 2, 'float32');
    backend.copy(
      single,
      Matrix.from([
        [1, 2.5],
        [3, 0.1],
      ]),
    );
    expect(Array.from(single.data)).toEqual([1, 2.5, 3, Math.fround(0.1)]);
    const double = backend.matrix(2, 2);
    backend.copy(double, single);
    expect(double.at(1, 1)).toBe(Math.fround(0.1));
    backend.dispose();
  });
});
