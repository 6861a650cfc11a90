/** p(y | x) over the auxiliary categories by softmax regression, the common ground of IAP and ConSE. */
import type { Matrix } from '../../linalg/matrix.js';
import type { FitOptions } from '../../problem/method.js';
import { uncentred } from '../blocks/centring.js';
import { trainMachines } from '../blocks/linear-machines.js';
import type { LinearModel } from '../blocks/linear-model.js';
import { SoftmaxLoss } from '../blocks/machine-losses.js';
import type { AuxiliaryData } from './auxiliary.js';

/** Rows in the order of `data.classVectors`. */
export async function auxiliaryPosteriors(
  data: AuxiliaryData,
  decay: number,
  { backend, signal, onProgress }: FitOptions,
): Promise<LinearModel> {
  const weights: Matrix<Float64Array> = await trainMachines(
    backend,
    data.features,
    new SoftmaxLoss(data.labels, data.counts.length),
    { decay, signal, onIteration: (done) => onProgress?.({ done }) },
  );
  return uncentred({ weights, intercepts: new Float64Array(weights.rows) }, data.mean);
}
