/** Between ordinary memory and the backend's storage. */
import type { Backend } from '../linalg/index.js';
import { type Dtype, Matrix } from '../linalg/index.js';

/** A copy in the backend's storage. */
export function upload(backend: Backend, matrix: Matrix, dtype: Dtype): Matrix {
  const result = backend.matrix(matrix.rows, matrix.cols, dtype);
  backend.copy(result, matrix.dtype === dtype ? matrix : matrix.copy(dtype));
  return result;
}

/** A copy outside the backend's storage. */
export function download(backend: Backend, matrix: Matrix): Matrix<Float64Array> {
  const result = Matrix.zeros(matrix.rows, matrix.cols);
  backend.copy(result, matrix);
  return result;
}

/** Runs with matrices that are released when it ends, also by an error. */
export function lending<T>(
  backend: Backend,
  run: (lend: (rows: number, cols: number, dtype?: Dtype) => Matrix) => T,
): T {
  const lent: Matrix[] = [];
  try {
    return run((rows, cols, dtype = 'float64') => {
      const matrix: Matrix = backend.matrix(rows, cols, dtype);
      lent.push(matrix);
      return matrix;
    });
  } finally {
    for (const matrix of lent) backend.release(matrix);
  }
}
