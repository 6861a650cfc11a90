/** The trust in web pictures that is reported, by labels and by crawled rehearsals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rocArea } from '../../../src/fit/index.js';
import type { Backend } from '../../../src/linalg/backend.js';
import { Matrix, Random } from '../../../src/linalg/index.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import type { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import {
  addedToEvidence,
  learnReporting,
  reportedTrust,
  shareOfRightLabels,
  trustByEvidence,
} from '../../../src/methods/bowerbird/web-trust.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { backends } from '../../linalg/backends.js';

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** Pictures on a line of categories two apart, `right` of them showing what their label, one of the first, says. */
function labelled(right: number, count = 600, categories = 12, named = 8) {
  const random = new Random(3);
  const labels = Int32Array.from({ length: count }, (_, i) => i % named);
  const far = Matrix.zeros(count, categories);
  labels.forEach((label, i) => {
    let shown = label;
    if (random.uniform() >= right) shown = (label + 1 + Math.floor(random.uniform() * (categories - 1))) % categories;
    const x = 2 * shown + 0.7 * random.normal();
    for (let k = 0; k < categories; k++) far.set(i, k, (x - 2 * k) ** 2);
  });
  return { far, labels, categories, named };
}

describe('the share of right labels', () => {
  it('is about the one that labels were made with', () => {
    for (const right of [0.25, 0.6, 0.9]) {
      const { far, labels, named } = labelled(right);
      expect(Math.abs(shareOfRightLabels(far, labels, named, 1) - right)).toBeLessThan(0.06);
    }
  });

  it('makes the labels likeliest, by all p(x | c) written out', () => {
    const { far, labels, named, categories } = labelled(0.6, 80);
    const likelihood = (beta: number, share: number) => {
      let total = 0;
      labels.forEach((label, i) => {
        const densities = Array.from(far.row(i), (distance) => Math.exp(-beta * distance));
        const given = Array.from({ length: named }, (_, c) =>
          densities.reduce((sum, f, k) => sum + (k === c ? share : (1 - share) / (categories - 1)) * f, 0),
        );
        total += Math.log(given[label] / given.reduce((a, b) => a + b, 0));
      });
      return total;
    };
    let best = { value: Number.NEGATIVE_INFINITY, share: 0 };
    for (let beta = 0.12; beta < 3; beta *= 1.03)
      for (let k = 1; k < 100; k++) {
        const value = likelihood(beta, k / 100);
        if (value > best.value) best = { value, share: k / 100 };
      }
    expect(Math.abs(shareOfRightLabels(far, labels, named, 1) - best.share)).toBeLessThan(0.0151);
  });

  it('does not depend on the sharpness to look around', () => {
    const { far, labels, named } = labelled(0.6, 2000);
    const shares = [0.5, 0.7, 1, 1.25, 1.6, 2.2].map((usual) => shareOfRightLabels(far, labels, named, usual));
    for (const share of shares) expect(Math.abs(share - shares[0])).toBeLessThan(0.0101);
  });
});

describe('the trust in web pictures by their evidence', () => {
  const random = new Random(5);
  const evidence = Float64Array.from({ length: 400 }, (_, i) => (i < 240 ? 2 : -2) + 2 * random.normal());

  it('holds with the share that it makes itself, a tenth of it being what is usual', () => {
    const trust = trustByEvidence(evidence, 0.4);
    const wrong = (mean(trust.map((value) => 1 - value)) + 0.1 * 0.35) / 1.1;
    for (let i = 0; i < evidence.length; i++)
      expect(trust[i]).toBeCloseTo(sigmoid(evidence[i] + 0.4 + Math.log((1 - wrong) / wrong)), 5);
  });

  it('adds up, with what rehearsals add, to the rehearsed pictures that are right', () => {
    const rehearsed = [evidence, evidence.map((value) => value - 1)];
    const added = addedToEvidence(rehearsed, 0.6);
    const sums = rehearsed.map((each) => mean(trustByEvidence(each, added)));
    expect(mean(sums)).toBeCloseTo(0.6, 4);
  });

  it('counts evidence by the slope that planted pictures teach, and then holds', () => {
    const drawn = new Random(9);
    // N(±5/4, 1): log odds of 5/2 times the evidence and those of the share.
    const folders = [0.4, 0.8].map((share) => {
      const right = Float64Array.from({ length: 3000 }, () => Number(drawn.uniform() < share));
      return { evidence: right.map((holds) => 1.25 * (2 * holds - 1) + drawn.normal()), right };
    });
    const { slope, added } = learnReporting(folders, () => Number.NaN);
    expect(Math.abs(slope - 2.5)).toBeLessThan(0.2);
    for (const { evidence, right } of folders) {
      const trust = trustByEvidence(
        evidence.map((value) => slope * value),
        added,
      );
      for (const [from, to] of [
        [0, 0.2],
        [0.2, 0.8],
        [0.8, 1],
      ]) {
        const some = [...trust.keys()].filter((i) => trust[i] >= from && trust[i] < to);
        expect(Math.abs(mean(some.map((i) => trust[i])) - mean(some.map((i) => right[i])))).toBeLessThan(0.05);
      }
    }
  });

  it('keeps a steep slope where evidence tells nearly all right from wrong', () => {
    const drawn = new Random(4);
    const right = Float64Array.from({ length: 900 }, () => Number(drawn.uniform() < 0.8));
    // N(±5, 4): 5/2 times the evidence.
    const evidence = right.map((holds) => 5 * (2 * holds - 1) + 2 * drawn.normal());
    expect(Math.abs(learnReporting([{ evidence, right }], () => Number.NaN).slope - 2.5)).toBeLessThan(0.7);
  });

  it('counts evidence as it is where pictures were crawled, and adds up to the share that labels tell', () => {
    const { slope, added } = learnReporting([{ evidence }, { evidence }], () => 0.7);
    expect(slope).toBe(1);
    expect(mean(trustByEvidence(evidence, added))).toBeCloseTo(0.7, 4);
  });

  it('adds little more to the evidence of crawled pictures when nearly all labels seem right', () => {
    expect(learnReporting([{ evidence }], () => 0.99).added).toBeCloseTo(1, 6);
  });

  it('keeps what people said, and the order of all others', () => {
    const trust = evidence.map(sigmoid);
    trust[0] = 1;
    trust[1] = 0;
    const webKnown = new Int8Array(trust.length);
    webKnown.set([1, -1]);
    const solver = { trust, wrongShare: 0.5, ground: { webKnown } } as unknown as BowerbirdSolver;
    const reported = reportedTrust(solver, { slope: 1.5, added: 0.2 });
    expect([...reported.subarray(0, 2)]).toEqual([1, 0]);
    const expected = trustByEvidence(
      evidence.subarray(2).map((value) => 1.5 * value),
      0.2,
    );
    for (let i = 2; i < trust.length; i++) expect(reported[i]).toBeCloseTo(expected[i - 2], 8);
  });
});

describe.each(backends)('the trust that a fit reports, on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create(1);
  });
  afterAll(() => backend.dispose());

  it.each([
    ['crawled', 0.2],
    ['crawled', 0.5],
    ['planted', 0.2],
    ['planted', 0.5],
  ])('adds up to about those that are right after rehearsals with %s pictures, %s being wrong', async (how, wrong) => {
    const sizes = { auxiliaryCategories: 24, testCategories: 8, dimensions: 32, webPerCategory: 20 };
    const problem = generateProblem({ ...sizes, wrong, text: false, validation: how === 'crawled', seed: 1 });
    const trust = (await new Bowerbird().fit(problem, { backend })).webWeights();
    const right = problem.webKinds!.map((kind) => kind === 'clean');
    expect(Math.abs(mean(trust) - mean(right.map(Number)))).toBeLessThan(0.1);
    expect(rocArea(trust, right)).toBeGreaterThan(0.9);
  });
});
