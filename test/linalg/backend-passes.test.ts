import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import fc from '../property.js';
import '../allclose.js';
import { backends } from './backends.js';
import { changesAround, dtypes, epsilon, operand, Random, shapesWith } from './naive.js';

const shapes = shapesWith(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 190, max: 300 })));
/** Lengths of consecutive segments of rows; some may be empty. */
const segments = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 });

function startsOf(lengths: number[]): Int32Array {
  const starts = new Int32Array(lengths.length + 1);
  lengths.forEach((length, c) => {
    starts[c + 1] = starts[c] + length;
  });
  return starts;
}

describe.each(backends)('passes on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it('copies into a window and nothing beside it', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const [target, source] = [operand(random, rows, cols, dtype, pad), operand(random, rows, cols, dtype, 2 - pad)];
        backend.copy(target, source);
        expect(target.copy().data).toEqual(source.copy().data);
        expect(changesAround(target)).toBe(0);
        expect(changesAround(source)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('adds to the diagonal alone', () => {
    for (const dtype of dtypes)
      for (const n of [0, 1, 7]) {
        const a = operand(new Random(n), n, n, dtype, 1);
        const expected = a.copy('float64');
        for (let i = 0; i < n; i++) expected.set(i, i, a.at(i, i) + 0.25);
        backend.addDiagonal(a, 0.25);
        expect(a).toBeAllClose(expected, { tolerance: 4 * epsilon[dtype], scale: 1 });
        expect(changesAround(a)).toBe(0);
      }
  });

  it('sums the products of all elements in float64', () => {
    fc.assert(
      fc.property(fc.record(shapes), ({ seed, rows, cols, pad, dtype }) => {
        const random = new Random(seed);
        const [a, b] = [operand(random, rows, cols, dtype, pad), operand(random, rows, cols, dtype)];
        let expected = 0;
        for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) expected += a.at(i, j) * b.at(i, j);
        const tolerance = 4 * (rows * cols + 1) * epsilon.float64;
        expect([backend.dot(a, b)]).toBeAllClose([expected], { tolerance, scale: 16 });
      }),
      { numRuns: 80 },
    );
  });

  it('keeps its accuracy over a million single-precision elements', () => {
    const ones = Matrix.zeros(1000, 1000, 'float32').fill(1);
    const tenths = Matrix.zeros(1000, 1000, 'float32').fill(0.1);
    expect([backend.dot(ones, tenths)]).toBeAllClose([1e6 * Math.fround(0.1)], { tolerance: 1e-12 });
  });

  it('finds the largest magnitude, and NaN wherever there is one', () => {
    for (const dtype of dtypes)
      for (const pad of [0, 1]) {
        const a = operand(new Random(9), 6, 7, dtype, pad);
        a.set(4, 3, -50);
        expect(backend.maxAbs(a)).toBe(50);
        for (const [i, j] of [
          [0, 0],
          [3, 2],
          [5, 6],
        ]) {
          const broken = operand(new Random(9), 6, 7, dtype, pad).copyFrom(a);
          broken.set(i, j, Number.NaN);
          expect(backend.maxAbs(broken)).toBeNaN();
        }
      }
    expect(backend.maxAbs(Matrix.zeros(0, 3))).toBe(0);
  });

  it('multiplies the rows of each segment with the direction of that segment', () => {
    fc.assert(
      fc.property(fc.record(shapes), segments, ({ seed, cols, pad, dtype }, lengths) => {
        const random = new Random(seed);
        const starts = startsOf(lengths);
        const rows = starts[lengths.length];
        const a = operand(random, rows, cols, dtype, pad);
        const directions = operand(random, lengths.length, cols, dtype, pad);
        const out = new Float64Array(rows).fill(Number.NaN);
        const expected = new Float64Array(rows);
        lengths.forEach((_, c) => {
          for (let i = starts[c]; i < starts[c + 1]; i++)
            for (let j = 0; j < cols; j++) expected[i] += a.at(i, j) * directions.at(c, j);
        });
        backend.segmentDots(out, a, directions, starts);
        expect(out).toBeAllClose(expected, { tolerance: 8 * (cols + 2) * epsilon[dtype], scale: 16 });
      }),
      { numRuns: 60 },
    );
  });

  it('adds up the weighted rows of each segment', () => {
    fc.assert(
      fc.property(
        fc.record({ ...shapes, beta: fc.constantFrom(0, 1, -0.5) }),
        segments,
        ({ seed, cols, pad, dtype, beta }, lengths) => {
          const random = new Random(seed);
          const starts = startsOf(lengths);
          const rows = starts[lengths.length];
          const a = operand(random, rows, cols, dtype, pad);
          const weights = random.normalArray(rows);
          const out = operand(random, lengths.length, cols, dtype, pad);
          const expected = out.copy('float64');
          lengths.forEach((_, c) => {
            for (let j = 0; j < cols; j++) {
              let sum = beta * out.at(c, j);
              for (let i = starts[c]; i < starts[c + 1]; i++) sum += weights[i] * a.at(i, j);
              expected.set(c, j, sum);
            }
          });
          backend.segmentSums(out, a, weights, starts, beta);
          expect(out).toBeAllClose(expected, { tolerance: 32 * epsilon[dtype], scale: 16 });
          expect(changesAround(out)).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('refuses segments and shapes that do not fit', () => {
    const a = Matrix.zeros(5, 3);
    const out = new Float64Array(5);
    for (const starts of [
      [0, 2, 4],
      [1, 3, 5],
      [0, 4, 2, 5],
      [0, 2, 6],
    ])
      expect(() => backend.segmentDots(out, a, Matrix.zeros(starts.length - 1, 3), Int32Array.from(starts))).toThrow(
        ArgumentError,
      );
    const starts = Int32Array.from([0, 2, 5]);
    expect(() => backend.segmentDots(out, a, Matrix.zeros(3, 3), starts)).toThrow(ArgumentError);
    expect(() => backend.segmentDots(out, a, Matrix.zeros(2, 4), starts)).toThrow(ArgumentError);
    expect(() => backend.segmentDots(new Float64Array(4), a, Matrix.zeros(2, 3), starts)).toThrow(ArgumentError);
    expect(() => backend.segmentSums(Matrix.zeros(2, 3), a, new Float64Array(6), starts)).toThrow(ArgumentError);
    expect(() => backend.copy(Matrix.zeros(5, 2), a)).toThrow('5×2');
    expect(() => backend.addDiagonal(a, 1)).toThrow('addDiagonal: A is 5×3');
    expect(() => backend.dot(a, Matrix.zeros(3, 5))).toThrow(ArgumentError);
  });
});
