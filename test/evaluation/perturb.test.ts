import { describe, expect, it } from 'vitest';
import { mislabelWeb, perturbProblem, sharePictures } from '../../src/evaluation/perturb.js';
import { generalize, generateProblem, topWeb } from '../../src/problem/index.js';

const problem = generateProblem({ seed: 2, testCategories: 5, webPerCategory: 20, wrong: 0.2 });
const counts = (labels: Int32Array) =>
  labels.reduce<Record<number, number>>((all, label) => {
    all[label] = (all[label] ?? 0) + 1;
    return all;
  }, {});

describe('mislabelled web pictures', () => {
  it('are the asked share of each category, all with another label, known right ones now confused', () => {
    const changed = mislabelWeb(problem, 0.3, 1);
    const wrong = [...problem.webLabels].map((label, i) => (label === changed.webLabels[i] ? -1 : label));
    for (let category = 0; category < 5; category++)
      expect(wrong.filter((label) => label === category).length).toBe(Math.round(0.3 * 20));
    wrong.forEach((label, i) => {
      if (label >= 0) expect(changed.webKinds![i]).not.toBe('clean');
      else expect(changed.webKinds![i]).toBe(problem.webKinds![i]);
    });
    expect(changed.webFeatures).toBe(problem.webFeatures);
  });

  it('are no longer vouched for', () => {
    const vouched = { ...problem, webVouched: new Uint8Array(problem.webLabels.length).fill(1) };
    const { webLabels, webVouched } = mislabelWeb(vouched, 0.3, 1);
    expect([...webVouched!]).toEqual([...webLabels].map((label, i) => (label === problem.webLabels[i] ? 1 : 0)));
    expect(vouched.webVouched).not.toContain(0);
  });

  it('of a smaller share are among those of a larger one', () => {
    const [few, many] = [0.2, 0.6].map((share) => mislabelWeb(problem, share, 1).webLabels);
    problem.webLabels.forEach((label, i) => {
      if (few[i] !== label) expect(many[i]).toBe(few[i]);
    });
  });
});

describe('a share of the pictures', () => {
  it('keeps that part of every category in every set, and the rows it keeps', () => {
    const smaller = sharePictures(problem, 0.5, 1);
    expect(counts(smaller.webLabels)).toEqual({ 0: 10, 1: 10, 2: 10, 3: 10, 4: 10 });
    expect(counts(smaller.testLabels!)).toEqual({ 0: 10, 1: 10, 2: 10, 3: 10, 4: 10 });
    expect(smaller.auxiliaryFeatures.rows).toBe(problem.auxiliaryFeatures.rows / 2);
    expect(smaller.webText!.rows).toBe(50);
    expect(smaller.testNames).toEqual(problem.testNames);
  });

  it('works in the generalized setting', () => {
    const smaller = sharePictures(generalize(problem, 1), 0.25, 1);
    expect(Object.keys(counts(smaller.testLabels!)).length).toBe(17);
  });
});

describe('a change', () => {
  it('to fewer web pictures takes the top-ranked ones, or any where that is asked for', () => {
    const top = perturbProblem(problem, { webPerCategory: 3 }, 3);
    const any = perturbProblem(problem, { webPerCategory: 3, webChoice: 'random' }, 3);
    expect([...top.webFeatures.row(0)]).toEqual([...problem.webFeatures.row(0)]);
    expect(top.webTexts).toEqual(topWeb(problem, 3).webTexts);
    expect(any.webFeatures.rows).toBe(top.webFeatures.rows);
    expect([...any.webFeatures.data]).not.toEqual([...top.webFeatures.data]);
  });

  it('can be several at once', () => {
    const changed = perturbProblem(problem, { webPerCategory: 8, wrongLabels: 0.5, share: 0.5 }, 3);
    expect(changed.webFeatures.rows).toBeLessThanOrEqual(5 * 8);
    expect(changed.testFeatures.rows).toBe(problem.testFeatures.rows / 2);
  });

  it('is refused where it makes no sense', () => {
    expect(() => mislabelWeb(problem, 1.5, 1)).toThrow('1.5');
    expect(() => sharePictures(problem, 0, 1)).toThrow('above 0');
  });
});
