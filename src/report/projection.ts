/**
 * Principal components: the directions u₁, u₂ of largest variance of the rows x, from the eigenvectors of
 * Σ (x − x̄)(x − x̄)' / n, and the coordinates (x − x̄)·u of any rows along them.
 */
import type { Backend, Matrix } from '../linalg/index.js';

export interface Projection {
  /** Share of the variance along each of the two directions. */
  shares: [number, number];
  /** Two coordinates for each row. */
  of(rows: Matrix): [number, number][];
}

export function principalPlane(backend: Backend, rows: Matrix): Projection {
  const { cols } = rows;
  const mean = new Float64Array(cols);
  for (let i = 0; i < rows.rows; i++) for (let j = 0; j < cols; j++) mean[j] += rows.at(i, j) / rows.rows;
  const centred = backend.matrix(rows.rows, cols);
  for (let i = 0; i < rows.rows; i++) for (let j = 0; j < cols; j++) centred.set(i, j, rows.at(i, j) - mean[j]);
  const covariance = backend.matrix(cols, cols);
  backend.syrk(covariance, centred, { transpose: true, alpha: 1 / rows.rows });
  const values = new Float64Array(cols);
  backend.eigh(values, covariance);
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  const directions = [1, 2].map((k) =>
    cols >= k ? oriented(Float64Array.from(covariance.row(cols - k))) : new Float64Array(cols),
  );
  const share = (k: number) => (cols >= k && total > 0 ? Math.max(0, values[cols - k]) / total : 0);
  return {
    shares: [share(1), share(2)],
    of: (points) =>
      Array.from({ length: points.rows }, (_, i) => {
        const [x, y] = directions.map((direction) =>
          direction.reduce((sum, value, j) => sum + value * (points.at(i, j) - mean[j]), 0),
        );
        return [x, y];
      }),
  };
}

/** An eigenvector's sign is free; the largest entry is made positive so that a map does not flip between runs. */
function oriented(direction: Float64Array): Float64Array {
  const largest = direction.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return largest < 0 ? direction.map((value) => -value) : direction;
}
