import { describe, expect, it } from 'vitest';
import { generalizedScores } from '../../../src/fit/generalized-scores.js';
import { accuracy } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { CalibratedStacking } from '../../../src/methods/combined/chao.js';
import { createMethod, findMethod } from '../../../src/methods/index.js';
import { Sync } from '../../../src/methods/zero-shot/sync.js';
import { generalize } from '../../../src/problem/generalize.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import '../../allclose.js';

const backend = await createBackend({ threads: 1 });
const problem = generateProblem({ seed: 12, auxiliaryCategories: 14, noise: 1.2, wrong: 0.5 });
const fitted = (name: string, given: Problem, parameters = {}) =>
  createMethod(findMethod(name), parameters, 3).fit(given, { backend });
const values = async (name: string, given: Problem) => (await fitted(name, given)).decisionValues(given.testFeatures);

/** Written out: less the mean of all entries, over their deviation. */
function standard(matrix: Matrix): number[][] {
  const all = Array.from({ length: matrix.rows }, (_, i) => Array.from(matrix.row(i))).flat();
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  const deviation = Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length);
  return Array.from({ length: matrix.rows }, (_, i) =>
    Array.from(matrix.row(i), (value) => (value - mean) / deviation),
  );
}

describe.each([
  ['wsl+zsl', 'xiao'],
  ['wsdg-pi+zsl', 'wsdg-pi'],
])('%s', (name, web) => {
  it('averages the standardized decision values of its two parts', async () => {
    const [first, second] = [standard(await values(web, problem)), standard(await values('zhang-saligrama', problem))];
    const expected = first.map((row, i) => row.map((value, c) => (value + second[i][c]) / 2));
    expect(await values(name, problem)).toBeAllClose(Matrix.from(expected), { tolerance: 1e-9 });
  });

  it('loses at most two points to the better of its parts on pictures that are noisy in either way', async () => {
    const mean = async (method: string) => {
      let sum = 0;
      for (const seed of [1, 2, 3, 4]) {
        const given = generateProblem({ seed, auxiliaryCategories: 20, noise: 1.8, wrong: 0.6, offset: 0.6 });
        sum += accuracy((await fitted(method, given)).predict(given.testFeatures), given.testLabels!) / 4;
      }
      return sum;
    };
    const both = await mean(name);
    expect(both).toBeGreaterThan((await mean(web)) - 0.02);
    expect(both).toBeGreaterThan((await mean('zhang-saligrama')) - 0.02);
  });

  it('hands parameters to the part they are named for', async () => {
    const changed = await fitted(name, problem, { 'zhang-saligrama.weight': 0.3 });
    const [before, after] = [await values(name, problem), changed.decisionValues(problem.testFeatures)];
    expect(after.data).not.toEqual(before.data);
    expect(() => createMethod(findMethod(name), { 'zhang-saligrama.weight': -1 })).toThrow(
      /zhang-saligrama\.weight is -1/,
    );
  });
});

describe.each([
  ['wsl+lr', 'xiao'],
  ['wsdg-pi+lr', 'wsdg-pi'],
])('%s', (name, web) => {
  const both = generalize(problem, 4);

  it('gives test categories the values of the web method and auxiliary ones those of a regressor of their own', async () => {
    const found = await values(name, both);
    const ct = both.testNames.length;
    const own = standard(await values(web, { ...both, generalized: false }));
    expect(found.view(0, found.rows, 0, ct).copy()).toBeAllClose(Matrix.from(own), { tolerance: 1e-9 });
    // `lr` on the auxiliary pictures as if they came from the web.
    const auxiliary: Problem = {
      ...both,
      generalized: false,
      webFeatures: both.auxiliaryFeatures,
      webLabels: both.auxiliaryLabels,
      testSemantics: both.auxiliarySemantics,
      testNames: both.auxiliaryNames,
    };
    const regressor = standard(await values('lr', auxiliary));
    expect(found.view(0, found.rows, ct).copy()).toBeAllClose(Matrix.from(regressor), { tolerance: 1e-9 });
  });

  it('recognizes seen and unseen categories, and moves between them with the balance', async () => {
    const scores = async (balance: number) => {
      const method = await fitted(name, both, { balance });
      return generalizedScores(method.predict(both.testFeatures), both.testLabels!, both.testNames.length);
    };
    const [low, even, high] = [await scores(-20), await scores(0), await scores(20)];
    expect(low.unseen).toBe(0);
    expect(high.seen).toBe(0);
    expect(even.harmonic).toBeGreaterThan(0.2);
  });
});

describe('chao', () => {
  // Many features and few pictures: the zero-shot classifier prefers what it has seen.
  const both = generalize(
    generateProblem({ seed: 21, auxiliaryCategories: 20, auxiliaryPerCategory: 25, noise: 0.8 }),
    4,
  );
  const harmonic = (predicted: Int32Array) =>
    generalizedScores(predicted, both.testLabels!, both.testNames.length).harmonic;

  it('takes one penalty off the values SynC gives to seen categories', async () => {
    const stacked = await new CalibratedStacking().fit(both, { backend });
    const plain = (await new Sync().fit(both, { backend })).decisionValues(both.testFeatures);
    const found = stacked.decisionValues(both.testFeatures);
    const ct = both.testNames.length;
    for (let i = 0; i < found.rows; i++)
      for (let c = 0; c < found.cols; c++)
        expect(found.at(i, c)).toBeCloseTo(plain.at(i, c) - (c < ct ? 0 : stacked.penalty_!), 9);
    expect(stacked.ausuc_).toBeGreaterThan(0);
    expect(stacked.ausuc_).toBeLessThan(1);
  });

  it('balances seen and unseen categories better than SynC alone, without looking at test pictures', async () => {
    const stacked = await new CalibratedStacking().fit(both, { backend });
    const plain = await new Sync().fit(both, { backend });
    expect(harmonic(stacked.predict(both.testFeatures))).toBeGreaterThan(
      harmonic(plain.predict(both.testFeatures)) + 0.05,
    );
    const others = await new CalibratedStacking().fit({ ...both, testFeatures: both.auxiliaryFeatures }, { backend });
    expect(others.penalty_).toBe(stacked.penalty_);
  });

  it('recognizes no unseen category better than chance when semantic vectors are shuffled', async () => {
    const ct = both.testNames.length;
    let right = 0;
    for (let turn = 1; turn < ct; turn++) {
      const testSemantics = Matrix.from(Array.from({ length: ct }, (_, c) => both.testSemantics.row((c + turn) % ct)));
      const shuffled = await new CalibratedStacking().fit({ ...both, testSemantics }, { backend });
      right += generalizedScores(shuffled.predict(both.testFeatures), both.testLabels!, ct).unseen / (ct - 1);
    }
    expect(right).toBeLessThan(1.2 / ct);
  });

  it('refuses the standard setting', async () => {
    await expect(new CalibratedStacking().fit(problem, { backend })).rejects.toThrow(/standard setting/);
  });
});
