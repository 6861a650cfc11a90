/**
 * The trials that ranges are learnt from: the same settings of a method on every problem, drawn from far wider than a search would
 * look. Alike for all methods: ten times beyond either end of a declared logarithmic range, half a width beyond the ends of others.
 */
import type { FitJob } from '../../src/evaluation/index.js';
import { sampleParameters } from '../../src/evaluation/sample-parameters.js';
import {
  declaredMethods,
  type MethodSpec,
  methods,
  type ParameterSpec,
  type SearchRange,
} from '../../src/methods/index.js';
import { allows } from '../../src/parameters.js';
import { type CubProblemName, hasText, twinOf } from '../shared/cub-problems.js';

export const rangeSeed = 1;

/** Far beyond what is declared, or as a search does. */
export type Draw = 'outer' | 'learnt';

/** Methods with something to learn: those made of others take what is learnt for their parts, and search their own share. */
export function learningMethods(draw: Draw): MethodSpec[] {
  const all = draw === 'outer' ? declaredMethods.map(widened) : methods;
  return all.filter(
    ({ parameters, parts, setting }) =>
      !parts && setting !== 'generalized' && Object.values(parameters).some(({ range }) => range),
  );
}

/** Whether the problem has what the method learns from, and is not the same to it as another. */
export function suits({ uses }: MethodSpec, problem: CubProblemName): boolean {
  if (uses.includes('text') && !hasText(problem)) return false;
  return uses.includes('semantics') || twinOf(problem) === undefined;
}

export function trialJob(spec: MethodSpec, trial: number): FitJob {
  return {
    id: `${spec.name}/trial-${String(trial).padStart(3, '0')}`,
    method: spec.name,
    parameters: sampleParameters(spec, rangeSeed, trial),
    seed: rangeSeed,
    split: 'test',
    generalized: false,
  };
}

function widened(spec: MethodSpec): MethodSpec {
  const parameters = Object.entries(spec.parameters).map(([name, each]) => [
    name,
    { ...each, range: outerRange(each) },
  ]);
  return { ...spec, parameters: Object.fromEntries(parameters) };
}

export function outerRange(parameter: ParameterSpec): SearchRange | undefined {
  const { range } = parameter;
  if (!range || range.kind === 'choice') return range;
  const beyond = (range.high - range.low) / 2;
  const [low, high] =
    range.kind === 'log'
      ? [range.low / 10, range.high * 10]
      : range.kind === 'integer'
        ? [Math.round(range.low - beyond), Math.round(range.high + beyond)]
        : [range.low - beyond, range.high + beyond];
  // Where the wider end is not allowed the hard limit serves, or the declared end where that is excluded itself.
  const { least = low, most = high } = parameter;
  const [lowest, highest] = [Math.max(low, least), Math.min(high, most)];
  return {
    kind: range.kind,
    low: allows(parameter, lowest) && (range.kind !== 'log' || lowest > 0) ? lowest : range.low,
    high: allows(parameter, highest) ? highest : range.high,
  };
}
