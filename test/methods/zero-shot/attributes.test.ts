import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import {
  type AttributePrior,
  attributeDecisions,
  binaryAttributes,
} from '../../../src/methods/zero-shot/attribute-posteriors.js';
import { Conse } from '../../../src/methods/zero-shot/conse.js';
import { Dap } from '../../../src/methods/zero-shot/dap.js';
import { Iap } from '../../../src/methods/zero-shot/iap.js';
import { softmaxProbabilities } from '../../../src/numerics/softmax.js';
import { backend, dot, plainAuxiliary, rowsOf, small } from './small.js';
import '../../allclose.js';

const { data } = plainAuxiliary(false);
const attributes = binaryAttributes(data.classVectors, data.candidates);
/** log of Π_k p(a_k = a_k^c | x) / p(a_k = a_k^c), less its mean over categories. */
function bayes(chances: number[], prior: AttributePrior): number[] {
  const values = rowsOf(attributes.candidates).map((own) => {
    let probability = 1;
    own.forEach((has, k) => {
      const share = prior === 'flat' ? 0.5 : attributes.shares[k];
      probability *= has === 1 ? chances[k] / share : (1 - chances[k]) / (1 - share);
    });
    return Math.log(probability);
  });
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}
const lessMean = (row: ArrayLike<number>) => {
  const mean = Array.from(row).reduce((sum, value) => sum + value, 0) / row.length;
  return Array.from(row, (value) => value - mean);
};

describe('attributes', () => {
  it('are vectors binarized at their mean over auxiliary categories, without those that do not vary', () => {
    const learnt = Matrix.from([
      [1, 7, 0.1],
      [2, 7, 0.2],
      [6, 7, 0.9],
    ]);
    const found = binaryAttributes(learnt, Matrix.from([[4, 9, 0.3]]));
    expect(rowsOf(found.learnt)).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
    expect(rowsOf(found.candidates)).toEqual([[1, 0]]);
    expect([...found.shares]).toEqual([1 / 3, 1 / 3]);
    expect(() => binaryAttributes(learnt.view(0, 3, 1, 2), learnt.view(0, 1, 1, 2))).toThrow(/same vector/);
  });

  it.each(['empirical', 'flat'] as const)('lead to categories by Bayes’ rule with %s priors', (prior) => {
    const chances = [0.2, 0.9, 0.4, 0.6, 0.7];
    const values = attributeDecisions(backend, Matrix.from([chances]) as Matrix<Float64Array>, attributes, prior);
    expect(lessMean(values.row(0))).toBeAllClose(bayes(chances, prior));
  });
});

describe('DAP', () => {
  it('puts the chances of its attribute classifiers through Bayes’ rule', async () => {
    const method = await new Dap({ decay: 0.05 }).fit(small, { backend });
    const { weights } = method.classifiers_!;
    const chances = rowsOf(weights).map((w) => 1 / (1 + Math.exp(-dot(w, small.testFeatures.row(3)))));
    expect(chances.length).toBe(5);
    const values = method.decisionValues(small.testFeatures).row(3);
    expect(lessMean(values)).toBeAllClose(bayes(chances, 'empirical'), { tolerance: 1e-9 });
  });

  it('learns attributes that tell the auxiliary pictures apart', async () => {
    const { weights } = (await new Dap({ decay: 0.01 }).fit(small, { backend })).classifiers_!;
    let right = 0;
    rowsOf(data.features).forEach((x, i) => {
      for (let k = 0; k < 5; k++)
        if (dot(weights.row(k), x) > 0 === attributes.learnt.at(data.labels[i], k) > 0) right++;
    });
    expect(right / (data.labels.length * 5)).toBeGreaterThan(0.8);
  });
});

describe('IAP', () => {
  it.each(['empirical', 'flat'] as const)(
    'sums the chances of categories that have an attribute, %s prior',
    async (prior) => {
      const method = await new Iap({ decay: 0.05, prior }).fit(small, { backend });
      const each = rowsOf(method.classifier_!.weights).map(
        (w) => 1 / (1 + Math.exp(-dot(w, small.testFeatures.row(2)))),
      );
      const total = each.reduce((sum, chance) => sum + chance, 0);
      const p = each.map((chance) => chance / total);
      const chances = Array.from({ length: 5 }, (_, k) =>
        dot(
          p,
          rowsOf(attributes.learnt).map((row) => row[k]),
        ),
      );
      const values = method.decisionValues(small.testFeatures).row(2);
      expect(lessMean(values)).toBeAllClose(bayes(chances, prior), { tolerance: 1e-9 });
    },
  );

  it('refuses a prior it does not know', () => {
    expect(() => new Iap({ prior: 'uniform' as 'flat' })).toThrow(/prior is "uniform"/);
    expect(() => new Dap({ prior: 'uniform' as 'flat' })).toThrow(/"empirical" or "flat"/);
  });
});

describe('ConSE', () => {
  const cosine = (a: ArrayLike<number>, b: ArrayLike<number>) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

  it.each([1, 3, 100])('combines the vectors of the %i likeliest auxiliary categories', async (combined) => {
    const method = await new Conse({ decay: 0.05, combined }).fit(small, { backend });
    const p = softmaxProbabilities(backend, method.classifier_!, small.testFeatures).row(4);
    const likeliest = [...p.keys()].sort((a, b) => p[b] - p[a]).slice(0, combined);
    const vectors = rowsOf(data.classVectors).map((vector) =>
      vector.map((value) => value / Math.sqrt(dot(vector, vector))),
    );
    const mixed = vectors[0].map((_, k) => likeliest.reduce((sum, c) => sum + p[c] * vectors[c][k], 0));
    const expected = rowsOf(small.testSemantics).map((candidate) => cosine(mixed, candidate));
    expect(method.decisionValues(small.testFeatures).row(4)).toBeAllClose(expected, { tolerance: 1e-9 });
    const total = likeliest.reduce((sum, c) => sum + p[c], 0);
    expect(method.semanticsOf(small.testFeatures).row(4)).toBeAllClose(
      mixed.map((value) => value / total),
      { tolerance: 1e-9 },
    );
  });
});
