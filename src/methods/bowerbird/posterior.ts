/** How far means vary about each other once pictures are known. */
import { type Backend, Matrix } from '../../linalg/index.js';

/** ((λC)⁻¹ + P)⁻¹ = λC − λC P^½ (I + P^½ λC P^½)⁻¹ P^½ λC, P = diag(p): never divides by a precision. */
export function posteriorCovariance(
  backend: Backend,
  covariance: Matrix<Float64Array>,
  between: number,
  precisions: Float64Array,
): Matrix<Float64Array> {
  const count = precisions.length;
  const roots = precisions.map(Math.sqrt);
  const prior = covariance.copy('float64');
  for (let k = 0; k < prior.data.length; k++) prior.data[k] *= between;
  const system = Matrix.zeros(count, count);
  const scaled = Matrix.zeros(count, count);
  for (let c = 0; c < count; c++) {
    const [to, row, from] = [system.row(c), scaled.row(c), prior.row(c)];
    for (let k = 0; k < count; k++) {
      row[k] = roots[c] * from[k];
      to[k] = row[k] * roots[k];
    }
    to[c] += 1;
  }
  backend.cholesky(system);
  const solved = scaled.copy('float64');
  backend.choleskySolve(system, solved, 'columns');
  backend.gemm(prior, scaled, solved, { transposeA: true, alpha: -1, beta: 1 });
  return prior;
}
