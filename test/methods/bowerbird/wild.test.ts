import { describe, expect, it } from 'vitest';
import { accuracy, rocArea } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { drawFolder, type Shares, sharesByName } from '../../../src/problem/regimes.js';
import { restrictToCategories } from '../../../src/problem/subset.js';

const backend = await createBackend({ threads: 1 });
const sizes = {
  auxiliaryCategories: 24,
  testCategories: 12,
  auxiliaryPerCategory: 16,
  testPerCategory: 24,
  dimensions: 24,
};
const generated = (seed: number): Problem => generateProblem({ ...sizes, noise: 1.2, wrong: 0.3, text: false, seed });
const total = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0);
const learn = (problem: Problem) => new Bowerbird().fit(problem, { backend });
const inFolder = async (problem: Problem, shares: Shares, seed: number) => {
  const folder = drawFolder(problem, { shares }, seed);
  const method = await learn(folder.problem);
  return { method, folder, right: accuracy(method.predict(folder.problem.testFeatures), folder.truth) };
};

describe('bowerbird in folders as people have them', () => {
  it('raises its objective in every round and reports that it came to rest', async () => {
    for (const seed of [1, 2, 3]) {
      const method = await learn(generated(seed));
      const { objective_: objective } = method;
      expect(method.converged_).toBe(true);
      expect(method.details()).toMatchObject({ converged: true, iterations: method.rounds_ });
      for (let k = 1; k < objective.length; k++)
        expect(objective[k]).toBeGreaterThanOrEqual(objective[k - 1] - 1e-9 * Math.abs(objective[k - 1]));
    }
  });

  it('is as right in a folder of one category or of few as in one of all', async () => {
    const mean = { equal: 0, one: 0, fifth: 0 };
    for (const seed of [1, 2, 3]) {
      const problem = generated(seed);
      mean.equal += (await inFolder(problem, sharesByName.equal, seed)).right / 3;
      mean.one += (await inFolder(problem, sharesByName['one-category'], seed)).right / 3;
      mean.fifth += (await inFolder(problem, sharesByName.fifth, seed)).right / 3;
    }
    expect(mean.one).toBeGreaterThan(mean.equal - 0.02);
    expect(mean.fifth).toBeGreaterThan(mean.equal - 0.02);
  });

  it('tells which shares the categories have', async () => {
    const { method, folder } = await inFolder(generated(4), sharesByName['long-tail'], 4);
    const counts = new Float64Array(12);
    for (const label of folder.truth) counts[label] += 1 / folder.truth.length;
    const apart = method.shares_.reduce((sum, share, c) => sum + Math.abs(share - counts[c]), 0) / 2;
    const fromEqual = counts.reduce((sum, share) => sum + Math.abs(1 / 12 - share), 0) / 2;
    expect(apart).toBeLessThan(fromEqual / 2);
  });

  it('answers a picture that comes alone as it would without company', async () => {
    const problem = generated(5);
    const one: Problem = { ...problem, testFeatures: problem.testFeatures.view(7, 8), testLabels: undefined };
    const [alone, again] = [await learn(one), await learn(one)];
    expect(alone.rounds_).toBe(0);
    expect(alone.predict(one.testFeatures)).toEqual(again.predict(one.testFeatures));
    const { listed, unlisted } = alone.probabilities(one.testFeatures);
    expect(total(listed.row(0)) + unlisted[0]).toBeCloseTo(1, 9);
  });

  it('tells strangers from listed pictures, keeps its accuracy beside them, and finds none where there are none', async () => {
    let [area, closed, open, alarms] = [0, 0, 0, 0];
    for (const seed of [1, 2, 3]) {
      const all = generateProblem({ ...sizes, auxiliaryCategories: 30, noise: 0.8, wrong: 0.3, text: false, seed });
      const held = [24, 25, 26, 27, 28, 29];
      const strangers = restrictToCategories(all, { auxiliary: held }).auxiliaryFeatures;
      const problem = restrictToCategories(all, { auxiliary: Array.from({ length: 24 }, (_, c) => c) });
      const without = await inFolder(problem, sharesByName.equal, seed);
      closed += without.right / 3;
      const calm = without.method.probabilities(without.folder.problem.testFeatures).unlisted;
      alarms += calm.filter((chance) => chance > 0.5).length / calm.length / 3;
      const folder = drawFolder(problem, { strangers, strangerShare: 0.3 }, seed);
      const method = await learn(folder.problem);
      const { unlisted, listed } = method.probabilities(folder.problem.testFeatures);
      const strange = Array.from(folder.truth, (label) => label < 0);
      area += rocArea(unlisted, strange) / 3;
      const predicted = method.predict(folder.problem.testFeatures);
      const listedRows = [...folder.truth.keys()].filter((j) => folder.truth[j] >= 0);
      open += listedRows.filter((j) => predicted[j] === folder.truth[j]).length / listedRows.length / 3;
      for (const j of [0, folder.truth.length - 1]) expect(total(listed.row(j)) + unlisted[j]).toBeCloseTo(1, 9);
    }
    expect(area).toBeGreaterThan(0.8);
    expect(alarms).toBeLessThan(0.03);
    expect(open).toBeGreaterThan(closed - 0.04);
  });

  it('groups strangers of one kind', async () => {
    const all = generateProblem({ ...sizes, auxiliaryCategories: 26, noise: 0.5, wrong: 0.2, text: false, seed: 8 });
    const held = restrictToCategories(all, { auxiliary: [24, 25] });
    const problem = restrictToCategories(all, { auxiliary: Array.from({ length: 24 }, (_, c) => c) });
    const rows = problem.testFeatures.rows;
    const mixed = Matrix.zeros(rows + held.auxiliaryFeatures.rows, problem.testFeatures.cols);
    mixed.view(0, rows).copyFrom(problem.testFeatures);
    mixed.view(rows, mixed.rows).copyFrom(held.auxiliaryFeatures);
    const method = await learn({ ...problem, testFeatures: mixed, testLabels: undefined });
    const groups = method.groups()!.of;
    const of = (kind: number) => {
      const own = [...held.auxiliaryLabels.keys()].filter((i) => held.auxiliaryLabels[i] === kind);
      const counts = new Map<number, number>();
      for (const i of own) counts.set(groups[rows + i], (counts.get(groups[rows + i]) ?? 0) + 1);
      counts.delete(-1);
      const [group, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [-1, 0];
      return { group, share: count / own.length };
    };
    const [first, second] = [of(0), of(1)];
    expect(first.share).toBeGreaterThan(0.5);
    expect(second.share).toBeGreaterThan(0.5);
    expect(first.group).not.toBe(second.group);
  });

  it('works with two auxiliary categories, says that it could not rehearse, and is not sure of itself', async () => {
    const few = restrictToCategories(generated(6), { auxiliary: [0, 1] });
    const method = await learn(few);
    expect(method.details().warnings?.[0]).toMatch(/2 auxiliary categories are too few to rehearse with/);
    const { listed } = method.probabilities(few.testFeatures);
    const sure = Array.from(method.predict(few.testFeatures), (c, j) => listed.at(j, c));
    expect(sure.filter((value) => value > 0.999).length / sure.length).toBeLessThan(0.2);
  });

  it('has confidences that hold', async () => {
    let gap = 0;
    for (const seed of [1, 2, 3]) {
      const problem = generated(seed);
      const method = await learn(problem);
      const { listed } = method.probabilities(problem.testFeatures);
      const predicted = method.predict(problem.testFeatures);
      let [sure, right] = [0, 0];
      predicted.forEach((c, j) => {
        sure += listed.at(j, c) / predicted.length;
        if (c === problem.testLabels![j]) right += 1 / predicted.length;
      });
      gap += Math.abs(sure - right) / 3;
    }
    expect(gap).toBeLessThan(0.1);
  });
});
