/**
 * Ridge regression from category vectors to pictures, min over D of Σ_c Σ_{pictures of c} ‖x − D s_c‖² + decay ‖D‖².
 * All pictures of a category share its vector, so their number and sum are all it needs:
 * D' = (Σ_c n_c s_c s_c' + decay I)⁻¹ Σ_c s_c sum_c'.
 */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';

/** D', m×d. Vectors C×m; masses n_c and sums (C×d) of each category's pictures, whatever weight they have. */
export function categoryMap(
  backend: Backend,
  vectors: Matrix<Float64Array>,
  masses: ArrayLike<number>,
  sums: Matrix,
  decay: number,
): Matrix<Float64Array> {
  const weighted = vectors.copy('float64');
  backend.scaleRows(weighted, Float64Array.from(masses, Math.sqrt));
  const system = Matrix.zeros(vectors.cols, vectors.cols);
  backend.syrk(system, weighted, { transpose: true });
  backend.addDiagonal(system, decay);
  backend.cholesky(system);
  const map = Matrix.zeros(vectors.cols, sums.cols);
  backend.gemm(map, vectors, sums, { transposeA: true });
  backend.choleskySolve(system, map, 'columns');
  return map;
}
