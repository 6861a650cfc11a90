/**
 * The last step of DAP and IAP (Lampert, Nickisch and Harmeling, TPAMI 2014): from the chances p(a_k | x) of binary
 * attributes to categories, log p(c | x) = Σ_k log p(a_k = a_k^c | x) − Σ_k log p(a_k = a_k^c) + constant. The prior p(a_k) is the
 * attribute's share among auxiliary categories (`empirical`) or ½ (`flat`). Real-valued vectors are binarized at the mean
 * of each dimension over the auxiliary categories.
 */
import { ProblemError } from '../../errors.js';
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { columnMeans } from '../../numerics/index.js';
import { choice } from '../../parameters.js';

export const lampert2014 =
  'Lampert, Nickisch and Harmeling, Attribute-based classification for zero-shot visual object categorization, TPAMI 2014';

const priors = ['empirical', 'flat'] as const;
export type AttributePrior = (typeof priors)[number];

export const priorParameter = choice(
  'chance of an attribute before the picture is seen',
  'empirical',
  priors,
  'searched',
);

export interface BinaryAttributes {
  /** Auxiliary categories × attributes, 0 or 1. */
  readonly learnt: Matrix<Float64Array>;
  /** Candidates × attributes. */
  readonly candidates: Matrix<Float64Array>;
  /** Share of the auxiliary categories that have the attribute, strictly between 0 and 1. */
  readonly shares: Float64Array;
}

/** Attributes that all auxiliary categories share teach nothing and are left out. */
export function binaryAttributes(classVectors: Matrix, candidates: Matrix): BinaryAttributes {
  const mean = columnMeans(classVectors);
  const varies = [...mean.keys()].filter((k) => {
    let above = 0;
    for (let c = 0; c < classVectors.rows; c++) if (classVectors.at(c, k) > mean[k]) above++;
    return above > 0 && above < classVectors.rows;
  });
  if (varies.length === 0)
    throw new ProblemError(
      'aux_semantics',
      undefined,
      'all auxiliary categories have the same vector, so there is no attribute to learn',
      'Give the categories vectors of their own.',
    );
  const binarize = (vectors: Matrix) => {
    const result = Matrix.zeros(vectors.rows, varies.length);
    for (let c = 0; c < vectors.rows; c++)
      varies.forEach((k, column) => {
        result.set(c, column, vectors.at(c, k) > mean[k] ? 1 : 0);
      });
    return result;
  };
  const learnt = binarize(classVectors);
  return { learnt, candidates: binarize(candidates), shares: columnMeans(learnt) };
}

/** n×C values of log p(c | x) without the constant, from n×K chances of attributes, which are overwritten. */
export function attributeDecisions(
  backend: Backend,
  chances: Matrix<Float64Array>,
  { candidates, shares }: BinaryAttributes,
  prior: AttributePrior,
): Matrix<Float64Array> {
  // log p(a = a^c) = Σ_k log(1 − p_k) + Σ_k a_k^c log(p_k/(1 − p_k)), and the first sum is the same for every category.
  const priorOdds = shares.map((share) => (prior === 'flat' ? 0 : logOdds(share)));
  for (let i = 0; i < chances.rows; i++) {
    const odds = chances.row(i);
    for (let k = 0; k < odds.length; k++) odds[k] = logOdds(odds[k]) - priorOdds[k];
  }
  const result = Matrix.zeros(chances.rows, candidates.rows);
  backend.gemm(result, chances, candidates, { transposeB: true });
  return result;
}

/** Kept away from certainty, which no finite number of pictures gives. */
function logOdds(p: number): number {
  const safe = Math.min(1 - 1e-6, Math.max(1e-6, p));
  return Math.log(safe / (1 - safe));
}
