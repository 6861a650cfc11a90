/** Nearest category in the semantic space. */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';

export type Metric = 'euclidean' | 'cosine';

/** n×C distances between semantic vectors and category vectors (rows of both). */
export function distances(semantics: Matrix, categories: Matrix, metric: Metric): Matrix<Float64Array> {
  const result = Matrix.zeros(semantics.rows, categories.rows);
  const lengths = Float64Array.from({ length: categories.rows }, (_, c) => norm(categories.row(c)));
  for (let i = 0; i < semantics.rows; i++) {
    const vector = semantics.row(i);
    const length = metric === 'cosine' ? norm(vector) : 0;
    const out = result.row(i);
    for (let c = 0; c < categories.rows; c++) {
      const category = categories.row(c);
      let sum = 0;
      if (metric === 'cosine') {
        for (let j = 0; j < vector.length; j++) sum += vector[j] * category[j];
        const scale = length * lengths[c];
        out[c] = scale > 0 ? 1 - sum / scale : 1;
      } else {
        for (let j = 0; j < vector.length; j++) sum += (vector[j] - category[j]) ** 2;
        out[c] = Math.sqrt(sum);
      }
    }
  }
  return result;
}

function norm(row: ArrayLike<number>): number {
  let sum = 0;
  for (let j = 0; j < row.length; j++) sum += row[j] * row[j];
  return Math.sqrt(sum);
}

/** The nearest category of each row, by one product: many times faster than all distances, and as good but for ties. */
export function nearestCategories(backend: Backend, semantics: Matrix, categories: Matrix, metric: Metric): Int32Array {
  const dots = Matrix.zeros(semantics.rows, categories.rows);
  backend.gemm(dots, semantics, categories, { transposeB: true });
  const lengths = Float64Array.from({ length: categories.rows }, (_, c) => norm(categories.row(c)));
  // The nearest has the largest a·c − ‖c‖²/2, or a·c/‖c‖ by angle.
  return Int32Array.from({ length: dots.rows }, (_, i) =>
    dots
      .row(i)
      .map((dot, c) => (metric === 'cosine' ? dot / (lengths[c] || 1) : dot - lengths[c] ** 2 / 2))
      .reduce((best, value, c, row) => (value > row[best] ? c : best), 0),
  );
}
