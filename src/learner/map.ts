/** The inductive map: pictures that were not part of the fit get a = (D'D + ridge I)⁻¹ D'x. */
import { ArgumentError } from '../errors.js';
import type { Backend } from '../linalg/backend.js';
import type { Matrix } from '../linalg/matrix.js';

/** n×m semantic vectors of n×d features, given D (d×m). */
export function mapFeatures(
  backend: Backend,
  dictionary: Matrix,
  ridge: number,
  features: Matrix,
): Matrix<Float64Array> {
  if (features.cols !== dictionary.rows)
    throw new ArgumentError(
      `the features have ${features.cols} dimensions, the model was learnt with ${dictionary.rows}`,
      'Use features of the same model and layer as in the fit.',
    );
  const m = dictionary.cols;
  const system = backend.matrix(m, m);
  backend.syrk(system, dictionary, { transpose: true });
  for (let j = 0; j < m; j++) system.data[j * system.stride + j] += ridge;
  backend.cholesky(system);
  const source = features.dtype === 'float64' ? features : features.copy('float64');
  const result = backend.matrix(features.rows, m);
  backend.gemm(result, source, dictionary);
  backend.choleskySolve(system, result, 'rows');
  const copy = result.copy('float64');
  backend.release(system);
  backend.release(result);
  return copy;
}
