import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { findStrangers } from '../../../src/methods/bowerbird/folder-strangers.js';
import { layGround, type Placed } from '../../../src/methods/bowerbird/ground.js';
import { firstQuartile, leadsOf } from '../../../src/methods/bowerbird/likelihood.js';
import { column } from '../../../src/methods/bowerbird/logistic.js';
import { Neighbours } from '../../../src/methods/bowerbird/neighbours.js';
import { posteriorCovariance } from '../../../src/methods/bowerbird/posterior.js';
import type { Rehearsal } from '../../../src/methods/bowerbird/rehearsal.js';
import { meanYardstick } from '../../../src/methods/bowerbird/signs.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import {
  occurringPart,
  ratiosInCompany,
  reluctance,
  strangerRatios,
  strangersAmong,
  teachDetector,
} from '../../../src/methods/bowerbird/strangers.js';
import type { TestSide } from '../../../src/methods/bowerbird/test-state.js';
import { TextEvidence } from '../../../src/methods/bowerbird/texts.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { keepWeb } from '../../../src/problem/subset.js';

const backend = await createBackend({ threads: 1 });
const options = { power: 1, shrinkage: 0.1 };
const groundOf = async (problem: Problem, trust = -1) =>
  layGround(backend, await WhitenedSpace.learn(problem, backend, options), problem, { trust, smoothing: 200 });

/** Inverse by Gauss-Jordan elimination: nothing of the code under test. */
function inverse(matrix: number[][]): number[][] {
  const n = matrix.length;
  const a = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let k = 0; k < n; k++) {
    const pivot = a.slice(k).reduce((best, row, i) => (Math.abs(row[k]) > Math.abs(a[best][k]) ? i + k : best), k);
    [a[k], a[pivot]] = [a[pivot], a[k]];
    const scale = a[k][k];
    a[k] = a[k].map((value) => value / scale);
    for (let i = 0; i < n; i++) if (i !== k) a[i] = a[i].map((value, j) => value - a[i][k] * a[k][j]);
  }
  return a.map((row) => row.slice(n));
}

describe('the ground', () => {
  const problem = generateProblem({ seed: 3, dimensions: 6, scaling: 'l2' });

  it('knows how far pictures vary about their category and categories about each other', async () => {
    const { known, space } = await groundOf(problem);
    const { auxiliaryFeatures, auxiliaryLabels: labels, auxiliaryNames } = problem;
    const rows = space.place(auxiliaryFeatures, space.auxiliaryCentre);
    const d = rows.cols;
    let within = 0;
    for (let i = 0; i < rows.rows; i++)
      for (let j = 0; j < d; j++) within += (rows.at(i, j) - known.means.at(labels[i], j)) ** 2 / d;
    expect(known.within).toBeCloseTo(within / (rows.rows - auxiliaryNames.length), 8);
    let spread = 0;
    for (const value of known.means.data) spread += value ** 2 / d / (auxiliaryNames.length - 1);
    const sampling = known.counts.reduce((sum, count) => sum + known.within / count / known.counts.length, 0);
    expect(known.between).toBeCloseTo(spread - sampling, 8);
  });
});

describe('the evidence of looks', () => {
  it('of the only web picture of a category is no more than that of a category nobody listed: it does not vouch for itself', async () => {
    const whole = generateProblem({ seed: 5, dimensions: 12, scaling: 'l2' });
    const first = whole.webLabels.indexOf(0);
    const rows = [...whole.webLabels.keys()].filter((i) => i === first || whole.webLabels[i] !== 0);
    const problem = keepWeb(whole, Int32Array.from(rows));
    // Without trust in words the mean that is left without the picture is the origin, known as little as any category's.
    const solver = new BowerbirdSolver(await groundOf(problem, 0), {
      sharpness: 1,
      tails: 0.2,
      caution: 1,
      evidence: { slope: 1, intercept: 0, text: 0 },
    });
    solver.learnFromWeb();
    const { looks } = solver.webEvidence();
    expect(looks[problem.webLabels.indexOf(0)]).toBeLessThan(Math.log(3) + 1e-6);
    expect(Math.max(...looks)).toBeGreaterThan(Math.log(3) + 1);
  });
});

describe('the trust in words', () => {
  const explained = generateProblem({ seed: 5, auxiliaryCategories: 40, offset: 0, dimensions: 12 });
  const shuffled: Problem = {
    ...explained,
    auxiliarySemantics: Matrix.from(
      Array.from(new Random(1).permutation(40), (c) => explained.auxiliarySemantics.row(c)),
    ),
  };

  it('is high where words explain looks and nothing where they were shuffled', async () => {
    const trust = async (problem: Problem) => (await groundOf(problem)).prior.trust;
    expect(await trust(explained)).toBeGreaterThan(0.7);
    expect(await trust(shuffled)).toBeLessThan(0.2);
  });

  it('without trust expects nothing of any category', async () => {
    const { prior } = await groundOf(explained, 0);
    expect(Math.max(...prior.means.data.map(Math.abs))).toBeLessThan(1e-12);
    for (let c = 0; c < prior.covariance.rows; c++)
      for (let k = 0; k < prior.covariance.rows; k++)
        expect(prior.covariance.at(c, k)).toBeCloseTo(c === k ? 1 : 0, 10);
  });
});

describe.each(['auto', 'wasm'] as const)('the posterior of the means (%s)', async (device) => {
  const on = await createBackend({ device, threads: 1 });
  const random = new Random(8);
  const factor = Array.from({ length: 4 }, () => Array.from(random.normalArray(4)));
  const covariance = factor.map((a) => factor.map((b) => a.reduce((sum, value, j) => sum + value * b[j], 0)));
  const between = 0.3;
  const posterior = (rows: number[][], precisions: Float64Array) =>
    posteriorCovariance(on, Matrix.from(rows), between, precisions);

  it.each([1e-9, 1e-15, 0, 1e4])(
    'equals the inverse of prior and observed precision together, one being %d',
    (last) => {
      const precisions = Float64Array.of(0.5, 3, 20, last);
      const prior = inverse(covariance.map((row) => row.map((value) => between * value)));
      const expected = inverse(prior.map((row, i) => row.map((value, j) => value + (i === j ? precisions[i] : 0))));
      const { covariance: found, variances } = posterior(covariance, precisions);
      for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) expect(found.at(i, j)).toBeCloseTo(expected[i][j], 11);
      variances.forEach((variance, i) => {
        expect(variance).toBe(found.at(i, i));
      });
    },
  );

  it('of two categories with the same words is that of one with the pictures of both', () => {
    // C = [1 1; 1 1] has no inverse; as one category (1/λ + p₁ + p₂)⁻¹.
    const same = [
      [1, 1],
      [1, 1],
    ];
    const { covariance: found } = posterior(same, Float64Array.of(2, 5));
    for (const value of found.data) expect(value).toBeCloseTo(1 / (1 / between + 7), 12);
  });

  it('is the prior where nothing was seen', () => {
    const { covariance: found } = posterior(covariance, new Float64Array(4));
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) expect(found.at(i, j)).toBe(between * covariance[i][j]);
  });
});

describe('the evidence of texts', () => {
  it('compares the words of trusted pictures of the category with those of mistrusted ones, leaving the picture out', () => {
    const counts = [
      [2, 0, 1],
      [1, 1, 0],
      [0, 3, 0],
      [0, 0, 0],
    ];
    const labels = Int32Array.of(0, 0, 1, 1);
    const trust = Float64Array.of(0.9, 0.2, 0.6, 0.5);
    const smoothing = 4;
    const totals = counts.map((row) => row.reduce((sum, value) => sum + value, 0));
    const all = totals.reduce((sum, value) => sum + value, 0);
    const shares = counts[0].map((_, w) => counts.reduce((sum, row) => sum + row[w], 0) / all);
    const expected = counts.map((row, i) => {
      const others = counts.map((_, k) => k).filter((k) => k !== i);
      const source = (weight: (k: number) => number, w: number) => {
        const of = (value: (k: number) => number) => others.reduce((sum, k) => sum + weight(k) * value(k), 0);
        return (of((k) => counts[k][w]) + smoothing * shares[w]) / (of((k) => totals[k]) + smoothing);
      };
      return row.reduce((sum, count, w) => {
        if (count === 0) return sum;
        const trusted = source((k) => (labels[k] === labels[i] ? trust[k] : 0), w);
        return sum + count * Math.log(trusted / source((k) => 1 - trust[k], w));
      }, 0);
    });
    const found = new TextEvidence(Matrix.from(counts), labels, 2, smoothing).logRatios(trust);
    found.forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 10);
    });
    expect(found[3]).toBe(0);
  });

  it('refuses texts that are not counts', () => {
    expect(() => new TextEvidence(Matrix.from([[1, -2]]), Int32Array.of(0), 1, 4)).toThrow(/web_text.*-2/);
  });
});

/** Pictures of two dimensions: their first sign, and 1. */
function pointsAt(signs: Matrix): Placed<Matrix> {
  const rows = Matrix.from(Array.from({ length: signs.rows }, (_, j) => [signs.at(j, 0), 1]));
  return { rows, squaredLengths: Float64Array.from({ length: signs.rows }, (_, j) => signs.at(j, 0) ** 2 + 1) };
}

describe('strangers in company', () => {
  it('are judged by how many of the listed categories occur', () => {
    expect(occurringPart(Float64Array.of(0, 12, 0, 0))).toBeCloseTo(1 / 4, 12);
    expect(occurringPart(Float64Array.of(3, 3, 3, 3))).toBeCloseTo(1, 12);
    // Two categories of equal shares among four.
    expect(occurringPart(Float64Array.of(5, 5, 0, 0))).toBeCloseTo(1 / 2, 12);
  });

  it('by one detector where all or hardly any occur, by the more suspicious of two where few do, and by both in between', () => {
    const random = new Random(2);
    const drawn = (sign: number) => {
      const strange = Float64Array.from({ length: 60 }, (_, j) => j % 2);
      const rows = column(strange.map((is) => sign * (is - 0.5) + random.normal()));
      return { rows, strange };
    };
    const model = {
      company: teachDetector([drawn(2)]),
      few: teachDetector([drawn(-2)]),
      lonely: teachDetector([drawn(1)]),
      yardstick: meanYardstick([]),
    };
    const rows = drawn(2).rows;
    const neighbours = new Neighbours(backend, pointsAt(rows), 3);
    const [all, few] = [strangerRatios(model.company, rows, neighbours), strangerRatios(model.few, rows, neighbours)];
    expect(ratiosInCompany(model, rows, neighbours, Float64Array.of(5, 5, 5, 5))).toEqual(all);
    const part = (count: number) => Float64Array.from({ length: 50 }, (_, c) => (c < count ? 1 : 0));
    ratiosInCompany(model, rows, neighbours, part(30)).forEach((ratio, j) => {
      expect(ratio).toBeCloseTo(Math.max(all[j], few[j]), 9);
    });
    expect(ratiosInCompany(model, rows, neighbours, part(3))).toEqual(all);
    for (const halfWay of [25, 36])
      ratiosInCompany(model, rows, neighbours, part(halfWay)).forEach((ratio, j) => {
        expect(ratio).toBeCloseTo((all[j] + Math.max(all[j], few[j])) / 2, 9);
      });
  });

  it('by where walks end, too, where nearly all occur and most web pictures are believed; what pictures count for does not depend on it', () => {
    const random = new Random(4);
    const strange = Float64Array.from({ length: 60 }, (_, j) => j % 2);
    // The last sign tells more than the first.
    const rows = Matrix.from(Array.from(strange, (is) => [is + random.normal(), 4 * is + random.normal()]));
    const company = teachDetector([{ rows: rows.view(0, 60, 0, 1), strange }]);
    const walking = teachDetector([{ rows, strange }]);
    const model = { company, walking, few: company, lonely: company, yardstick: meanYardstick([]) };
    const pictures = pointsAt(rows);
    const neighbours = new Neighbours(backend, pictures, 3);
    const found = (counts: Float64Array, believed: number) =>
      findStrangers({ pictures } as unknown as TestSide, { rows, counts, believed }, neighbours, {
        strangers: model,
      } as unknown as Rehearsal);
    const [all, half] = [Float64Array.of(5, 5, 5, 5), Float64Array.of(9, 9, 0, 0)];
    const plain = strangersAmong(strangerRatios(company, rows, neighbours), reluctance.company, undefined, company);
    const told = strangersAmong(strangerRatios(walking, rows, neighbours), reluctance.company, undefined, walking);
    expect(found(all, 0.6)).toEqual({ ...told, weights: plain.weights });
    expect(told.unlisted).not.toEqual(plain.unlisted);
    expect(found(all, 0.4)).toEqual(plain);
    expect(found(half, 0.6)).toEqual(plain);
  });
});

describe('the lead of the best answer', () => {
  it('is that of the picture a quarter of the others stand below, of those that count', () => {
    const scores = Matrix.from([
      [9, 1, 0],
      [0, 2, 5],
      [7, 7, 1],
      [1, 3, 2],
      [0, 100, 0],
    ]) as Matrix<Float64Array>;
    expect(firstQuartile(leadsOf(scores))).toBe(1);
    expect(firstQuartile(leadsOf(scores).filter((_, row) => row !== 2))).toBe(3);
    expect(firstQuartile(new Float64Array(0))).toBe(0);
  });
});
