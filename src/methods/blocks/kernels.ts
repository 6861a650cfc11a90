/**
 * The Gaussian kernel k(x, y) = exp(−‖x − y‖²/(2σ²)) between two sets of instances, with the median distance between
 * them as a width σ that suits any scale of features.
 */
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { Workspace } from './workspace.js';

/** ‖xᵢ − yⱼ‖², n×m. */
export function squaredDistances(backend: Backend, first: Matrix, second: Matrix): Matrix<Float64Array> {
  const workspace = new Workspace(backend);
  try {
    const [x, y] = [workspace.copy(first), workspace.copy(second)];
    const [ownX, ownY] = [new Float64Array(x.rows), new Float64Array(y.rows)];
    backend.rowDots(ownX, x, x);
    backend.rowDots(ownY, y, y);
    const products = workspace.matrix(x.rows, y.rows);
    backend.gemm(products, x, y, { transposeB: true });
    const distances = Matrix.zeros(x.rows, y.rows);
    for (let i = 0; i < x.rows; i++) {
      const [row, out] = [products.row(i), distances.row(i)];
      for (let j = 0; j < out.length; j++) out[j] = Math.max(0, ownX[i] + ownY[j] - 2 * row[j]);
    }
    return distances;
  } finally {
    workspace.release();
  }
}

/** The median of the distances whose squares are given; 1 where most instances coincide. */
export function medianWidth(squares: Matrix<Float64Array>): number {
  const sorted = squares.copy('float64').data.sort();
  return Math.sqrt(sorted[sorted.length >> 1]) || 1;
}

/** Squared distances become kernel values, in place. */
export function gaussianKernel(squares: Matrix<Float64Array>, width: number): Matrix<Float64Array> {
  const factor = -1 / (2 * width * width);
  for (let k = 0; k < squares.data.length; k++) squares.data[k] = Math.exp(factor * squares.data[k]);
  return squares;
}
