/** What methods say of themselves against what their decision values say. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scorePictures } from '../../src/fit/index.js';
import { type Backend, createBackend, Matrix } from '../../src/linalg/index.js';
import { Random } from '../../src/linalg/random.js';
import { createMethod, type MethodSpec, methods } from '../../src/methods/index.js';
import { candidateNames, generalize, generateProblem, type Method, type Problem } from '../../src/problem/index.js';

const dimensions = 16;
const standard = generateProblem({ seed: 2, auxiliaryCategories: 8, testCategories: 4, dimensions });
const problems = { standard, generalized: generalize(standard, 1) };

let backend: Backend;
beforeAll(async () => {
  backend = await createBackend({ device: 'wasm', threads: 1 });
});
afterAll(() => backend.dispose());

/** Pictures that no fit has seen. */
function others(count: number, scale: number): Matrix {
  const random = new Random(1);
  const features = Matrix.zeros(count, dimensions);
  for (let i = 0; i < features.data.length; i++) features.data[i] = scale * random.normal();
  return features;
}

/** Whether f(x + y) − f(x) − f(y) + f(0) is nothing, for random x and y. */
function isAffine(method: Method): boolean {
  const x = others(12, 0.25);
  const points = Matrix.zeros(19, dimensions);
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < dimensions; j++) {
      points.set(i, j, x.at(i, j));
      points.set(6 + i, j, x.at(6 + i, j));
      points.set(12 + i, j, x.at(i, j) + x.at(6 + i, j));
    }
  const values = method.decisionValues(points);
  let [largest, error] = [0, 0];
  for (let i = 0; i < 6; i++)
    for (let c = 0; c < values.cols; c++) {
      const gap = values.at(12 + i, c) - values.at(i, c) - values.at(6 + i, c) + values.at(18, c);
      error = Math.max(error, Math.abs(gap));
      largest = Math.max(largest, Math.abs(values.at(i, c) - values.at(18, c)));
    }
  return error <= 1e-9 * Math.max(1, largest);
}

async function fitted(spec: MethodSpec, problem: Problem): Promise<Method> {
  return createMethod(spec).fit(problem, { backend });
}

// The joint space of clip needs semantic vectors as long as the features.
const testable = methods.filter(({ name }) => name !== 'clip');

describe.each(testable.map((spec) => [spec.name, spec] as const))('%s', (_, spec) => {
  const problem = spec.setting === 'generalized' ? problems.generalized : problems.standard;

  it('scores other pictures by its formula as by itself, and has one if its decision is linear', async () => {
    const method = await fitted(spec, problem);
    const linear = method.linear?.();
    if (!linear) {
      // clip and such refuse vectors without length.
      expect(isAffine(method)).toBe(false);
      return;
    }
    const pictures = others(20, 0.25);
    const scorer = { ...linear, normalize: 'none' as const, names: candidateNames(problem) };
    const scores = scorePictures(scorer, pictures, backend);
    const values = method.decisionValues(pictures);
    // By distance the formula leaves out what is the same for all categories: the order must agree.
    const order = (row: ArrayLike<number>) => Array.from(row, (_, c) => c).sort((a, b) => row[b] - row[a]);
    for (let i = 0; i < pictures.rows; i++) expect(order(scores.row(i))).toEqual(order(values.row(i)));
    if (linear.map) return;
    const largest = Math.max(...values.data.map(Math.abs));
    for (const [i, value] of values.data.entries())
      expect(Math.abs(scores.data[i] - value)).toBeLessThan(1e-8 * largest);
  }, 60_000);

  it('weighs every web picture or none', async () => {
    const weights = (await fitted(spec, problem)).webWeights?.();
    if (weights) expect(weights).toHaveLength(problem.webLabels.length);
    if (weights) expect(Math.min(...weights)).toBeGreaterThanOrEqual(0);
  }, 60_000);
});
