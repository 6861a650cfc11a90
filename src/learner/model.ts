/** A saved model: one safetensors file that classifies pictures that were not part of the fit. */
import { FormatError } from '../errors.js';
import { openSafetensors, toMatrix, writeSafetensors } from '../formats/index.js';
import type { Backend } from '../linalg/backend.js';
import type { Matrix } from '../linalg/matrix.js';
import { mapFeatures } from './map.js';
import { distances } from './nearest.js';
import type { LearnerModel } from './paper-learner.js';

export async function saveModel(path: string, model: LearnerModel, extra: Record<string, string> = {}): Promise<void> {
  const metadata = {
    format: 'bowerbird-learner-1',
    names: JSON.stringify(model.names),
    metric: model.metric,
    ...extra,
  };
  await writeSafetensors(path, { map: model.map, candidates: model.candidates }, { metadata });
}

/** The model and whatever was saved beside it. */
export async function loadModel(path: string): Promise<{ model: LearnerModel; metadata: Record<string, string> }> {
  const file = await openSafetensors(path);
  try {
    const { metadata } = file;
    if (metadata.format !== 'bowerbird-learner-1')
      throw new FormatError(path, undefined, `is not a saved model (format "${metadata.format ?? 'none'}")`);
    const read = async (name: string) => toMatrix(await file.read(name), 'float64', { name, file: path });
    const model: LearnerModel = {
      map: await read('map'),
      candidates: await read('candidates'),
      names: JSON.parse(metadata.names) as string[],
      metric: metadata.metric === 'cosine' ? 'cosine' : 'euclidean',
    };
    return { model, metadata };
  } finally {
    await file.close();
  }
}

/** n×C distances of new pictures to the candidate categories. */
export function modelDistances(backend: Backend, model: LearnerModel, features: Matrix): Matrix<Float64Array> {
  return distances(mapFeatures(backend, model.map, features), model.candidates, model.metric);
}
