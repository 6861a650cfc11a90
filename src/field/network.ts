/** The network of a workspace in the precision asked for, as a file, and what the smaller form costs. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { answerRows, classifyFeatures, type Model, verdict } from '../fit/index.js';
import { createBackend, Matrix } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import {
  compressWeights,
  exposeTensor,
  type FeatureModel,
  loadFeatures,
  type Picture,
  pictureFeatures,
  readGraph,
  resolveLayer,
} from '../vision/index.js';
import { featureFolder, type Workspace } from '../workspace/index.js';
import type { Loss, Precision } from './site.js';

/** Pictures that a loss is measured on, at most. */
const mostMeasured = 500;

/** Writes the network, cut at its layer, with weights in `precision` to `file`. */
export async function writeNetwork(model: FeatureModel, precision: Precision, file: string): Promise<FeatureModel> {
  const path = model.network.model;
  const whole = readGraph({ bytes: await readFile(path), file: path });
  const cut = await exposeTensor(whole, resolveLayer(whole, model.layer));
  const bytes = precision === 'float32' ? cut : compressWeights(readGraph({ bytes: cut, file: path }), precision);
  await writeFile(file, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...model, sha256, bytes: bytes.length, network: { ...model.network, model: file } };
}

interface Measuring {
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

/** Test pictures with their features and, where they are known, their categories. */
export interface Sample {
  pictures: Picture[];
  features: Matrix<Float32Array>;
  /** Empty where the answer is not known. */
  categories: string[];
}

/** Test pictures of the workspace, evenly picked where there are many. */
export async function testSample(workspace: Workspace, most = mostMeasured): Promise<Sample> {
  const { ids, paths, categories, features } = await loadFeatures(workspace.path(featureFolder('test')));
  const step = Math.max(1, ids.length / most);
  const rows = Array.from({ length: Math.min(most, ids.length) }, (_, i) => Math.floor(i * step));
  const picked = Matrix.zeros(rows.length, features.cols, 'float32');
  for (const [k, i] of rows.entries()) picked.row(k).set(features.row(i));
  const folder = workspace.configuration.test;
  return {
    pictures: rows.map((i) => ({ id: ids[i], path: workspace.path(folder, paths[i]) })),
    categories: rows.map((i) => categories[i]),
    features: picked,
  };
}

/** How the answers of a model change when its features come from another form of the network. */
export async function measureLoss(
  sample: Sample,
  model: Model,
  network: FeatureModel,
  { signal, onProgress }: Measuring,
): Promise<Loss> {
  const found = await pictureFeatures(sample.pictures, network, {
    signal,
    onProgress: (progress) => onProgress?.({ ...progress, stage: 'measure the loss' }),
  });
  const places = new Map(sample.pictures.map(({ id }, i) => [id, i]));
  const rows = found.ids.map((id) => places.get(id)!);
  const known = Matrix.zeros(rows.length, sample.features.cols, 'float32');
  for (const [k, i] of rows.entries()) known.row(k).set(sample.features.row(i));
  const backend = await createBackend({ device: 'wasm', threads: 1 });
  try {
    const old = answerRows(classifyFeatures(model, known, backend));
    const now = answerRows(classifyFeatures(model, found.features, backend));
    const same = old.filter((answer, k) => verdict(answer) === verdict(now[k])).length;
    const changes = old.flatMap(({ confidence }, k) =>
      confidence === undefined || now[k].confidence === undefined ? [] : [Math.abs(confidence - now[k].confidence)],
    );
    const labelled = rows.map((i) => sample.categories[i]);
    const listed = new Set(model.scorer.names);
    const judged = labelled.flatMap((category, k) => (listed.has(category) ? [k] : []));
    const right = (answers: typeof old) => judged.filter((k) => answers[k].name === labelled[k]).length / judged.length;
    return {
      pictures: rows.length,
      agreement: same / rows.length,
      ...(changes.length > 0 && { largestConfidenceChange: Math.max(...changes) }),
      ...(judged.length > 0 && { accuracyBefore: right(old), accuracyAfter: right(now) }),
    };
  } finally {
    backend.dispose();
  }
}
