/** Groups of strangers, against the same partition with every mean worked out anew. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { groupStrangers } from '../../../src/methods/bowerbird/groups.js';
import type { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { asBlocks } from '../streamed-rows.js';

const backend = await createBackend({ threads: 1 });
const [d, sharpness, between, variance] = [3, 0.8, 2, 0.3];
const square = (a: readonly number[], b?: readonly number[]) =>
  a.reduce((sum, value, k) => sum + (value - (b?.[k] ?? 0)) ** 2, 0);

function solverOf(listed: number[][], auxiliary: number[][]): BowerbirdSolver {
  return {
    ground: { backend, dimension: d, known: { between, means: Matrix.from(auxiliary) } },
    means: Matrix.from(listed),
    options: { sharpness },
  } as unknown as BowerbirdSolver;
}
const solver = solverOf(
  [
    [9, 9, 9],
    [-3, 0, 0],
  ],
  [
    [0, 0, 4],
    [3, 3, 0],
    [-9, -9, -9],
  ],
);

function grouped(points: number[][], unlisted: number[], by = solver) {
  const rows = Matrix.from(points);
  const squaredLengths = Float64Array.from(points, (point) => square(point));
  const found = groupStrangers(by, { rows, squaredLengths }, Float64Array.from(unlisted), variance);
  // Whether they are in memory or have to be read.
  const read = { rows: asBlocks(rows, 2), squaredLengths };
  expect(groupStrangers(by, read, Float64Array.from(unlisted), variance)).toEqual(found);
  return found;
}

/** Sweeps in which each picture leaves its group and joins the one whose members make it likeliest, or none. */
function byHand(points: number[][]): number[] {
  const group = points.map((_, i) => i);
  const density = (distance: number, spread: number) => (-sharpness * (distance / spread + d * Math.log(spread))) / 2;
  for (let sweep = 0; sweep < 10; sweep++) {
    const before = [...group];
    points.forEach((point, i) => {
      const taken = (g: number) => points.filter((_, j) => j !== i && group[j] === g);
      const empty = points.findIndex((_, g) => taken(g).length === 0);
      let best = {
        g: taken(group[i]).length === 0 ? group[i] : empty,
        value: density(square(point), variance + between),
      };
      for (let g = 0; g < points.length; g++) {
        const members = taken(g);
        if (members.length === 0) continue;
        const left = 1 / (1 / between + members.length / variance);
        const mean = point.map((_, k) => (left / variance) * members.reduce((sum, other) => sum + other[k], 0));
        const value = density(square(point, mean), variance + left) + Math.log(members.length);
        if (value > best.value) best = { g, value };
      }
      group[i] = best.g;
    });
    if (group.every((g, i) => g === before[i])) break;
  }
  return group;
}

/** Points about some centres, few of them far from all. */
function drawn(seed: number, sizes: number[]): number[][] {
  const random = new Random(seed);
  const about = (centre: number[], spread: number) => centre.map((value) => value + spread * random.normal());
  const centres = sizes.map(() => about([0, 0, 0], Math.sqrt(between)));
  return sizes.flatMap((size, g) => Array.from({ length: size }, () => about(centres[g], Math.sqrt(variance))));
}

/** Whether two lists put the same pictures together, groups of fewer than three left out. */
function sameGroups(of: ArrayLike<number>, expected: readonly number[]): boolean {
  const sizes = (g: number) => expected.filter((other) => other === g).length;
  return expected.every((g, i) =>
    sizes(g) < 3 ? of[i] === -1 : expected.every((h, j) => (g === h) === (of[i] >= 0 && of[i] === of[j])),
  );
}

describe('strangers that belong together', () => {
  it('are those that a sweep over all pictures puts together', () => {
    const alternatives = new Set<number>();
    for (let seed = 1; seed <= 12; seed++) {
      const points = drawn(seed, [9, 6, 4, 2, 1, 1]);
      const { of } = grouped(
        points,
        points.map(() => 0.9),
      );
      expect(sameGroups(of, byHand(points))).toBe(true);
      alternatives.add(Math.max(...of) + 1);
    }
    // Draws differ: not everything is one group, nor are all their groups told apart.
    expect(alternatives.size).toBeGreaterThan(1);
  });

  it('are numbered from the largest group on; fewer than three are none', () => {
    const points = [
      ...[0, 1, 2].map((k) => [6, 0.1 * k, 0]),
      ...[0, 1].map((k) => [0, 6, 0.1 * k]),
      ...[0, 1, 2, 3].map((k) => [0.1 * k, 0, 6]),
    ];
    const { of, nearest } = grouped(
      points,
      points.map(() => 0.9),
    );
    expect([...of]).toEqual([1, 1, 1, -1, -1, 0, 0, 0, 0]);
    expect(nearest).toHaveLength(2);
  });

  it('are looked for among pictures that are rather strangers than not', () => {
    const points = [0, 1, 2, 3, 4].map((k) => [6, 0.1 * k, 0]);
    expect([...grouped(points, [0.9, 0.4, 0.5, 0.9, 0.51]).of]).toEqual([0, -1, -1, 0, 0]);
    expect([...grouped(points, [0.9, 0.4, 0.5, 0.9, 0.3]).of]).toEqual([-1, -1, -1, -1, -1]);
    expect(grouped(points, [0, 0, 0, 0, 0]).nearest).toEqual([]);
  });

  it('say which listed and which known category they are nearest to, by their mean', () => {
    // Their mean is (−3.25, −3.25, −3.25).
    const points = [
      [-3, 0, 0],
      [-1, -3, 0],
      [0, -1, -3],
      [0, 0, -1],
    ].map((point) => point.map((value) => value / 4 - 3));
    const by = solverOf(
      [
        [-2, -2, -2],
        [-3.4, -3.2, -3.1],
        [3.4, 3.2, 3.1],
      ],
      [
        [0, 0, 0],
        [-4, -3, -3],
        [-3, -3, -9],
        [-3.3, -3.3, -3.2],
      ],
    );
    const { of, nearest } = grouped(points, [0.9, 0.9, 0.9, 0.9], by);
    expect([...of]).toEqual([0, 0, 0, 0]);
    expect(nearest).toEqual([{ listed: 1, auxiliary: 3 }]);
  });
});
