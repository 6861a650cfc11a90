import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { type Dtype, Matrix, type RealArray } from '../../src/linalg/matrix.js';
import { createWasmBackend, wasmFeatures } from '../../src/linalg/wasm/index.js';
import fc from '../property.js';
import { asColumn, dtypes, product, transpose } from './naive.js';
import { fillReal, fillWhole, fingerprint, type Home, Random, untouchedAround, windowOf } from './wasm-operands.js';

const { kernels } = wasmFeatures();
const families = ['simd', 'fma'].filter((family) => kernels.some((kernel) => kernel.startsWith(family)));
const size = fc.integer({ min: 0, max: 45 });
const home = fc.constantFrom<Home>('inside', 'outside');
const anything = fc.record({
  seed: fc.nat(),
  m: size,
  n: size,
  pad: fc.integer({ min: 0, max: 2 }),
  dtype: fc.constantFrom(...dtypes),
  transposed: fc.boolean(),
  alpha: fc.constantFrom(1, -1, 2, 0, 0.5),
  beta: fc.constantFrom(0, 1, -2, 0.25),
  homes: fc.tuple(home, home, home),
});

function vector(backend: Backend, where: Home, length: number, dtype: Dtype): RealArray {
  return windowOf(backend, where, 1, length, dtype, 0).data.subarray(0, length);
}

function equal(actual: Matrix | RealArray, expected: Matrix): boolean {
  const values = actual instanceof Matrix ? actual.copy('float64').data : actual;
  return values.length === expected.data.length && values.every((value, i) => value === expected.data[i]);
}

describe.each(families)('passes of the %s kernels', (kernel) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createWasmBackend({ threads: 1, kernel });
  });
  afterAll(() => backend.dispose());

  it('multiply a matrix and a vector exactly, wherever they live', () => {
    fc.assert(
      fc.property(anything, ({ seed, m, n, pad, dtype, transposed, alpha, beta, homes }) => {
        const random = new Random(seed);
        const a = fillWhole(windowOf(backend, homes[0], m, n, dtype, pad), random);
        const [outputs, inputs] = transposed ? [n, m] : [m, n];
        const x = vector(backend, homes[1], inputs, dtype);
        const y = vector(backend, homes[2], outputs, dtype);
        fillWhole(asColumn(x), random);
        if (beta !== 0) fillWhole(asColumn(y), random);
        const expected = product(transposed ? transpose(a) : a, asColumn(x), alpha, beta, asColumn(y));
        backend.gemv(y, a, x, { transpose: transposed, alpha, beta });
        expect(equal(y, expected)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('add scaled matrices exactly, and do not read what is multiplied by zero', () => {
    fc.assert(
      fc.property(anything, ({ seed, m, n, pad, dtype, alpha, beta, homes }) => {
        const random = new Random(seed);
        const [x, y] = [0, 1].map((i) => windowOf(backend, homes[i], m, n, dtype, i * pad));
        if (alpha !== 0) fillWhole(x, random);
        if (beta !== 0) fillWhole(y, random);
        const expected = Matrix.zeros(m, n);
        for (let i = 0; i < m; i++)
          for (let j = 0; j < n; j++)
            expected.set(i, j, (alpha === 0 ? 0 : alpha * x.at(i, j)) + (beta === 0 ? 0 : beta * y.at(i, j)));
        backend.axpby(y, alpha, x, beta);
        expect(equal(y, expected)).toBe(true);
        expect(untouchedAround(y, pad)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('scale rows and multiply rows exactly', () => {
    fc.assert(
      fc.property(anything, ({ seed, m, n, pad, dtype, homes }) => {
        const random = new Random(seed);
        const [a, b] = [0, 1].map((i) => fillWhole(windowOf(backend, homes[i], m, n, dtype, i * pad), random));
        const [factors, out] = [0, 1].map(() => vector(backend, homes[2], m, dtype));
        fillWhole(asColumn(factors), random);
        const dots = Matrix.zeros(m, 1);
        const scaled = Matrix.zeros(m, n);
        for (let i = 0; i < m; i++)
          for (let j = 0; j < n; j++) {
            dots.set(i, 0, dots.at(i, 0) + a.at(i, j) * b.at(i, j));
            scaled.set(i, j, b.at(i, j) * factors[i]);
          }
        backend.rowDots(out, a, b);
        expect(equal(out, dots)).toBe(true);
        backend.scaleRows(b, factors);
        expect(b.copy('float64').data.every((value, i) => value === scaled.data[i])).toBe(true);
        expect(untouchedAround(b, pad)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the bits of a pass', () => {
  // Beyond the rows (2²⁰) and columns (2¹⁸ and 2¹⁴) that are handled at once, and enough to be shared out.
  const shapes = [
    [1_050_000, 1],
    [3, 270_000],
    [40, 17_000],
    [3000, 200],
  ] as const;

  async function compute(threads: number, where: Home, [m, n]: readonly [number, number]): Promise<string[]> {
    const backend = await createWasmBackend({ threads });
    const random = new Random(m + n);
    const [a, b] = [0, 1].map(() => fillReal(windowOf(backend, where, m, n, 'float64', 0), random));
    const y = vector(backend, where, m, 'float64').fill(0.125);
    const x = vector(backend, where, n, 'float64').fill(0.5);
    const dots = vector(backend, where, m, 'float64');
    backend.gemv(y, a, x, { alpha: 0.7, beta: 0.1 });
    const first = fingerprint(y);
    backend.gemv(x, a, y, { transpose: true, alpha: 0.3, beta: 0.9 });
    backend.rowDots(dots, a, b);
    backend.axpby(b, 0.1, a, 0.7);
    backend.scaleRows(b, y);
    const results = [first, ...[x, dots, b.data].map(fingerprint)];
    backend.dispose();
    return results;
  }

  it.each(shapes)('over a %i×%i matrix are the same with 1, 2 and 3 threads, inside and outside', async (m, n) => {
    const reference = await compute(1, 'inside', [m, n]);
    for (const threads of [1, 2, 3])
      for (const where of ['inside', 'outside'] as const)
        expect(await compute(threads, where, [m, n]), `${threads} ${where}`).toEqual(reference);
  });

  it('belong to the right numbers where rows are longer than a piece', async () => {
    const [m, n] = [3, 270_001];
    const backend = await createWasmBackend({ threads: 2 });
    const a = fillWhole(backend.matrix(m, n), new Random(1));
    const x = new Float64Array(n).fill(1);
    const [y, dots, sums] = [new Float64Array(m), new Float64Array(m), new Float64Array(n)];
    backend.gemv(y, a, x);
    backend.rowDots(dots, a, a);
    backend.gemv(sums, a, new Float64Array(m).fill(1), { transpose: true });
    for (let i = 0; i < m; i++) {
      expect(y[i]).toBe(Array.from(a.row(i)).reduce((sum, value) => sum + value, 0));
      expect(dots[i]).toBe(Array.from(a.row(i)).reduce((sum, value) => sum + value * value, 0));
    }
    expect(sums.every((sum, j) => sum === a.at(0, j) + a.at(1, j) + a.at(2, j))).toBe(true);
    backend.dispose();
  });
});
