import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { createMethod, methods } from '../../src/methods/index.js';
import { generalize } from '../../src/problem/generalize.js';
import { generateProblem } from '../../src/problem/generate.js';
import { problemHash } from '../../src/problem/hash.js';
import { candidateNames, type Problem } from '../../src/problem/problem.js';
import { restrictToCategories } from '../../src/problem/subset.js';

const backend = await createBackend({ threads: 1 });
const standard = generateProblem({
  seed: 31,
  auxiliaryCategories: 8,
  testCategories: 4,
  auxiliaryPerCategory: 10,
  webPerCategory: 12,
  testPerCategory: 8,
  noise: 0.6,
});

const names = (given: Problem, predicted: Int32Array) => [...predicted].map((c) => candidateNames(given)[c]);

describe.each(methods.map((spec) => [spec.name, spec] as const))('%s', (_, spec) => {
  const problem = spec.setting === 'generalized' ? generalize(standard, 2) : standard;
  const another = generateProblem({ seed: 32, testCategories: 3 });
  const fitted = (given: Problem) => createMethod(spec, {}, 5).fit(given, { backend });

  it('gives the same answer for the same seed, forgets an earlier fit and leaves its input alone', async () => {
    const before = problemHash(problem);
    const first = (await fitted(problem)).decisionValues(problem.testFeatures);
    const again = await fitted(spec.setting === 'generalized' ? generalize(another, 2) : another);
    await again.fit(problem, { backend });
    expect(again.decisionValues(problem.testFeatures).copy().data).toEqual(first.copy().data);
    expect(problemHash(problem)).toBe(before);
    expect([first.rows, first.cols]).toEqual([problem.testFeatures.rows, candidateNames(problem).length]);
  });

  it('renumbers its predictions when the categories are renumbered', async () => {
    const order = [2, 0, 3, 1];
    const renumbered: Problem = {
      ...problem,
      testSemantics: Matrix.from(order.map((c) => problem.testSemantics.row(c))),
      testNames: order.map((c) => problem.testNames[c]),
      webLabels: problem.webLabels.map((c) => order.indexOf(c)),
    };
    const expected = names(problem, (await fitted(problem)).predict(problem.testFeatures));
    expect(names(renumbered, (await fitted(renumbered)).predict(problem.testFeatures))).toEqual(expected);
  });

  it('refuses a problem with one category and stops when it is told to', async () => {
    const single = restrictToCategories(standard, { test: [0] });
    await expect(fitted(single)).rejects.toMatchObject({ code: expect.stringMatching(/^BOWERBIRD_/) });
    await expect(
      createMethod(spec, {}, 5).fit(problem, { backend, signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow();
  });
});
