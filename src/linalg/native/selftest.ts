/** A library is trusted only after it has computed small problems with known answers, in both precisions. */
import { Matrix, type RealArray } from '../matrix.js';
import type { NativeBackend } from './backend.js';

/** Throws an Error naming the first operation whose answer is wrong. */
export function selfTest(backend: NativeBackend): void {
  for (const dtype of ['float64', 'float32'] as const) {
    const matrix = (rows: number[][]) => Matrix.from(rows, dtype);
    const expect = (operation: string, got: RealArray, expected: number[]) => {
      if (expected.some((value, i) => !(Math.abs(got[i] - value) <= 1e-5 * (1 + Math.abs(value)))))
        throw new Error(`its ${operation} in ${dtype} gives ${[...got]}; the right answer is ${expected}`);
    };

    const a = matrix([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const b = matrix([
      [1, -1],
      [2, 0],
      [0, 3],
    ]);
    const product = Matrix.zeros(2, 2, dtype);
    backend.gemm(product, a, b);
    expect('matrix product', product.data, [5, 8, 14, 14]);
    backend.gemm(product, a, a, { transposeB: true, alpha: 2, beta: 1 });
    expect('transposed product', product.data, [33, 72, 78, 168]);
    const gram = Matrix.zeros(2, 2, dtype);
    backend.syrk(gram, a);
    expect('symmetric product', gram.data, [14, 32, 32, 77]);
    const vector = Matrix.zeros(1, 2, dtype).data;
    backend.gemv(vector, a, matrix([[1, 0, -1]]).data);
    expect('matrix-vector product', vector, [-2, -2]);
    const long = Matrix.zeros(1, 1000, dtype).fill(0.5);
    const dots = Matrix.zeros(1, 1, dtype).data;
    backend.rowDots(dots, long, long);
    expect('dot product', dots, [250]);

    // [[4, 2], [2, 5]] has the factor [[2, 0], [1, 2]]; its inverse times (8, 4) is (2, 0), times (4, 10) is (0, 2).
    const factor = matrix([
      [4, 99],
      [2, 5],
    ]);
    backend.cholesky(factor);
    expect('Cholesky factor', factor.data, [2, 99, 1, 2]);
    // The right sides are symmetric as a matrix, so that rows and columns have the same answer.
    for (const layout of ['rows', 'columns'] as const) {
      const solution = matrix([
        [8, 4],
        [4, 10],
      ]);
      backend.choleskySolve(factor, solution, layout);
      expect(`Cholesky solution by ${layout}`, solution.data, [2, 0, 0, 2]);
    }

    // [[2, 1], [1, 2]] has the eigenvalues 1 and 3, with eigenvectors (1, -1)/√2 and (1, 1)/√2.
    const vectors = matrix([
      [2, 99],
      [1, 2],
    ]);
    const values = Matrix.zeros(1, 2, dtype).data;
    backend.eigh(values, vectors);
    expect('eigenvalues', values, [1, 3]);
    expect('eigenvectors', vectors.data.map(Math.abs), Array(4).fill(Math.SQRT1_2));
  }
}
