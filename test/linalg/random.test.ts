import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import { philox4x32, Random } from '../../src/linalg/random.js';
import fc from '../property.js';

/** Pearson's statistic of counts against equal expectations. */
function chiSquare(counts: ArrayLike<number>): number {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
  const expected = total / counts.length;
  return Array.from(counts).reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

/** A bound that a chi-square statistic exceeds about once in 10⁵ runs (Wilson and Hilferty's approximation). */
function chiSquareBound(degrees: number): number {
  const spread = 2 / (9 * degrees);
  return degrees * (1 - spread + 4.3 * Math.sqrt(spread)) ** 3;
}

/** The Kolmogorov-Smirnov distance between a sample and a distribution function. */
function ksDistance(sample: Float64Array, cumulative: (x: number) => number): number {
  const sorted = sample.slice().sort();
  const n = sorted.length;
  let distance = 0;
  sorted.forEach((x, i) => {
    const p = cumulative(x);
    distance = Math.max(distance, p - i / n, (i + 1) / n - p);
  });
  return distance;
}

/** Φ(x) by Simpson's rule over the density, accurate to about 10⁻¹⁰. */
function normalCumulative(x: number): number {
  const steps = 200;
  const h = Math.min(Math.abs(x), 8) / steps;
  const density = (t: number) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  let sum = 0;
  for (let i = 0; i <= steps; i++) sum += density(i * h) * (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2);
  return 0.5 + (Math.sign(x) * sum * h) / 3;
}

const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, x) => sum + x, 0) / values.length;

describe('philox4x32', () => {
  // The lines "philox4x32 10" of kat_vectors in the Random123 distribution: counter, key, answer.
  const knownAnswers = [
    '00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8',
    'ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd',
    '243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1',
  ];

  it.each(knownAnswers)('gives the published answer for %s', (line) => {
    const words = line.split(' ').map((word) => Number.parseInt(word, 16));
    const out = new Uint32Array(4);
    philox4x32(out, words.slice(0, 4), words.slice(4, 6));
    expect(Array.from(out)).toEqual(words.slice(6));
  });

  it('agrees with the definition in exact integers for any counter and key', () => {
    const word = fc.nat(0xffffffff);
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), fc.tuple(word, word), (counter, key) => {
        let [c0, c1, c2, c3] = counter.map(BigInt);
        let [k0, k1] = key.map(BigInt);
        const mask = 0xffffffffn;
        for (let round = 0; round < 10; round++) {
          const product0 = 0xd2511f53n * c0;
          const product1 = 0xcd9e8d57n * c2;
          [c0, c1, c2, c3] = [
            (product1 >> 32n) ^ c1 ^ k0,
            product1 & mask,
            (product0 >> 32n) ^ c3 ^ k1,
            product0 & mask,
          ];
          k0 = (k0 + 0x9e3779b9n) & mask;
          k1 = (k1 + 0xbb67ae85n) & mask;
        }
        const out = new Uint32Array(4);
        philox4x32(out, counter, key);
        expect(Array.from(out)).toEqual([c0, c1, c2, c3].map(Number));
      }),
    );
  });
});

describe('Random', () => {
  it('hands out the words of Philox blocks in order, seed as key and stream in the upper counter words', () => {
    const zero = new Random(0);
    expect([zero.uint32(), zero.uint32(), zero.uint32(), zero.uint32()]).toEqual([
      0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
    ]);
    const out = new Uint32Array(4);
    philox4x32(out, [1, 0, 0, 0], [0, 0]);
    expect(zero.uint32()).toBe(out[0]);
    philox4x32(out, [0, 0, 5, 3], [9, 2]);
    expect(new Random(2 * 2 ** 32 + 9, 3 * 2 ** 32 + 5).uint32()).toBe(out[0]);
  });

  it('draws uniform numbers in [0, 1) that pass chi-square, serial-pair and Kolmogorov-Smirnov tests', () => {
    const sample = new Random(1).uniformArray(100_000);
    const counts = new Float64Array(100);
    const pairs = new Float64Array(400);
    sample.forEach((x, i) => {
      expect(x >= 0 && x < 1).toBe(true);
      counts[Math.floor(100 * x)]++;
      if (i % 2 === 1) pairs[Math.floor(20 * x) * 20 + Math.floor(20 * sample[i - 1])]++;
    });
    expect(chiSquare(counts)).toBeLessThan(chiSquareBound(99));
    expect(chiSquare(pairs)).toBeLessThan(chiSquareBound(399));
    expect(ksDistance(sample, (x) => x) * Math.sqrt(sample.length)).toBeLessThan(2.4);
    expect(Math.abs(mean(sample) - 0.5)).toBeLessThan(4.5 / Math.sqrt(12 * sample.length));
  });

  it('fills all 53 bits of a uniform number', () => {
    const random = new Random(2);
    const lowBits = new Float64Array(8);
    for (let i = 0; i < 8000; i++) lowBits[(random.uniform() * 2 ** 53) % 8]++;
    expect(chiSquare(lowBits)).toBeLessThan(chiSquareBound(7));
  });

  it('draws normal numbers with the right moments and distribution', () => {
    const n = 100_000;
    const sample = new Random(3).normalArray(n);
    expect(Math.abs(mean(sample))).toBeLessThan(4.5 / Math.sqrt(n));
    expect(Math.abs(mean(sample.map((x) => x ** 2)) - 1)).toBeLessThan(4.5 * Math.sqrt(2 / n));
    expect(Math.abs(mean(sample.map((x) => x ** 3)))).toBeLessThan(4.5 * Math.sqrt(15 / n));
    expect(Math.abs(mean(sample.map((x) => x ** 4)) - 3)).toBeLessThan(4.5 * Math.sqrt(96 / n));
    const lagged = sample.subarray(1).map((x, i) => x * sample[i]);
    expect(Math.abs(mean(lagged))).toBeLessThan(4.5 / Math.sqrt(n));
    expect(ksDistance(sample.slice(0, 20_000), normalCumulative) * Math.sqrt(20_000)).toBeLessThan(2.4);
  });

  it('gives the same numbers one at a time and as an array', () => {
    const one = new Random(4);
    const many = new Random(4);
    expect(Array.from(many.normalArray(7))).toEqual(Array.from({ length: 7 }, () => one.normal()));
    expect(Array.from(many.uniformArray(7))).toEqual(Array.from({ length: 7 }, () => one.uniform()));
  });

  it.each([1, 2, 3, 10, 1000, 3_000_000_000, 2 ** 32, 2 ** 33 + 7, 2 ** 53])(
    'draws integers below %d evenly',
    (bound) => {
      const random = new Random(5);
      const bins = Math.min(bound, 10);
      const counts = new Float64Array(bins);
      for (let i = 0; i < 20_000; i++) {
        const draw = random.integer(bound);
        expect(Number.isInteger(draw) && draw >= 0 && draw < bound).toBe(true);
        counts[Math.floor((draw / bound) * bins)]++;
      }
      if (bins > 1) expect(chiSquare(counts)).toBeLessThan(chiSquareBound(bins - 1));
    },
  );

  it('makes every permutation of four equally likely', () => {
    const random = new Random(6);
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const key = random.permutation(4).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    expect(chiSquare([...counts.values()])).toBeLessThan(chiSquareBound(23));
  });

  it('permutes: every index once', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(), (n, seed) => {
        const sorted = new Random(seed).permutation(n).sort();
        expect(Array.from(sorted)).toEqual(Array.from({ length: n }, (_, i) => i));
      }),
    );
  });

  it('chooses distinct indices, the same ones whether the shuffle is stored whole or sparsely', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (n, share, seed) => {
        const k = Math.floor(n * share ** 3);
        const chosen = new Random(seed).choice(n, k);
        expect(new Set(chosen).size).toBe(k);
        expect(chosen.every((index) => index >= 0 && index < n)).toBe(true);
        const whole = new Random(seed).choice(n, n);
        expect(Array.from(chosen)).toEqual(Array.from(whole.subarray(0, k)));
      }),
    );
  });

  it('chooses a few out of two thousand million without storing them all', () => {
    const chosen = new Random(8).choice(2_000_000_000, 1000);
    expect(new Set(chosen).size).toBe(1000);
    const counts = new Float64Array(10);
    for (const index of chosen) counts[Math.floor(index / 200_000_000)]++;
    expect(chiSquare(counts)).toBeLessThan(chiSquareBound(9));
  });

  it('forks streams that neither disturb the parent nor resemble it or each other', () => {
    const parent = new Random(9);
    const untouched = new Random(9).uniformArray(1000);
    const first = parent.fork(0);
    const values = parent.uniformArray(1000);
    expect(values).toEqual(untouched);
    expect(parent.fork(0).state).toEqual(first.state);

    const n = 20_000;
    const streams = [
      new Random(9),
      parent.fork(0),
      parent.fork(1),
      parent.fork(1).fork(0),
      new Random(9, 1),
      new Random(9, 1).fork(0),
      new Random(10),
    ];
    const samples = streams.map((stream) => stream.normalArray(n));
    for (let i = 0; i < samples.length; i++)
      for (let j = 0; j < i; j++) {
        const correlation = mean(samples[i].map((x, t) => x * samples[j][t]));
        expect(Math.abs(correlation)).toBeLessThan(4.5 / Math.sqrt(n));
      }
  });

  it('spreads the first numbers of consecutive seeds and forks evenly', () => {
    const root = new Random(0);
    for (const first of [(i: number) => new Random(i).uniform(), (i: number) => root.fork(i).uniform()]) {
      const counts = new Float64Array(50);
      for (let i = 0; i < 10_000; i++) counts[Math.floor(50 * first(i))]++;
      expect(chiSquare(counts)).toBeLessThan(chiSquareBound(49));
    }
  });

  it('continues to the bit from a state that went through JSON', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(9), fc.nat(3), (seed, stream, words, normals) => {
        const random = new Random(seed, stream).fork(3);
        for (let i = 0; i < words; i++) random.uint32();
        random.normalArray(normals);
        const restored = Random.restore(JSON.parse(JSON.stringify(random.state)));
        expect(restored.state).toEqual(random.state);
        for (const draw of [(r: Random) => r.normal(), (r: Random) => r.uint32(), (r: Random) => r.normal()])
          expect(Object.is(draw(restored), draw(random))).toBe(true);
        expect(restored.choice(50, 5)).toEqual(random.choice(50, 5));
      }),
    );
  });

  it('carries from the lower into the upper word of the block number', () => {
    const state = { ...new Random(11).state, block: [0xffffffff, 0] as [number, number] };
    const random = Random.restore(state);
    for (let i = 0; i < 4; i++) random.uint32();
    expect(random.state.block).toEqual([0, 1]);
    random.uint32();
    expect(Random.restore(random.state).uint32()).toBe(random.uint32());
    const afterCarry = Random.restore({ ...state, block: [0, 1], remaining: 2 });
    const beforeCarry = Random.restore(state);
    beforeCarry.uint32();
    beforeCarry.uint32();
    expect(afterCarry.uint32()).toBe(beforeCarry.uint32());
  });

  it('names the function and the argument that is wrong', () => {
    expect(() => new Random(-1)).toThrow(/^Random: seed is -1/);
    expect(() => new Random(1.5)).toThrow(/^Random: seed is 1.5/);
    expect(() => new Random(1, Number.NaN)).toThrow(/^Random: stream is NaN/);
    const random = new Random(1);
    expect(() => random.integer(0)).toThrow(/^Random.integer: bound is 0, expected an integer from 1/);
    expect(() => random.choice(3, 4)).toThrow(/^Random.choice: k is 4, expected an integer from 0 to 3/);
    expect(() => random.choice(-1, 0)).toThrow(/^Random.choice: n is -1/);
    expect(() => random.permutation(2 ** 31)).toThrow(/^Random.permutation: n is 2147483648/);
    expect(() => random.permutation(2 ** 31)).toThrow(ArgumentError);
    expect(() => random.normalArray(-1)).toThrow(/^Random.normalArray: n is -1/);
    expect(() => random.uniformArray(0.5)).toThrow(/^Random.uniformArray: n is 0.5/);
    expect(() => random.fork(-1)).toThrow(/^Random.fork: stream is -1/);
    expect(() => Random.restore({ ...random.state, remaining: 9 })).toThrow(/not a state/);
    for (const word of [2 ** 32, -1, 0.5])
      expect(() => Random.restore({ ...random.state, key: [0, word] })).toThrow(/not a state/);
    expect(() => Random.restore(JSON.parse('{}'))).toThrow(/not a state/);
    expect(() => Random.restore(JSON.parse('null'))).toThrow(/not a state/);
  });
});
