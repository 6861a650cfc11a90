/** Parameters of a method that is made of others: each part's own ones, named `part.parameter`. */

import type { Matrix } from '../linalg/index.js';
import type { ParameterSpec, ParameterValue } from '../parameters.js';
import {
  type FitOptions,
  type LinearDecision,
  type Method,
  notFitted,
  type Problem,
  problemHash,
} from '../problem/index.js';
import { prepared } from './blocks/preparation.js';
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
  return new Part(part, partValues(part, parameters), seed);
}

/** A part is fitted once for the same parameters: a search tries a combination's shares with the parts as they were chosen. */
class Part implements Method {
  readonly #spec: MethodSpec;
  readonly #parameters: Parameters;
  readonly #seed: number;
  #fitted: Method | undefined;

  constructor(spec: MethodSpec, parameters: Parameters, seed: number) {
    this.#spec = spec;
    this.#parameters = parameters;
    this.#seed = seed;
    // Refuses parameters that cannot be.
    createMethod(spec, parameters, seed);
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    this.#fitted = undefined;
    const { name } = this.#spec;
    const own = [JSON.stringify(this.#parameters), this.#seed, problemHash(problem)];
    this.#fitted = await prepared(`fitted ${name}`, options.backend, [problem.testFeatures], own, () =>
      createMethod(this.#spec, this.#parameters, this.#seed).fit(problem, options),
    );
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.#fitted) throw notFitted();
    return this.#fitted.decisionValues(features);
  }

  predict(features: Matrix): Int32Array {
    if (!this.#fitted) throw notFitted();
    return this.#fitted.predict(features);
  }

  linear(): LinearDecision | undefined {
    return this.#fitted?.linear?.();
  }
}
