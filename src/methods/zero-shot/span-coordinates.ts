/**
 * Coordinates in the span of some vectors: with SS' = QΛQ' (rows are vectors), B = S'QΛ^-½ is an orthonormal basis of
 * their span; S becomes SB = QΛ^½ and another vector t becomes B't, its part within the span.
 */
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';

export function spanCoordinates(
  backend: Backend,
  vectors: Matrix<Float64Array>,
  others: Matrix<Float64Array>,
): { learnt: Matrix<Float64Array>; others: Matrix<Float64Array> } {
  const count = vectors.rows;
  const gram = Matrix.zeros(count, count);
  const eigenvalues = new Float64Array(count);
  backend.syrk(gram, vectors);
  backend.eigh(eigenvalues, gram);
  // Ascending eigenvalues: the rank is what lies clearly above rounding.
  const first = eigenvalues.findIndex((value) => value > 1e-9 * eigenvalues[count - 1]);
  const kept = first < 0 ? gram.view(count - 1, count) : gram.view(first, count);
  const roots = eigenvalues.subarray(count - kept.rows).map((value) => Math.sqrt(Math.max(value, Number.MIN_VALUE)));

  const learnt = Matrix.zeros(count, kept.rows);
  for (let c = 0; c < count; c++) for (let k = 0; k < kept.rows; k++) learnt.set(c, k, kept.at(k, c) * roots[k]);
  const products = Matrix.zeros(others.rows, count);
  backend.gemm(products, others, vectors, { transposeB: true });
  const coordinates = Matrix.zeros(others.rows, kept.rows);
  backend.gemm(coordinates, products, kept, { transposeB: true });
  for (let c = 0; c < others.rows; c++) {
    const row = coordinates.row(c);
    for (let k = 0; k < row.length; k++) row[k] /= roots[k];
  }
  return { learnt, others: coordinates };
}
