import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkProblem,
  generalize,
  generateProblem,
  loadProblem,
  problemHash,
  restrictToCategories,
  saveProblem,
  validationSplit,
  withShares,
} from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const problem = generateProblem({ testCategories: 3, auxiliaryCategories: 4, dimensions: 8 });
const [a, b, c] = problem.testNames;

describe('known shares', () => {
  it('are numbers in proportion, all the same, or nothing', () => {
    expect(withShares(problem, { [c]: 1, [a]: 3, [b]: 0 }).testShares).toEqual(Float64Array.of(0.75, 0, 0.25));
    expect(withShares(problem, 'equal').testShares).toEqual(new Float64Array(3).fill(1 / 3));
    expect(withShares(withShares(problem, 'equal'), 'unknown')).not.toHaveProperty('testShares');
    const both = withShares(generalize(problem, 1), 'equal');
    expect(both.testShares).toHaveLength(7);
    expect(() => checkProblem(both)).not.toThrow();
  });

  it.each([
    ['a name that is no category', { [a]: 1, [b]: 1, [c]: 1, owl: 1 }, /"owl", which is none of the categories/],
    ['a category left out', { [a]: 1, [c]: 1 }, /how frequent/],
    ['a negative number', { [a]: 1, [b]: -1, [c]: 1 }, /is -1; it must be a number of at least 0/],
    ['a word', { [a]: 1, [b]: 'many' as unknown as number, [c]: 1 }, /is many; it must be a number/],
    ['nothing but zeros', { [a]: 0, [b]: 0, [c]: 0 }, /all shares are 0/],
  ])('refuse %s', (_, shares, message) => {
    expect(() => withShares(problem, shares)).toThrow(message);
  });

  it('are kept in the file of a problem, in any proportion, and are part of its hash', async () => {
    const stated = withShares(problem, { [a]: 3, [b]: 2, [c]: 1 });
    await saveProblem(join(folder, 'stated.npz'), { ...stated, testShares: Float64Array.of(30, 20, 10) });
    const again = await loadProblem(join(folder, 'stated.npz'));
    expect([...again.testShares!]).toEqual([...stated.testShares!].map((share) => expect.closeTo(share, 12)));
    expect(problemHash(stated)).not.toBe(problemHash(problem));
    const wrong = (shares: number[]) => () => checkProblem({ ...problem, testShares: Float64Array.from(shares) });
    expect(wrong([1, 2])).toThrow(/test_shares: has 2 numbers for 3 categories/);
    expect(wrong([0.5, Number.NaN, 0.5])).toThrow(/test_shares, row 1: is NaN/);
    expect(wrong([1, 1, 1])).toThrow(/does not add up to 1/);
  });

  it('follow the categories, and are not those of other problems', () => {
    const stated = withShares(problem, { [a]: 3, [b]: 2, [c]: 1 });
    expect([...restrictToCategories(stated, { test: [2, 0] }).testShares!]).toEqual([0.25, 0.75]);
    expect(validationSplit(stated).testShares).toBeUndefined();
    expect(generalize(stated, 1).testShares).toBeUndefined();
  });
});
