import { describe, expect, it } from 'vitest';
import { cosine, evaluateSimilarity, spearman } from '../../src/language/similarity.js';

describe('spearman', () => {
  it('agrees with published and hand-computed values', () => {
    // The textbook example of IQ against hours of television (ρ = −29/165).
    const iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110];
    const hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17];
    expect(spearman(iq, hours)).toBeCloseTo(-29 / 165, 12);
    expect(spearman([1, 2, 3], [10, 20, 25])).toBeCloseTo(1, 12);
    expect(spearman([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1, 12);
  });
  it('gives equal values the mean of their ranks', () => {
    // Ranks 0, 1½, 1½, 3 against 0, 1, 2, 3: covariance 4.5, variances 4.5 and 5.
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
    expect(spearman([1, 1, 1], [1, 2, 3])).toBeNaN();
  });
});

describe('evaluateSimilarity', () => {
  it('leaves pairs without vectors out and says how many remain', () => {
    const vectors = new Map([
      ['a', Float32Array.of(1, 0)],
      ['b', Float32Array.of(1, 0.1)],
      ['c', Float32Array.of(0, 1)],
    ]);
    const pairs = [
      { words: ['a', 'b'], score: 9 },
      { words: ['b', 'c'], score: 4 },
      { words: ['a', 'c'], score: 1 },
      { words: ['a', 'unknown'], score: 10 },
    ] as const;
    expect(evaluateSimilarity(pairs, vectors)).toEqual({ spearman: 1, pairs: 3 });
    expect(cosine(Float32Array.of(0, 0), Float32Array.of(1, 1))).toBe(0);
  });
});
