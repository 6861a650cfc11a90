/** Decisions that are linear in features, as the rest of the program reads them off a method. */
import { Matrix } from '../../linalg/index.js';
import type { LinearDecision, Method } from '../../problem/index.js';

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
