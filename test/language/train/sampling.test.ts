import { describe, expect, it } from 'vitest';
import { instantiateKernels, MemoryPlan } from '../../../src/language/train/kernels.js';
import { fillAliasTable, fillKeepThresholds } from '../../../src/language/train/sampling.js';
import { Random } from '../../../src/linalg/random.js';

/** Counts that fall like those of words. */
const counts = Float64Array.from({ length: 5000 }, (_, k) => Math.ceil(1e6 / (k + 1)));
const weights = counts.map((count) => count ** 0.75);
const total = weights.reduce((sum, weight) => sum + weight, 0);

/** P(k) that an alias table stands for. */
function aliasProbabilities(table: Uint32Array): Float64Array {
  const size = table.length / 2;
  const probabilities = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    const kept = table[2 * k] / 2 ** 32;
    probabilities[k] += kept / size;
    probabilities[table[2 * k + 1]] += (1 - kept) / size;
  }
  return probabilities;
}

describe('the table negative words are drawn from', () => {
  it('stands for probabilities proportional to count^0.75', () => {
    const table = new Uint32Array(counts.length * 2);
    fillAliasTable(table, weights);
    const gaps = aliasProbabilities(table).map((p, k) => Math.abs(p - weights[k] / total));
    expect(Math.max(...gaps)).toBeLessThan(1e-9);
  });

  it('does so for any weights, zeros and single words among them', () => {
    const random = new Random(9);
    for (let run = 0; run < 50; run++) {
      const size = 1 + random.integer(200);
      const some = Float64Array.from({ length: size }, () => (random.uniform() < 0.2 ? 0 : random.uniform() ** 4));
      some[random.integer(size)] += 1e-3;
      const sum = some.reduce((a, b) => a + b, 0);
      const table = new Uint32Array(size * 2);
      fillAliasTable(table, some);
      const gaps = aliasProbabilities(table).map((p, k) => Math.abs(p - some[k] / sum));
      expect(Math.max(...gaps)).toBeLessThan(1e-8);
    }
  });

  it('is drawn from by the kernel accordingly (chi-squared)', () => {
    const size = 300;
    const plan = new MemoryPlan();
    const at = plan.reserve(size * 8);
    const memory = plan.allocate('a test', '');
    const kernels = instantiateKernels(memory);
    fillAliasTable(new Uint32Array(memory.buffer, at, size * 2), weights.subarray(0, size));
    kernels.configureSampler(at, size);
    kernels.setSeed(1, 2);
    const draws = 1_000_000;
    const found = new Float64Array(size);
    for (let i = 0; i < draws; i++) found[kernels.drawWord()]++;
    const sum = weights.subarray(0, size).reduce((a, b) => a + b, 0);
    const chiSquared = found.reduce((value, n, k) => {
      const expected = (draws * weights[k]) / sum;
      return value + (n - expected) ** 2 / expected;
    }, 0);
    // Mean size − 1, standard deviation √(2 (size − 1)): four of them to each side.
    expect(Math.abs(chiSquared - (size - 1))).toBeLessThan(4 * Math.sqrt(2 * (size - 1)));
  });
});

describe('subsampling of frequent words', () => {
  it('keeps a word of frequency f with probability √(t/f) + t/f', () => {
    const thresholds = new Uint32Array(3);
    fillKeepThresholds(thresholds, Float64Array.of(9000, 999, 1), 1e-3);
    expect(thresholds[0] / 2 ** 32).toBeCloseTo(Math.sqrt(1e-3 / 0.9) + 1e-3 / 0.9, 6);
    expect(thresholds[1] / 2 ** 32).toBeCloseTo(Math.sqrt(1e-3 / 0.0999) + 1e-3 / 0.0999, 6);
    expect(thresholds[2]).toBe(2 ** 32 - 1);
    fillKeepThresholds(thresholds, Float64Array.of(9000, 999, 1), 0);
    expect([...thresholds]).toEqual([2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1]);
  });
});
