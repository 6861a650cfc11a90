// How near a method's machines come to the optimum of min ½(‖w‖² + b²/s²) + Σ Cᵢ ℓ(1 − yᵢ f(xᵢ)) with s = 0.1, ℓ the hinge or its square.
import type { Backend } from '../../../src/linalg/backend.js';
import type { Matrix } from '../../../src/linalg/matrix.js';
import { uncentred } from '../../../src/numerics/centring.js';
import { type LinearModel, linearDecisions } from '../../../src/numerics/linear-model.js';
import { linearSvm } from '../../../src/numerics/linear-svm.js';

interface Machines {
  /** Less `mean`. */
  features: Matrix;
  mean: Float64Array;
  /** +1, −1, and 0 for pictures that take no part. */
  targets: Matrix;
  positiveCost: number;
  negativeCost: number;
  /** @default 'squared-hinge' */
  loss?: 'hinge' | 'squared-hinge';
}

/** For each machine its objective over that of an exact solution; the model is one of features that are not centred. */
export async function objectiveRatios(
  backend: Backend,
  model: LinearModel,
  { features, mean, targets, positiveCost, negativeCost, loss = 'squared-hinge' }: Machines,
): Promise<number[]> {
  const cost = targets.copy('float64');
  for (let k = 0; k < cost.data.length; k++) cost.data[k] = cost.data[k] > 0 ? positiveCost : negativeCost;
  const exact = { interceptScale: 0.1, tolerance: 1e-7, maxSweeps: 50_000 };
  const best = await linearSvm(backend, features, targets, { cost, loss, ...exact });
  if (!best.converged) throw new Error('the exact solution was not reached');
  const objectives = ({ weights, intercepts }: LinearModel) => {
    const values = linearDecisions(backend, { weights, intercepts }, features);
    return Array.from(intercepts, (intercept, c) => {
      let sum = intercept ** 2 / 0.01 / 2;
      for (const weight of weights.row(c)) sum += weight ** 2 / 2;
      for (let i = 0; i < features.rows; i++)
        if (targets.at(i, c) !== 0)
          sum += cost.at(i, c) * Math.max(0, 1 - targets.at(i, c) * values.at(i, c)) ** (loss === 'hinge' ? 1 : 2);
      return sum;
    });
  };
  const backToCentred = mean.map((value) => -value);
  const [own, least] = [objectives(uncentred(model, backToCentred)), objectives(best)];
  return own.map((value, c) => value / least[c]);
}
