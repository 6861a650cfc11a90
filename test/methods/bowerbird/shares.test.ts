import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/linalg/random.js';
import {
  inverseTrigamma,
  learnShares,
  likeliestConcentration,
  shareOffsets,
  shareTerms,
} from '../../../src/methods/bowerbird/shares.js';
import { trigamma } from '../../../src/numerics/gamma.js';

/** Counts of `pictures` pictures whose shares are drawn from a symmetric Dirichlet distribution of whole concentration. */
function drawnCounts(concentration: number, categories: number, pictures: number, seed: number): Float64Array {
  const random = new Random(seed);
  const gamma = () =>
    Array.from({ length: concentration }, () => -Math.log(1 - random.uniform())).reduce((a, b) => a + b);
  const shares = Array.from({ length: categories }, gamma);
  const total = shares.reduce((a, b) => a + b);
  const counts = new Float64Array(categories);
  for (let k = 0; k < pictures; k++) {
    let left = random.uniform() * total;
    let c = 0;
    while (c < categories - 1 && left > shares[c]) left -= shares[c++];
    counts[c]++;
  }
  return counts;
}

describe('shares of the categories', () => {
  it('has offsets that are the derivative of its terms of the objective', () => {
    const counts = Float64Array.of(0.3, 4, 25, 11.5);
    for (const model of [
      { concentration: 0.05, evening: 0.02, attraction: 0.1 },
      { concentration: 3, evening: 0.4, attraction: 0.1 },
      { concentration: 1e4, evening: 1, attraction: 0.1 },
    ]) {
      const offsets = shareOffsets(counts, model);
      const step = 1e-4;
      // Along directions that leave the number of pictures as it is.
      for (const [up, down] of [
        [0, 1],
        [2, 3],
        [1, 2],
      ]) {
        const moved = (by: number) => {
          const changed = counts.slice();
          changed[up] += by;
          changed[down] -= by;
          return shareTerms(changed, model);
        };
        expect((moved(step) - moved(-step)) / (2 * step)).toBeCloseTo(offsets[up] - offsets[down], 5);
      }
    }
  });

  it.each([1, 5])('finds the concentration %d that shares were drawn with', (concentration) => {
    let sum = 0;
    for (const seed of [1, 2, 3, 4, 5])
      sum += Math.log(likeliestConcentration(drawnCounts(concentration, 60, 6000, seed))) / 5;
    expect(Math.exp(sum)).toBeGreaterThan(concentration * 0.75);
    expect(Math.exp(sum)).toBeLessThan(concentration * 1.33);
  });

  it('goes no further than to a concentration that is enough, and finds smaller ones all the same', () => {
    const counts = drawnCounts(5, 60, 6000, 1);
    const found = likeliestConcentration(counts);
    expect(likeliestConcentration(counts, 2 * found)).toBe(found);
    const left = likeliestConcentration(counts, found / 2);
    expect(left).toBeGreaterThanOrEqual(found / 2);
    expect(left).toBeLessThan(found);
  });

  it('takes counts that differ little for equal shares, and few large ones for what they are', () => {
    const even = learnShares(Float64Array.of(30, 25, 34, 28, 31, 40, 22, 29));
    expect(even).toEqual({ concentration: 1e4, evening: 1, attraction: 0.1 });
    const few = learnShares(Float64Array.of(60, 0.1, 0.2, 45, 0, 0.3, 0.1, 0.2, 0, 0.1));
    expect(few.concentration).toBeLessThan(0.2);
    expect(few.evening).toBeLessThan(0.02);
  });

  it('inverts the trigamma function', () => {
    for (const x of [0.01, 0.7, 12, 800]) expect(inverseTrigamma(trigamma(x)) / x).toBeCloseTo(1, 6);
  });
});
