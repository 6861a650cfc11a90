import { describe, expect, it } from 'vitest';
import { expectedBest, learn, type Setting, saturation } from '../../bench/ranges/learn.js';
import { learningMethods, outerRange, suits, trialJob } from '../../bench/ranges/trials.js';
import type { JournalLine } from '../../src/evaluation/index.js';
import { findMethod } from '../../src/methods/index.js';
import { allows, choice, linear, log, number, whole } from '../../src/parameters.js';

const spec = {
  ...findMethod('lr'),
  name: 'made-up',
  parameters: {
    weight: number('', 1, { above: 0, range: log(0.1, 10) }),
    kind: choice('', 'plain', ['plain', 'fancy', 'poor'], 'searched'),
  },
};

/** A journal in which setting k reached `accuracies[k]` percent. */
function journal(accuracies: readonly (number | undefined)[]): JournalLine[] {
  return accuracies.map((accuracy, trial) => {
    const id = `made-up/trial-${String(trial).padStart(3, '0')}`;
    const parameters = { weight: 10 ** (trial / 2 - 1), kind: ['plain', 'fancy', 'poor'][trial % 3] };
    const job = { id, method: 'made-up', parameters, seed: 1, split: 'validation', generalized: false } as const;
    if (accuracy === undefined) return { job, failure: { id, name: 'Error', message: 'too steep' } };
    return { job, outcome: { id, meanCategoryAccuracy: accuracy / 100, seconds: 1 } as never };
  });
}

describe('ranges learnt from trials', () => {
  it('span the third of the settings that are best on average over problems', () => {
    const runs = new Map([
      ['one', journal([50, 60, 70, 66, 40, 30])],
      ['other', journal([20, 28, 20, 30, 10, undefined])],
    ]);
    const found = learn(spec as never, runs)!;
    // Setting 3 is short of 70 by 4 and the best of the other: 2 on average. Setting 1: 10 and 2, setting 2: 0 and 10.
    expect(found.settings.map(({ regret }) => regret)).toEqual(
      [15, 6, 5, 2, 25, 35].map((value) => expect.closeTo(value, 9)),
    );
    expect(found.best.trial).toBe(3);
    expect(found.defaultRegret).toBeCloseTo(15, 9);
    // The best two, and the declared default.
    expect(found.ranges).toEqual({ weight: [1, 3.2], kind: ['plain', 'poor'] });
  });

  it('compare settings that were tried on every problem alone', () => {
    const runs = new Map([
      ['one', journal([50, 60, 70, 66])],
      ['other', journal([20, 28])],
    ]);
    expect(learn(spec as never, runs)!.settings.map(({ trial }) => trial)).toEqual([0, 1]);
    expect(learn(spec as never, new Map([['one', []]]))).toBeUndefined();
  });

  it('are drawn from ten times beyond declared logarithmic ranges and half a width beyond others, within what is allowed', () => {
    expect(outerRange(number('', 1, { above: 0, range: log(0.1, 10) }))).toEqual(log(0.01, 100));
    expect(outerRange(number('', 1, { least: 0.05, most: 30, range: log(0.1, 10) }))).toEqual(log(0.05, 30));
    expect(outerRange(number('', 0.5, { above: 0, below: 1, range: linear(0.2, 0.9) }))).toEqual(linear(0.2, 0.9));
    expect(outerRange(number('', 0.5, { least: 0, most: 1, range: linear(0.2, 0.9) }))).toEqual(linear(0, 1));
    expect(outerRange(whole('', 5, { range: { kind: 'integer', low: 2, high: 12 } }))).toEqual({
      ...{ kind: 'integer', low: 1, high: 17 },
    });
    for (const each of learningMethods('outer'))
      for (let trial = 0; trial < 20; trial++)
        for (const [name, value] of Object.entries(trialJob(each, trial).parameters))
          expect(allows(each.parameters[name], value), `${each.name}.${name} = ${value}`).toBe(true);
  });

  it('come from problems that a method can tell apart', () => {
    expect(suits(findMethod('lr'), 'cub-web-words')).toBe(false);
    expect(suits(findMethod('eszsl'), 'cub-web-words')).toBe(true);
    expect(suits(findMethod('svm-plus'), 'cub-resnet50')).toBe(false);
  });
});

describe('accuracy against trials', () => {
  const settings = [
    [50, 10],
    [60, 8],
    [40, 12],
    [70, 30],
    [66, 2],
  ].map((accuracies, trial): Setting => ({ trial, parameters: {}, accuracies, regret: 0 }));

  it('is the mean over all orders of the settings behind the defaults', () => {
    for (const trials of [1, 2, 3, 4, 5]) {
      const chosen = subsets([1, 2, 3, 4], trials - 1);
      const bests = chosen.flatMap((set) =>
        [0, 1].map((p) => Math.max(settings[0].accuracies[p], ...set.map((k) => settings[k].accuracies[p]))),
      );
      expect(expectedBest(settings, trials)).toBeCloseTo(
        bests.reduce((sum, each) => sum + each / bests.length, 0),
        9,
      );
    }
  });

  it('is saturated where half a point is left to gain', () => {
    expect(saturation(settings)).toBe(5);
    expect(saturation(settings, 100)).toBe(1);
    expect(saturation(settings.map((each) => ({ ...each, accuracies: [50, 10] })))).toBe(1);
  });

  function subsets(of: number[], size: number): number[][] {
    if (size === 0) return [[]];
    return of.flatMap((first, k) => subsets(of.slice(k + 1), size - 1).map((rest) => [first, ...rest]));
  }
});
