/** p(y | x) over the auxiliary categories by softmax regression, the common ground of IAP and ConSE. */
import type { FitOptions } from '../../problem/method.js';
import { trainMachines } from '../blocks/linear-machines.js';
import type { LinearModel } from '../blocks/linear-model.js';
import { SoftmaxLoss } from '../blocks/machine-losses.js';
import type { AuxiliaryData } from './auxiliary.js';

/** Rows in the order of `data.classVectors`; `data` with features as they are, whose common part serves as an intercept. */
export async function auxiliaryPosteriors(
  data: AuxiliaryData,
  decay: number,
  { backend, signal, onProgress }: FitOptions,
): Promise<LinearModel> {
  const weights = await trainMachines(backend, data.features, new SoftmaxLoss(data.labels, data.counts.length), {
    decay,
    signal,
    onIteration: (done) => onProgress?.({ done }),
  });
  return { weights, intercepts: new Float64Array(weights.rows) };
}
