import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { unitText } from '../../../src/methods/blocks/web-problem.js';
import { latentDomains } from '../../../src/methods/web/latent-domains.js';
import { Wsdg } from '../../../src/methods/web/wsdg.js';
import { WsdgPi } from '../../../src/methods/web/wsdg-pi.js';
import { centred, columnMeans } from '../../../src/numerics/centring.js';
import { type LinearModel, linearDecisions } from '../../../src/numerics/linear-model.js';
import { linearSvm } from '../../../src/numerics/linear-svm.js';
import { privilegedSvm } from '../../../src/numerics/privileged-svm.js';
import '../../allclose.js';
import { objectiveRatios } from './near-optimum.js';
import { noisyProblem } from './noisy-problem.js';

const backend = await createBackend({ threads: 1 });

describe('latent domains', () => {
  const random = new Random(5);
  const categories = [
    [0, 1, 2, 3, 4, 5],
    [6, 7, 8, 9, 10, 11],
  ];
  const features = new Matrix(random.normalArray(12 * 3), 12, 3);

  /** ‖μ₀ − μ₁‖². */
  function discrepancy(domains: ArrayLike<number>): number {
    const means = [0, 1].map((domain) => {
      const rows = Array.from({ length: 12 }, (_, i) => i).filter((i) => domains[i] === domain);
      return [0, 1, 2].map((j) => rows.reduce((sum, i) => sum + features.at(i, j) / rows.length, 0));
    });
    return means[0].reduce((sum, value, j) => sum + (value - means[1][j]) ** 2, 0);
  }

  it('spread every category evenly, and no exchange of two of its pictures sets them further apart', () => {
    const domains = latentDomains(backend, features, categories, 2);
    const reached = discrepancy(domains);
    for (const rows of categories) {
      expect(rows.filter((row) => domains[row] === 0).length).toBe(3);
      for (const a of rows)
        for (const b of rows) {
          const exchanged = Int32Array.from(domains);
          [exchanged[a], exchanged[b]] = [domains[b], domains[a]];
          expect(discrepancy(exchanged)).toBeLessThan(reached + 1e-12);
        }
    }
  });

  it('are those that a planted difference of style makes', () => {
    const style = Array.from({ length: 40 }, (_, i) => i % 2);
    const pictures = Matrix.from(
      style.map((s) => Array.from(random.normalArray(5), (v, j) => v + (j === 2 ? 8 * s : 0))),
    );
    const rows = [0, 1].map((half) => Array.from({ length: 20 }, (_, i) => 20 * half + i));
    const domains = latentDomains(backend, pictures, rows, 2);
    const agree = style.filter((s, i) => s === domains[i]).length;
    expect(Math.max(agree, 40 - agree)).toBe(40);
  });
});

const problem = noisyProblem({ seed: 7, kind: 'confused', wrong: 0.35 });
const parameters = { bags: 1, selected: 0.6, domains: 2, cost: 0.05, positiveWeight: 3, rounds: 30 };
const mean = columnMeans(problem.webFeatures);
const features = centred(problem.webFeatures, mean);
const exact = { interceptScale: 0.1, tolerance: 1e-7, maxSweeps: 50_000 };

/** n×12: +1 for selected pictures of category and domain, −1 for other categories, 0 for the rest of the category. */
function targetsOf({ selection_, domains_ }: Wsdg): Matrix<Float64Array> {
  const targets = Matrix.zeros(features.rows, 12);
  for (let i = 0; i < features.rows; i++)
    for (let k = 0; k < 12; k++)
      if (k >> 1 !== problem.webLabels[i]) targets.set(i, k, -1);
      else if (selection_![i] === 1 && domains_![i] === k % 2) targets.set(i, k, 1);
  return targets;
}

describe('WSDG', () => {
  it('selects its share of every bag, and trains within half a per cent of the optimum for the selection', async () => {
    const method = await new Wsdg(parameters).fit(problem, { backend });
    const counts = new Int32Array(6);
    method.selection_!.forEach((selected, i) => {
      counts[problem.webLabels[i]] += selected;
    });
    expect([...counts]).toEqual(new Array(6).fill(36));
    const ratios = await objectiveRatios(backend, method.model_!, {
      features,
      mean,
      targets: targetsOf(method),
      positiveCost: 0.15,
      negativeCost: 0.05,
    });
    expect(ratios.length).toBe(12);
    expect(Math.max(...ratios)).toBeLessThan(1.005);
  });

  it('selects the pictures that their own classifier values most', async () => {
    const method = await new Wsdg(parameters).fit(problem, { backend });
    const values = linearDecisions(backend, method.model_!, problem.webFeatures);
    const own = (i: number) => values.at(i, 2 * problem.webLabels[i] + method.domains_![i]);
    for (let c = 0; c < 6; c++) {
      const rows = Array.from({ length: features.rows }, (_, i) => i).filter((i) => problem.webLabels[i] === c);
      const lowest = Math.min(...rows.filter((i) => method.selection_![i] === 1).map(own));
      const highest = Math.max(...rows.filter((i) => method.selection_![i] === 0).map(own));
      expect(lowest).toBeGreaterThan(highest - 0.02);
    }
  });

  it('answers with the best of a category’s classifiers', async () => {
    const method = await new Wsdg(parameters).fit(problem, { backend });
    const each = linearDecisions(backend, method.model_!, problem.testFeatures);
    const values = method.decisionValues(problem.testFeatures);
    for (let i = 0; i < values.rows; i++)
      for (let c = 0; c < 6; c++) expect(values.at(i, c)).toBe(Math.max(each.at(i, 2 * c), each.at(i, 2 * c + 1)));
  });
});

describe('WSDG_PI', () => {
  it('trains near the optimum of the machines with privileged text for its selection', async () => {
    const method = await new WsdgPi({ ...parameters, textPenalty: 0.1 }).fit(problem, { backend });
    const best = await privilegedSvm(backend, features, targetsOf(method), {
      text: unitText(problem, 'test'),
      cost: 0.05,
      positiveWeight: 3,
      textPenalty: 0.1,
      ...exact,
    });
    expect(best.converged).toBe(true);
    const apart = (model: LinearModel) =>
      Math.hypot(...model.weights.data.map((value, k) => value - best.weights.data[k])) /
      Math.hypot(...best.weights.data);
    expect(apart(method.model_!)).toBeLessThan(0.05);
    // Machines without text for the same selection are elsewhere.
    const plain = await linearSvm(backend, features, targetsOf(method), {
      cost: 0.05,
      loss: 'squared-hinge',
      ...exact,
    });
    expect(apart(plain)).toBeGreaterThan(0.3);
  });

  it('says that text is missing', async () => {
    const { webText: _, ...silent } = problem;
    await expect(new WsdgPi().fit(silent, { backend })).rejects.toThrow(/web_text.*no text/);
  });
});
