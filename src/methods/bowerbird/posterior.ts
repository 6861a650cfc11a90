/** How far means vary about each other once pictures are known. */
import { type Backend, Matrix } from '../../linalg/index.js';
import { roomOn } from '../../numerics/index.js';

export interface Posterior {
  /** Where the backend computes; whoever asked for it gives it back. */
  readonly covariance: Matrix;
  /** Its diagonal. */
  readonly variances: Float64Array;
}

/**
 * ((λC)⁻¹ + P)⁻¹ = λ (C − V'V), V = L⁻¹ R C, with R = diag(√(λ p)), P = diag(p) and I + R C R = L L': never divides by a
 * precision.
 */
export function posteriorCovariance(
  backend: Backend,
  prior: Matrix,
  between: number,
  precisions: Float64Array,
): Posterior {
  const count = precisions.length;
  const roots = precisions.map((precision) => Math.sqrt(between * precision));
  const copyOf = (matrix: Matrix) => {
    const copy = roomOn(backend, count, count, 'float64');
    backend.copy(copy, matrix);
    return copy;
  };
  const scaled = copyOf(prior);
  backend.scaleRows(scaled, roots);
  const system = copyOf(scaled);
  backend.scaleColumns(system, roots);
  backend.addDiagonal(system, 1);
  backend.cholesky(system);
  backend.choleskySolve(system, scaled, 'columns', 'half');
  backend.release(system);
  const covariance = copyOf(prior);
  backend.syrk(covariance, scaled, { transpose: true, alpha: -between, beta: between });
  backend.release(scaled);
  return { covariance, variances: diagonalOf(backend, covariance) };
}

const factors = new WeakMap<Matrix, Matrix>();

/** L of a prior covariance C = L L', a little of its diagonal added; found once. */
export function priorFactor(backend: Backend, prior: Matrix): Matrix {
  const known = factors.get(prior);
  if (known) return known;
  const factor = roomOn(backend, prior.rows, prior.cols, 'float64');
  backend.copy(factor, prior);
  backend.addDiagonal(factor, 1e-9);
  backend.cholesky(factor);
  factors.set(prior, factor);
  return factor;
}

function diagonalOf(backend: Backend, matrix: Matrix): Float64Array {
  const n = matrix.rows;
  const found = Matrix.zeros(n, 1);
  if (n > 0) backend.copy(found, matrix.reshaped(n * n, 1).everyRow(0, n + 1));
  return found.data;
}
