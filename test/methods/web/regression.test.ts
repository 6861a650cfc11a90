import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import type { Matrix } from '../../../src/linalg/matrix.js';
import { LinearRegression } from '../../../src/methods/web/lr.js';
import { MixedLinearRegression } from '../../../src/methods/web/lr-mix.js';
import type { LinearModel } from '../../../src/numerics/linear-model.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { steepest } from '../zero-shot/small.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({
  seed: 3,
  auxiliaryCategories: 4,
  testCategories: 3,
  auxiliaryPerCategory: 6,
  webPerCategory: 8,
  dimensions: 6,
});

/** Σᵢ ‖W xᵢ + b − yᵢ‖² + ridge ‖W‖² as a function of W, row by row, then b. */
function objective(
  pictures: readonly ArrayLike<number>[],
  labels: readonly number[],
  categories: number,
  ridge: number,
) {
  return (point: Float64Array) => {
    const d = pictures[0].length;
    let sum = 0;
    for (let k = 0; k < categories * d; k++) sum += ridge * point[k] ** 2;
    pictures.forEach((x, i) => {
      for (let c = 0; c < categories; c++) {
        let value = point[categories * d + c];
        for (let j = 0; j < d; j++) value += point[c * d + j] * x[j];
        sum += (value - Number(labels[i] === c)) ** 2;
      }
    });
    return sum;
  };
}

const pointOf = ({ weights, intercepts }: LinearModel) => Float64Array.from([...weights.copy().data, ...intercepts]);
const rows = (matrix: Matrix) => Array.from({ length: matrix.rows }, (_, i) => matrix.row(i));

describe('lr', () => {
  it('stands where its objective over web pictures has no slope', async () => {
    const { model_ } = await new LinearRegression({ ridge: 0.3 }).fit(problem, { backend });
    const loss = objective(rows(problem.webFeatures), [...problem.webLabels], 3, 0.3);
    expect(steepest(loss, pointOf(model_!))).toBeLessThan(1e-6);
    expect(
      steepest(
        loss,
        pointOf(model_!).map((value) => value + 0.01),
      ),
    ).toBeGreaterThan(0.01);
  });

  it('uses nothing but web pictures', async () => {
    const other = generateProblem({ seed: 4, auxiliaryCategories: 4, testCategories: 3, dimensions: 6 });
    const { webFeatures, webLabels } = problem;
    const first = await new LinearRegression().fit(problem, { backend });
    const second = await new LinearRegression().fit({ ...other, webFeatures, webLabels }, { backend });
    expect(second.model_).toEqual(first.model_);
  });
});

describe('lr-mix', () => {
  const both = generalize(problem, 1);

  it('stands where its objective over web and auxiliary pictures of all categories has no slope', async () => {
    const { model_ } = await new MixedLinearRegression({ ridge: 0.3 }).fit(both, { backend });
    const pictures = [...rows(both.webFeatures), ...rows(both.auxiliaryFeatures)];
    const labels = [...both.webLabels, ...[...both.auxiliaryLabels].map((label) => 3 + label)];
    const loss = objective(pictures, labels, 7, 0.3);
    expect(steepest(loss, pointOf(model_!))).toBeLessThan(1e-6);
  });

  it('refuses the standard setting, as lr refuses the generalized one', async () => {
    await expect(new MixedLinearRegression().fit(problem, { backend })).rejects.toThrow(/standard setting/);
    await expect(new LinearRegression().fit(both, { backend })).rejects.toThrow(/generalized setting/);
  });
});
