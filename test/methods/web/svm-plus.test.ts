import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Random } from '../../../src/linalg/random.js';
import { mixedLabels, unitText } from '../../../src/methods/blocks/web-problem.js';
import { SvmPlus } from '../../../src/methods/web/svm-plus.js';
import { MixedSvmPlus } from '../../../src/methods/web/svm-plus-mix.js';
import { centred, columnMeans, uncentred } from '../../../src/numerics/centring.js';
import { labelTargets } from '../../../src/numerics/linear-model.js';
import { privilegedSvm } from '../../../src/numerics/privileged-svm.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { selectRows, stackRows } from '../../../src/problem/rows.js';
import '../../allclose.js';
import { objectiveRatios } from './near-optimum.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 8, auxiliaryCategories: 5, testCategories: 3, dimensions: 10 });
const exact = { interceptScale: 0.1, tolerance: 1e-6, maxSweeps: 50_000 };

describe('SVM+', () => {
  it('stands near the optimum, which blocks/privileged-svm is shown to reach', async () => {
    const { model_ } = await new SvmPlus({ cost: 0.4, textPenalty: 0.1, positiveWeight: 3, sweeps: 5000 }).fit(
      problem,
      { backend },
    );
    const mean = columnMeans(problem.webFeatures);
    const targets = labelTargets(problem.webLabels, 3, { absent: -1 });
    const text = unitText(problem, 'test');
    const parameters = { text, cost: 0.4, textPenalty: 0.1, positiveWeight: 3, functions: 'by-sign' as const };
    const best = await privilegedSvm(backend, centred(problem.webFeatures, mean), targets, { ...parameters, ...exact });
    expect(best.converged).toBe(true);
    expect(model_!.weights).toBeAllClose(uncentred(best, mean).weights, { tolerance: 0.1 });
  });

  it('says that text is missing', async () => {
    const { webText: _, webTexts: __, ...silent } = problem;
    await expect(new SvmPlus().fit(silent, { backend })).rejects.toThrow(/web_text.*no text/);
  });
});

describe('SVM+_mix', () => {
  const both = generalize(problem, 2);
  const parameters = { cost: 0.5, textPenalty: 0.1, positiveWeight: 4, sweeps: 300 };

  it('has ordinary machines for auxiliary categories, within one per cent of their optimum', async () => {
    const { model_ } = await new MixedSvmPlus(parameters).fit(both, { backend });
    const plain = stackRows(both.webFeatures, both.auxiliaryFeatures);
    const mean = columnMeans(plain);
    const ratios = await objectiveRatios(backend, model_!, {
      features: centred(plain, mean),
      mean,
      targets: labelTargets(mixedLabels(both), 8, { absent: -1 }),
      positiveCost: 2,
      negativeCost: 0.5,
      loss: 'hinge',
    });
    expect(Math.max(...ratios.slice(3, 8))).toBeLessThan(1.01);
  });

  it('reads text for test categories and for no others', async () => {
    const first = (await new MixedSvmPlus(parameters).fit(both, { backend })).model_!.weights;
    const webText = selectRows(both.webText!, new Random(2).permutation(both.webText!.rows));
    const second = (await new MixedSvmPlus(parameters).fit({ ...both, webText }, { backend })).model_!.weights;
    const apart = (c: number) => Math.hypot(...first.row(c).map((value, j) => value - second.at(c, j)));
    for (let c = 0; c < 3; c++) expect(apart(c)).toBeGreaterThan(0.1 * Math.hypot(...first.row(c)));
    for (let c = 3; c < 8; c++) expect(apart(c)).toBeLessThan(0.05 * Math.hypot(...first.row(c)));
  });
});
