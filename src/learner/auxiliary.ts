/**
 * Stage 1: the auxiliary dictionary Da = Xa Aa' (Aa Aa' + I)⁻¹. Only the class sums of the auxiliary features and the
 * class counts enter, so one pass over the features is enough.
 */
import type { Backend } from '../linalg/backend.js';
import { Matrix } from '../linalg/matrix.js';

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

/** Da (d×r) from class sums and the C×r semantic vectors (already in the coordinates the learner runs in). */
export function auxiliaryDictionary(backend: Backend, { sums, counts }: ClassSums, semantics: Matrix): Matrix {
  const dtype = semantics.dtype;
  const rank = semantics.cols;
  const weighted = backend.matrix(semantics.rows, rank, dtype);
  backend.copy(weighted, semantics);
  backend.scaleRows(weighted, dtype === 'float64' ? counts : Float32Array.from(counts));
  const system = backend.matrix(rank, rank, dtype);
  backend.gemm(system, weighted, semantics, { transposeA: true });
  backend.addDiagonal(system, 1);
  const dictionary = backend.matrix(sums.cols, rank, dtype);
  const sumsHere = backend.matrix(sums.rows, sums.cols, dtype);
  sumsHere.copyFrom(sums);
  backend.gemm(dictionary, sumsHere, semantics, { transposeA: true });
  backend.cholesky(system);
  backend.choleskySolve(system, dictionary, 'rows');
  for (const scratch of [weighted, system, sumsHere]) backend.release(scratch);
  return dictionary;
}
