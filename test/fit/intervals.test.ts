import { describe, expect, it } from 'vitest';
import { accuracyIntervals, wilson } from '../../src/fit/index.js';
import { Random } from '../../src/linalg/random.js';

describe('intervals of scores', () => {
  it('hold the truth in about 95 of 100 folders, for the mean over categories too', () => {
    const truth = [0.95, 0.7, 0.85, 0.99, 0.6, 0.9];
    const sizes = [15, 40, 25, 15, 60, 30];
    const mean = truth.reduce((sum, p) => sum + p, 0) / truth.length;
    const random = new Random(7);
    const tries = 2000;
    let inside = 0;
    for (let t = 0; t < tries; t++) {
      const shares = truth.map((p, c) => {
        let right = 0;
        for (let i = 0; i < sizes[c]; i++) if (random.uniform() < p) right++;
        return right / sizes[c];
      });
      const named = (values: readonly number[]) => Object.fromEntries(values.map((value, c) => [`c${c}`, value]));
      const meanCategoryAccuracy = shares.reduce((sum, p) => sum + p, 0) / shares.length;
      const metrics = {
        accuracy: 0.8,
        meanCategoryAccuracy,
        categories: named(shares),
        categoryPictures: named(sizes),
      };
      const { low, high } = accuracyIntervals(metrics).meanCategoryAccuracy!;
      if (low <= mean && mean <= high) inside++;
    }
    expect(inside / tries).toBeGreaterThan(0.93);
    expect(inside / tries).toBeLessThan(0.98);
  });

  it('are those of Wilson for a category, and absent where the number of pictures is not known', () => {
    const scores = { accuracy: 0.93, meanCategoryAccuracy: 0.93, categories: { wren: 14 / 15 } };
    // Wilson's bounds of 14 of 15, solved from |p − 14/15| = z √(p(1 − p)/15) by hand.
    const { wren } = accuracyIntervals({ ...scores, categoryPictures: { wren: 15 } }).categories;
    for (const bound of [wren.low, wren.high])
      expect(Math.abs(bound - 14 / 15)).toBeCloseTo(1.959964 * Math.sqrt((bound * (1 - bound)) / 15), 9);
    expect(wren).toEqual(wilson(14 / 15, 15));
    expect(accuracyIntervals(scores)).toEqual({ categories: {} });
  });
});
