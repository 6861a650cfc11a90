/** Leave-one-out 1-NN: the share of rows whose most similar other row, by cosine, has the same category. */
import { Matrix } from '../../src/linalg/matrix.js';

export function oneNearestNeighbour(features: Matrix<Float32Array>, categories: readonly string[]): number {
  const unit = Matrix.zeros(features.rows, features.cols, 'float32');
  for (let i = 0; i < features.rows; i++) {
    const row = features.row(i);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    unit.row(i).set(row.map((value) => value / length));
  }
  const best = new Float64Array(features.rows).fill(Number.NEGATIVE_INFINITY);
  const nearest = new Int32Array(features.rows).fill(-1);
  for (let i = 0; i < features.rows; i++) {
    const a = unit.row(i);
    for (let j = 0; j < i; j++) {
      const b = unit.row(j);
      let cosine = 0;
      for (let k = 0; k < a.length; k++) cosine += a[k] * b[k];
      if (cosine > best[i]) [best[i], nearest[i]] = [cosine, j];
      if (cosine > best[j]) [best[j], nearest[j]] = [cosine, i];
    }
  }
  let right = 0;
  for (let i = 0; i < features.rows; i++) if (categories[nearest[i]] === categories[i]) right++;
  return right / features.rows;
}
