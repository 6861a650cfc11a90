/** The estimate of bowerbird against the same formulas written out. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround } from '../../../src/methods/bowerbird/ground.js';
import { BowerbirdSolver, softened } from '../../../src/methods/bowerbird/solver.js';
import { generateProblem } from '../../../src/problem/generate.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 8, dimensions: 5, webPerCategory: 6, scaling: 'l2' });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: -1, smoothing: 200 });
const options = { sharpness: 0.7, tails: 0.4, caution: 1, evidence: { slope: 1, intercept: 0, text: 0 } };
const { known, prior, web, webLabels, dimension: d } = ground;
const categories = prior.means.rows;

const squaredDistance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, j) => sum + (value - b[j]) ** 2, 0);

/** Student's t to the power of the sharpness, up to a constant. */
function density(distance: number, variance: number): number {
  const freedom = options.tails * d;
  const kernel = variance ** (-d / 2) * (1 + distance / (freedom * variance)) ** (-(freedom + d) / 2);
  return kernel ** options.sharpness;
}

let webRows = Matrix.zeros(0, 0);
web.visit((rows) => {
  webRows = rows.copy('float64');
});
const rowsOf = (matrix: Matrix) => Array.from({ length: matrix.rows }, (_, i) => matrix.row(i));
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the estimate of bowerbird', () => {
  it('weighs the label of a web picture against other listed categories, known ones and any other', () => {
    const { looks } = new BowerbirdSolver(ground, options).webEvidence();
    webLabels.forEach((label, i) => {
      const at = (centre: ArrayLike<number>, variance: number) =>
        density(squaredDistance(webRows.row(i), centre), variance);
      const listed = rowsOf(prior.means).map((centre, c) => (c === label ? 0 : at(centre, known.within)));
      const others = mean(rowsOf(known.means).map((centre) => at(centre, known.within)));
      const nobody = at(new Float64Array(d), known.within + known.between);
      const against = (mean(listed) + others + nobody) / 3;
      expect(looks[i]).toBeCloseTo(Math.log(at(prior.means.row(label), known.within) / against), 6);
    });
  });

  it('is what words expect where no web picture is believed', () => {
    const none = { ...ground, webKnown: new Int8Array(web.count).fill(-1) };
    const solver = new BowerbirdSolver(none, options);
    solver.learnFromWeb();
    expect([...solver.webShift]).toEqual([...new Float64Array(d)]);
    expect([...solver.means.data]).toEqual([...prior.means.data]);
  });

  it('has the means that minimize their squared distances from web pictures and from what words expect', () => {
    const solver = new BowerbirdSolver(ground, options);
    const weights = solver.trust.map((trust) => trust / solver.webVariance);
    solver.updateMeans();
    // At the minimum λC Σ_i w_i (x_i − μ_c) = μ − m, in every dimension.
    const pulls = rowsOf(solver.means).map((centre, c) =>
      Array.from(centre, (value, j) =>
        webLabels.reduce((sum, label, i) => sum + (label === c ? weights[i] * (webRows.at(i, j) - value) : 0), 0),
      ),
    );
    for (let c = 0; c < categories; c++)
      for (let j = 0; j < d; j++) {
        const moved = pulls.reduce((sum, pull, k) => sum + known.between * prior.covariance.at(c, k) * pull[j], 0);
        expect(solver.means.at(c, j) - prior.means.at(c, j)).toBeCloseTo(moved, 5);
      }
    for (const left of solver.meanVariances) {
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(known.between * 1.01);
    }
  });

  it('trusts web pictures by the evidence of their looks, and those that people know entirely', () => {
    const labels = webLabels.slice();
    const said = Int8Array.from(labels, (_, i) => (i === 0 ? 1 : i === 1 ? -1 : 0));
    const solver = new BowerbirdSolver({ ...ground, webKnown: said }, options);
    const { looks } = solver.webEvidence();
    const odds = Math.log((1 - solver.wrongShare) / solver.wrongShare);
    solver.judgeWeb();
    expect(solver.trust[0]).toBeGreaterThan(0.99);
    expect(solver.trust[1]).toBeLessThan(0.01);
    for (let i = 2; i < labels.length; i++)
      expect(solver.trust[i]).toBeCloseTo(1 / (1 + Math.exp(-looks[i] - odds)), 9);
  });

  it('moves the spread of web pictures half way to that of the trusted ones, where near ones count for more', () => {
    const solver = new BowerbirdSolver(ground, options);
    const before = solver.webVariance;
    solver.judgeWeb();
    const freedom = options.tails * d;
    let [squares, trusted] = [0, 0];
    webLabels.forEach((label, i) => {
      const own = squaredDistance(webRows.row(i), prior.means.row(label));
      squares += (solver.trust[i] * own * (freedom + d)) / (freedom + own / before);
      trusted += solver.trust[i];
    });
    expect(solver.webVariance).toBeCloseTo((before + squares / trusted / d) / 2, 8);
  });

  it('takes for a shift of web pictures what their means differ by from words, less what chance explains', () => {
    const apart: typeof prior = { ...prior, means: prior.means.copy('float64') };
    for (let k = 0; k < apart.means.data.length; k++) apart.means.data[k] += k % 2 ? 2 : -4;
    const solver = new BowerbirdSolver({ ...ground, prior: apart }, options);
    solver.belief.forEach((_, i) => {
      solver.belief[i] = 0.3 + 0.05 * (i % 9);
    });
    const totals = Array.from({ length: categories }, (_, c) =>
      solver.belief.reduce((sum, belief, i) => sum + (webLabels[i] === c ? belief : 0), 0),
    );
    const difference = Array.from({ length: d }, (_, j) =>
      mean(
        totals.map((total, c) => {
          const sum = webLabels.reduce((s, label, i) => s + (label === c ? solver.belief[i] * webRows.at(i, j) : 0), 0);
          return sum / total - apart.means.at(c, j);
        }),
      ),
    );
    const sampling = mean(totals.map((total) => known.within / total)) / categories;
    const chance =
      sampling + (known.between * prior.covariance.copy('float64').data.reduce((s, v) => s + v, 0)) / categories ** 2;
    const square = mean(difference.map((value) => value ** 2));
    expect(square).toBeGreaterThan(chance);
    solver.shiftWeb();
    difference.forEach((value, j) => {
      expect(solver.webShift[j]).toBeCloseTo((value * (square - chance)) / square, 8);
    });
  });

  it('believes web pictures with caution while it reports what the evidence says', () => {
    const cautious = new BowerbirdSolver(ground, { ...options, caution: 0.5 });
    cautious.updateMeans();
    cautious.judgeWeb();
    const bold = new BowerbirdSolver(ground, options);
    bold.updateMeans();
    bold.judgeWeb();
    const odds = (chance: number) => Math.log(chance / (1 - chance));
    expect(new Set(cautious.trust.map((trust) => Math.sign(trust - 0.5))).size).toBe(2);
    cautious.trust.forEach((trust, i) => {
      expect(trust).toBeCloseTo(bold.trust[i], 10);
      expect(bold.belief[i]).toBe(bold.trust[i]);
      expect(odds(cautious.belief[i])).toBeCloseTo(odds(trust) / 2, 6);
    });
    expect(cautious.wrongShare).toBeCloseTo(bold.wrongShare, 10);
    const copy = cautious.fork();
    expect(copy.belief).toEqual(cautious.belief);
  });

  it('has no shift and judges nothing without web pictures', async () => {
    const none = {
      ...problem,
      webFeatures: problem.webFeatures.view(0, 0),
      webLabels: new Int32Array(0),
      webText: undefined,
    };
    const solver = new BowerbirdSolver(layGround(backend, space, none, { trust: 0, smoothing: 200 }), options);
    solver.learnFromWeb();
    expect([...solver.webShift]).toEqual([...new Float64Array(d)]);
    expect(solver.judgeWeb()).toBe(0);
    expect(Math.max(...solver.means.data.map(Math.abs))).toBeLessThan(1e-12);
    expect(solver.webVariance).toBe(known.within);
  });

  it('is pulled by pictures that people named until the folder is looked at, each as one of its kind', () => {
    const rows = Matrix.from([Array.from({ length: d }, () => 3), Array.from({ length: d }, () => -1)]);
    const solver = new BowerbirdSolver({ ...ground, named: { rows, labels: [1, 1] } }, options);
    solver.updateMeans();
    const weights = solver.trust.map((trust) => trust / solver.webVariance);
    const pulls = rowsOf(solver.means).map((centre, c) =>
      Array.from(centre, (value, j) => {
        const web = webLabels.reduce(
          (sum, label, i) => sum + (label === c ? weights[i] * (webRows.at(i, j) - value) : 0),
          0,
        );
        return web + (c === 1 ? (3 - value - 1 - value) / known.within : 0);
      }),
    );
    for (let c = 0; c < categories; c++)
      for (let j = 0; j < d; j++) {
        const moved = pulls.reduce((sum, pull, k) => sum + known.between * prior.covariance.at(c, k) * pull[j], 0);
        expect(solver.means.at(c, j) - prior.means.at(c, j)).toBeCloseTo(moved, 5);
      }
  });

  it('estimates the share of wrong web pictures among those nobody knows, with half as many usual ones', () => {
    const said = Int8Array.from(webLabels, (_, i) => (i % 4 === 0 ? 1 : 0));
    const solver = new BowerbirdSolver({ ...ground, webKnown: said }, options);
    const before = solver.trust.slice();
    const change = solver.judgeWeb();
    expect(change).toBeCloseTo(mean(Array.from(before, (trust, i) => Math.abs(trust - solver.trust[i]))), 10);
    const judged = [...solver.trust].filter((_, i) => said[i] === 0);
    expect(solver.wrongShare).toBeCloseTo((mean(judged.map((trust) => 1 - trust)) + 0.5 * 0.35) / 1.5, 10);
    const all = new BowerbirdSolver({ ...ground, webKnown: said.map(() => 1) }, options);
    all.judgeWeb();
    expect(all.wrongShare).toBe(0.35);
  });
});

describe('web pictures that have been learnt from', () => {
  const words = Float64Array.from(webLabels, (_, i) => ((i * 7) % 5) - 2);
  const evidence = { slope: 1.3, intercept: -0.4, text: 0.5 };
  const said = Int8Array.from(webLabels, (_, i) => (i === 3 ? 1 : i === 5 ? -1 : 0));
  const text = { logRatios: () => words } as unknown as typeof ground.text;
  const solver = new BowerbirdSolver({ ...ground, text, webKnown: said }, { ...options, evidence });
  solver.learnFromWeb();
  const { means, meanVariances, webShift, webVariance } = solver;
  const shifted = rowsOf(webRows).map((row) => Array.from(row, (value, j) => value - webShift[j]));
  const expected = shifted.map((x, i) => {
    const label = webLabels[i];
    const at = (centre: ArrayLike<number>, variance: number) => density(squaredDistance(x, centre), variance);
    const listed = rowsOf(means).map((centre, c) => (c === label ? 0 : at(centre, webVariance + meanVariances[c])));
    const others = mean(rowsOf(known.means).map((centre) => at(centre, webVariance)));
    const against = (mean(listed) + others + at(new Float64Array(d), webVariance + known.between)) / 3;
    const rest = solver.restWithout(i);
    const own = squaredDistance(x, means.row(label)) / rest ** 2;
    return Math.log(density(own, webVariance + meanVariances[label] / rest) / against);
  });

  it('are weighed without what they themselves did to the mean of their category', () => {
    const found = solver.webEvidence();
    expected.forEach((value, i) => {
      expect(found.looks[i]).toBeCloseTo(value, 6);
    });
    expect(found.words).toBe(words);
    expect(Math.max(...shifted.map((_, i) => 1 - solver.restWithout(i)))).toBeGreaterThan(0.01);
  });

  it('are trusted by looks and words as far as rehearsals say', () => {
    const other = solver.fork();
    const odds = Math.log((1 - other.wrongShare) / other.wrongShare);
    other.judgeWeb();
    expected.forEach((value, i) => {
      const sum = 1.3 * value - 0.4 + odds + 0.5 * words[i];
      const trust = said[i] > 0 ? 1 : said[i] < 0 ? 0 : 1 / (1 + Math.exp(-sum));
      expect(other.trust[i]).toBeCloseTo(trust, 6);
    });
  });

  it('have their part in the objective: what they say, how unsure that is, and how far means are from words', () => {
    solver.webEvidence();
    const odds = Math.log((1 - solver.wrongShare) / solver.wrongShare);
    const entropy = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
    const terms = expected.map((value, i) => {
      const theta = solver.trust[i];
      const unsure = said[i] === 0 ? entropy(theta) + entropy(1 - theta) : 0;
      return theta * value + (theta * (-0.4 + odds + 0.5 * words[i]) + unsure) / 1.3;
    });
    // (μ − m)'(λC)⁻¹(μ − m) by the pull that holds the means where they are: C⁻¹(μ − m) solved by elimination.
    const rows = Array.from({ length: categories }, (_, c) => [
      ...prior.covariance.row(c),
      ...Array.from(means.row(c), (value, j) => value - prior.means.at(c, j)),
    ]);
    const away = rows.map((row) => row.slice(categories));
    for (let k = 0; k < categories; k++) {
      rows[k] = rows[k].map((value, _, all) => value / all[k]);
      for (let i = 0; i < categories; i++)
        if (i !== k) rows[i] = rows[i].map((value, j) => value - rows[i][k] * rows[k][j]);
    }
    const square = away.flatMap((row, c) => row.map((value, j) => value * rows[c][categories + j]));
    const total = categories * d * mean(square);
    const sum = terms.reduce((all, value) => all + value, 0) - (options.sharpness * total) / (2 * known.between);
    expect(solver.webTerms()).toBeCloseTo(sum, 4);
  });

  it('go their own way in a copy, under other options', () => {
    const softer = softened(solver.options, 0.5);
    expect(softer).toEqual({ ...solver.options, sharpness: 0.35, evidence: { ...evidence, slope: 2.6 } });
    const copy = solver.fork(softer);
    expect(copy.options).toBe(softer);
    for (const field of ['means', 'meanVariances', 'trust', 'webShift', 'webVariance', 'wrongShare'] as const)
      expect(copy[field]).toEqual(solver[field]);
    for (let i = 0; i < webLabels.length; i++) expect(copy.restWithout(i)).toBe(solver.restWithout(i));
    const before = solver.trust.slice();
    copy.learnFromWeb();
    expect(copy.trust).not.toEqual(before);
    expect(solver.trust).toEqual(before);
  });

  it('change nothing but means and trust once the folder is described', () => {
    const held = solver.fork();
    held.judgeWeb();
    held.hold();
    const { webVariance: variance, wrongShare } = held;
    const left = held.meanVariances.slice();
    held.trust.fill(0.2);
    held.judgeWeb();
    held.updateMeans();
    expect([held.webVariance, held.wrongShare, ...held.meanVariances]).toEqual([variance, wrongShare, ...left]);
  });
});
