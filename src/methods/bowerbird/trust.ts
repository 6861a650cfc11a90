/**
 * How far to believe each kind of semantic vectors: the weights α_b ≥ 0 of the kernels k_b, α_0 = 1 − Σ α_b ≥ 0 of no
 * kernel at all, under which the known means of the auxiliary categories are most likely. They are taken for Gaussian with
 * covariance s (Σ_b α_b k_b + α_0 I), s the best one for each α:
 *
 *   maximize  −log|Σ| − n log tr(Σ⁻¹ G),   G the products of the means
 *
 * for differences between categories (Q'ΣQ and Q'GQ, columns of Q orthonormal and orthogonal to 1): looks and vectors are
 * measured from their own means, which would otherwise seem to be something that vectors explain.
 *
 * One kind is a search along a line. With several each in turn gets more or less weight at the cost of all others, with
 * the best length of the step, until no kind gains anything.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { rowDots } from '../../numerics/index.js';
import { axpy } from './vectors.js';

/** α_0 does not fall below: kernels of fewer dimensions than categories have no inverse. */
const leastDoubt = 0.01;
const steps = 33;
const mostSweeps = 12;
/** Sweeps that gain less in the logarithm of the likelihood, per dimension of the looks, end the search. */
const rest = 1e-4;

/**
 * @param kernels of the known categories, ones on the diagonal
 * @param products G, of the means of the known categories
 * @returns α_b in the order of the kernels
 */
export function likeliestTrusts(
  backend: Backend,
  kernels: readonly Matrix<Float64Array>[],
  products: Matrix<Float64Array>,
): number[] {
  if (products.rows < 2) return kernels.map(() => 0);
  const contrasts = helmert(products.rows);
  const compared = kernels.map((kernel) => between(backend, contrasts, kernel));
  return climb(backend, compared, between(backend, contrasts, products));
}

function climb(backend: Backend, kernels: readonly Matrix<Float64Array>[], products: Matrix<Float64Array>): number[] {
  const singles = kernels.map((kernel) =>
    alongLine(backend, identity(kernel.rows), kernel, products, 0, 1 - leastDoubt),
  );
  const best = singles.reduce((a, b, k) => (b.gain > singles[a].gain ? k : a), 0);
  let trusts = kernels.map((_, k) => (k === best ? singles[k].step : 0));
  if (kernels.length === 1) return trusts;
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let gained = 0;
    for (const [k, kernel] of kernels.entries()) {
      const others = 1 - trusts.reduce((sum, value) => sum + value, 0);
      // Σ(t) = (1 − t) Σ + t k_b: from no weight of this kind to all but the least doubt.
      const [from, to] = [-trusts[k] / (1 - trusts[k]), 1 - leastDoubt / Math.max(others, leastDoubt)];
      const { step, gain } = alongLine(backend, mixture(kernels, trusts), kernel, products, from, Math.max(0, to));
      if (gain <= 0) continue;
      gained += gain;
      trusts = trusts.map((value, other) => Math.max(0, (1 - step) * value + (other === k ? step : 0)));
    }
    // More or less trust in all of them alike.
    const whole = mixture(kernels, trusts);
    const total = trusts.reduce((sum, value) => sum + value, 0);
    const least = total > 0 ? 1 - (1 - leastDoubt) / total : 0;
    const { step, gain } = alongLine(
      backend,
      whole,
      identity(whole.rows),
      products,
      Math.min(0, least),
      1 - leastDoubt,
    );
    if (gain > 0) {
      gained += gain;
      trusts = trusts.map((value) => (1 - step) * value);
    }
    if (gained < rest) break;
  }
  return trusts;
}

/** Σ_b α_b k_b + (1 − Σ α_b) I */
export function mixture(kernels: readonly Matrix<Float64Array>[], trusts: readonly number[]): Matrix<Float64Array> {
  const doubt = 1 - trusts.reduce((sum, value) => sum + value, 0);
  const result = Matrix.zeros(kernels[0].rows, kernels[0].cols);
  for (const [k, kernel] of kernels.entries())
    for (let c = 0; c < result.rows; c++) axpy(result.row(c), trusts[k], kernel.row(c));
  for (let c = 0; c < result.rows; c++) result.set(c, c, result.at(c, c) + doubt);
  return result;
}

/**
 * The best t of Σ(t) = (1 − t) Σ + t K on a grid. With Σ = L L' and L⁻¹ K L⁻ᵀ = U E U' the variances along L U are
 * 1 − t + t e_k, so that one decomposition serves all t.
 */
function alongLine(
  backend: Backend,
  start: Matrix<Float64Array>,
  towards: Matrix<Float64Array>,
  products: Matrix<Float64Array>,
  from: number,
  to: number,
): { step: number; gain: number } {
  const inverse = inverseFactor(backend, start);
  const vectors = between(backend, inverse, towards);
  const values = new Float64Array(vectors.rows);
  backend.eigh(values, vectors);
  const projected = Matrix.zeros(vectors.rows, vectors.rows);
  backend.gemm(projected, vectors, between(backend, inverse, products));
  const energy = rowDots(backend, projected, vectors);
  const likelihood = (t: number) => {
    const variances = values.map((value) => Math.max(1 - t + t * value, 1e-9));
    const scale = energy.reduce((sum, value, k) => sum + value / variances[k], 0) / energy.length;
    return -variances.reduce((sum, value) => sum + Math.log(scale * value), 0);
  };
  const now = likelihood(0);
  let best = { step: 0, gain: 0 };
  for (let k = 0; k <= steps; k++) {
    const step = from + ((to - from) * k) / steps;
    const gain = likelihood(step) - now;
    if (gain > best.gain) best = { step, gain };
  }
  return best;
}

/** L⁻ᵀ, Σ = L L'. */
function inverseFactor(backend: Backend, matrix: Matrix<Float64Array>): Matrix<Float64Array> {
  const factor = matrix.copy('float64');
  backend.cholesky(factor);
  // Σ⁻¹L = L⁻ᵀ.
  const inverse = Matrix.zeros(factor.rows, factor.rows);
  for (let i = 0; i < factor.rows; i++) inverse.row(i).set(factor.row(i).subarray(0, i + 1));
  backend.choleskySolve(factor, inverse, 'columns');
  return inverse;
}

/** A' K A */
function between(backend: Backend, outer: Matrix<Float64Array>, inner: Matrix<Float64Array>): Matrix<Float64Array> {
  const half = Matrix.zeros(inner.rows, outer.cols);
  backend.gemm(half, inner, outer);
  const result = Matrix.zeros(outer.cols, outer.cols);
  backend.gemm(result, outer, half, { transposeA: true });
  return result;
}

/** Orthonormal columns, n×(n − 1), orthogonal to 1. */
function helmert(count: number): Matrix<Float64Array> {
  const result = Matrix.zeros(count, count - 1);
  for (let k = 1; k < count; k++) {
    const scale = 1 / Math.sqrt(k * (k + 1));
    for (let c = 0; c < k; c++) result.set(c, k - 1, scale);
    result.set(k, k - 1, -k * scale);
  }
  return result;
}

function identity(count: number): Matrix<Float64Array> {
  const result = Matrix.zeros(count, count);
  for (let c = 0; c < count; c++) result.set(c, c, 1);
  return result;
}
