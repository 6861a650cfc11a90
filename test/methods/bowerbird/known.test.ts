/** What people said of pictures, as evidence in the default method. */
import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Random } from '../../../src/linalg/random.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { generateProblem } from '../../../src/problem/generate.js';
import {
  drawFolder,
  type Problem,
  restrictToCategories,
  sharesByName,
  unanswered,
} from '../../../src/problem/index.js';

const backend = await createBackend({ threads: 1 });
const sizes = { auxiliaryCategories: 30, testCategories: 12, auxiliaryPerCategory: 16, dimensions: 24 };
const generated = (seed: number): Problem =>
  generateProblem({ ...sizes, testPerCategory: 20, noise: 1.8, wrong: 0.4, text: false, seed });
const learn = (problem: Problem) => new Bowerbird().fit(problem, { backend });
const nobodySaid = ({ testFeatures }: Problem) => new Int32Array(testFeatures.rows).fill(unanswered);
/** The truth about some pictures chosen at random. */
function said(problem: Problem, truth: Int32Array, count: number, seed: number): Int32Array {
  const known = nobodySaid(problem);
  for (const j of new Random(seed).choice(truth.length, count)) known[j] = truth[j];
  return known;
}

describe('answers of people', () => {
  it('are held in every round, each of which still raises the objective', async () => {
    let rounds = 0;
    for (const seed of [1, 2, 3]) {
      const problem = generated(seed);
      const known = said(problem, problem.testLabels!, 40, seed);
      const method = await learn({ ...problem, testKnown: known });
      const { objective_: objective } = method;
      for (let k = 1; k < objective.length; k++)
        expect(objective[k]).toBeGreaterThanOrEqual(objective[k - 1] - 1e-9 * Math.abs(objective[k - 1]));
      rounds += objective.length - 1;
      const predicted = method.predict(problem.testFeatures);
      known.forEach((category, j) => {
        if (category >= 0) expect(predicted[j]).toBe(category);
      });
    }
    expect(rounds).toBeGreaterThan(2);
  });

  it('win where the model would never have thought of it: a category that the folder seemed not to hold', async () => {
    const { problem, truth } = drawFolder(generated(4), { shares: sharesByName.fifth }, 4);
    const absent = [...Array(12).keys()].find((c) => !truth.includes(c))!;
    const testKnown = nobodySaid(problem);
    testKnown[0] = absent;
    const method = await learn({ ...problem, testKnown });
    expect(method.predict(problem.testFeatures)[0]).toBe(absent);
    const { listed, unlisted } = method.probabilities(problem.testFeatures);
    expect(listed.at(0, absent)).toBeGreaterThan(0.9);
    expect(unlisted[0]).toBeLessThan(0.05);
  });

  it('tell of other pictures too: true ones help those nobody was asked about, shuffled ones harm them', async () => {
    const right = { before: 0, after: 0, shuffled: 0 };
    for (const seed of [1, 2, 3]) {
      const problem = generated(seed);
      const truth = problem.testLabels!;
      const known = said(problem, truth, 60, seed);
      const others = [...known.keys()].filter((j) => known[j] === unanswered);
      const among = (method: Bowerbird) => {
        const predicted = method.predict(problem.testFeatures);
        return accuracy(
          Int32Array.from(others, (j) => predicted[j]),
          Int32Array.from(others, (j) => truth[j]),
        );
      };
      right.before += among(await learn(problem)) / 3;
      right.after += among(await learn({ ...problem, testKnown: known })) / 3;
      const wrong = known.map((label) => (label >= 0 ? (label + 5) % 12 : label));
      right.shuffled += among(await learn({ ...problem, testKnown: wrong })) / 3;
    }
    expect(right.after).toBeGreaterThan(right.before + 0.01);
    expect(right.shuffled).toBeLessThan(right.before - 0.02);
  });

  it('say that pictures show none of the categories, which makes those like them more suspect', async () => {
    const all = generateProblem({ ...sizes, testPerCategory: 15, noise: 1, wrong: 0.3, text: false, seed: 6 });
    const strangers = restrictToCategories(all, { auxiliary: [26, 27, 28, 29] }).auxiliaryFeatures;
    const listing = restrictToCategories(all, { auxiliary: Array.from({ length: 26 }, (_, c) => c) });
    const { problem, truth } = drawFolder(listing, { strangers, strangerShare: 0.25 }, 6);
    const strange = [...truth.keys()].filter((j) => truth[j] < 0);
    const testKnown = nobodySaid(problem);
    for (const j of strange.slice(0, strange.length >> 1)) testKnown[j] = -1;
    const rest = strange.slice(strange.length >> 1);
    const chance = (method: Bowerbird, of: number[]) => {
      const { unlisted } = method.probabilities(problem.testFeatures);
      return of.reduce((sum, j) => sum + unlisted[j], 0) / of.length;
    };
    const [before, after] = [await learn(problem), await learn({ ...problem, testKnown })];
    expect(chance(after, strange.slice(0, strange.length >> 1))).toBeGreaterThan(0.95);
    expect(chance(after, rest)).toBeGreaterThan(chance(before, rest));
  });

  it('taken up in a refit give what a whole fit gives, and are forgotten when they are taken back', async () => {
    const problem = generated(7);
    const known = said(problem, problem.testLabels!, 30, 7);
    const method = await learn(problem);
    const before = method.decisionValues(problem.testFeatures);
    await method.refit({ test: known });
    const whole = await learn({ ...problem, testKnown: known });
    expect(accuracy(method.predict(problem.testFeatures), whole.predict(problem.testFeatures))).toBeGreaterThan(0.97);
    await method.refit({});
    expect(method.predict(problem.testFeatures)).toEqual((await learn(problem)).predict(problem.testFeatures));
    expect(method.decisionValues(problem.testFeatures).rows).toBe(before.rows);
  });

  it('about web pictures are trusted either way', async () => {
    const problem = generated(8);
    const method = await learn(problem);
    const web = new Int8Array(problem.webLabels.length);
    web[3] = 1;
    web[4] = -1;
    await method.refit({ web });
    expect([method.webWeights_[3], method.webWeights_[4]]).toEqual([1, 0]);
    await method.refit({});
    expect(method.webWeights_[3]).toBeLessThan(1);
    expect(method.webWeights_[4]).toBeGreaterThan(0);
  });
});
