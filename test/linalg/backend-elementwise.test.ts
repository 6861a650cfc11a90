import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix, type RealArray } from '../../src/linalg/matrix.js';
import fc from '../property.js';
import '../allclose.js';
import { backends } from './backends.js';
import { changesAround, epsilon, operand, Random, shapesWith } from './naive.js';

/** Short rows, and rows long enough for another code path. */
const shapes = shapesWith(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 190, max: 400 })));
const factor = fc.constantFrom(0, 1, -1, 0.5, -2.25);

function dot(x: RealArray, y: RealArray): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

describe.each(backends)('element-wise passes on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it('adds matrices with factors', () => {
    fc.assert(
      fc.property(
        fc.record({ ...shapes, alpha: factor, beta: factor }),
        ({ seed, rows, cols, pad, dtype, alpha, beta }) => {
          const random = new Random(seed);
          const [x, y] = [operand(random, rows, cols, dtype, pad), operand(random, rows, cols, dtype, pad)];
          const before = x.copy();
          const expected = Matrix.zeros(rows, cols);
          for (let i = 0; i < rows; i++)
            for (let j = 0; j < cols; j++) expected.set(i, j, alpha * x.at(i, j) + beta * y.at(i, j));
          backend.axpby(y, alpha, x, beta);
          expect(y).toBeAllClose(expected, { tolerance: 4 * epsilon[dtype], scale: 16 });
          expect(changesAround(y)).toBe(0);
          expect(x.copy().data).toEqual(before.data);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('does not read Y when beta is 0', () => {
    for (const cols of [5, 300]) {
      const x = operand(new Random(1), 3, cols, 'float64');
      const y = Matrix.zeros(3, cols).fill(Number.NaN);
      backend.axpby(y, 2, x, 0);
      expect(y).toBeAllClose(new Matrix(x.data.map((value) => 2 * value) as RealArray, 3, cols));
    }
  });

  it('adds a matrix to itself', () => {
    for (const cols of [5, 300]) {
      const y = operand(new Random(1), 3, cols, 'float64');
      const expected = new Matrix(y.data.map((value) => 2.5 * value - 0.5 * value) as RealArray, 3, cols);
      backend.axpby(y, 2.5, y, -0.5);
      expect(y).toBeAllClose(expected);
    }
  });

  it('scales each column by its own factor, wherever the matrix lies', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const a = operand(random, rows, cols, dtype, pad);
        const factors = Float64Array.from(operand(random, 1, cols, 'float64').data);
        const expected = a.copy('float64');
        for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) expected.set(i, j, a.at(i, j) * factors[j]);
        const kept = backend.matrix(rows, cols, dtype);
        backend.copy(kept, a);
        for (const matrix of [a, kept]) {
          backend.scaleColumns(matrix, factors);
          expect(matrix).toBeAllClose(expected, { tolerance: 2 * epsilon[dtype], scale: 16 });
        }
        backend.release(kept);
        expect(changesAround(a)).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('scales each row by its own factor', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const a = operand(random, rows, cols, dtype, pad);
        const factors = operand(random, 1, rows, dtype).data;
        if (rows > 1) factors[1] = 0;
        const before = factors.slice();
        const expected = a.copy('float64');
        for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) expected.set(i, j, a.at(i, j) * factors[i]);
        backend.scaleRows(a, factors);
        expect(a).toBeAllClose(expected, { tolerance: 2 * epsilon[dtype], scale: 16 });
        expect(changesAround(a)).toBe(0);
        expect(factors).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  it('copies the rows that are named, some of them twice, wherever the matrices lie', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const source = operand(random, rows, cols, dtype, pad);
        const kept = backend.matrix(rows, cols, dtype);
        backend.copy(kept, source);
        const chosen = Int32Array.from({ length: rows === 0 ? 0 : rows + 3 }, () => random.integer(rows));
        const there = backend.matrix(chosen.length, cols, dtype);
        for (const from of [source, kept])
          for (const to of [operand(random, chosen.length, cols, dtype, pad), there]) {
            backend.copyRows(to, from, chosen);
            const found = to.copy();
            chosen.forEach((row, i) => {
              expect(found.row(i)).toEqual(source.row(row));
            });
            if (to !== there) expect(changesAround(to)).toBe(0);
          }
        for (const matrix of [kept, there]) backend.release(matrix);
      }),
      { numRuns: 40 },
    );
  });

  it('takes the products of rows with rows', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const [a, b] = [operand(random, rows, cols, dtype, pad), operand(random, rows, cols, dtype, 0)];
        const out = Matrix.zeros(1, rows, dtype).fill(Number.NaN).data;
        const expected = Array.from({ length: rows }, (_, i) => dot(a.row(i), b.row(i)));
        const before = [a.copy().data, b.copy().data];
        backend.rowDots(out, a, b);
        expect(out).toBeAllClose(expected, { tolerance: 4 * (cols + 2) * epsilon[dtype], scale: 16 });
        expect([a.copy().data, b.copy().data]).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  it('takes the product of each row with itself', () => {
    for (const cols of [3, 500]) {
      const a = operand(new Random(3), 4, cols, 'float64');
      const out = new Float64Array(4);
      backend.rowDots(out, a, a);
      expect(out).toBeAllClose(Array.from({ length: 4 }, (_, i) => dot(a.row(i), a.row(i))));
    }
  });
});
