import { describe, expect, expectTypeOf, it } from 'vitest';
import { ArgumentError, UsageError } from '../src/errors.js';
import {
  changed,
  choice,
  expected,
  flag,
  linear,
  log,
  number,
  type OptionsOf,
  oneOf,
  resolveParameters,
  whole,
} from '../src/parameters.js';

const parameters = {
  ridge: number('penalty', 0.5, { above: 0, range: log(0.01, 100) }),
  offset: number('offset', 0, { range: linear(-2, 2) }),
  kept: number('share', 0.8, { above: 0, most: 1 }),
  noise: number('share', 0.5, { above: 0, below: 1 }),
  trust: number('trust', -1, { least: 0, most: 1, or: -1 }),
  rounds: whole('rounds', 3),
  dimensions: whole('dimensions', 0, { least: 0, range: oneOf([0, 50]) }),
  kernel: choice('kernel', 'gaussian', ['gaussian', 'cauchy', 'linear']),
  centre: flag('centre', true),
};

const resolved = (given: Record<string, unknown>) => resolveParameters('mine', parameters, given);

describe('declared parameters', () => {
  it('give their defaults where nothing, or undefined, is given', () => {
    expect(resolved({ ridge: undefined })).toEqual({
      ...{ ridge: 0.5, offset: 0, kept: 0.8, noise: 0.5, trust: -1, rounds: 3, dimensions: 0 },
      ...{ kernel: 'gaussian', centre: true },
    });
  });

  it('take what is given within bounds, ends included where they are said to be', () => {
    const given = { ridge: 1e-9, offset: -7, kept: 1, noise: 0.999, trust: 0, rounds: 1, dimensions: 0 };
    expect(resolved({ ...given, kernel: 'linear', centre: false })).toEqual({
      ...given,
      kernel: 'linear',
      centre: false,
    });
    expect(resolved({ trust: 1 }).trust).toBe(1);
  });

  it.each([
    ['ridge', 0, 'a number above 0'],
    ['ridge', '1', 'a number above 0'],
    ['offset', Number.NaN, 'a number'],
    ['kept', 0, 'a number above 0 and at most 1'],
    ['kept', 1.01, 'a number above 0 and at most 1'],
    ['noise', 1, 'a number above 0 and below 1'],
    ['trust', -0.5, 'a number of at least 0 and at most 1, or -1'],
    ['rounds', 0, 'a whole number of at least 1'],
    ['rounds', 2.5, 'a whole number of at least 1'],
    ['dimensions', -1, 'a whole number of at least 0'],
    ['kernel', 'cosine', '"gaussian", "cauchy" or "linear"'],
    ['centre', 1, 'true or false'],
  ])('refuse %s = %j and say what it must be', (name, value, must) => {
    expect(() => resolved({ [name]: value })).toThrow(
      new ArgumentError(`mine: ${name} is ${JSON.stringify(value)}; it must be ${must}`),
    );
  });

  it('refuse a name that was not declared, with the kind of error asked for', () => {
    const attempt = () => resolveParameters('mine', { ridge: parameters.ridge }, { rigde: 1 } as never, UsageError);
    expect(attempt).toThrow(new UsageError('mine has no parameter "rigde"', 'Parameters of mine: ridge.'));
  });

  it('can be declared again with another default, their bounds kept', () => {
    const stronger = changed(parameters.ridge, { default: 5 });
    expect(resolveParameters('mine', { stronger }, {})).toEqual({ stronger: 5 });
    expect(expected(stronger)).toBe('a number above 0');
    expect(stronger.range).toEqual({ kind: 'log', low: 0.01, high: 100 });
  });

  it('have the types of their values', () => {
    type Options = OptionsOf<typeof parameters>;
    expectTypeOf<Options['ridge']>().toEqualTypeOf<number>();
    expectTypeOf<Options['kernel']>().toEqualTypeOf<'gaussian' | 'cauchy' | 'linear'>();
    expectTypeOf<Options['centre']>().toEqualTypeOf<boolean>();
  });
});
