/**
 * What the words say of a category's looks, and how far to believe them. The means of categories are taken to vary
 * together as their semantic vectors do: Cov(μ_c, μ_c') = λ (α k(c, c') + (1 − α) [c = c']), k the cosine of the centred
 * vectors, λ the variance between categories. The trust α is the one under which the means of the auxiliary categories,
 * which are known, are most likely. Conditioned on them, the means of the test categories have an expectation (a
 * weighted sum of auxiliary means) and a covariance; words that explain nothing get α = 0 and say nothing.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { columnMeans, rowDots, times, timesTransposed, toUnitLength } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import { rowsWhere, selectRows, stackRows } from '../../problem/index.js';

/** Known categories, in the whitened space. */
export interface KnownCategories {
  /** Measured from the mean of the auxiliary pictures, Ca×d. */
  readonly means: Matrix<Float64Array>;
  readonly counts: Float64Array;
  /** Variance of a picture about its category's mean, and of a category's mean about all, per dimension. */
  readonly within: number;
  readonly between: number;
}

export interface WordPrior {
  /** α */
  readonly trust: number;
  /** Expected means of the test categories, Ct×d. */
  readonly means: Matrix<Float64Array>;
  /** Ct×Ct, in units of the variance between categories. */
  readonly covariance: Matrix<Float64Array>;
}

export function wordPrior(
  backend: Backend,
  { means: knownMeans, counts, within, between }: KnownCategories,
  problem: Problem,
  trust?: number,
): WordPrior {
  const known = problem.auxiliarySemantics.rows;
  const kernel = cosines(backend, problem);
  const alpha = trust ?? mostLikelyTrust(backend, kernel.view(0, known, 0, known), knownMeans);
  for (let c = 0; c < kernel.rows; c++) {
    const row = kernel.row(c);
    for (let k = 0; k < row.length; k++) row[k] *= alpha;
    row[c] += 1 - alpha;
  }
  // Means of few pictures are known less well.
  const system = kernel.view(0, known, 0, known).copy('float64');
  for (let c = 0; c < known; c++) {
    const noise = within / (counts[c] * between);
    system.set(c, c, system.at(c, c) + noise);
  }
  backend.cholesky(system);
  const across = kernel.view(known, kernel.rows, 0, known).copy('float64');
  const weights = across.copy('float64');
  backend.choleskySolve(system, weights, 'rows');
  const means = times(backend, weights, knownMeans);
  const covariance = kernel.view(known, kernel.rows, known, kernel.rows).copy('float64');
  backend.gemm(covariance, weights, across, { transposeB: true, alpha: -1, beta: 1 });
  return { trust: alpha, means, covariance };
}

/**
 * Cosines of the semantic vectors less the mean of the auxiliary ones; auxiliary categories first. A vector of zeros is
 * none: its category is like no other.
 */
function cosines(backend: Backend, { auxiliarySemantics, testSemantics }: Problem): Matrix<Float64Array> {
  const vectors = stackRows(auxiliarySemantics, testSemantics).copy('float64');
  const present = rowsWhere(vectors.rows, (c) => vectors.row(c).some((value) => value !== 0));
  const mean = columnMeans(
    selectRows(
      vectors,
      present.filter((c) => c < auxiliarySemantics.rows),
    ),
  );
  for (const c of present) {
    const row = vectors.row(c);
    for (let j = 0; j < row.length; j++) row[j] -= mean[j];
    toUnitLength(row);
  }
  const kernel = timesTransposed(backend, vectors, vectors);
  for (let c = 0; c < kernel.rows; c++) kernel.set(c, c, 1);
  return kernel;
}

/**
 * Maximizes the likelihood of the means over a grid of α, the overall variance being the best one for each α. In the
 * eigenvectors u_k of the cosines the means are independent with variances α e_k + 1 − α.
 */
function mostLikelyTrust(backend: Backend, kernel: Matrix<Float64Array>, means: Matrix<Float64Array>): number {
  const vectors = kernel.copy('float64');
  const values = new Float64Array(vectors.rows);
  backend.eigh(values, vectors);
  const products = timesTransposed(backend, means, means);
  const projected = Matrix.zeros(vectors.rows, vectors.rows);
  backend.gemm(projected, vectors, products);
  const energy = rowDots(backend, projected, vectors).map((value) => value / means.cols);
  let best = { trust: 0, likelihood: Number.NEGATIVE_INFINITY };
  for (let step = 0; step <= 33; step++) {
    const trust = 0.03 * step;
    const variances = values.map((value) => Math.max(trust * value + 1 - trust, 1e-9));
    const scale = energy.reduce((sum, value, k) => sum + value / variances[k], 0) / energy.length;
    const likelihood = -variances.reduce((sum, value) => sum + Math.log(scale * value), 0);
    if (likelihood > best.likelihood) best = { trust, likelihood };
  }
  return best.trust;
}
