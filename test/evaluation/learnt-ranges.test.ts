import { describe, expect, it } from 'vitest';
import { expectedBest, learn, type Setting, saturation } from '../../bench/ranges/learn.js';
import { learningMethods, outerRange, suits, trialJob } from '../../bench/ranges/trials.js';
import type { JournalLine } from '../../src/evaluation/index.js';
import { declaredMethods, findMethod } from '../../src/methods/index.js';
import { learntRanges } from '../../src/methods/learnt-ranges.js';
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
  it('are the declared ones, widened to the settings that are nearly the best on average over problems', () => {
    const runs = new Map([
      ['one', journal([50, 60, 70, 66, 40, 69])],
      ['other', journal([20, 28, 20, 30, 10, 26])],
    ]);
    const found = learn(spec as never, runs)!;
    // Setting 3 is short of 70 by 4 and the best of the other: 2 on average; setting 5 is short by 1 and 4.
    expect(found.settings.map(({ regret }) => regret)).toEqual(
      [15, 6, 5, 2, 25, 2.5].map((value) => expect.closeTo(value, 9)),
    );
    expect(found.best.trial).toBe(3);
    expect(found.defaultRegret).toBeCloseTo(15, 9);
    // Their weights are 3.2 and 32, and weights are declared from 0.1 to 10.
    expect(found.ranges).toEqual({ weight: [0.1, 32] });
    const poor = learn(spec as never, new Map([['one', journal([50, 60, 70, 66, 40, 30])]]))!;
    expect(poor.ranges).toEqual({});
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

describe('the table of learnt ranges', () => {
  const declared = (method: string) => declaredMethods.find(({ name }) => name === method)!.parameters;

  it('only widens what methods declare, to values that they allow', () => {
    for (const [method, ranges] of Object.entries(learntRanges))
      for (const [name, [low, high]] of Object.entries(ranges)) {
        const { range } = declared(method)[name];
        if (!range || range.kind === 'choice') throw new Error(`${method}.${name} has no ends to widen`);
        expect(low).toBeLessThanOrEqual(range.low);
        expect(high).toBeGreaterThanOrEqual(range.high);
        for (const value of [low, high]) expect(allows(declared(method)[name], value), `${method}.${name}`).toBe(true);
      }
  });

  it('is where searches look, for a method itself and as a part of others', () => {
    expect(Object.keys(learntRanges).length).toBeGreaterThan(0);
    for (const [method, ranges] of Object.entries(learntRanges))
      for (const [name, [low, high]] of Object.entries(ranges))
        expect(findMethod(method).parameters[name].range).toMatchObject({ low, high });
    const whole = findMethod('wsl+zsl');
    for (const part of whole.parts!) {
      expect(part).toBe(findMethod(part.name));
      for (const [name, { range }] of Object.entries(part.parameters))
        expect(whole.parameters[`${part.name}.${name}`].range).toEqual(range);
    }
  });
});
