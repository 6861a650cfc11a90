import { expect, it } from 'vitest';
import { rocArea } from '../../../src/fit/index.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { energy, featureScores, maximumLogit } from '../../../src/methods/few-shot/stranger-scores.js';
import { drawFolder, generateProblem, restrictToCategories } from '../../../src/problem/index.js';
import { backend } from './small-data.js';

it('maximum logit and energy are those of their definitions, for large values too', () => {
  const values = Matrix.from([
    [1, 3, 2],
    [1000, 999, -1000],
  ]);
  expect([...maximumLogit(values)]).toEqual([-3, -1000]);
  const found = energy(values);
  expect(found[0]).toBeCloseTo(-Math.log(Math.exp(1) + Math.exp(3) + Math.exp(2)), 12);
  expect(found[1]).toBeCloseTo(-1000 - Math.log(1 + Math.exp(-1)), 9);
});

const whole = generateProblem({ seed: 8, testCategories: 8, auxiliaryCategories: 20, noise: 0.8, testPerCategory: 30 });
const listed = restrictToCategories(whole, { test: [0, 1, 2, 3, 4] });
const strangers = restrictToCategories(whole, { test: [5, 6, 7] }).testFeatures;
const { problem, truth } = drawFolder(listed, { strangers, strangerShare: 0.3 }, 1);

it('scores of features tell unlisted categories from listed ones', async () => {
  const scores = await featureScores(problem, backend);
  const unlisted = Array.from(truth, (c) => c < 0);
  for (const each of Object.values(scores)) expect(rocArea(each, unlisted)).toBeGreaterThan(0.75);
});

it('the relative Mahalanobis distance is that of a direct computation with covariances', async () => {
  const { relativeMahalanobis } = await featureScores(problem, backend, { power: 1, shrinkage: 0.5 });
  const rows = (m: Matrix) =>
    Array.from({ length: m.rows }, (_, i) => {
      const length = Math.hypot(...m.row(i));
      return Array.from(m.row(i), (value) => value / length);
    });
  const mean = (points: number[][]) => points[0].map((_, j) => points.reduce((s, p) => s + p[j], 0) / points.length);
  const auxiliary = rows(problem.auxiliaryFeatures);
  const d = auxiliary[0].length;
  const zero = () => Array.from({ length: d }, () => new Array<number>(d).fill(0));
  const [within, between] = [zero(), zero()];
  const centre = mean(auxiliary);
  for (let c = 0; c < problem.auxiliaryNames.length; c++) {
    const own = auxiliary.filter((_, i) => problem.auxiliaryLabels[i] === c);
    const middle = mean(own);
    for (let j = 0; j < d; j++)
      for (let k = 0; k < d; k++) {
        for (const p of own)
          within[j][k] +=
            ((p[j] - middle[j]) * (p[k] - middle[k])) / (auxiliary.length - problem.auxiliaryNames.length);
        between[j][k] += (own.length / auxiliary.length) * (middle[j] - centre[j]) * (middle[k] - centre[k]);
      }
  }
  const kappa = (0.5 * within.reduce((sum, row, j) => sum + row[j], 0)) / d;
  for (let j = 0; j < d; j++) within[j][j] += kappa;
  const total = within.map((row, j) => row.map((value, k) => value + between[j][k]));
  const squared = (matrix: number[][], x: number[]) => {
    const factor = Matrix.from(matrix);
    const solved = Matrix.from([x]);
    backend.cholesky(factor);
    backend.choleskySolve(factor, solved, 'rows');
    return x.reduce((sum, value, j) => sum + value * solved.at(0, j), 0);
  };
  const web = rows(problem.webFeatures);
  const means = problem.testNames.map((_, c) => mean(web.filter((_, i) => problem.webLabels[i] === c)));
  rows(problem.testFeatures)
    .slice(0, 10)
    .forEach((x, i) => {
      const distances = means.map((m) =>
        squared(
          within,
          x.map((value, j) => value - m[j]),
        ),
      );
      const background = squared(
        total,
        x.map((value, j) => value - centre[j]),
      );
      expect(relativeMahalanobis[i]).toBeCloseTo(Math.min(...distances) - background, 6);
    });
});
