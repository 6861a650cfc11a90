/**
 * Ridge regression, min over W and b of Σᵢ sᵢ ‖W xᵢ + b − yᵢ‖² + ridge ‖W‖², in closed form. The intercept drops out
 * when features and targets are centred at their weighted means; with X̃ = S^½ (X − μ) and Ỹ likewise,
 * W' = (X̃'X̃ + ridge I)⁻¹ X̃'Ỹ = X̃'(X̃X̃' + ridge I)⁻¹ Ỹ, and the smaller of the two systems is solved.
 */
import { ArgumentError, NotPositiveDefiniteError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import type { LinearModel } from './linear-model.js';
import { Scratch } from './scratch.js';

export interface RidgeOptions {
  /** The penalty on ‖W‖², above 0. */
  ridge: number;
  /** sᵢ ≥ 0, one per instance, not all zero. @default all 1 */
  instanceWeights?: ArrayLike<number>;
  /** Learn b; otherwise it is 0. @default true */
  intercept?: boolean;
}

/**
 * Features n×d and targets n×C (see `labelTargets`), both left as they are.
 *
 * @example
 * const model = ridgeRegression(backend, problem.webFeatures, labelTargets(problem.webLabels, 50), { ridge: 1 });
 * const values = linearDecisions(backend, model, problem.testFeatures);
 */
export function ridgeRegression(
  backend: Backend,
  features: Matrix,
  targets: Matrix,
  { ridge, instanceWeights, intercept = true }: RidgeOptions,
): LinearModel {
  if (!(ridge > 0 && Number.isFinite(ridge)))
    throw new ArgumentError(`ridgeRegression: ridge is ${ridge}; it must be a number above 0`);
  if (features.rows !== targets.rows)
    throw new ArgumentError(`ridgeRegression: ${features.rows} rows of features, ${targets.rows} rows of targets`);
  const roots = rootWeights(instanceWeights, features.rows);
  const scratch = new Scratch(backend);
  try {
    const x = scratch.copy(features);
    const y = scratch.copy(targets);
    const featureMean = intercept ? subtractWeightedMean(x, roots) : new Float64Array(x.cols);
    const targetMean = intercept ? subtractWeightedMean(y, roots) : new Float64Array(y.cols);
    backend.scaleRows(x, roots);
    backend.scaleRows(y, roots);
    const weights = Matrix.zeros(y.cols, x.cols).copyFrom(solve(backend, scratch, x, y, ridge));
    const intercepts = new Float64Array(y.cols);
    backend.gemv(intercepts, weights, featureMean, { alpha: -1 });
    for (let c = 0; c < intercepts.length; c++) intercepts[c] += targetMean[c];
    return { weights, intercepts };
  } finally {
    scratch.release();
  }
}

/** W, C×d, of the centred and weighted problem. */
function solve(backend: Backend, scratch: Scratch, x: Matrix, y: Matrix, ridge: number): Matrix {
  const primal = x.cols <= x.rows;
  const order = primal ? x.cols : x.rows;
  const system = scratch.matrix(order, order);
  backend.syrk(system, x, { transpose: primal });
  backend.addDiagonal(system, ridge);
  try {
    backend.cholesky(system);
  } catch (error) {
    if (!(error instanceof NotPositiveDefiniteError)) throw error;
    throw new ArgumentError(
      `ridgeRegression: ridge ${ridge} is too small for these features: the system is singular to rounding`,
      'Use a larger ridge.',
    );
  }
  const weights = scratch.matrix(y.cols, x.cols);
  if (primal) {
    backend.gemm(weights, y, x, { transposeA: true });
    backend.choleskySolve(system, weights, 'rows');
  } else {
    backend.choleskySolve(system, y, 'columns');
    backend.gemm(weights, y, x, { transposeA: true });
  }
  return weights;
}

function rootWeights(weights: ArrayLike<number> | undefined, count: number): Float64Array {
  const roots = new Float64Array(count).fill(1);
  if (!weights) return roots;
  if (weights.length !== count)
    throw new ArgumentError(`ridgeRegression: ${weights.length} instance weights for ${count} instances`);
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (!(weights[i] >= 0 && Number.isFinite(weights[i])))
      throw new ArgumentError(
        `ridgeRegression: instance weight ${i} is ${weights[i]}; it must be a number of at least 0`,
      );
    total += weights[i];
    roots[i] = Math.sqrt(weights[i]);
  }
  if (count > 0 && !(total > 0)) throw new ArgumentError('ridgeRegression: all instance weights are 0');
  return roots;
}

/** Subtracts Σ sᵢ rowᵢ / Σ sᵢ from every row and returns it. */
function subtractWeightedMean(matrix: Matrix, roots: Float64Array): Float64Array {
  const mean = new Float64Array(matrix.cols);
  let total = 0;
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    const weight = roots[i] * roots[i];
    total += weight;
    for (let j = 0; j < row.length; j++) mean[j] += weight * row[j];
  }
  if (total > 0) for (let j = 0; j < mean.length; j++) mean[j] /= total;
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++) row[j] -= mean[j];
  }
  return mean;
}
