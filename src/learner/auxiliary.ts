/**
 * Stage 1: the auxiliary dictionary Da = Xa Aa' (Aa Aa' + I)⁻¹. Only the class sums of the auxiliary features and the
 * class counts enter, so one pass over the features is enough.
 */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';

export interface ClassSums {
  /** C×d, always accumulated in float64. */
  sums: Matrix<Float64Array>;
  counts: Float64Array;
}

export function classSums(features: Matrix, labels: Int32Array, classes: number): ClassSums {
  const sums = Matrix.zeros(classes, features.cols);
  const counts = new Float64Array(classes);
  for (let i = 0; i < features.rows; i++) {
    const row = features.row(i);
    const sum = sums.row(labels[i]);
    for (let j = 0; j < row.length; j++) sum[j] += row[j];
    counts[labels[i]]++;
  }
  return { sums, counts };
}

/** Da (d×r, float64) from class sums and the C×r semantic vectors in the coordinates the learner runs in. */
export function auxiliaryDictionary(backend: Backend, { sums, counts }: ClassSums, semantics: Matrix): Matrix {
  const rank = semantics.cols;
  const weighted = backend.matrix(semantics.rows, rank);
  backend.copy(weighted, semantics);
  backend.scaleRows(weighted, counts);
  const system = backend.matrix(rank, rank);
  backend.gemm(system, weighted, semantics, { transposeA: true });
  backend.addDiagonal(system, 1);
  const dictionary = backend.matrix(sums.cols, rank);
  backend.gemm(dictionary, sums, semantics, { transposeA: true });
  backend.cholesky(system);
  backend.choleskySolve(system, dictionary, 'rows');
  backend.release(weighted);
  backend.release(system);
  return dictionary;
}
