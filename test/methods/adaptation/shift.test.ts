import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { createMethod, findMethod } from '../../../src/methods/index.js';
import type { ParameterValue } from '../../../src/methods/spec.js';
import type { Problem } from '../../../src/problem/problem.js';
import { type Shift, shiftedProblem } from './shifted-problem.js';

const backend = await createBackend({ threads: 1 });
const seeds = [1, 2, 3, 4, 5];

async function meanAccuracy(
  name: string,
  shift: Shift,
  parameters: Record<string, ParameterValue> = {},
  change: (problem: Problem) => Problem = (problem) => problem,
) {
  let sum = 0;
  for (const seed of seeds) {
    const problem = shiftedProblem(shift, seed);
    const method = await createMethod(findMethod(name), parameters).fit(change(problem), { backend });
    sum += accuracy(method.predict(problem.testFeatures), problem.testLabels!) / seeds.length;
  }
  return sum;
}

const cases: [string, Shift, Record<string, ParameterValue>][] = [
  ['kmm', 'selection', { bound: 10 }],
  // The kernel acts through the penalty: without one, any invertible map of the features gives the same answer.
  ['gfk', 'subspace', { dimensions: 4, ridge: 300 }],
  ['sa', 'subspace', { dimensions: 4 }],
  ['tca', 'mean', { dimensions: 4, mu: 1e-6 }],
  ['coral', 'covariance', { regularisation: 0.01 }],
];

describe.each(cases)('%s under a shift of kind %s', (name, shift, parameters) => {
  it('beats lr, whatever the ridge of lr', async () => {
    const adapted = await meanAccuracy(name, shift, parameters);
    for (const ridge of [0.1, 1, 10, 100, 1000])
      expect(adapted, `lr with ridge ${ridge}`).toBeGreaterThan((await meanAccuracy('lr', shift, { ridge })) + 0.05);
  });

  it('owes its gain to the test pictures: adapted to the web pictures themselves, it loses it', async () => {
    const blind = (problem: Problem): Problem => ({ ...problem, testFeatures: problem.webFeatures });
    const adapted = await meanAccuracy(name, shift, parameters);
    expect(adapted).toBeGreaterThan((await meanAccuracy(name, shift, parameters, blind)) + 0.05);
  });
});
