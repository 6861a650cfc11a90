/** The estimate of bowerbird against the same formulas written out. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround } from '../../../src/methods/bowerbird/ground.js';
import { BowerbirdSolver } from '../../../src/methods/bowerbird/solver.js';
import { generateProblem } from '../../../src/problem/generate.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 8, dimensions: 5, webPerCategory: 6, scaling: 'l2' });
const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
const ground = layGround(backend, space, problem, { trust: -1, smoothing: 200 });
const options = { sharpness: 0.7, tails: 0.4, evidence: { slope: 1, intercept: 0, text: 0 } };
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
});
