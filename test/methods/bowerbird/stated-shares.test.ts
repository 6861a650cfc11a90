/** Shares that a user has stated are prior knowledge. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, createBackend } from '../../../src/linalg/index.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { generateProblem, keepTest, type Problem, withShares } from '../../../src/problem/index.js';

let backend: Backend;
beforeAll(async () => {
  backend = await createBackend({ device: 'wasm', threads: 1 });
});
afterAll(() => backend.dispose());

const learn = (problem: Problem, options = {}) => new Bowerbird(options).fit(problem, { backend });
const whole = generateProblem({
  testCategories: 4,
  auxiliaryCategories: 12,
  dimensions: 16,
  noise: 1.2,
  text: false,
  seed: 5,
});
const [a, b, c, d] = whole.testNames;

describe('stated shares', () => {
  it('of a single picture add the logarithms of their ratio to its decisions', async () => {
    const one = keepTest(whole, Int32Array.of(3));
    const plain = (await learn(one)).decisionValues(one.testFeatures).row(0);
    const stated = withShares(one, { [a]: 1, [b]: 2, [c]: 4, [d]: 1 });
    const known = (await learn(stated)).decisionValues(one.testFeatures).row(0);
    expect(known[1] - known[0] - (plain[1] - plain[0])).toBeCloseTo(Math.log(2), 9);
    expect(known[2] - known[0] - (plain[2] - plain[0])).toBeCloseTo(Math.log(4), 9);
  });

  it('that are all the same are what the parameter says', async () => {
    const stated = await learn(withShares(whole, { [a]: 2, [b]: 2, [c]: 2, [d]: 2 }));
    const given = await learn(whole, { shares: 'equal' });
    expect(stated.decisionValues(whole.testFeatures).data).toEqual(given.decisionValues(whole.testFeatures).data);
  });

  it('leave no picture to a category that does not occur, and help where they are right', async () => {
    const rows = [...whole.testLabels!.keys()].filter((i) => whole.testLabels![i] < 2);
    const folder = keepTest(whole, Int32Array.from(rows));
    const right = ({ predictions }: { predictions: Int32Array }) =>
      predictions.filter((name, i) => name === folder.testLabels![i]).length;
    const known = await learn(withShares(folder, { [a]: 1, [b]: 1, [c]: 0, [d]: 0 }));
    const guessed = await learn(folder);
    const predictions = known.predict(folder.testFeatures);
    expect(Math.max(...predictions)).toBeLessThan(2);
    expect(right({ predictions })).toBeGreaterThanOrEqual(right({ predictions: guessed.predict(folder.testFeatures) }));
    for (const objective of [known.objective_])
      for (let k = 1; k < objective.length; k++)
        expect(objective[k]).toBeGreaterThanOrEqual(objective[k - 1] - 1e-9 * Math.abs(objective[k]));
  });
});
