/** Means of instances and instances less a mean. */
import type { Matrix } from '../linalg/index.js';
import type { LinearModel } from './linear-model.js';

/** Mean of all rows. */
export function columnMeans(matrix: Matrix): Float64Array {
  const mean = new Float64Array(matrix.cols);
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++) mean[j] += row[j];
  }
  for (let j = 0; j < mean.length; j++) mean[j] /= Math.max(1, matrix.rows);
  return mean;
}

/** A copy of the rows less `mean`. */
export function centred(matrix: Matrix, mean: Float64Array): Matrix<Float64Array> {
  const result = matrix.copy('float64');
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let j = 0; j < row.length; j++) row[j] -= mean[j];
  }
  return result;
}

/** The same decision values for plain features that `model` gives for features less `mean`. */
export function uncentred(model: LinearModel, mean: Float64Array): LinearModel {
  const intercepts = Float64Array.from(model.intercepts);
  for (let c = 0; c < intercepts.length; c++) {
    const weights = model.weights.row(c);
    for (let j = 0; j < mean.length; j++) intercepts[c] -= weights[j] * mean[j];
  }
  return { weights: model.weights, intercepts };
}
