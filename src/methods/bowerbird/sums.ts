/** What pictures of several kinds say of the means together: their sums by category, measured from the prior's means. */
import { type Backend, Matrix } from '../../linalg/index.js';
import type { NamedPictures } from './known.js';
import { addByLabel, copyOn, dotOf, weightedSum } from './vectors.js';
import type { Sums } from './web-pictures.js';
import type { WordPrior } from './words.js';

/** Sums of pictures of one kind, which lie at f_c μ_c + shift. */
export interface ShiftedSums extends Sums {
  readonly shift: Float64Array;
  /** f_c. @default 1 */
  readonly stretch?: Float64Array;
  /** What sums and totals count for. @default 1 */
  readonly weight?: number;
}

/**
 * Of each category Σ_kinds f_c (sum − total · shift) − precision · m_c, and the precision Σ_kinds f_c² total. The sums lie where
 * the backend computes; whoever asked for them gives them back.
 */
export function sumsAbout(backend: Backend, means: Matrix, kinds: readonly ShiftedSums[]): Sums {
  const precisions = new Float64Array(means.rows);
  const totals = Matrix.zeros(means.rows, kinds.length);
  const shifts = Matrix.from(kinds.map(({ shift }) => shift));
  for (const [k, { totals: own, stretch, weight = 1 }] of kinds.entries())
    for (let c = 0; c < means.rows; c++) {
      const factor = stretch?.[c] ?? 1;
      totals.set(c, k, -factor * weight * own[c]);
      precisions[c] += factor ** 2 * weight * own[c];
    }
  const result = copyOn(backend, means, 'float64');
  backend.scaleRows(
    result,
    precisions.map((precision) => -precision),
  );
  backend.gemm(result, totals, shifts, { beta: 1 });
  for (const { sums, stretch, weight = 1 } of kinds) {
    const own = sums.dtype === 'float64' && !stretch ? sums : copyOn(backend, sums, 'float64');
    if (stretch) backend.scaleRows(own, stretch);
    backend.axpby(result, weight, own, 1);
    if (own !== sums) backend.release(own);
  }
  return { sums: result, totals: precisions };
}

/** Those of the pictures that people named. */
export function sumsOfNamed({ rows, labels }: NamedPictures, categories: number, within: number): ShiftedSums {
  const sums = Matrix.zeros(categories, rows.cols);
  const totals = new Float64Array(categories);
  addByLabel(sums, totals, rows, labels, new Float64Array(labels.length).fill(1 / within));
  return { sums, totals, shift: new Float64Array(rows.cols) };
}

/** What the prior says of some categories together. */
export interface PriorSums {
  readonly categories: readonly number[];
  /** Sums of their covariances and of their means. */
  readonly covariance: number;
  readonly means: Float64Array;
}

export function priorSums(backend: Backend, prior: WordPrior, categories: readonly number[]): PriorSums {
  const chosen = new Float64Array(prior.means.rows);
  for (const c of categories) chosen[c] = 1;
  const along = new Float64Array(chosen.length);
  backend.gemv(along, prior.covariance, chosen);
  return { categories, covariance: dotOf(along, chosen), means: weightedSum(backend, prior.means, chosen) };
}
