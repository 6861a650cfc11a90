import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Bergamo } from '../../../src/methods/web/bergamo.js';
import { centred, columnMeans } from '../../../src/numerics/centring.js';
import { labelTargets } from '../../../src/numerics/linear-model.js';
import { stackRows } from '../../../src/problem/rows.js';
import { objectiveRatios } from './near-optimum.js';
import { noisyProblem } from './noisy-problem.js';

const backend = await createBackend({ threads: 1 });
const problem = noisyProblem({ seed: 4, kind: 'clusters', wrong: 0.3 });
const parameters = { cost: 0.05, testCost: 0.05, positiveWeight: 3 };
const method = await new Bergamo(parameters).fit(problem, { backend });
const signs = method.signs_!;

describe('the transductive support vector machine', () => {
  it('takes as many test pictures for positive as the share of the category among web pictures says', () => {
    for (let c = 0; c < 6; c++) {
      let positive = 0;
      for (let i = 0; i < signs.rows; i++) {
        expect(Math.abs(signs.at(i, c))).toBe(1);
        if (signs.at(i, c) > 0) positive++;
      }
      expect(positive).toBe(40);
    }
  });

  it('gives the positive sign to the highest values: no exchange of two signs lowers the objective', () => {
    const values = method.decisionValues(problem.testFeatures);
    let exchanged = 0;
    for (let c = 0; c < 6; c++) {
      let lowest = Number.POSITIVE_INFINITY;
      let highest = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < signs.rows; i++)
        if (signs.at(i, c) > 0) lowest = Math.min(lowest, values.at(i, c));
        else highest = Math.max(highest, values.at(i, c));
      if (lowest < highest - 0.05) exchanged++;
    }
    expect(exchanged).toBe(0);
  });

  it('is, for its signs, within half a per cent of the optimum that an exact solution has', async () => {
    const mean = columnMeans(problem.webFeatures);
    const ratios = await objectiveRatios(backend, method.model_!, {
      features: stackRows(centred(problem.webFeatures, mean), centred(problem.testFeatures, mean)),
      mean,
      targets: stackRows(labelTargets(problem.webLabels, 6, { absent: -1 }), signs),
      positiveCost: 0.15,
      negativeCost: 0.05,
    });
    expect(ratios.length).toBe(6);
    expect(Math.max(...ratios)).toBeLessThan(1.005);
  });

  it('learns from test pictures: without them it answers differently', async () => {
    const half = await new Bergamo(parameters).fit(
      { ...problem, testFeatures: problem.testFeatures.view(0, 120) },
      { backend },
    );
    expect(half.decisionValues(problem.testFeatures).data).not.toEqual(
      method.decisionValues(problem.testFeatures).data,
    );
  });
});
