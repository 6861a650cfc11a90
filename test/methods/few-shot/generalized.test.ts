import { describe, expect, it } from 'vitest';
import type { Matrix } from '../../../src/linalg/matrix.js';
import { mixedLabels } from '../../../src/methods/blocks/web-problem.js';
import { fewShotMethods } from '../../../src/methods/few-shot/index.js';
import { createMethod, findMethod } from '../../../src/methods/index.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { candidateNames, type Problem } from '../../../src/problem/problem.js';
import { stackRows } from '../../../src/problem/rows.js';
import { invert, less, mean, plainSpace, withinCovariance } from './plain-space.js';
import { backend } from './small-data.js';

const listed = generateProblem({
  seed: 5,
  auxiliaryCategories: 5,
  testCategories: 4,
  auxiliaryPerCategory: 12,
  webPerCategory: 8,
  testPerCategory: 6,
  dimensions: 10,
  noise: 0.8,
  wrong: 0.3,
});
const problem = generalize(listed, 1);
const [admitting, refusing] = [true, false].map((admits) =>
  fewShotMethods.filter(({ setting }) => (setting === 'both') === admits).map(({ name }) => name),
);

async function fitted(name: string, given: Problem, parameters = {}) {
  const method = createMethod(findMethod(name), parameters);
  await method.fit(given, { backend });
  return method;
}

/** Labelled pictures of all candidates and the test pictures, measured from where the `origin` says. */
function placed(origin: 'own' | 'web') {
  const { webFeatures, auxiliaryFeatures, testFeatures } = problem;
  const { centred, ...space } = plainSpace(problem);
  const from = (own: Matrix) => (origin === 'web' ? webFeatures : own);
  const support = [...centred(webFeatures), ...centred(auxiliaryFeatures, from(auxiliaryFeatures))];
  const labels = [...problem.webLabels, ...problem.auxiliaryLabels.map((label) => listed.testNames.length + label)];
  return { support, labels, test: centred(testFeatures, from(testFeatures)), ...space };
}

describe.each(['own', 'web'] as const)('with auxiliary categories among the answers, origin %s', (origin) => {
  const { support, labels, test, covariance, dot, unit } = placed(origin);
  const members = (points: number[][], c: number) => points.filter((_, i) => labels[i] === c);
  const candidates = [...candidateNames(problem).keys()];

  it('whitened means compare a picture with the mean of each category’s labelled pictures', async () => {
    const values = (await fitted('whitened-means', problem, { origin })).decisionValues(problem.testFeatures);
    const means = candidates.map((c) => unit(mean(members(support.map(unit), c))));
    test.forEach((point, i) => {
      means.forEach((direction, c) => {
        expect(values.at(i, c)).toBeCloseTo(60 * dot(unit(point), direction), 8);
      });
    });
  });

  it('linear discriminant analysis has the log densities of Gaussians with the covariance of all labelled pictures', async () => {
    const values = (await fitted('lda', problem, { origin, own: 0.4 })).decisionValues(problem.testFeatures);
    const own = withinCovariance(support, labels);
    const inverse = invert(covariance.map((row, j) => row.map((value, k) => 0.6 * value + 0.4 * own[j][k])));
    const density = (point: number[], c: number) => {
      const pictures = members(support, c);
      const away = less(point, mean(pictures));
      const distance = away.reduce((s, v, j) => s + v * inverse[j].reduce((t, w, k) => t + w * away[k], 0), 0);
      return Math.log(pictures.length / labels.length) - distance / 2;
    };
    test.forEach((point, i) => {
      for (const c of candidates.slice(1))
        expect(values.at(i, c) - values.at(i, 0)).toBeCloseTo(density(point, c) - density(point, 0), 7);
    });
  });
});

/** Twice the categories, the new ones with the negative pictures: whatever is averaged, its mean is zero. */
function withMirrorImages(given: Problem): Problem {
  const both = (features: Matrix) => stackRows(features, negative(features)).copy('float64');
  const twice = (labels: Int32Array, categories: number) =>
    Int32Array.of(...labels, ...labels.map((c) => categories + c));
  const named = (names: readonly string[]) => [...names, ...names.map((name) => `${name}, mirrored`)];
  return {
    auxiliaryFeatures: both(given.auxiliaryFeatures),
    auxiliaryLabels: twice(given.auxiliaryLabels, given.auxiliaryNames.length),
    auxiliarySemantics: both(given.auxiliarySemantics),
    auxiliaryNames: named(given.auxiliaryNames),
    webFeatures: both(given.webFeatures),
    webLabels: twice(given.webLabels, given.testNames.length),
    testFeatures: given.testFeatures,
    testSemantics: both(given.testSemantics),
    testNames: named(given.testNames),
    generalized: true,
  };
}

function negative(features: Matrix): Matrix {
  const result = features.copy('float64');
  for (let k = 0; k < result.data.length; k++) result.data[k] *= -1;
  return result;
}

// Whitened EM believes auxiliary pictures and doubts web pictures; its own test has it in plain arrays.
it.each(admitting.filter((name) => name !== 'whitened-em'))(
  '%s answers as if auxiliary categories were listed ones that have their labelled pictures from the web',
  async (name) => {
    const mirrored = withMirrorImages(problem);
    const asListed: Problem = {
      ...mirrored,
      webFeatures: stackRows(mirrored.webFeatures, mirrored.auxiliaryFeatures).copy('float64'),
      webLabels: mixedLabels(mirrored),
      testNames: [...mirrored.testNames, ...mirrored.auxiliaryNames],
      testSemantics: stackRows(mirrored.testSemantics, mirrored.auxiliarySemantics),
      generalized: false,
    };
    const [found, expected] = await Promise.all([fitted(name, mirrored), fitted(name, asListed)]);
    for (const pictures of [problem.testFeatures, listed.webFeatures]) {
      const [values, others] = [found, expected].map((method) => method.decisionValues(pictures).copy('float64').data);
      expect(values.length).toBe(pictures.rows * 2 * candidateNames(problem).length);
      values.forEach((value, k) => {
        expect(Math.abs(value - others[k])).toBeLessThan(1e-6 * Math.max(1, Math.abs(value)));
      });
    }
  },
);

it.each(refusing)(
  '%s, whose answers or shares are those of listed categories, refuses auxiliary ones',
  async (name) => {
    await expect(fitted(name, problem)).rejects.toThrow(`${name} chooses among test categories only`);
  },
);
