import { describe, expect, it } from 'vitest';
import { ArgumentError, MemoryError } from '../../src/errors.js';
import type { Dtype } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { createFactor } from '../../src/linalg/wasm/factor.js';
import { createWasmBackend } from '../../src/linalg/wasm/index.js';
import fc from '../property.js';
import { createPlainContext, elementsOf } from './factor-context.js';
import {
  gluedWilkinson,
  gram,
  jacobiEigenvalues,
  norm,
  randomSymmetric,
  type Symmetric,
  symmetric,
  tridiagonal,
  withEigenvalues,
} from './factor-matrices.js';

const context = createPlainContext();
const factor = createFactor(context);
const epsilon = { float64: 2 ** -52, float32: 2 ** -23 };

interface Eigen {
  values: Float64Array;
  /** Row i is the i-th eigenvector. */
  vectors: Float64Array;
}

/** Runs eigh on the lower triangle inside a larger array; everything it must not read or write is NaN. */
function eigh({ n, data }: Symmetric, dtype: Dtype = 'float64', padding = 0): Eigen {
  const lda = n + padding;
  const usedBefore = context.used.size;
  const bytes = dtype === 'float64' ? 8 : 4;
  const a = context.allocate(bytes * Math.max(1, n * lda));
  const values = context.allocate(bytes * Math.max(1, n));
  try {
    const before = elementsOf(context.memory, dtype);
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) before[a / bytes + i * lda + j] = data[i * n + j];
    factor.eigh(dtype, n, a, lda, values);
    const after = elementsOf(context.memory, dtype);
    const vectors = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) vectors[i * n + j] = after[a / bytes + i * lda + j];
      for (let j = n; j < lda; j++) expect(after[a / bytes + i * lda + j]).toBeNaN();
    }
    return { values: Float64Array.from(after.subarray(values / bytes, values / bytes + n)), vectors };
  } finally {
    context.free(a);
    context.free(values);
    expect(context.used.size).toBe(usedBefore);
  }
}

/** A v = λ v, V V' = I and λ ascending, to `tolerance` times the order times the rounding unit. */
function expectEigenpairs(a: Symmetric, { values, vectors }: Eigen, dtype: Dtype = 'float64', tolerance = 3): void {
  const { n, data } = a;
  const unit = tolerance * (n + 4) * epsilon[dtype];
  // Subnormal numbers are only known to an absolute 2⁻¹⁰⁷⁴.
  const allowed = unit * norm(a) + n * 2 ** -1073;
  let residual = 0;
  let overlap = 0;
  let descents = 0;
  for (let i = 0; i < n; i++) {
    const v = vectors.subarray(i * n, (i + 1) * n);
    if (!(i === 0 || values[i] >= values[i - 1])) descents++;
    for (let j = 0; j < n; j++) {
      let product = 0;
      let cosine = 0;
      for (let k = 0; k < n; k++) {
        product += data[j * n + k] * v[k];
        cosine += v[k] * vectors[j * n + k];
      }
      residual = Math.max(residual, Math.abs(product - values[i] * v[j]));
      overlap = Math.max(overlap, Math.abs(cosine - (i === j ? 1 : 0)));
    }
  }
  expect(residual).toBeLessThanOrEqual(allowed);
  expect(overlap).toBeLessThanOrEqual(unit);
  expect(descents).toBe(0);
}

function expectValues(found: ArrayLike<number>, expected: ArrayLike<number>, allowed: number): void {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) expect(Math.abs(found[i] - expected[i])).toBeLessThanOrEqual(allowed);
}

describe('eigh of the WebAssembly factorizations', () => {
  it('does nothing for order 0 and is exact for order 1', () => {
    expect(eigh({ n: 0, data: new Float64Array() }).values.length).toBe(0);
    expect(eigh(symmetric(1, () => -3.5))).toEqual({ values: Float64Array.of(-3.5), vectors: Float64Array.of(1) });
  });

  it('solves a 2×2 matrix by hand', () => {
    const a = symmetric(2, (i, j) => (i === j ? 2 : 1));
    const { values, vectors } = eigh(a);
    expectValues(values, [1, 3], 1e-15);
    expect(Math.abs(vectors[0] + vectors[1])).toBeLessThan(1e-15);
    expect(Math.abs(vectors[2] - vectors[3])).toBeLessThan(1e-15);
  });

  it('agrees with Jacobi rotations on small matrices, also with many equal elements', () => {
    const element = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ min: -10, max: 10, noNaN: true }));
    const matrix = fc
      .integer({ min: 1, max: 12 })
      .chain((n) => fc.array(element, { minLength: n * n, maxLength: n * n }).map((data) => ({ n, data })));
    fc.assert(
      fc.property(matrix, fc.nat(3), ({ n, data }, padding) => {
        const a = symmetric(n, (i, j) => data[i * n + j]);
        const eigen = eigh(a, 'float64', padding);
        expectEigenpairs(a, eigen);
        expectValues(eigen.values, jacobiEigenvalues(a), 4 * (n + 4) * epsilon.float64 * norm(a) + n * 2 ** -1073);
      }),
      { numRuns: 200 },
    );
  });

  it.each([3, 4, 5, 8, 31, 32, 33, 48, 49, 63, 64, 65, 80, 97, 129, 161, 250])(
    'gives residuals and orthogonality to rounding for a random matrix of order %d',
    (n) => {
      const a = randomSymmetric(new Random(n), n);
      const eigen = eigh(a, 'float64', n % 3);
      expectEigenpairs(a, eigen);
      if (n <= 80) expectValues(eigen.values, jacobiEigenvalues(a), 4 * n * epsilon.float64 * norm(a));
    },
  );

  it('finds the known eigenvalues of the second-difference matrix', () => {
    const n = 150;
    const a = tridiagonal(
      n,
      () => 2,
      () => -1,
    );
    const eigen = eigh(a);
    expectEigenpairs(a, eigen);
    const expected = Array.from({ length: n }, (_, i) => 2 - 2 * Math.cos(((i + 1) * Math.PI) / (n + 1)));
    expectValues(eigen.values, expected, 20 * epsilon.float64);
  });

  it('finds the whole-number eigenvalues of the symmetrized Kac matrix', () => {
    const n = 101;
    const a = tridiagonal(
      n,
      () => 0,
      (i) => Math.sqrt((i + 1) * (n - 1 - i)),
    );
    const expected = Array.from({ length: n }, (_, i) => 2 * i - (n - 1));
    expectValues(eigh(a).values, expected, n * n * epsilon.float64);
  });

  const random = new Random(7);
  const clustered = Float64Array.from({ length: 120 }, (_, i) => 1 + (i % 4) + 1e-14 * i);
  const difficult: [string, Symmetric][] = [
    ['zero', symmetric(70, () => 0)],
    ['the identity', symmetric(70, (i, j) => (i === j ? 1 : 0))],
    ['all ones', symmetric(70, () => 1)],
    ['diagonal in random order', symmetric(90, (i, j) => (i === j ? ((i * 37) % 90) - 45 : 0))],
    ['repeated', withEigenvalues(random, new Float64Array(100).fill(2).fill(-1, 40))],
    ['clustered', withEigenvalues(random, clustered)],
    ['of rank 5', gram(random, 110, 5)],
    ['with one large value', withEigenvalues(random, new Float64Array(80).fill(1e-10).fill(1e10, 79))],
    ['the Hilbert matrix', symmetric(60, (i, j) => 1 / (i + j + 1))],
    ['graded down', symmetric(100, (i, j) => 10 ** (-0.15 * (i + j)))],
    ['graded up', symmetric(100, (i, j) => 10 ** (0.15 * (i + j - 198)) * (1 + ((i * j) % 3)))],
    ['graded over 300 decades', symmetric(100, (i, j) => 10 ** (1.5 * (i + j - 99)) * Math.cos(i + j))],
    ['glued Wilkinson (1e-4)', gluedWilkinson(6, 1e-4)],
    ['glued Wilkinson (1e-9)', gluedWilkinson(6, 1e-9)],
    ['glued Wilkinson (1e-15)', gluedWilkinson(6, 1e-15)],
    ['arrow-shaped', symmetric(90, (i, j) => (i === j ? i : j === 0 ? 1 : 0))],
    ['of unconnected blocks', symmetric(96, (i, j) => (i >> 3 === j >> 3 ? Math.sin(i * j + 1) : 0))],
    ['with negative couplings', tridiagonal(130, Math.sin, (i) => -0.5 - 0.5 * Math.cos(i))],
    [
      'with a tiny coupling in the middle',
      tridiagonal(
        100,
        () => 1,
        (i) => (i === 49 ? 1e-18 : 1),
      ),
    ],
  ];

  it.each(difficult)('handles a matrix that is %s', (_name, a) => {
    const eigen = eigh(a);
    expectEigenpairs(a, eigen);
  });

  it.each([1e-310, 1e-200, 1e-150, 1e-20, 1e20, 1e150, 1e200, 1e303])('scales a matrix of size %d', (size) => {
    const plain = randomSymmetric(new Random(5), 60);
    const a = symmetric(60, (i, j) => size * plain.data[i * 60 + j]);
    expectEigenpairs(a, eigh(a));
  });

  it('keeps the exact eigenvalues of a diagonal matrix that spans 300 decades', () => {
    const n = 61;
    const a = symmetric(n, (i, j) => (i === j ? 10 ** (5 * ((i * 17) % n) - 150) : 0));
    const expected = Array.from({ length: n }, (_, i) => a.data[i * (n + 1)]).sort((x, y) => x - y);
    expect(Array.from(eigh(a).values)).toEqual(expected);
  });

  it('meets the bounds for tridiagonal matrices made of few different numbers', () => {
    const entry = fc.constantFrom(0, 1, -1, 1e-8, 1e-16, 2, 1e8);
    fc.assert(
      fc.property(
        fc.integer({ min: 33, max: 90 }),
        fc.array(entry, { minLength: 180, maxLength: 180 }),
        (n, entries) => {
          const a = tridiagonal(
            n,
            (i) => entries[2 * i],
            (i) => entries[2 * i + 1],
          );
          expectEigenpairs(a, eigh(a));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([1, 2, 17, 40, 100])('solves a float32 matrix of order %d to float32 accuracy', (n) => {
    const exact = randomSymmetric(new Random(n + 1), n);
    const a = symmetric(n, (i, j) => Math.fround(exact.data[i * n + j]));
    expectEigenpairs(a, eigh(a, 'float32', 1), 'float32', 1);
    const large = symmetric(n, (i, j) => Math.fround(1e37 * exact.data[i * n + j]));
    expectEigenpairs(large, eigh(large, 'float32'), 'float32', 1);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('names the place of %d', (bad) => {
    for (const dtype of ['float64', 'float32'] as const)
      for (const n of [1, 5, 70]) {
        const row = n - 1;
        const column = Math.floor(n / 2);
        const a = symmetric(n, (i, j) => (i === row && j === column ? bad : 1));
        expect(() => eigh(a, dtype)).toThrow(ArgumentError);
        expect(() => eigh(a, dtype)).toThrow(`the matrix (${n}×${n}) holds ${bad} in row ${row}, column ${column}`);
      }
  });

  it('works beyond the first two gibibytes of the memory', () => {
    const first = context.allocate(64);
    context.used.set(first, 2 ** 31 + 2 ** 20);
    const a = randomSymmetric(new Random(6), 100);
    expectEigenpairs(a, eigh(a));
    context.free(first);
  });

  it('leaves the matrix as it was when the workspace cannot be had', () => {
    const n = 100;
    const limited = createPlainContext();
    const a = limited.allocate(8 * n * n);
    const { data } = randomSymmetric(new Random(8), n);
    new Float64Array(limited.memory.buffer, a, n * n).set(data);
    const values = limited.allocate(8 * n);
    const allocate = (bytes: number) => {
      const used = [...limited.used.values()].reduce((sum, size) => sum + size, bytes);
      if (used > 8 * 2.6 * n * n) throw new MemoryError(bytes, 'the workspace');
      return limited.allocate(bytes);
    };
    const { eigh: limitedEigh } = createFactor({ ...limited, allocate });
    expect(() => limitedEigh('float64', n, a, n, values)).toThrow(MemoryError);
    expect(new Float64Array(limited.memory.buffer, a, n * n)).toEqual(data);
    expect([...limited.used.keys()]).toEqual([a, values]);
  });

  it('gives the same bits again', () => {
    const a = randomSymmetric(new Random(3), 120);
    expect(eigh(a)).toEqual(eigh(a));
  });

  it('gives the same bits with one thread and with two', async () => {
    const n = 300;
    const { data } = randomSymmetric(new Random(4), n);
    const results: Float64Array[][] = [];
    for (const threads of [1, 2]) {
      const backend = await createWasmBackend({ threads });
      const a = backend.matrix(n, n);
      a.data.set(data);
      const values = new Float64Array(n);
      backend.eigh(values, a);
      expectEigenpairs({ n, data }, { values, vectors: a.data.slice() });
      results.push([values, a.data.slice()]);
      backend.dispose();
    }
    expect(Buffer.from(results[0][0].buffer).equals(Buffer.from(results[1][0].buffer))).toBe(true);
    expect(results[0][1].every((x, i) => Object.is(x, results[1][1][i]))).toBe(true);
  });
});
