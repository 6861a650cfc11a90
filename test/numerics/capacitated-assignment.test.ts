import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { assignWithinCapacity } from '../../src/numerics/capacitated-assignment.js';

const total = (costs: Matrix, assigned: ArrayLike<number>) => {
  let sum = 0;
  for (let i = 0; i < costs.rows; i++) sum += costs.at(i, assigned[i]);
  return sum;
};

/** The least cost of all Cⁿ assignments that keep the bounds. */
function bruteForce(costs: Matrix, least: number, most: number): number {
  const [n, categories] = [costs.rows, costs.cols];
  let best = Number.POSITIVE_INFINITY;
  const assigned = new Int32Array(n);
  for (let code = 0; code < categories ** n; code++) {
    const counts = new Int32Array(categories);
    for (let i = 0, rest = code; i < n; i++, rest = Math.floor(rest / categories)) {
      assigned[i] = rest % categories;
      counts[assigned[i]]++;
    }
    if (counts.every((count) => count >= least && count <= most)) best = Math.min(best, total(costs, assigned));
  }
  return best;
}

describe('assignment within capacities', () => {
  it.each([
    [0, 7],
    [0, 3],
    [1, 4],
    [2, 3],
    [1, 3],
  ])('costs what the best of all assignments with %i to %i pictures a category costs', (least, most) => {
    for (let seed = 1; seed <= 12; seed++) {
      const costs = new Matrix(new Random(seed).normalArray(21), 7, 3);
      const assigned = assignWithinCapacity(costs, { least, most });
      for (let c = 0; c < 3; c++) {
        const count = assigned.filter((category) => category === c).length;
        expect(count).toBeGreaterThanOrEqual(least);
        expect(count).toBeLessThanOrEqual(most);
      }
      expect(total(costs, assigned)).toBeCloseTo(bruteForce(costs, least, most), 9);
    }
  });

  it('matches one to one at least cost', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const costs = new Matrix(new Random(seed).uniformArray(25), 5, 5);
      const assigned = assignWithinCapacity(costs, { least: 1, most: 1 });
      expect([...assigned].sort()).toEqual([0, 1, 2, 3, 4]);
      expect(total(costs, assigned)).toBeCloseTo(bruteForce(costs, 1, 1), 9);
    }
  });

  it('takes the cheapest category of each picture where nothing binds', () => {
    const costs = new Matrix(new Random(3).normalArray(400), 100, 4);
    const assigned = assignWithinCapacity(costs);
    assigned.forEach((category, i) => {
      expect(costs.at(i, category)).toBe(Math.min(...costs.row(i)));
    });
  });

  it('says when pictures cannot fill the categories', () => {
    expect(() => assignWithinCapacity(Matrix.zeros(5, 2), { most: 2 })).toThrow(/5 pictures cannot fill 2 categories/);
    expect(() => assignWithinCapacity(Matrix.zeros(3, 2), { least: 2 })).toThrow(/3 pictures/);
    expect(() => assignWithinCapacity(Matrix.from([[0, Number.NaN]]))).toThrow(/cost of row 0 is NaN/);
  });
});
