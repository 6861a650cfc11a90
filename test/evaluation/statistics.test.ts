import { describe, expect, it } from 'vitest';
import { Bootstrap, categoryWeights, mcnemar, mcnemarP, permutationTest } from '../../src/evaluation/index.js';
import { Random } from '../../src/linalg/index.js';

describe('the bootstrap interval', () => {
  it('of a proportion is close to the normal interval of that proportion', () => {
    const right = Float64Array.from({ length: 1000 }, (_, i) => (i < 700 ? 1 : 0));
    const { low, high } = new Bootstrap(1000, { seed: 1, resamples: 4000 }).ofMean(right);
    const half = 1.96 * Math.sqrt((0.7 * 0.3) / 1000);
    expect(low).toBeCloseTo(0.7 - half, 2);
    expect(high).toBeCloseTo(0.7 + half, 2);
  });

  it('of three pictures agrees with all 27 resamples', () => {
    const values = [0, 0.5, 1];
    const means: number[] = [];
    for (const a of values) for (const b of values) for (const c of values) means.push((a + b + c) / 3);
    const exact = (level: number) => means.filter((mean) => mean <= level + 1e-12).length / 27;
    const samples = new Bootstrap(3, { seed: 5, resamples: 20000 }).sums(values, [1 / 3, 1 / 3, 1 / 3]);
    for (const level of [0, 1 / 3, 0.5, 2 / 3, 5 / 6]) {
      const share = samples.filter((mean) => mean <= level + 1e-12).length / samples.length;
      expect(share).toBeCloseTo(exact(level), 1);
    }
  });

  it('lies between the values of two resamples where its level does, and takes levels that are shares alone', () => {
    const interval = (level: number, values: number[]) =>
      new Bootstrap(1, { seed: 1, resamples: 1, level }).interval(Float64Array.from(values));
    // A tenth and nine tenths of the way from the first of five to the last.
    const { low, high } = interval(0.8, [40, 0, 30, 10, 20]);
    expect([low, high]).toEqual([expect.closeTo(4, 12), expect.closeTo(36, 12)]);
    expect(interval(0.5, [7])).toEqual({ low: 7, high: 7 });
    for (const level of [0, 1, Number.NaN]) expect(() => interval(level, [1])).toThrow('level');
  });

  it('is the same for the same seed, another for another', () => {
    const values = new Random(3).uniformArray(40);
    const of = (seed: number) => new Bootstrap(40, { seed, resamples: 100 }).ofMean(values);
    expect(of(1)).toEqual(of(1));
    expect(of(1)).not.toEqual(of(2));
  });

  it('resamples within categories, so that the mean over categories of a perfect one stays perfect', () => {
    const labels = Int32Array.from([0, 0, 0, 0, 2, 2, 5]);
    const weights = categoryWeights(labels);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    const right = [1, 1, 1, 1, 0, 0, 1];
    const samples = new Bootstrap(7, { seed: 1, resamples: 50 }, labels).sums(right, weights);
    for (const mean of samples) expect(mean).toBeCloseTo(2 / 3, 12);
  });
});

describe("McNemar's test", () => {
  it('sums the binomial distribution where few pictures differ', () => {
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
    for (const [wins, losses] of [
      [3, 1],
      [0, 6],
      [12, 5],
      [20, 20],
    ]) {
      const n = wins + losses;
      const distance = Math.abs(wins - n / 2);
      let p = 0;
      for (let k = 0; k <= n; k++) if (Math.abs(k - n / 2) >= distance) p += choose(n, k) / 2 ** n;
      expect(mcnemarP(wins, losses)).toBeCloseTo(p, 10);
    }
    expect(mcnemarP(0, 0)).toBe(1);
  });

  it('gives the published value of the corrected statistic where many differ', () => {
    // χ² = (|121 − 59| − 1)²/180 = 20.672; upper tail with one degree of freedom 5.45e-6.
    expect(mcnemarP(121, 59)).toBeCloseTo(5.45e-6, 7);
    // χ² = 3.841459 is the 95 % point: (|w − l| − 1)² = 3.841459 n for n = 100 lies between 20 and 21.
    expect(mcnemarP(60, 40)).toBeGreaterThan(0.05);
    expect(mcnemarP(61, 39)).toBeLessThan(0.05);
    expect(mcnemarP(600, 200)).toBeLessThan(1e-40);
  });

  it('is close to the exact value near the change from one form to the other', () => {
    expect(Math.abs(mcnemarP(32, 17) - mcnemarP(33, 17))).toBeLessThan(0.02);
  });

  it('counts the pictures that only one method got right', () => {
    const result = mcnemar([true, true, false, false, true], [true, false, true, false, false]);
    expect([result.wins, result.losses]).toEqual([2, 1]);
    expect(() => mcnemar([true], [true, false])).toThrow('same ones');
  });
});

describe('the permutation test', () => {
  it('tries all signs where there are few', () => {
    // Sums of ±1, ±2, ±3: |sum| ≥ 6 in 2 of 8 patterns.
    expect(permutationTest([1, 2, 3, 0], { seed: 1 })).toBeCloseTo(2 / 8, 12);
    expect(permutationTest([0, 0], { seed: 1 })).toBe(1);
  });

  it('agrees with McNemar where differences are −1, 0 and 1', () => {
    const differences = [...Array(18).fill(1), ...Array(7).fill(-1), ...Array(50).fill(0)];
    const p = permutationTest(differences, { seed: 2, permutations: 20000 });
    expect(p).toBeCloseTo(mcnemarP(18, 7), 2);
  });

  it('finds no difference in noise and one in a shift', () => {
    const noise = new Random(8).normalArray(200);
    expect(permutationTest(noise, { seed: 1 })).toBeGreaterThan(0.05);
    expect(
      permutationTest(
        noise.map((value) => value + 0.5),
        { seed: 1 },
      ),
    ).toBeLessThan(0.01);
  });
});
