/** How many strangers a folder is said to have, and what its pictures count for meanwhile. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/linalg/random.js';
import { column } from '../../../src/methods/bowerbird/logistic.js';
import type { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { type Seen, strangerRatios, strangersAmong, teachDetector } from '../../../src/methods/bowerbird/strangers.js';
import { unanswered } from '../../../src/problem/index.js';

const none = { pictures: 0, part: 0 };
const chance = (odds: number) => 1 / (1 + Math.exp(-odds));
const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

/** Likelihood ratios of pictures whose sign is N(1, 1) for strangers and N(−1, 1) else: twice the sign. */
function drawn(listed: number, strange: number, seed = 3): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: listed + strange }, (_, j) => 2 * (random.normal() + (j < listed ? -1 : 1)));
}

describe('the strangers among the pictures of a folder', () => {
  it('have the share under which the folder is most likely', () => {
    const ratios = drawn(700, 300);
    const likelihood = (share: number) =>
      ratios.reduce((total, ratio) => total + Math.log(1 - share + share * Math.exp(ratio)), 0);
    const { share, unlisted } = strangersAmong(ratios, none);
    const grid = Array.from({ length: 999 }, (_, k) => (k + 1) / 1000);
    const best = grid.reduce((a, b) => (likelihood(b) > likelihood(a) ? b : a));
    expect(share).toBeCloseTo(best, 2);
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
    unlisted.forEach((value, j) => {
      expect(value).toBeCloseTo(chance(ratios[j] + Math.log(share / (1 - share))), 5);
    });
  });

  it('must be worth a claim: pictures and a part of the folder count as listed ones seen before', () => {
    const ratios = drawn(85, 15);
    const { share, unlisted } = strangersAmong(ratios, { pictures: 10, part: 0.5 });
    expect(share).toBeCloseTo(sum(unlisted) / (1.5 * 100 + 10), 5);
    expect(share).toBeLessThan(strangersAmong(ratios, none).share);
  });

  it('of a kind that rehearsals do not have say nothing of how often others are strangers', () => {
    const usual = drawn(90, 10);
    const empty = new Float64Array(150).fill(20);
    const ratios = Float64Array.of(...usual, ...empty);
    const alone = strangersAmong(usual, none);
    const { share, unlisted } = strangersAmong(ratios, none, undefined, { beyond: 6 });
    expect(share).toBeGreaterThan(0.55);
    usual.forEach((ratio, j) => {
      if (ratio <= 6) expect(unlisted[j]).toBeCloseTo(alone.unlisted[j], 3);
    });
    for (const value of unlisted.slice(100)) expect(value).toBeGreaterThan(0.999);
    // Told from the whole folder's share, most of the listed ones near the line would be called strangers.
    expect(sum(strangersAmong(ratios, none).unlisted.slice(0, 90))).toBeGreaterThan(2 * sum(unlisted.slice(0, 90)));
  });

  it('are compared with rehearsed ones by the ratio that one of twenty of those exceeds', () => {
    const random = new Random(8);
    const strange = Float64Array.from({ length: 400 }, (_, j) => j % 2);
    const rows = column(strange.map((is) => 2 * is + random.normal()));
    const detector = teachDetector([{ rows, strange }]);
    const ratios = strangerRatios(detector, rows).filter((_, j) => strange[j] === 1);
    const above = ratios.filter((ratio) => ratio > detector.beyond).length;
    expect(above / ratios.length).toBeCloseTo(0.05, 1);
    expect(above).toBeGreaterThan(0);
  });

  it('are as certain as what people said of them', () => {
    const ratios = Float64Array.of(-4, 4, 0, -4, -4);
    const known = Int32Array.of(-1, 2, unanswered, unanswered, unanswered);
    const { unlisted, weights } = strangersAmong(ratios, none, known);
    expect(unlisted[0]).toBeCloseTo(0.99, 9);
    expect(unlisted[1]).toBeCloseTo(0.01, 9);
    expect(weights[0]).toBeLessThan(0.02);
    expect(weights[1]).toBeGreaterThan(0.98);
  });

  it('have the share that all chances make, those that people told and those beyond all doubt included', () => {
    const ratios = Float64Array.of(...drawn(60, 40), -2000, 2000);
    const known = Int32Array.from(ratios, (_, j) => (j < 5 ? 3 : j >= 90 && j < 100 ? -1 : unanswered));
    const { share, unlisted } = strangersAmong(ratios, none, known);
    const odds = Math.log(share / (1 - share));
    const chances = ratios.map((ratio, j) => (j < 5 ? 0.01 : j >= 90 && j < 100 ? 0.99 : chance(ratio + odds)));
    expect(share).toBeCloseTo(sum(chances) / ratios.length, 4);
    expect([...unlisted.slice(100)]).toEqual([0, 1]);
  });
});

/**
 * Pictures with a sign of N(±0.7, 1), strangers last; of ten neighbours each has six among all pictures and four among its
 * own kind, so that strangers have the more strangers about them, the more there are.
 */
function folder(listed: number, strangers: number, seed: number): Required<Seen> {
  const random = new Random(seed);
  const n = listed + strangers;
  const strange = Float64Array.from({ length: n }, (_, j) => (j < listed ? 0 : 1));
  const rows = column(strange.map((is) => random.normal() + (is ? 0.7 : -0.7)));
  const pick = (from: number, to: number) => from + random.integer(to - from);
  const nearest = Array.from(strange, (is) =>
    Array.from({ length: 10 }, (_, k) => (k < 6 ? pick(0, n) : is ? pick(listed, n) : pick(0, listed))),
  );
  const means = (values: Float64Array) =>
    Float64Array.from(nearest, (those) => those.reduce((total, j) => total + values[j], 0) / those.length);
  return { rows, strange, neighbours: { means } as unknown as Neighbours };
}

describe('the share of strangers that neighbours have told part of', () => {
  const plays = [folder(700, 300, 1), folder(400, 600, 2), folder(550, 450, 3)];
  const detector = teachDetector(plays, [folder(900, 100, 4), folder(900, 100, 5), folder(900, 100, 6)]);
  const reluctance = { pictures: 5, part: 0.1 };
  const shareIn = ({ rows, neighbours }: Seen, taught = detector) =>
    strangersAmong(strangerRatios(taught, rows, neighbours), reluctance, undefined, taught).share;
  const truths = [0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75];
  const folders = truths.map((share, k) => folder(1000 - 1000 * share, 1000 * share, 20 + k));

  it('grows with the true one, is near to it where there are many, and is none where there are none', () => {
    const shares = folders.map((each) => shareIn(each));
    expect(shares[0]).toBeLessThan(0.002);
    for (let k = 1; k < shares.length; k++) expect(shares[k]).toBeGreaterThanOrEqual(shares[k - 1]);
    truths.forEach((truth, k) => {
      if (truth >= 0.3) expect(Math.abs(shares[k] / truth - 1)).toBeLessThan(0.25);
    });
  });

  it('is nearer to the true one than if a share added all of its log odds', () => {
    const plain = teachDetector(plays);
    const error = (taught: typeof detector) =>
      folders.reduce((total, each, k) => total + Math.abs(shareIn(each, taught) - truths[k]), 0);
    expect(error(detector)).toBeLessThan(0.7 * error(plain));
  });

  it('adds a part of its log odds, and all of them where neighbours are not looked at', () => {
    expect(detector.ofShare.weights[0]).toBeGreaterThan(0);
    expect(detector.ofShare.weights[0]).toBeLessThan(0.8);
    const alone = ({ rows, strange }: Seen): Seen => ({ rows, strange });
    const lonely = teachDetector(plays.map(alone), [alone(folder(9000, 1000, 7))]);
    expect(lonely.ofShare.weights[0]).toBeGreaterThan(0.85);
    expect(teachDetector(plays.map(alone)).ofShare).toEqual({ weights: Float64Array.of(1), intercept: 0 });
  });
});

describe('what pictures count for in the looks of the listed categories', () => {
  it('is less for doubtful ones than their chance of being listed, though no strangers are claimed', () => {
    // Nineteen pictures that are surely listed, and one of which nothing is known.
    const ratios = Float64Array.from({ length: 20 }, (_, j) => (j === 7 ? 0 : -8));
    const { unlisted, weights } = strangersAmong(ratios, { pictures: 5, part: 0.1 });
    expect(unlisted[7]).toBeLessThan(0.01);
    expect(weights[7]).toBeCloseTo(0.5, 2);
    expect(weights[0]).toBeGreaterThan(0.999);
  });

  it('is relative to the least doubted tenth, so that a folder which is odd as a whole still counts', () => {
    const weights = strangersAmong(
      Float64Array.from({ length: 40 }, (_, j) => -0.2 + j / 1000),
      none,
    ).weights;
    expect(Math.min(...weights)).toBeGreaterThan(0.9);
    expect(Math.max(...weights)).toBe(1);
  });

  it('is next to nothing in a folder of strangers alone', () => {
    for (const ratio of [8, 50, 900]) {
      const { share, weights } = strangersAmong(new Float64Array(30).fill(ratio), none);
      expect(share).toBe(0.95);
      for (const weight of weights) expect(weight).toBeLessThan(1e-3);
    }
  });
});
