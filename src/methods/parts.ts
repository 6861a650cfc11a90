/** Parameters of a method that is made of others: each part's own ones, named `part.parameter`. */
import type { ParameterSpec, ParameterValue } from '../parameters.js';
import type { Method } from '../problem/index.js';
import { createMethod, type MethodSpec } from './spec.js';

export type Parameters = Readonly<Record<string, ParameterValue>>;

export function partParameters(
  ...parts: readonly MethodSpec[]
): Readonly<Record<`${string}.${string}`, ParameterSpec>> {
  return Object.fromEntries(
    parts.flatMap((part) => Object.entries(part.parameters).map(([name, spec]) => [`${part.name}.${name}`, spec])),
  );
}

/** Its share of the parameters, under their own names. */
export function partValues(part: MethodSpec, parameters: Parameters): Parameters {
  const prefix = `${part.name}.`;
  const own = Object.entries(parameters).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** The part with its share of the parameters. */
export function createPart(part: MethodSpec, parameters: Parameters, seed: number): Method {
  return createMethod(part, partValues(part, parameters), seed);
}
