/**
 * Vectors as mixtures of others (the semantic similarity embedding of Zhang and Saligrama, ICCV 2015):
 * min over π ≥ 0, Σπ = 1 of ‖s − Σ_y π_y s_y‖², by accelerated projected gradient (Beck and Teboulle 2009) with restarts where
 * it overshoots; stops when no share moves by more than 1e-7.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { projectCappedSimplex, timesTransposed } from '../../numerics/index.js';

/** Shares π of each row of `vectors` (n×m) in the rows of `sources` (C×m), n×C. */
export function mixtures(
  backend: Backend,
  vectors: Matrix<Float64Array>,
  sources: Matrix<Float64Array>,
): Matrix<Float64Array> {
  const count = sources.rows;
  const gram = timesTransposed(backend, sources, sources);
  const pull = timesTransposed(backend, vectors, sources);
  const step = 1 / Math.max(largestRowSum(gram), Number.MIN_VALUE);
  const metric = new Float64Array(count).fill(1);
  const shares = Matrix.zeros(vectors.rows, count).fill(1 / count);
  const next = new Float64Array(count);
  const trial = new Float64Array(count);
  for (let i = 0; i < vectors.rows; i++) {
    const current = shares.row(i);
    let ahead = Float64Array.from(current);
    for (let iteration = 0, momentum = 1; iteration < 1000; iteration++) {
      for (let y = 0; y < count; y++) {
        const row = gram.row(y);
        let slope = -pull.at(i, y);
        for (let k = 0; k < count; k++) slope += row[k] * ahead[k];
        trial[y] = ahead[y] - step * slope;
      }
      projectCappedSimplex(next, trial, metric, 1, 1);
      const faster = (1 + Math.sqrt(1 + 4 * momentum ** 2)) / 2;
      let [moved, turn] = [0, 0];
      for (let y = 0; y < count; y++) {
        moved = Math.max(moved, Math.abs(next[y] - current[y]));
        turn += (ahead[y] - next[y]) * (next[y] - current[y]);
      }
      const keep = turn > 0 ? 0 : (momentum - 1) / faster;
      momentum = turn > 0 ? 1 : faster;
      ahead = next.map((value, y) => value + keep * (value - current[y]));
      current.set(next);
      if (moved < 1e-7) break;
    }
  }
  return shares;
}

/** Above the largest eigenvalue of a symmetric matrix. */
function largestRowSum(matrix: Matrix<Float64Array>): number {
  let largest = 0;
  for (let y = 0; y < matrix.rows; y++)
    largest = Math.max(
      largest,
      matrix.row(y).reduce((sum, value) => sum + Math.abs(value), 0),
    );
  return largest;
}
