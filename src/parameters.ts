/**
 * Parameters of a method, each declared once: what it means, its default, what it may be and where a search looks for it.
 * Types, checks, defaults, searches, help and docs/parameters.md all come from the declaration.
 *
 * @example
 * const parameters = {
 *   ridge: number('penalty on the squared weights', 0.5, { above: 0, range: log(0.01, 100) }),
 *   rounds: whole('rounds of training', 3),
 * };
 * const options = resolveParameters('mine', parameters, { ridge: 2 }); // { ridge: 2, rounds: 3 }
 */
import { ArgumentError, type UsageError } from './errors.js';

export type ParameterValue = number | string;

/** Where a search looks for a parameter. */
export type SearchRange =
  | { kind: 'log' | 'linear' | 'integer'; low: number; high: number }
  | { kind: 'choice'; values: readonly ParameterValue[] };

/** What a number may be; without any of these, any finite number. */
interface Bounds {
  above?: number;
  least?: number;
  below?: number;
  most?: number;
  /** A single value outside the bounds that has a meaning of its own. */
  or?: number;
}

interface Searched {
  /** Left out for parameters a search does not touch. */
  range?: SearchRange;
}

export interface ParameterSpec<Value extends ParameterValue | boolean = ParameterValue> extends Bounds, Searched {
  description: string;
  default: Value;
  whole?: boolean;
  /** The words a choice is made from. */
  values?: readonly Value[];
}

export type Declaration = Readonly<Record<string, ParameterSpec<ParameterValue | boolean>>>;

/** The values of all parameters of a declaration. */
export type OptionsOf<Parameters extends Declaration> = {
  readonly [Name in keyof Parameters]: Parameters[Name]['default'];
};

export function number(description: string, value: number, rest: Bounds & Searched = {}): ParameterSpec<number> {
  return { description, default: value, ...rest };
}

/** A whole number of at least 1, or of at least what is given. */
export function whole(description: string, value: number, rest: Bounds & Searched = {}): ParameterSpec<number> {
  return { description, default: value, whole: true, least: 1, ...rest };
}

export function choice<const Word extends string>(
  description: string,
  value: NoInfer<Word>,
  values: readonly Word[],
  searched?: 'searched',
): ParameterSpec<Word> {
  return { description, default: value, values, ...(searched && { range: oneOf(values) }) };
}

export function flag(description: string, value: boolean): ParameterSpec<boolean> {
  return { description, default: value };
}

/** The same parameter with another default, range or meaning. */
export function changed<Value extends ParameterValue>(
  parameter: ParameterSpec<Value>,
  change: Partial<ParameterSpec<Value>>,
): ParameterSpec<Value> {
  return { ...parameter, ...change };
}

export const log = (low: number, high: number): SearchRange => ({ kind: 'log', low, high });
export const linear = (low: number, high: number): SearchRange => ({ kind: 'linear', low, high });
export const integers = (low: number, high: number): SearchRange => ({ kind: 'integer', low, high });
export const oneOf = (values: readonly ParameterValue[]): SearchRange => ({ kind: 'choice', values });

/**
 * What is given, checked, and the defaults of what is not.
 * @throws `Failure` that says which parameter of which method is wrong, and what it must be
 */
export function resolveParameters<Parameters extends Declaration>(
  method: string,
  parameters: Parameters,
  given: Readonly<Partial<Record<keyof Parameters, unknown>>>,
  Failure: typeof ArgumentError | typeof UsageError = ArgumentError,
): OptionsOf<Parameters> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(parameters, name));
  if (unknown)
    throw new Failure(
      `${method} has no parameter "${unknown}"`,
      `Parameters of ${method}: ${Object.keys(parameters).join(', ') || 'none'}.`,
    );
  const resolved = Object.entries(parameters).map(([name, parameter]) => {
    const value = given[name] ?? parameter.default;
    if (!allows(parameter, value))
      throw new Failure(`${method}: ${name} is ${JSON.stringify(value)}; it must be ${expected(parameter)}`);
    return [name, value];
  });
  return Object.fromEntries(resolved) as OptionsOf<Parameters>;
}

export function allows(parameter: ParameterSpec<ParameterValue | boolean>, value: unknown): boolean {
  if (parameter.values) return parameter.values.some((word) => word === value);
  if (typeof parameter.default !== 'number') return typeof value === typeof parameter.default;
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (value === parameter.or) return true;
  const { above = Number.NEGATIVE_INFINITY, least = above, below = Number.POSITIVE_INFINITY, most = below } = parameter;
  return (
    value > above &&
    value >= least &&
    value < below &&
    value <= most &&
    (!parameter.whole || Number.isSafeInteger(value))
  );
}

/** In words: "a number above 0". */
export function expected(parameter: ParameterSpec<ParameterValue | boolean>): string {
  if (parameter.values) {
    const quoted = parameter.values.map((word) => JSON.stringify(word));
    return `${quoted.slice(0, -1).join(', ')} or ${quoted[quoted.length - 1]}`;
  }
  if (typeof parameter.default !== 'number') return 'true or false';
  const { above, least, below, most, or } = parameter;
  const limits = [
    above === undefined ? [] : `above ${above}`,
    least === undefined ? [] : `of at least ${least}`,
    below === undefined ? [] : `below ${below}`,
    most === undefined ? [] : `at most ${most}`,
  ].flat();
  const bounded = [`a ${parameter.whole ? 'whole ' : ''}number`, limits.join(' and ')].filter(Boolean).join(' ');
  return or === undefined ? bounded : `${bounded}, or ${or}`;
}
