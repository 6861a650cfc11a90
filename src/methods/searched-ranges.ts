/**
 * Where searches look for parameters: the declared ranges, widened by what trials on the validation categories of several problems
 * have shown to be good, by one rule for all methods (`npm run bench -- ranges`, docs/evaluation.md).
 */
import type { ParameterSpec } from '../parameters.js';
import { learntRanges } from './learnt-ranges.js';
import type { MethodSpec } from './spec.js';

/** Ends of a numeric range. */
export type LearntRange = readonly [low: number, high: number];

const made = new Map<MethodSpec, MethodSpec>();

/** The method with learnt ranges in place of declared ones, and so with its parts. */
export function withLearntRanges(spec: MethodSpec): MethodSpec {
  let found = made.get(spec);
  if (!found) {
    const parts = spec.parts?.map(withLearntRanges);
    const inPart = new Map(
      parts?.flatMap((part) => Object.entries(part.parameters).map(([name, each]) => [`${part.name}.${name}`, each])),
    );
    const own = learntRanges[spec.name] ?? {};
    const parameters = Object.fromEntries(
      Object.entries(spec.parameters).map(([name, each]) => [name, inPart.get(name) ?? searchedIn(each, own[name])]),
    );
    found = { ...spec, parameters, ...(parts && { parts }) };
    made.set(spec, found);
  }
  return found;
}

function searchedIn(parameter: ParameterSpec, learnt: LearntRange | undefined): ParameterSpec {
  const { range } = parameter;
  if (!range || range.kind === 'choice' || !learnt) return parameter;
  return { ...parameter, range: { kind: range.kind, low: learnt[0], high: learnt[1] } };
}
