/** Parameters of the paper's learner and the special cases of its Table I. */
import { ArgumentError } from '../errors.js';
import type { Dtype } from '../linalg/index.js';
import { choice, flag, linear, log, number, type OptionsOf, resolveParameters, whole } from '../parameters.js';

const powers = log(1e-3, 1e3);

export const learnerParameters = {
  lambda1: number('closeness to the auxiliary dictionary', 0.01, { least: 0, range: powers }),
  lambda2: number('weight of the nuclear norm', 5, { least: 0, range: powers }),
  lambda3: number('weight of the mean discrepancy', 0.001, { least: 0, range: powers }),
  lambda4: number("weight of the web pictures' errors", 0.3, { least: 0, range: powers }),
  // Weights average 1.
  bound: number('largest weight of a web picture', 2.5, { least: 1, range: linear(1.5, 5) }),
  gamma: number('weight of the text; 0 leaves it out', 0, { least: 0, range: powers }),
  // Relative to the mean square of a word, so that one value suits texts of any length.
  textRidge: number('ε: ridge of the regression from text, as a share of the mean square of a word; 0 as printed', 0, {
    least: 0,
    range: log(1e-2, 1e3),
  }),
  vectors: choice('lengths of the semantic vectors: all one, or raw as they are given', 'unit', ['unit', 'raw']),
  space: choice('space of the semantic vectors: their span, or all dimensions as printed', 'span', ['span', 'full']),
  metric: choice('distance of the decision', 'euclidean', ['euclidean', 'cosine']),
  thetaSolver: choice('how the weights are found; both reach the same answer', 'projected-gradient', [
    'projected-gradient',
    'smo',
  ]),
  dtype: choice<Dtype>('precision of the features; what is learnt from them is always float64', 'float64', [
    'float64',
    'float32',
  ]),
  maxIterations: whole('iterations at most', 1000),
  tolerance: number('residual at which the fit has converged', 1e-5, { above: 0 }),
  penaltyStart: number('μ at the first iteration', 0.1, { above: 0, range: log(1e-2, 10) }),
  penaltyGrowth: number('ρ: μ grows by the factor 1 + ρ', 0.1, { least: 0, range: log(0.05, 0.5) }),
  penaltyMaximum: number('largest μ', 1e6, { above: 0 }),
  useWeb: flag('use web pictures at all; off for the zero-shot special case', true),
};

export type LearnerOptions = OptionsOf<typeof learnerParameters>;

/** What each special case fixes. `combo` averages the semantic vectors of `paper-wsl` and `paper-zsl`. */
export const specialCases = {
  paper: {},
  'paper-wsl': { lambda1: 0 },
  'paper-zsl': { lambda3: 0, lambda4: 0, gamma: 0, useWeb: false },
  'paper-sim1': { lambda2: 0 },
  'paper-sim2': { lambda3: 0 },
} as const satisfies Record<string, Partial<LearnerOptions>>;

export type SpecialCase = keyof typeof specialCases;

export function resolveOptions(given: Partial<LearnerOptions>): LearnerOptions {
  const options = resolveParameters('paper', learnerParameters, given);
  if (options.penaltyMaximum < options.penaltyStart)
    throw new ArgumentError(
      `paper: penaltyMaximum is ${options.penaltyMaximum}; it must be at least penaltyStart, ${options.penaltyStart}`,
    );
  return options;
}

/** The name of a method, with `paper`, `paper-wsl` and so on for what were `ours`, `ours-wsl` and so on before. */
export function currentName(name: string): string {
  return name.replace(/^ours(?=-|$)/, 'paper');
}
