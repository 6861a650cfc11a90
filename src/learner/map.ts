/** The inductive map: pictures that were not part of the fit get a = (D'D + ridge I)⁻¹ D'x, one product with a matrix. */
import { ArgumentError } from '../errors.js';
import type { Backend, Matrix } from '../linalg/index.js';

/** D (D'D + ridge I)⁻¹, d×r, in the storage of the backend; the caller releases it. */
export function inductiveMap(backend: Backend, dictionary: Matrix, ridge: number): Matrix {
  const rank = dictionary.cols;
  const system = backend.matrix(rank, rank, dictionary.dtype);
  try {
    backend.syrk(system, dictionary, { transpose: true });
    backend.addDiagonal(system, ridge);
    backend.cholesky(system);
    const map = backend.matrix(dictionary.rows, rank, dictionary.dtype);
    backend.copy(map, dictionary);
    backend.choleskySolve(system, map, 'rows');
    return map;
  } finally {
    backend.release(system);
  }
}

/** n×m semantic vectors of n×d features. */
export function mapFeatures(backend: Backend, map: Matrix, features: Matrix): Matrix<Float64Array> {
  if (features.cols !== map.rows)
    throw new ArgumentError(
      `the features have ${features.cols} dimensions, the model was learnt with ${map.rows}`,
      'Use features of the same vision model and layer as in the fit.',
    );
  const result = backend.matrix(features.rows, map.cols);
  backend.gemm(result, features.dtype === 'float64' ? features : features.copy('float64'), map);
  const copy = result.copy('float64');
  backend.release(result);
  return copy;
}
