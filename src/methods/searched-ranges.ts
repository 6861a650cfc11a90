/**
 * Where searches look for parameters: the ranges learnt from trials on the validation categories of several problems, by one
 * rule for all methods (`npm run bench -- ranges`, docs/evaluation.md). A parameter without a learnt range is looked for where its declaration says.
 */
import type { ParameterSpec, SearchRange } from '../parameters.js';
import { learntRanges } from './learnt-ranges.js';
import type { MethodSpec } from './spec.js';

/** Ends of a numeric range, or the words of a choice. */
export type LearntRange = readonly (number | string)[];

const made = new Map<MethodSpec, MethodSpec>();

/** The method with learnt ranges in place of its declared ones, and so with its parts. */
export function withLearntRanges(spec: MethodSpec): MethodSpec {
  let found = made.get(spec);
  if (!found) {
    const parts = spec.parts?.map(withLearntRanges);
    const inPart = new Map(
      parts?.flatMap((part) => Object.entries(part.parameters).map(([name, each]) => [`${part.name}.${name}`, each])),
    );
    const own = learntRanges[spec.name] ?? {};
    const parameters = Object.fromEntries(
      Object.entries(spec.parameters).map(([name, each]) => [name, inPart.get(name) ?? narrowed(each, own[name])]),
    );
    found = { ...spec, parameters, ...(parts && { parts }) };
    made.set(spec, found);
  }
  return found;
}

function narrowed(parameter: ParameterSpec, learnt: LearntRange | undefined): ParameterSpec {
  const { range } = parameter;
  if (!range || !learnt) return parameter;
  const narrow: SearchRange =
    range.kind === 'choice'
      ? { kind: 'choice', values: learnt }
      : { kind: range.kind, low: learnt[0] as number, high: learnt[1] as number };
  return { ...parameter, range: narrow };
}
