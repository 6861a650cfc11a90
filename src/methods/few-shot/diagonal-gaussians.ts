/** Gaussian categories with diagonal covariances: densities of many pictures by two products, and weighted moments. */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { columnSums, memberSums } from './cosines.js';

/** Pictures and the squares of their entries, both n×d. */
export interface WithSquares {
  readonly points: Matrix<Float64Array>;
  readonly squares: Matrix<Float64Array>;
}

export function withSquares(points: Matrix<Float64Array>): WithSquares {
  const squares = points.copy('float64');
  for (let k = 0; k < squares.data.length; k++) squares.data[k] *= squares.data[k];
  return { points, squares };
}

export interface DiagonalGaussians {
  /** μ, K×d. */
  readonly means: Matrix<Float64Array>;
  /** σ², K×d. */
  readonly variances: Matrix<Float64Array>;
}

/** log N(xᵢ; μ_k, diag σ²_k) without −d/2 log 2π, n×K. */
export function logDensities(
  backend: Backend,
  { means, variances }: DiagonalGaussians,
  { points, squares }: WithSquares,
): Matrix<Float64Array> {
  const inverse = variances.copy('float64');
  const scaledMeans = means.copy('float64');
  const constants = new Float64Array(means.rows);
  for (let k = 0; k < means.rows; k++) {
    const [precision, scaled, mean] = [inverse.row(k), scaledMeans.row(k), means.row(k)];
    for (let j = 0; j < mean.length; j++) {
      constants[k] -= (Math.log(precision[j]) + mean[j] ** 2 / precision[j]) / 2;
      precision[j] = 1 / precision[j];
      scaled[j] *= precision[j];
    }
  }
  const result = Matrix.zeros(points.rows, means.rows);
  backend.gemm(result, points, scaledMeans, { transposeB: true });
  backend.gemm(result, squares, inverse, { transposeB: true, alpha: -0.5, beta: 1 });
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let k = 0; k < row.length; k++) row[k] += constants[k];
  }
  return result;
}

/** Σᵢ u_ik, Σᵢ u_ik xᵢ and Σᵢ u_ik xᵢ² of every category. */
export interface Moments {
  readonly masses: Float64Array;
  readonly sums: Matrix<Float64Array>;
  readonly squareSums: Matrix<Float64Array>;
}

/** With every picture counting `factor` times. */
export function moments(
  backend: Backend,
  memberships: Matrix<Float64Array>,
  { points, squares }: WithSquares,
  factor = 1,
): Moments {
  const [sums, squareSums] = [memberSums(backend, memberships, points), memberSums(backend, memberships, squares)];
  for (let k = 0; k < sums.data.length; k++) {
    sums.data[k] *= factor;
    squareSums.data[k] *= factor;
  }
  return { masses: columnSums(memberships).map((mass) => factor * mass), sums, squareSums };
}
