/** `bowerbird predict`: classifies pictures that were not part of a fit. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import { fitMetrics, predictionRows, writePredictions } from '../../evaluation/run-folder.js';
import { readNpy, toMatrix } from '../../formats/index.js';
import { loadModel, modelDistances } from '../../learner/index.js';
import type { Backend } from '../../linalg/backend.js';
import type { Matrix } from '../../linalg/matrix.js';
import { featureScalings, loadProblem, scaleToUnitLength } from '../../problem/index.js';
import { loadScorer, scorePictures } from '../../workspace/index.js';
import { defineCommand } from '../command.js';
import { backendOptions, openBackend } from '../shared-options.js';

export default defineCommand({
  name: 'predict',
  summary: 'Classify pictures that were not part of a fit.',
  description:
    'Scores features with what a fit has learnt; the nearest category, or the one with the highest score, is the answer. ' +
    'The features are scaled as those of the fit were; they must come from the same vision model.',
  arguments: [
    { name: 'DIR', description: 'the results folder of a fit' },
    {
      name: 'FEATURES',
      description: 'an .npy file with a picture per row, or a problem whose test pictures are meant',
    },
  ],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'FILE', description: 'Write the predictions to this CSV file.' },
    ...backendOptions,
  },
  examples: [
    {
      command: 'bowerbird predict run new-features.npy --out answers.csv',
      explanation: 'Classify the rows of a file.',
    },
    {
      command: 'bowerbird predict run other.npz --json',
      explanation: 'Classify and score the test pictures of a problem.',
    },
  ],
  async run({ args, options, print, printJson, signal }) {
    const [folder, source] = args;
    const { names, scaling, distances } = await openModel(folder);
    const backend = await openBackend(options);
    try {
      const { features, problem } = source.endsWith('.npy')
        ? { features: await rowsOf(source, scaling), problem: undefined }
        : await testSet(source, scaling, signal);
      const rows = predictionRows(distances(backend, features), names);
      if (options.out) await writePredictions(options.out, rows);
      const labelled = problem?.testNames.every((name, c) => names[c] === name) ? problem : undefined;
      const metrics =
        labelled &&
        fitMetrics(
          labelled,
          Int32Array.from(rows, (row) => row.category),
          new Float64Array(0),
        );
      printJson({ predictions: rows, ...(metrics && { metrics }) });
      if (options.out) print(`${rows.length} predictions in ${options.out}`);
      else {
        print('row,name,distance,runner-up,margin');
        for (const row of rows)
          print([row.row, row.name, row.distance.toFixed(4), row.runnerUp, row.margin.toFixed(4)].join(','));
      }
      if (metrics?.accuracy !== undefined) print(`accuracy ${(100 * metrics.accuracy).toFixed(2)} %`);
      return 0;
    } finally {
      backend.dispose();
    }
  },
});

interface OpenedModel {
  names: readonly string[];
  scaling: 'l2' | 'none';
  /** n×C, the smallest one decides. */
  distances(backend: Backend, features: Matrix): Matrix;
}

/** The learner's map to semantic vectors, or the linear scores of another method. */
async function openModel(folder: string): Promise<OpenedModel> {
  const linear = join(folder, 'scorer.safetensors');
  if (existsSync(linear)) {
    const { scorer } = await loadScorer(linear);
    const distances = (backend: Backend, features: Matrix) => {
      const scores = scorePictures(scorer, features, backend);
      for (let i = 0; i < scores.data.length; i++) scores.data[i] = -scores.data[i];
      return scores;
    };
    return { names: scorer.names, scaling: scorer.normalise === 'unit' ? 'l2' : 'none', distances };
  }
  const { model, metadata } = await loadModel(join(folder, 'model.safetensors'));
  const scaling = featureScalings.find((name) => name === metadata.scaling) ?? 'none';
  if (scaling === 'zscore')
    throw new UsageError(
      'this model was fitted with z-scored features, which depend on the pictures of the fit',
      'Fit with --scaling l2 to classify other pictures.',
    );
  return { names: model.names, scaling, distances: (backend, features) => modelDistances(backend, model, features) };
}

async function rowsOf(path: string, scaling: 'l2' | 'none'): Promise<Matrix> {
  const features = toMatrix(await readNpy(path), 'float64', { file: path });
  if (scaling === 'l2') scaleToUnitLength(path, features);
  return features;
}

async function testSet(path: string, scaling: 'l2' | 'none', signal: AbortSignal) {
  const problem = await loadProblem(path, { scaling, signal, web: 'optional' });
  return { features: problem.testFeatures, problem };
}
