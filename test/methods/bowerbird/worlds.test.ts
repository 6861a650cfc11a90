/** Folders that a rehearsal draws from the pictures of a play. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import type { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import {
  allOccur,
  asWorld,
  fewOccur,
  folderWith,
  likeFolder,
  unitScores,
  type World,
} from '../../../src/methods/bowerbird/worlds.js';

/** 40 pictures of each of ten listed categories and of each of four others. */
const shown = Array.from({ length: 560 }, (_, j) => j % 14);
const world = (strange: boolean) => {
  const rows = shown.filter((category) => strange || category < 10);
  return {
    shown: rows,
    truth: Int32Array.from(rows, (category) => (category < 10 ? category : -1)),
  } as unknown as World;
};

describe('a folder with a share of strangers', () => {
  it('has, where few are to occur, two of ten listed categories, half of the others, and the share of strangers that was asked for', () => {
    for (const share of [0.1, 0.3]) {
      const rows = [...folderWith(world(true), share, fewOccur, 1)!];
      expect(new Set(rows).size).toBe(rows.length);
      const categories = [...new Set(rows.map((j) => shown[j]))];
      expect(categories.filter((category) => category < 10)).toHaveLength(2);
      expect(categories.filter((category) => category >= 10).length).toBeLessThanOrEqual(2);
      const strangers = rows.filter((j) => shown[j] >= 10).length;
      expect(strangers / rows.length).toBeCloseTo(share, 1);
      expect(rows.length - strangers).toBe(80);
    }
  });

  it('has every listed picture and some strangers of every kind where all categories are to occur', () => {
    const rows = [...folderWith(world(true), 0.1, allOccur, 1)!];
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.filter((j) => shown[j] < 10)).toHaveLength(400);
    expect(rows.filter((j) => shown[j] >= 10)).toHaveLength(44);
    expect(new Set(rows.map((j) => shown[j])).size).toBe(14);
  });

  it('is none without strangers', () => {
    expect(folderWith(world(true), 0, fewOccur, 1)).toBeUndefined();
    expect(folderWith(world(false), 0.3, fewOccur, 1)).toBeUndefined();
  });
});

/** 3 listed categories with 30, 60 and 10 pictures, and 20 strangers. */
function small(): World {
  const truth = Int32Array.from({ length: 120 }, (_, j) => (j < 30 ? 0 : j < 90 ? 1 : j < 100 ? 2 : -1));
  return { truth, solver: { categories: 3 } } as unknown as World;
}

describe('a folder like another', () => {
  const countsIn = (rows: Int32Array) => [0, 1, 2].map((c) => rows.filter((j) => small().truth[j] === c).length);

  it('has listed pictures alone, each once, in order, the same ones when it is drawn again', () => {
    const rows = likeFolder(small(), Float64Array.of(2, 1, 1), 40, 3);
    expect(new Set(rows).size).toBe(rows.length);
    expect([...rows]).toEqual([...rows].sort((a, b) => a - b));
    for (const j of rows) expect(small().truth[j]).toBeGreaterThanOrEqual(0);
    expect(likeFolder(small(), Float64Array.of(2, 1, 1), 40, 3)).toEqual(rows);
    const others = [4, 5, 6, 7].map((split) => [...likeFolder(small(), Float64Array.of(2, 1, 1), 40, split)]);
    expect(others.some((other) => other.join() !== [...rows].join())).toBe(true);
  });

  it('spreads its counts as the given ones are, as far as there are pictures', () => {
    for (let split = 0; split < 12; split++) {
      const counts = countsIn(likeFolder(small(), Float64Array.of(1, 3, 6), 20, split));
      const sorted = [...counts].sort((a, b) => b - a);
      // 20 pictures as 12, 6, 2; where the largest share falls to the category of ten, 10, 5, 2.
      expect([
        [12, 6, 2],
        [10, 5, 2],
      ]).toContainEqual(sorted);
    }
  });

  it('is as large as the given one, and never smaller than company', () => {
    const even = (pictures: number) => likeFolder(small(), Float64Array.of(1, 1, 1), pictures, 1).length;
    expect(even(27)).toBe(27);
    expect(even(2)).toBe(21);
    // Ten pictures of the third category are all there are.
    expect(even(1000)).toBe(30);
  });

  it('keeps the largest share, and the others in proportion, among fewer or more categories', () => {
    const more = countsIn(likeFolder(small(), Float64Array.of(8, 0, 0, 0, 0, 0, 4, 0, 4), 20, 2));
    // 8 first, then those at the third and the sixth place of the sorted list: none.
    expect([...more].sort((a, b) => b - a).slice(1)).toEqual([0, 0]);
    const fewer = countsIn(likeFolder(small(), Float64Array.of(3, 1), 20, 2));
    // The places of three among two are the first, the first and the second.
    expect(Math.min(...fewer)).toBeGreaterThan(0);
    const [most, second, least] = [...fewer].sort((a, b) => b - a);
    expect(most).toBe(second);
    expect(least / most).toBeCloseTo(1 / 3, 0);
  });
});

describe('a world', async () => {
  const backend = await createBackend({ threads: 1 });
  const pictures = Matrix.from([
    [1, 0],
    [2, 2],
    [5, 5],
  ]);
  const means = Matrix.from([
    [0, 0],
    [2, 0],
  ]) as Matrix<Float64Array>;
  const draft = (within: number, truth: number[]) => {
    const solver = {
      ...{ ground: { backend, dimension: 2, known: { within } }, means, categories: 2 },
      meanVariances: Float64Array.of(0.1, 0.3),
    } as unknown as BowerbirdSolver;
    return {
      pictures: { rows: pictures, squaredLengths: Float64Array.of(1, 8, 50) },
      ...{ truth: Int32Array.from(truth), solver },
    };
  };

  it('has the variance of its listed pictures about their own means, per dimension', () => {
    const given = draft(0.1, [0, 1, -1]);
    const { variance } = asWorld(given as unknown as World, given.solver);
    expect(variance).toBeCloseTo((1 / 2 + 0.1 + 4 / 2 + 0.3) / 2, 12);
  });

  it('has no less than known pictures have about theirs', () => {
    for (const truth of [
      [0, 1, -1],
      [-1, -1, -1],
    ]) {
      const given = draft(3, truth);
      expect(asWorld(given as unknown as World, given.solver).variance).toBe(3);
    }
  });

  it('scores its listed pictures by half their distance over what varies', () => {
    const given = draft(1, [-1, 1, 0]);
    const { scores, labels } = unitScores({ ...given, variance: 1.8 } as unknown as World);
    expect(Array.from(labels)).toEqual([1, 0]);
    [8, 4, 50, 34].forEach((distance, k) => {
      expect(scores.data[k]).toBeCloseTo(-distance / 2 / (1.8 + 0.2), 12);
    });
  });
});
