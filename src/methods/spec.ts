/** What the registry knows of a method. */
import { ArgumentError, type UsageError } from '../errors.js';
import type { Method } from '../problem/method.js';

/** Parts of a problem a method learns from. */
export type Ingredient = 'web' | 'auxiliary' | 'test' | 'text' | 'semantics';

export type ParameterValue = number | string;

/** Where a search looks for a parameter. */
export type SearchRange =
  | { kind: 'log' | 'linear' | 'integer'; low: number; high: number }
  | { kind: 'choice'; values: readonly ParameterValue[] };

export interface ParameterSpec {
  description: string;
  default: ParameterValue;
  /** Left out for parameters a search does not touch. */
  range?: SearchRange;
}

export interface MethodSpec {
  /** As on the command line, for example `zhang-saligrama`. */
  name: string;
  title: string;
  /** Authors, title, venue, year. */
  citation: string;
  uses: readonly Ingredient[];
  /** In which setting the method answers: test categories alone, or auxiliary ones too. */
  setting: 'standard' | 'generalized' | 'both';
  parameters: Readonly<Record<string, ParameterSpec>>;
  create(parameters: Readonly<Record<string, ParameterValue>>, seed: number): Method;
}

/** @throws `Failure` for a parameter that the method does not have */
export function requireParameters(
  spec: MethodSpec,
  parameters: Readonly<Record<string, unknown>>,
  Failure: typeof ArgumentError | typeof UsageError = ArgumentError,
): void {
  const unknown = Object.keys(parameters).find((name) => !Object.hasOwn(spec.parameters, name));
  if (unknown)
    throw new Failure(
      `${spec.name} has no parameter "${unknown}"`,
      `Parameters of ${spec.name}: ${Object.keys(spec.parameters).join(', ') || 'none'}.`,
    );
}

/** The method with its defaults, overruled by what is given. */
export function createMethod(spec: MethodSpec, given: Readonly<Record<string, ParameterValue>> = {}, seed = 1): Method {
  requireParameters(spec, given);
  const defaults = Object.fromEntries(
    Object.entries(spec.parameters).map(([name, { default: value }]) => [name, value]),
  );
  return spec.create({ ...defaults, ...given }, seed);
}
