import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotPositiveDefiniteError } from '../../src/errors.js';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import fc from '../property.js';
import '../allclose.js';
import { backends } from './backends.js';
import {
  changesAround,
  dtypes,
  epsilon,
  lowerTriangle,
  operand,
  product,
  Random,
  symmetric,
  transpose,
  withEigenvalues,
} from './naive.js';

const anything = fc.record({
  seed: fc.nat(),
  n: fc.integer({ min: 0, max: 30 }),
  pad: fc.integer({ min: 0, max: 2 }),
  dtype: fc.constantFrom(...dtypes),
});

/** Junk above the diagonal, which no factorization may read. */
function spoilUpperTriangle(a: Matrix): Matrix {
  for (let i = 0; i < a.rows; i++) for (let j = i + 1; j < a.cols; j++) a.set(i, j, 1e6 + i * a.cols + j);
  return a;
}

function identity(n: number): Matrix {
  const result = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) result.set(i, i, 1);
  return result;
}

/** AA' + I, safely positive definite. */
function positiveDefinite(random: Random, n: number, dtype: 'float64' | 'float32', pad = 0): Matrix {
  const a = operand(random, n, n, 'float64');
  const gram = product(a, transpose(a));
  for (let i = 0; i < n; i++) gram.set(i, i, gram.at(i, i) + 1);
  return operand(random, n, n, dtype, pad).copyFrom(gram);
}

describe.each(backends)('Cholesky on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it('gives L with LLʹ = A from the lower triangle alone and leaves the upper one as it was', () => {
    fc.assert(
      fc.property(anything, ({ seed, n, pad, dtype }) => {
        const a = positiveDefinite(new Random(seed), n, dtype, pad);
        const exact = symmetric(a);
        const before = spoilUpperTriangle(a).copy();
        backend.cholesky(a);
        const l = lowerTriangle(a);
        expect(product(l, transpose(l))).toBeAllClose(exact, { tolerance: 8 * (n + 1) * epsilon[dtype] });
        for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) expect(a.at(i, j)).toBe(before.at(i, j));
        expect(changesAround(a)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it.each([150, 257, 900])('factorizes and solves at order %i', (n) => {
    const random = new Random(n);
    // Diagonally dominant, so that the answer is known to about rounding times n.
    const a = operand(random, n, n, 'float64', 1);
    a.copyFrom(symmetric(a));
    for (let i = 0; i < n; i++) a.set(i, i, 2 * n);
    const exact = symmetric(a);
    const solution = operand(random, n, 5, 'float64');
    const columns = product(exact, solution);
    backend.cholesky(spoilUpperTriangle(a));
    const rows = transpose(columns);
    backend.choleskySolve(a, columns, 'columns');
    backend.choleskySolve(a, rows, 'rows');
    expect(columns).toBeAllClose(solution);
    expect(rows).toBeAllClose(transpose(solution));
  });

  it.each(['whole', 'half'] as const)(
    'goes the %s way to a solution for the rows or the columns of B and changes nothing else',
    (way) => {
      fc.assert(
        fc.property(
          anything,
          fc.integer({ min: 0, max: 12 }),
          fc.constantFrom('rows', 'columns'),
          ({ seed, n, pad, dtype }, count, layout) => {
            const random = new Random(seed);
            const a = positiveDefinite(random, n, dtype, pad);
            const exact = symmetric(a);
            backend.cholesky(spoilUpperTriangle(a));
            const before = a.copy();
            const b = layout === 'rows' ? operand(random, count, n, dtype, pad) : operand(random, n, count, dtype, pad);
            const rightSides = layout === 'rows' ? transpose(b) : b.copy('float64');
            backend.choleskySolve(a, b, layout, way);
            const x = layout === 'rows' ? transpose(b) : b;
            // A x = B the whole way, L x = B half of it. The residual is small beside |A| |x|, whatever the condition of A.
            const system = way === 'whole' ? exact : lowerTriangle(a);
            const largest = (matrix: Matrix) => Math.max(...matrix.copy().data.map(Math.abs), 0);
            const scale = 1 + largest(system) * n * largest(x);
            expect(product(system, x)).toBeAllClose(rightSides, { tolerance: 16 * (n + 1) * epsilon[dtype], scale });
            expect(changesAround(b)).toBe(0);
            expect(a.copy().data).toEqual(before.data);
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it('factorizes an ill-conditioned matrix with a small backward error', () => {
    const values = Array.from({ length: 60 }, (_, i) => 10 ** (-i / 5));
    const a = withEigenvalues(new Random(8), values);
    const exact = symmetric(a);
    backend.cholesky(a);
    const l = lowerTriangle(a);
    expect(product(l, transpose(l))).toBeAllClose(exact, { tolerance: 100 * epsilon.float64 });
  });

  it.each([
    [0, 1],
    [0, 40],
    [17, 40],
    [39, 40],
    [700, 900],
  ])('names pivot %i of order %i when it is not positive', (pivot, n) => {
    for (const dtype of dtypes)
      for (const bad of [0, -1, Number.NaN]) {
        const a = operand(new Random(n), n, n, dtype).copyFrom(identity(n));
        a.set(pivot, pivot, bad);
        let error: unknown;
        try {
          backend.cholesky(a);
        } catch (caught) {
          error = caught;
        }
        expect(error).toBeInstanceOf(NotPositiveDefiniteError);
        expect((error as NotPositiveDefiniteError).pivot).toBe(pivot);
      }
  });

  it('refuses a rank-deficient matrix at the first dependent row', () => {
    // Rows 0…4 of a small-integer matrix are independent, row 5 repeats row 2: every sum below is exact.
    const a = Matrix.from([
      [1, 0, 0, 0, 0, 0],
      [0, 2, 0, 0, 0, 0],
      [0, 0, 4, 0, 0, 4],
      [0, 0, 0, 1, 0, 0],
      [0, 0, 0, 0, 1, 0],
      [0, 0, 4, 0, 0, 4],
    ]);
    expect(() => backend.cholesky(a)).toThrow(NotPositiveDefiniteError);
  });
});

describe.each(backends)('the symmetric eigenproblem on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  /** Checks values, orthonormality and A V' = V' diag(values), for eigenvectors in the rows of `a`. */
  function expectDecomposition(a: Matrix, before: Matrix, values: ArrayLike<number>, tolerance: number): void {
    const n = before.rows;
    const norm = Math.max(Number.MIN_VALUE, ...before.data.map(Math.abs)) * Math.sqrt(n);
    for (let i = 1; i < n; i++) expect(values[i]).toBeGreaterThanOrEqual(values[i - 1]);
    expect(product(a, transpose(a))).toBeAllClose(identity(n), { tolerance });
    const scaled = a.copy('float64');
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) scaled.set(i, j, values[i] * a.at(i, j));
    expect(product(a, before)).toBeAllClose(scaled, { tolerance, scale: norm });
  }

  it('gives ascending values and orthonormal rows from the lower triangle alone', () => {
    fc.assert(
      fc.property(anything, ({ seed, n, pad, dtype }) => {
        const a = operand(new Random(seed), n, n, dtype, pad);
        const before = symmetric(a);
        const values = Matrix.zeros(1, n, dtype).fill(Number.NaN).data;
        backend.eigh(values, spoilUpperTriangle(a));
        expectDecomposition(a, before, values, 32 * (n + 2) * epsilon[dtype]);
        expect(changesAround(a)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it.each([64, 130, 200])('decomposes a random matrix of order %i', (n) => {
    for (const dtype of dtypes) {
      const a = operand(new Random(n), n, n, dtype, 1);
      const before = symmetric(a);
      const values = Matrix.zeros(1, n, dtype).data;
      backend.eigh(values, a);
      expectDecomposition(a, before, values, 8 * n * epsilon[dtype]);
    }
  });

  it.each([
    ['all equal', Array(40).fill(3)],
    ['two clusters', Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? -1 : 1) * (1 + (i % 5) * 1e-14))],
    ['graded over twelve decades', Array.from({ length: 40 }, (_, i) => 10 ** (-i * 0.3))],
    ['of rank three', Array.from({ length: 40 }, (_, i) => (i < 3 ? i + 1 : 0))],
    ['all zero', Array(40).fill(0)],
    ['of both signs and very different size', Array.from({ length: 40 }, (_, i) => (i % 2 ? 1 : -1) * 2 ** (i - 20))],
  ])('finds eigenvalues that are %s', (_, expected) => {
    const a = withEigenvalues(new Random(4), expected);
    const before = symmetric(a);
    const values = new Float64Array(40);
    backend.eigh(values, a);
    expect(values).toBeAllClose(
      [...expected].sort((x, y) => x - y),
      { tolerance: 1e-13 },
    );
    expectDecomposition(a, before, values, 1e-13);
  });

  it.each([1e-150, 1e150])('decomposes a matrix with elements around %d', (factor) => {
    const a = operand(new Random(6), 30, 30, 'float64');
    for (let i = 0; i < 30; i++) for (let j = 0; j < 30; j++) a.set(i, j, a.at(i, j) * factor);
    const before = symmetric(a);
    const values = new Float64Array(30);
    backend.eigh(values, a);
    expectDecomposition(a, before, values, 1e-13);
  });

  it('agrees with the closed form for the second-difference matrix', () => {
    const n = 120;
    const a = Matrix.zeros(n, n);
    for (let i = 0; i < n; i++) {
      a.set(i, i, 2);
      if (i > 0) a.set(i, i - 1, -1);
    }
    const values = new Float64Array(n);
    backend.eigh(values, a);
    expect(values).toBeAllClose(Array.from({ length: n }, (_, k) => 2 - 2 * Math.cos(((k + 1) * Math.PI) / (n + 1))));
  });

  it('leaves a diagonal matrix with unit vectors', () => {
    const a = Matrix.from([
      [3, 0, 0],
      [0, -1, 0],
      [0, 0, 2],
    ]);
    const values = new Float64Array(3);
    backend.eigh(values, a);
    expect([...values]).toEqual([-1, 2, 3]);
    expect(a.data.map(Math.abs)).toBeAllClose([0, 1, 0, 0, 0, 1, 1, 0, 0]);
  });

  it('refuses NaN and infinity instead of iterating on them', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const a = operand(new Random(6), 10, 10, 'float64');
      a.set(7, 2, bad);
      expect(() => backend.eigh(new Float64Array(10), a)).toThrow(`eigh: A is ${bad} at row 7, column 2`);
    }
  });
});
