/** Parameters of the paper's learner, their defaults, and the special cases of its Table I. */
import { ArgumentError } from '../errors.js';
import type { Dtype } from '../linalg/matrix.js';

export interface LearnerOptions {
  /** Closeness of the dictionary to the auxiliary one, λ1. @default 0.001 */
  lambda1: number;
  /** Weight of the nuclear norm of the test images' semantic vectors, λ2. @default 10 */
  lambda2: number;
  /** Weight of the mean discrepancy between weighted web images and test images, λ3. @default 0.001 */
  lambda3: number;
  /** Weight of the column-sparse error of web images, λ4. @default 0.1 */
  lambda4: number;
  /** Upper bound of an importance weight, b. @default 2.5 */
  bound: number;
  /** Weight of the text term, γ; 0 leaves text out. @default 0 */
  gamma: number;
  /** Run in the span of the semantic vectors, or in all m dimensions as printed in the paper. @default 'span' */
  space: 'span' | 'full';
  /** Distance of the nearest-neighbour decision. @default 'euclidean' */
  metric: 'euclidean' | 'cosine';
  /** How the importance weights are found; both reach the same answer. @default 'projected-gradient' */
  thetaSolver: 'projected-gradient' | 'smo';
  /** Precision of the features; what is learnt from them is always float64. @default 'float64' */
  dtype: Dtype;
  /** Iterations after which the fit stops without having converged. @default 1000 */
  maxIterations: number;
  /** ν: largest entry of either residual at which the fit has converged. @default 1e-5 */
  tolerance: number;
  /** μ at the first iteration. @default 0.1 */
  penaltyStart: number;
  /** ρ: μ grows by the factor 1 + ρ. @default 0.1 */
  penaltyGrowth: number;
  /** @default 1e6 */
  penaltyMaximum: number;
  /** Use web images at all; off for the zero-shot special case. @default true */
  useWeb: boolean;
}

export const learnerDefaults: Readonly<LearnerOptions> = {
  lambda1: 0.001,
  lambda2: 10,
  lambda3: 0.001,
  lambda4: 0.1,
  bound: 2.5,
  gamma: 0,
  space: 'span',
  metric: 'euclidean',
  thetaSolver: 'projected-gradient',
  dtype: 'float64',
  maxIterations: 1000,
  tolerance: 1e-5,
  penaltyStart: 0.1,
  penaltyGrowth: 0.1,
  penaltyMaximum: 1e6,
  useWeb: true,
};

/** What each special case fixes. `combo` averages the semantic vectors of `ours-wsl` and `ours-zsl`. */
export const specialCases = {
  ours: {},
  'ours-wsl': { lambda1: 0 },
  'ours-zsl': { lambda3: 0, lambda4: 0, gamma: 0, useWeb: false },
  'ours-sim1': { lambda2: 0 },
  'ours-sim2': { lambda3: 0 },
} as const satisfies Record<string, Partial<LearnerOptions>>;

export type SpecialCase = keyof typeof specialCases;

/** Fills in defaults and checks ranges. */
export function resolveOptions(given: Partial<LearnerOptions>): LearnerOptions {
  for (const key of Object.keys(given))
    if (!(key in learnerDefaults)) throw new ArgumentError(`unknown learner option "${key}"`);
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: LearnerOptions = { ...learnerDefaults, ...defined };
  for (const key of ['lambda1', 'lambda2', 'lambda3', 'lambda4', 'gamma'] as const) requireNumber(options, key, 0);
  requireNumber(options, 'bound', 1, 'weights average 1, so their upper bound cannot be smaller');
  requireNumber(options, 'tolerance', Number.MIN_VALUE);
  requireNumber(options, 'penaltyStart', Number.MIN_VALUE);
  requireNumber(options, 'penaltyGrowth', 0);
  requireNumber(options, 'penaltyMaximum', options.penaltyStart);
  requireNumber(options, 'maxIterations', 1);
  return options;
}

function requireNumber(options: LearnerOptions, key: keyof LearnerOptions, minimum: number, why?: string): void {
  const value = options[key];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < minimum)
    throw new ArgumentError(
      `${key} is ${String(value)}; it must be a number of at least ${minimum}${why ? `: ${why}` : ''}`,
    );
}
