import { describe, expect, it } from 'vitest';
import { distinctTrials, sampleParameters, searchable } from '../../src/evaluation/sample-parameters.js';
import { declaredMethods, findMethod, type MethodSpec, methods } from '../../src/methods/index.js';
import { oneOf } from '../../src/parameters.js';

const paper = findMethod('paper');
/** With the paper's own ranges. */
const printed = declaredMethods.find(({ name }) => name === 'paper')!;

describe('the parameters of a trial', () => {
  it('depend on seed and trial alone, not on what was drawn before', () => {
    const alone = sampleParameters(paper, 7, 13);
    for (let trial = 0; trial < 13; trial++) sampleParameters(paper, 7, trial);
    expect(sampleParameters(paper, 7, 13)).toEqual(alone);
    expect(sampleParameters(paper, 8, 13)).not.toEqual(alone);
  });

  it('lie at the same place of their ranges for the learner and its special cases', () => {
    const place = (method: string, trial: number, name: string) => {
      const range = findMethod(method).parameters[name].range as { low: number; high: number };
      const value = Number(sampleParameters(findMethod(method), 1, trial)[name]);
      return Math.log(value / range.low) / Math.log(range.high / range.low);
    };
    for (const trial of [1, 3, 7])
      for (const name of ['lambda1', 'lambda4'])
        expect(place('paper-sim1', trial, name)).toBeCloseTo(place('paper', trial, name), 2);
  });

  it('go through a choice that is all there is to search for, the default first', () => {
    const alone = { parameters: { share: { description: '', default: 0.5, range: oneOf([0, 1, 0.25, 0.5]) } } };
    expect([0, 1, 2, 3, 4].map((trial) => sampleParameters(alone, 1, trial).share)).toEqual([0.5, 0, 1, 0.25, 0.5]);
    expect(distinctTrials(alone)).toBe(4);
    expect(distinctTrials(paper)).toBe(Number.POSITIVE_INFINITY);
    expect(distinctTrials({ parameters: {} })).toBe(Number.POSITIVE_INFINITY);
  });

  it('lie in the ranges, which are declared as those of the paper: λ from 0.001 to 1000, b from 1.5 to 5', () => {
    for (const spec of methods)
      for (let trial = 0; trial < 30; trial++)
        for (const [name, value] of Object.entries(sampleParameters(spec, 3, trial))) {
          const range = spec.parameters[name].range!;
          if (range.kind === 'choice') expect(range.values).toContain(value);
          else {
            expect(value).toBeGreaterThanOrEqual(range.low);
            expect(value).toBeLessThanOrEqual(range.high);
            if (range.kind === 'integer') expect(Number.isInteger(value)).toBe(true);
          }
        }
    const declared = (name: string) => declaredMethods.find((each) => each.name === name)!.parameters;
    expect(declared('paper').lambda1.range).toEqual({ kind: 'log', low: 1e-3, high: 1e3 });
    expect(declared('paper').bound.range).toEqual({ kind: 'linear', low: 1.5, high: 5 });
    expect(declared('paper-pi').gamma.range).toEqual({ kind: 'log', low: 1e-3, high: 1e3 });
  });

  it('are the defaults in trial 0, for every method', () => {
    for (const spec of methods)
      for (const [name, value] of Object.entries(sampleParameters(spec, 5, 0)))
        expect(value).toBe(spec.parameters[name].default);
  });

  it('keep about half of the defaults in even trials, and draw everything in odd ones', () => {
    const kept = { even: 0, odd: 0 };
    for (let trial = 1; trial <= 200; trial++)
      for (const [name, value] of Object.entries(sampleParameters(paper, 2, trial)))
        if (value === paper.parameters[name].default) kept[trial % 2 === 0 ? 'even' : 'odd']++;
    const ranged = Object.values(paper.parameters).filter(({ range }) => range).length;
    expect(kept.even / (100 * ranged)).toBeGreaterThan(0.4);
    expect(kept.even / (100 * ranged)).toBeLessThan(0.6);
    // But for chance.
    expect(kept.odd).toBeLessThan(3);
  });

  it('spread evenly over the logarithm', () => {
    const powers = Array.from({ length: 600 }, (_, k) =>
      Math.log10(Number(sampleParameters(printed, 1, 2 * k + 1).lambda1)),
    );
    const mean = powers.reduce((sum, value) => sum + value, 0) / powers.length;
    expect(Math.abs(mean)).toBeLessThan(0.25);
    for (let low = -3; low < 3; low++) {
      const inside = powers.filter((power) => power >= low && power < low + 1).length;
      expect(inside).toBeGreaterThan(70);
      expect(inside).toBeLessThan(130);
    }
  });

  it('are none where a method has nothing to search for', () => {
    const plain: MethodSpec = { ...paper, parameters: { k: { description: '', default: 3 } } };
    expect(searchable(plain)).toBe(false);
    expect(sampleParameters(plain, 1, 0)).toEqual({});
  });
});
