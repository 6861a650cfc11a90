import { describe, expect, it } from 'vitest';
import type { Dtype } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { createFactor } from '../../src/linalg/wasm/factor.js';
import fc from '../property.js';
import { createPlainContext, elementsOf } from './factor-context.js';
import { gram, norm, type Symmetric, symmetric, withEigenvalues } from './factor-matrices.js';

const epsilon = { float64: 2 ** -52, float32: 2 ** -23 };
const dtypes = ['float64', 'float32'] as const;

function rounded(a: Symmetric, dtype: Dtype): Symmetric {
  return dtype === 'float64' ? a : { n: a.n, data: Float64Array.from(Float32Array.from(a.data)) };
}

/** Row-major data of rows×cols. */
interface Dense {
  rows: number;
  cols: number;
  data: Float64Array;
}

describe.each([
  ['products only', false],
  ['the triangle-only product', true],
])('cholesky of the WebAssembly factorizations with %s', (_name, syrk) => {
  const context = createPlainContext({ syrk });
  const factor = createFactor(context);

  /** Copies row-major data into the memory, calls, and copies back; what lies outside the data is NaN and must stay so. */
  function inMemory(dtype: Dtype, matrices: Dense[], padding: number, call: (pointers: number[]) => void): void {
    const bytes = dtype === 'float64' ? 8 : 4;
    const pointers = matrices.map(({ rows, cols }) => context.allocate(bytes * Math.max(1, rows * (cols + padding))));
    matrices.forEach(({ rows, cols, data }, which) => {
      const elements = elementsOf(context.memory, dtype);
      for (let i = 0; i < rows; i++)
        elements.set(data.subarray(i * cols, (i + 1) * cols), pointers[which] / bytes + i * (cols + padding));
    });
    call(pointers);
    matrices.forEach(({ rows, cols, data }, which) => {
      const elements = elementsOf(context.memory, dtype);
      for (let i = 0; i < rows; i++) {
        const start = pointers[which] / bytes + i * (cols + padding);
        data.set(elements.subarray(start, start + cols), i * cols);
        expect(elements.subarray(start + cols, start + cols + padding).every(Number.isNaN)).toBe(true);
      }
    });
    for (const pointer of pointers) context.free(pointer);
    expect(context.used.size).toBe(0);
  }

  /** L with NaN above the diagonal, where nothing may be read or written, and the returned code. */
  function cholesky({ n, data }: Symmetric, dtype: Dtype, padding = 0) {
    const l: Dense = { rows: n, cols: n, data: data.map((x, at) => (at % n <= Math.floor(at / n) ? x : Number.NaN)) };
    let code = -1;
    inMemory(dtype, [l], padding, ([pointer]) => {
      code = factor.cholesky(dtype, n, pointer, n + padding);
    });
    const above = l.data.filter((_, at) => at % n > Math.floor(at / n));
    expect(above.every(Number.isNaN)).toBe(true);
    return { code, l: l.data };
  }

  function solve(l: Float64Array, n: number, b: Dense, dtype: Dtype, layout: 'rows' | 'columns', padding = 0): void {
    const rhs = layout === 'rows' ? b.rows : b.cols;
    inMemory(dtype, [{ rows: n, cols: n, data: l }, b], padding, ([lPointer, bPointer]) =>
      factor.choleskySolve(dtype, n, lPointer, n + padding, bPointer, b.cols + padding, rhs, layout, 'whole'),
    );
  }

  /** Largest element of A - L L'. */
  function residual({ n, data }: Symmetric, l: Float64Array): number {
    let largest = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k <= j; k++) sum += l[i * n + k] * l[j * n + k];
        largest = Math.max(largest, Math.abs(data[i * n + j] - sum));
      }
    return largest;
  }

  it.each(dtypes)('is the textbook factor (%s)', (dtype) => {
    // Whole numbers, so that every precision gives the same.
    const a = symmetric(3, (i, j) => [[4], [12, 37], [-16, -43, 98]][i][j]);
    const { code, l } = cholesky(a, dtype);
    expect(code).toBe(0);
    expect(l.filter((x) => !Number.isNaN(x))).toEqual(Float64Array.of(2, 6, 1, -8, 5, 3));
  });

  it.each(dtypes)('reproduces A as L times its transpose for every order around the block sizes (%s)', (dtype) => {
    for (const n of [0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 129, 192, 200]) {
      const a = rounded(gram(new Random(n), n, n + 5), dtype);
      const { code, l } = cholesky(a, dtype, n % 4);
      expect(code).toBe(0);
      expect(residual(a, l)).toBeLessThanOrEqual(2 * n * epsilon[dtype] * norm(a));
    }
  });

  it('has a positive diagonal and a small residual for any positive definite matrix', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), fc.nat(), fc.integer({ min: 0, max: 12 }), (n, seed, decades) => {
        const random = new Random(seed);
        const a = withEigenvalues(
          random,
          Float64Array.from({ length: n }, () => 10 ** (-decades * random.uniform())),
        );
        const { code, l } = cholesky(a, 'float64');
        expect(code).toBe(0);
        for (let i = 0; i < n; i++) expect(l[i * (n + 1)]).toBeGreaterThan(0);
        expect(residual(a, l)).toBeLessThanOrEqual(2 * n * epsilon.float64 * norm(a));
      }),
      { numRuns: 60 },
    );
  });

  it.each(dtypes)('names the pivot that is zero in a semi-definite matrix (%s)', (dtype) => {
    for (const [n, rank] of [
      [1, 0],
      [2, 1],
      [70, 1],
      [70, 64],
      [150, 67],
      [150, 128],
      [150, 149],
    ]) {
      // L = [I 0; 1 0]: row i ≥ rank of A = L L' repeats what came before, exactly, in whole numbers.
      const factorOf = (i: number, k: number) => (k < rank && (i === k || i >= rank) ? 1 : 0);
      const a = symmetric(n, (i, j) => {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += factorOf(i, k) * factorOf(j, k);
        return sum;
      });
      expect(cholesky(a, dtype).code).toBe(rank + 1);
    }
  });

  it.each(dtypes)('names the pivot that is negative in an indefinite matrix (%s)', (dtype) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 140 }), fc.nat(), (n, choice) => {
        const bad = choice % n;
        const base = gram(new Random(choice), n, n + 3);
        // The leading block before `bad` stays positive definite.
        const a = symmetric(
          n,
          (i, j) => (i === j && i === bad ? -1 : base.data[i * n + j]) + (i === j && i !== bad ? 1 : 0),
        );
        expect(cholesky(a, dtype).code).toBe(bad + 1);
      }),
      { numRuns: 30 },
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses a matrix with %d', (value) => {
    for (const [row, column] of [
      [0, 0],
      [5, 3],
      [99, 70],
      [99, 99],
    ]) {
      const a = symmetric(100, (i, j) => (i === row && j === column ? value : i === j ? 2 : 0));
      const { code } = cholesky(a, 'float64');
      expect(code).toBeGreaterThan(0);
      if (Number.isNaN(value)) expect(code).toBe(row + 1);
    }
  });

  describe.each(dtypes)('choleskySolve (%s)', (dtype) => {
    it.each(['rows', 'columns'] as const)('solves A x = b for right-hand sides in %s', (layout) => {
      const cases = [
        ...[1, 2, 5, 64, 65, 130].map((n) => [n, 9]),
        ...[0, 1, 7, 8, 15, 16, 17, 40].map((rhs) => [70, rhs]),
        [0, 3],
      ];
      for (const [n, rhs] of cases) {
        const random = new Random(1000 * n + rhs);
        const a = rounded(gram(random, n, 2 * n + 2), dtype);
        const { code, l } = cholesky(a, dtype);
        expect(code).toBe(0);
        const [rows, cols] = layout === 'rows' ? [rhs, n] : [n, rhs];
        const b: Dense = { rows, cols, data: Float64Array.from(Float32Array.from(random.normalArray(n * rhs))) };
        const x: Dense = { ...b, data: b.data.slice() };
        solve(l, n, x, dtype, layout, rhs % 3);
        expectSolved(a, x, b, layout, 4 * n * epsilon[dtype]);
      }
    });

    it.each(['rows', 'columns'] as const)('is backward stable for ill-conditioned matrices (%s)', (layout) => {
      const random = new Random(77);
      const n = 150;
      const smallest = dtype === 'float64' ? 1e-13 : 1e-5;
      const spectrum = Float64Array.from({ length: n }, (_, i) => smallest ** (i / (n - 1)));
      const a = rounded(withEigenvalues(random, spectrum), dtype);
      const { code, l } = cholesky(a, dtype);
      expect(code).toBe(0);
      const [rows, cols] = layout === 'rows' ? [5, n] : [n, 5];
      const b: Dense = { rows, cols, data: Float64Array.from(Float32Array.from(random.normalArray(n * 5))) };
      const x: Dense = { ...b, data: b.data.slice() };
      solve(l, n, x, dtype, layout);
      expectSolved(a, x, b, layout, 4 * n * epsilon[dtype]);
    });
  });

  /** |A x - b| ≤ tolerance ‖A‖ ‖x‖ for every right-hand side. */
  function expectSolved(a: Symmetric, x: Dense, b: Dense, layout: 'rows' | 'columns', tolerance: number): void {
    const { n } = a;
    const size = norm(a);
    const rhs = layout === 'rows' ? x.rows : x.cols;
    const at = (k: number, w: number) => (layout === 'rows' ? w * x.cols + k : k * x.cols + w);
    for (let w = 0; w < rhs; w++) {
      let largest = 0;
      let worst = 0;
      for (let i = 0; i < n; i++) {
        let sum = -b.data[at(i, w)];
        for (let k = 0; k < n; k++) sum += a.data[i * n + k] * x.data[at(k, w)];
        worst = Math.max(worst, Math.abs(sum));
        largest = Math.max(largest, Math.abs(x.data[at(i, w)]));
      }
      expect(worst).toBeLessThanOrEqual(tolerance * size * largest);
    }
  }
});
