/** The nearest rows of each row, against every pair compared. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import type { Backend } from '../../src/linalg/backend.js';
import { type Dtype, Matrix } from '../../src/linalg/matrix.js';
import type { RowBlocks } from '../../src/linalg/row-blocks.js';
import { asBlocks } from '../methods/streamed-rows.js';
import { backends } from './backends.js';
import { dtypes, Random } from './naive.js';

/** Rows of few small whole numbers, whose products are exact: many are equally near. */
function drawn(n: number, dtype: Dtype, seed = n): Matrix {
  const random = new Random(seed);
  const rows = Matrix.zeros(n, 7, dtype).view(0, n, 1, 6);
  for (let i = 0; i < n; i++) for (let j = 0; j < 5; j++) rows.set(i, j, Math.floor(7 * random.uniform()) - 3);
  if (n > 4) rows.row(4).fill(0);
  return rows;
}

const squaresOf = (rows: Matrix) =>
  Float64Array.from({ length: rows.rows }, (_, i) =>
    Array.from(rows.row(i)).reduce((sum, value) => sum + value * value, 0),
  );

/** Of one row the others, nearest first; of equally near ones the first. */
function byHand(rows: Matrix, i: number, count: number): { nearest: number[]; cosines: number[] } {
  const inverses = squaresOf(rows).map((square) => 1 / (Math.sqrt(square) || 1));
  const cosines = Array.from({ length: rows.rows }, (_, j) => {
    const product = Array.from(rows.row(i)).reduce((sum, value, k) => sum + value * rows.at(j, k), 0);
    // The inverses first, so that both ends of a pair round alike.
    return product * (inverses[i] * inverses[j]);
  });
  const nearest = [...cosines.keys()].filter((j) => j !== i).sort((a, b) => cosines[b] - cosines[a] || a - b);
  return { nearest: nearest.slice(0, count), cosines: nearest.slice(0, count).map((j) => cosines[j]) };
}

describe.each(backends)('the nearest rows on the $name backend', ({ create, mostThreads }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create(mostThreads);
  });
  afterAll(() => backend.dispose());

  const found = (rows: Matrix, count: number) => {
    const [nearest, cosines] = [new Int32Array(rows.rows * count), new Float64Array(rows.rows * count)];
    backend.nearestRows(nearest, cosines, rows, squaresOf(rows));
    return { nearest, cosines };
  };

  // 256 rows are compared at a time with 8192 others: parts of a block, its very end, several blocks, several tiles.
  it.each(dtypes.flatMap((dtype) => [2, 5, 256, 257, 530, 8200].map((n) => [n, dtype] as const)))(
    'of %i in %s are those of the largest cosines, of equal ones the first',
    (n, dtype) => {
      const rows = drawn(n, dtype);
      const count = Math.min(6, n - 1);
      const { nearest, cosines } = found(rows, count);
      const looked = n < 1000 ? rows.rows : 40;
      for (let k = 0; k < looked; k++) {
        const i = Math.floor((k * n) / looked);
        const expected = byHand(rows, i, count);
        expect(Array.from(nearest.subarray(i * count, (i + 1) * count))).toEqual(expected.nearest);
        expect(Array.from(cosines.subarray(i * count, (i + 1) * count))).toEqual(expected.cosines);
      }
    },
  );

  it.each([1, 100, 300])('are the same where %i rows can be had at a time', (atOnce) => {
    const rows = drawn(530, 'float32');
    const { nearest, cosines } = found(rows, 4);
    const again = [new Int32Array(nearest.length), new Float64Array(cosines.length)] as const;
    backend.nearestRows(...again, asBlocks(rows, atOnce), squaresOf(rows));
    expect(again[0]).toEqual(nearest);
    again[1].forEach((value, k) => {
      expect(value).toBeCloseTo(cosines[k], 5);
    });
  });

  const foundAmong = (rows: RowBlocks, lengths: Float64Array, others: Matrix, count: number) => {
    const [nearest, cosines] = [new Int32Array(rows.rows * count), new Float64Array(rows.rows * count)];
    backend.nearestRows(nearest, cosines, rows, lengths, { rows: others, squaredLengths: squaresOf(others) });
    return { nearest, cosines };
  };

  // The last is more than a tile, the last but one more than a block.
  it.each(
    dtypes.flatMap((dtype) =>
      [
        [3, 1],
        [40, 6],
        [1, 9],
        [600, 31],
        [20, 8300],
      ].map(([n, c]) => [n, c, dtype] as const),
    ),
  )('of %i rows among %i others in %s are those of the largest cosines', (n, c, dtype) => {
    const [rows, others] = [drawn(n, dtype), drawn(c, dtype, 77)];
    const count = Math.min(4, c);
    const { nearest, cosines } = foundAmong(rows, squaresOf(rows), others, count);
    const both = Matrix.zeros(c + 1, 5, dtype);
    both.view(0, c).copyFrom(others);
    for (let i = 0; i < n; i += n > 100 ? 37 : 1) {
      both.row(c).set(rows.row(i));
      const expected = byHand(both, c, count);
      expect(Array.from(nearest.subarray(i * count, (i + 1) * count))).toEqual(expected.nearest);
      expect(Array.from(cosines.subarray(i * count, (i + 1) * count))).toEqual(expected.cosines);
    }
  });

  it('among others are the same where rows have to be read', () => {
    const [rows, others] = [drawn(300, 'float32'), drawn(50, 'float32', 78)];
    const whole = foundAmong(rows, squaresOf(rows), others, 3);
    expect(foundAmong(asBlocks(rows, 70), squaresOf(rows), others, 3).nearest).toEqual(whole.nearest);
  });

  it('among others may be a row itself, and as many as there are', () => {
    const rows = drawn(4, 'float64');
    const { nearest, cosines } = foundAmong(rows, squaresOf(rows), rows, 4);
    expect(cosines[0]).toBeCloseTo(1, 12);
    for (let i = 0; i < 4; i++) expect(new Set(nearest.subarray(i * 4, (i + 1) * 4)).size).toBe(4);
    expect(() => foundAmong(rows, squaresOf(rows), rows, 5)).toThrow(/at most 4/);
    expect(() => foundAmong(rows, squaresOf(rows), drawn(4, 'float32'), 1)).toThrow(/in float64.*in float32/);
    expect(() => foundAmong(rows, squaresOf(rows), Matrix.zeros(4, 2), 1)).toThrow(/the others are 4×2/);
  });

  it('are all the others where there is room for them, and none where there is none', () => {
    const rows = drawn(9, 'float64');
    const { nearest } = found(rows, 8);
    for (let i = 0; i < 9; i++) expect(new Set([i, ...nearest.subarray(i * 8, (i + 1) * 8)]).size).toBe(9);
    expect(() => found(rows, 0)).not.toThrow();
    expect(() => found(Matrix.zeros(0, 3), 0)).not.toThrow();
  });

  describe('looked for in the background', () => {
    const begin = (rows: Matrix, count: number) => {
      const [nearest, cosines] = [new Int32Array(rows.rows * count), new Float64Array(rows.rows * count)];
      return { nearest, cosines, begun: backend.beginNearest?.(nearest, cosines, rows, squaresOf(rows)) };
    };
    const otherWork = (rounds: number) => {
      const given = drawn(3000, 'float64');
      const sums = Array.from({ length: rounds }, () => {
        const [powered, product] = [given.copy(), Matrix.zeros(400, 400)];
        backend.powerRows(powered, 0.75);
        backend.gemm(product, powered.view(0, 400), powered.view(400, 800), { transposeB: true });
        const near = found(powered.view(0, 300), 3);
        return [backend.maxAbs(product), backend.dot(powered, powered), near.cosines.reduce((a, b) => a + b, 0)];
      });
      return sums.flat();
    };

    it.each([0, 1, 30])('are the same after %i rounds of other work, which they leave as it is', (rounds) => {
      const rows = drawn(8200, 'float32');
      const expected = found(rows, 5);
      const alone = otherWork(rounds);
      const { nearest, cosines, begun } = begin(rows, 5);
      if (!begun) return;
      expect(otherWork(rounds)).toEqual(alone);
      begun.finish();
      expect(nearest).toEqual(expected.nearest);
      expect(cosines).toEqual(expected.cosines);
      expect(() => begun.finish()).toThrow(/has ended/);
      expect(() => begun.stop()).not.toThrow();
    });

    it('are the same however many threads look, and whenever they are asked for', async () => {
      const rows = drawn(5000, 'float64');
      const expected = found(rows, 6);
      const several = await create(mostThreads > 1 ? 5 : 1);
      for (const wait of [0, 1, 20, 100]) {
        const [nearest, cosines] = [new Int32Array(5000 * 6), new Float64Array(5000 * 6)];
        const begun = several.beginNearest?.(nearest, cosines, rows, squaresOf(rows));
        if (!begun) break;
        await setTimeout(wait);
        begun.finish();
        expect(nearest).toEqual(expected.nearest);
        expect(cosines).toEqual(expected.cosines);
      }
      several.dispose();
    });

    it('are dropped when they are no longer wanted, and others can be looked for', () => {
      const rows = drawn(3000, 'float64');
      const first = begin(rows, 4);
      if (!first.begun) return;
      expect(begin(rows, 4).begun).toBeUndefined();
      first.begun.stop();
      first.begun.stop();
      const second = begin(rows, 4);
      second.begun!.finish();
      expect(second.nearest).toEqual(found(rows, 4).nearest);
    });

    it('wait until they are asked for where there are no other threads, or too many are compared', async () => {
      const alone = await create(1);
      const rows = drawn(10, 'float64');
      const lists = [new Int32Array(20), new Float64Array(20)] as const;
      expect(alone.beginNearest?.(...lists, rows, squaresOf(rows))).toBeUndefined();
      await alone[Symbol.asyncDispose]();
      expect(begin(drawn(140_000, 'float32'), 1).begun).toBeUndefined();
      expect(found(rows, 2).nearest.length).toBe(20);
    });
  });

  it('are refused where the places do not fit', () => {
    const rows = drawn(3, 'float64');
    const ask = (places: number, cosines = places, lengths = 3) =>
      backend.nearestRows(new Int32Array(places), new Float64Array(cosines), rows, new Float64Array(lengths));
    expect(() => ask(6)).not.toThrow();
    expect(() => ask(9)).toThrow(ArgumentError);
    expect(() => ask(4)).toThrow(/4 places and 4 cosines for 3 rows/);
    expect(() => ask(6, 3)).toThrow(ArgumentError);
    expect(() => ask(6, 6, 2)).toThrow(ArgumentError);
  });
});
