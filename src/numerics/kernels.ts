/**
 * The Gaussian kernel k(x, y) = exp(−‖x − y‖²/(2σ²)) between two sets of instances, with the median distance between
 * them as a width σ that suits any scale of features.
 */
import type { Matrix } from '../linalg/index.js';

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
