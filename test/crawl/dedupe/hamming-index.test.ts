import { describe, expect, it } from 'vitest';
import { HammingIndex } from '../../../src/crawl/dedupe/hamming-index.js';
import { processorTime } from '../../processor-time.js';
import fc from '../../property.js';
import { generator } from '../web/pictures.js';

const bits = (a: string, b: string) => (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2).replaceAll('0', '').length;

function randomHashes(count: number, seed: number): string[] {
  const random = generator(seed);
  const word = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const hashes: string[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0 && random() < 0.5) {
      // A neighbour of an earlier one, up to 20 bits away.
      let value = BigInt(`0x${hashes[Math.floor(random() * i)]}`);
      for (let flips = Math.floor(random() * 20); flips > 0; flips--) value ^= 1n << BigInt(Math.floor(random() * 64));
      hashes.push(value.toString(16).padStart(16, '0'));
    } else hashes.push(word() + word());
  }
  return hashes;
}

describe('the index of hashes', () => {
  it('finds exactly what comparing all pairs finds, at every radius', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 20 }), (seed, radius) => {
        const hashes = randomHashes(60, seed);
        const index = new HammingIndex(hashes);
        for (const query of [...hashes.slice(0, 20), ...randomHashes(5, seed + 1)]) {
          const expected = hashes.flatMap((hash, j) => (bits(hash, query) <= radius ? [[j, bits(hash, query)]] : []));
          const found = index.near(query, radius).map(({ index: j, distance }) => [j, distance]);
          expect(found.sort((a, b) => a[0] - b[0])).toEqual(expected);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('is many times faster than comparing all of 50,000 hashes', async () => {
    const hashes = randomHashes(50_000, 1);
    const index = new HammingIndex(hashes);
    const words = hashes.map((hash) => [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)]);
    const count = (word: number) => {
      let ones = 0;
      for (let rest = word >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) ones++;
      return ones;
    };
    const queries = 200;
    let found = 0;
    const searched = await processorTime(() => {
      for (let i = 0; i < queries; i++) found += index.near(hashes[i], 10).length;
    });
    let compared = 0;
    const oneByOne = await processorTime(() => {
      for (let i = 0; i < queries; i++)
        for (const [high, low] of words) if (count(high ^ words[i][0]) + count(low ^ words[i][1]) <= 10) compared++;
    });
    expect(found).toBe(compared);
    expect(oneByOne / searched).toBeGreaterThan(5);
  });

  it('refuses what is not a hash', () => {
    expect(() => new HammingIndex(['xyz'])).toThrow(/16 hexadecimal digits/);
  });
});
