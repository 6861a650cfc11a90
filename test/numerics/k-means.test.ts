import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { kMeans } from '../../src/numerics/k-means.js';
import { selectRows } from '../../src/problem/rows.js';

const backend = await createBackend({ threads: 1 });

/** Smallest sum of squared distances over every way to put the rows into k clusters. */
function bestInertia(rows: number[][], k: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let code = 0; code < k ** rows.length; code++) {
    const clusters: number[][][] = Array.from({ length: k }, () => []);
    for (let i = 0, rest = code; i < rows.length; i++, rest = Math.floor(rest / k)) clusters[rest % k].push(rows[i]);
    let sum = 0;
    for (const cluster of clusters) {
      const mean = rows[0].map((_, j) => cluster.reduce((total, row) => total + row[j], 0) / cluster.length);
      for (const row of cluster) sum += row.reduce((total, value, j) => total + (value - mean[j]) ** 2, 0);
    }
    best = Math.min(best, sum);
  }
  return best;
}

describe('k-means', () => {
  it('finds the best of all ways to cluster a few points when given several starts', () => {
    const random = new Random(3);
    const rows = Array.from({ length: 9 }, () => [random.normal(), random.normal()]);
    const found = kMeans(backend, Matrix.from(rows), 3, new Random(1), { starts: 20 });
    expect(found.inertia).toBeCloseTo(bestInertia(rows, 3), 10);
  });

  it('ends with every row at its nearest centre and every centre at the mean of its rows', () => {
    const x = new Matrix(new Random(4).normalArray(200 * 3), 200, 3);
    const { assignments, centres } = kMeans(backend, x, 7, new Random(2));
    for (let k = 0; k < 7; k++) {
      const members = [...assignments.keys()].filter((i) => assignments[i] === k);
      for (let j = 0; j < 3; j++)
        expect(centres.at(k, j)).toBeCloseTo(members.reduce((sum, i) => sum + x.at(i, j), 0) / members.length, 10);
    }
    for (let i = 0; i < 200; i++) {
      const squared = (k: number) => x.row(i).reduce((sum, value, j) => sum + (value - centres.at(k, j)) ** 2, 0);
      for (let k = 0; k < 7; k++) expect(squared(assignments[i])).toBeLessThanOrEqual(squared(k) + 1e-12);
    }
  });

  it('gives permuted rows the same clusters', () => {
    const x = new Matrix(new Random(5).normalArray(60 * 4), 60, 4);
    const order = new Random(6).permutation(60);
    const straight = kMeans(backend, x, 4, new Random(7)).assignments;
    const permuted = kMeans(backend, selectRows(x, order), 4, new Random(7)).assignments;
    expect([...permuted]).toEqual(Array.from(order, (i) => straight[i]));
  });

  it('makes no more clusters than there are different rows', () => {
    const x = Matrix.from([
      [1, 2],
      [1, 2],
      [3, 4],
    ]);
    const { centres, inertia } = kMeans(backend, x, 3, new Random(1));
    expect(centres.rows).toBe(2);
    expect(inertia).toBeCloseTo(0, 12);
  });

  it('refuses to cluster nothing', () => {
    expect(() => kMeans(backend, Matrix.zeros(0, 2), 2, new Random(1))).toThrow(/no rows/);
    expect(() => kMeans(backend, Matrix.zeros(3, 2), 0, new Random(1))).toThrow(/clusters is 0/);
  });
});
