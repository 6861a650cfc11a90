/** Linear decision functions f_c(x) = w_c'x + b_c, one per category, and the ±1 or one-hot targets they are fitted to. */
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import type { LinearDecision, Method } from '../../problem/method.js';
import { Workspace } from './workspace.js';

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
  const workspace = new Workspace(backend);
  try {
    const values = workspace.matrix(features.rows, weights.rows);
    const here = features.dtype === 'float64' ? features : features.copy('float64');
    backend.gemm(values, here, weights, { transposeB: true });
    for (let i = 0; i < values.rows; i++) {
      const row = values.row(i);
      for (let c = 0; c < row.length; c++) row[c] += intercepts[c];
    }
    return values.copy('float64');
  } finally {
    workspace.release();
  }
}

/** The same decision with a column for each category. */
export function transposed({ weights: rows, intercepts }: LinearModel): LinearDecision {
  const weights = Matrix.zeros(rows.cols, rows.rows);
  for (let c = 0; c < rows.rows; c++) for (let j = 0; j < rows.cols; j++) weights.set(j, c, rows.at(c, j));
  return { weights, bias: Float64Array.from(intercepts) };
}

/** The formula of a decision that is known to be linear in d features: its values at 0 and at the unit vectors. */
export function readLinear(decisionValues: (features: Matrix) => Matrix, d: number): LinearDecision {
  const points = Matrix.zeros(d + 1, d);
  for (let j = 0; j < d; j++) points.set(j + 1, j, 1);
  const values = decisionValues(points);
  const bias = Float64Array.from(values.row(0));
  const weights = Matrix.zeros(d, bias.length);
  for (let j = 0; j < d; j++) for (let c = 0; c < bias.length; c++) weights.set(j, c, values.at(j + 1, c) - bias[c]);
  return { weights, bias };
}

/** The same of a decision that is linear in the decision values of a part, where these are linear in the features. */
export function readLinearThrough(
  part: Method,
  decisionValues: (features: Matrix) => Matrix,
): LinearDecision | undefined {
  const linear = part.linear?.();
  if (!linear || linear.map || linear.power !== undefined) return undefined;
  return readLinear(decisionValues, linear.weights.rows);
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
