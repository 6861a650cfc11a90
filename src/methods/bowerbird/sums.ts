/** What pictures of several kinds say of the means together: their sums by category, measured from the prior's means. */
import { type Backend, Matrix, type RealArray } from '../../linalg/index.js';
import type { NamedPictures } from './known.js';
import { addByLabel, axpy, dotOf } from './vectors.js';
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

/** Of each category Σ_kinds f_c (sum − total · shift) − precision · m_c, and the precision Σ_kinds f_c² total, in one pass. */
export function sumsAbout(means: Matrix<Float64Array>, kinds: readonly ShiftedSums[]): Sums {
  const result = Matrix.zeros(means.rows, means.cols);
  const precisions = new Float64Array(means.rows);
  for (let c = 0; c < means.rows; c++) {
    const row = result.row(c);
    for (const { sums, totals, shift, stretch, weight = 1 } of kinds) {
      const factor = stretch?.[c] ?? 1;
      const total = weight * totals[c];
      addShifted(row, sums.row(c), factor * weight, -factor * total, shift);
      precisions[c] += factor ** 2 * total;
    }
    axpy(row, -precisions[c], means.row(c));
  }
  return { sums: result, totals: precisions };
}

/** target ← target + factor · source + other · shift */
function addShifted(target: Float64Array, source: RealArray, factor: number, other: number, shift: Float64Array): void {
  for (let j = 0; j < target.length; j++) target[j] = target[j] + factor * source[j] + other * shift[j];
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
  const means = new Float64Array(prior.means.cols);
  const chosen = new Float64Array(prior.means.rows);
  for (const c of categories) {
    axpy(means, 1, prior.means.row(c));
    chosen[c] = 1;
  }
  const along = new Float64Array(chosen.length);
  backend.gemv(along, prior.covariance, chosen);
  return { categories, covariance: dotOf(along, chosen), means };
}
