/** Squared distances between two sets of vectors, ‖a‖² − 2a'b + ‖b‖². */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';

/** ‖row‖² of every row. */
export function squaredLengths(matrix: Matrix): Float64Array {
  const result = new Float64Array(matrix.rows);
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++) result[i] += row[j] * row[j];
  }
  return result;
}

/** Entry (i, k): ‖aᵢ − b_k‖², never below 0. */
export function squaredDistances(backend: Backend, first: Matrix, second: Matrix): Matrix<Float64Array> {
  const [a, b] = [first, second].map((matrix) => (matrix.dtype === 'float64' ? matrix : matrix.copy('float64')));
  const result = Matrix.zeros(a.rows, b.rows);
  backend.gemm(result, a, b, { transposeB: true, alpha: -2 });
  const [own, other] = [squaredLengths(a), squaredLengths(b)];
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let k = 0; k < row.length; k++) row[k] = Math.max(0, row[k] + own[i] + other[k]);
  }
  return result;
}
