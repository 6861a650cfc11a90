/** Checks of hyper-parameters: each returns the value or says which one of which method is wrong. */
import { ArgumentError } from '../../errors.js';
import type { ParameterValue } from '../spec.js';

export function positive(method: string, name: string, value: ParameterValue): number {
  return checked(method, name, value, (number) => number > 0, 'a number above 0');
}

export function nonNegative(method: string, name: string, value: ParameterValue): number {
  return checked(method, name, value, (number) => number >= 0, 'a number of at least 0');
}

export function finite(method: string, name: string, value: ParameterValue): number {
  return checked(method, name, value, () => true, 'a number');
}

/** A share in (0, 1]. */
export function share(method: string, name: string, value: ParameterValue): number {
  return checked(method, name, value, (number) => number > 0 && number <= 1, 'a share above 0 and at most 1');
}

/** A share in (0, 1). */
export function properShare(method: string, name: string, value: ParameterValue): number {
  return checked(method, name, value, (number) => number > 0 && number < 1, 'a share between 0 and 1, both excluded');
}

export function wholeNumber(method: string, name: string, value: ParameterValue, least = 1): number {
  const fits = (number: number) => Number.isSafeInteger(number) && number >= least;
  return checked(method, name, value, fits, `a whole number of at least ${least}`);
}

export function choice<Word extends string>(
  method: string,
  name: string,
  value: ParameterValue,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  const quoted = words.map((word) => JSON.stringify(word));
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted[quoted.length - 1]}`;
  throw new ArgumentError(`${method}: ${name} is ${JSON.stringify(value)}; it must be ${expected}`);
}

function checked(
  method: string,
  name: string,
  value: ParameterValue,
  fits: (number: number) => boolean,
  expected: string,
): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || !fits(value))
    throw new ArgumentError(`${method}: ${name} is ${JSON.stringify(value)}; it must be ${expected}`);
  return value;
}
