/**
 * Coordinates in the span of some vectors (rows): B being an orthonormal basis of it, S becomes SB, which keeps every inner
 * product, and another vector t becomes B't, its part within the span.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { mainDirections, timesTransposed } from '../../numerics/index.js';

export function spanCoordinates(
  backend: Backend,
  vectors: Matrix<Float64Array>,
  others: Matrix<Float64Array>,
): { learnt: Matrix<Float64Array>; others: Matrix<Float64Array> } {
  const { directions } = mainDirections(backend, vectors);
  // Vectors without length span nothing; one coordinate, zero for all, keeps the shapes of what follows.
  const basis = directions.rows > 0 ? directions : Matrix.zeros(1, vectors.cols);
  return { learnt: timesTransposed(backend, vectors, basis), others: timesTransposed(backend, others, basis) };
}
