/** Linear decision functions f_c(x) = w_c'x + b_c, one per category, and the ±1 or one-hot targets they are fitted to. */
import { ArgumentError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { Scratch } from './scratch.js';

export interface LinearModel {
  /** Row c is w_c, C×d. */
  readonly weights: Matrix<Float64Array>;
  /** b_c. */
  readonly intercepts: Float64Array;
}

/** n×C decision values of n×d features. */
export function linearDecisions(backend: Backend, model: LinearModel, features: Matrix): Matrix<Float64Array> {
  const { weights, intercepts } = model;
  if (features.cols !== weights.cols)
    throw new ArgumentError(
      `the features have ${features.cols} dimensions, the model was learnt with ${weights.cols}`,
      'Use features of the same vision model and layer as in the fit.',
    );
  const scratch = new Scratch(backend);
  try {
    const values = scratch.matrix(features.rows, weights.rows);
    const here = features.dtype === 'float64' ? features : features.copy('float64');
    backend.gemm(values, here, weights, { transposeB: true });
    for (let i = 0; i < values.rows; i++) {
      const row = values.row(i);
      for (let c = 0; c < row.length; c++) row[c] += intercepts[c];
    }
    return values.copy('float64');
  } finally {
    scratch.release();
  }
}

/** The same decision with a column for each category. */
export function transposedModel({ weights: rows, intercepts }: LinearModel): {
  weights: Matrix<Float64Array>;
  bias: Float64Array;
} {
  const weights = Matrix.zeros(rows.cols, rows.rows);
  for (let c = 0; c < rows.rows; c++) for (let j = 0; j < rows.cols; j++) weights.set(j, c, rows.at(c, j));
  return { weights, bias: Float64Array.from(intercepts) };
}

/** The model of augmented weights, C×(d + 1), whose last column belongs to a feature that is always `constant`. */
export function splitIntercepts(weights: Matrix<Float64Array>, constant: number): LinearModel {
  const d = weights.cols - 1;
  return {
    weights: weights.view(0, weights.rows, 0, d).copy('float64'),
    intercepts: Float64Array.from({ length: weights.rows }, (_, c) => weights.at(c, d) * constant),
  };
}

/** n×C: `present` where the label is the category, `absent` elsewhere. */
export function labelTargets(
  labels: ArrayLike<number>,
  categories: number,
  { present = 1, absent = 0 }: { present?: number; absent?: number } = {},
): Matrix<Float64Array> {
  const targets = Matrix.zeros(labels.length, categories).fill(absent);
  for (let i = 0; i < labels.length; i++) targets.set(i, labels[i], present);
  return targets;
}
