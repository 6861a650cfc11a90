/** `bowerbird predict`: classifies pictures that were not part of a fit. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError, UsageError } from '../../errors.js';
import {
  fitMetrics,
  type PredictionRow,
  predictionRows,
  recordIn,
  writePredictions,
} from '../../evaluation/run-folder.js';
import { csvLines, readNpy, toMatrix } from '../../formats/index.js';
import { loadModel, modelDistances } from '../../learner/index.js';
import type { Backend } from '../../linalg/backend.js';
import type { Matrix } from '../../linalg/matrix.js';
import { type LoadOptions, loadProblem, scaleToUnitLength } from '../../problem/index.js';
import { loadScorer, scorePictures } from '../../workspace/scorer.js';
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
  async run({ args, options, print, printJson, progress, signal }) {
    const [folder, source] = args;
    if (/\.(csv|tsv|txt|json|safetensors)$/i.test(source))
      throw new UsageError(
        `${source}: features are read from an .npy file, or from a problem (.npz, .mat, a folder of .npy files)`,
        'In Python: numpy.save("features.npy", array), a picture per row.',
      );
    const configuration = await readConfiguration(folder);
    const { names, scaling, distances } = await openModel(folder, configuration);
    const backend = await openBackend(options);
    try {
      progress.update({ stage: 'read the features', done: 0 });
      const { features, problem } = source.endsWith('.npy')
        ? { features: await rowsOf(source, scaling), problem: undefined }
        : await testSet(source, { scaling, semantics: configuration.semantics, signal, web: 'optional' });
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
      else printTable(rows, print);
      if (metrics?.accuracy === undefined) return 0;
      const score = `accuracy ${(100 * metrics.accuracy).toFixed(2)} %`;
      // Not below the table, which other programs read.
      if (options.out) print(score);
      else progress.note(score);
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

/** The columns of the CSV file, numbers with fewer digits. */
function printTable(rows: readonly PredictionRow[], print: (line: string) => void): void {
  const line = csvLines();
  print('row,name,category,distance,runner_up,margin');
  for (const { row, name, category, distance, runnerUp, margin } of rows)
    print(line([row, name, category, distance.toFixed(4), runnerUp, margin.toFixed(4)]));
}

/** What run.json says of a fit; workspaces have fewer keys. */
interface FitConfiguration {
  method?: string;
  semantics?: string;
  scaling?: string;
  centreFeatures?: boolean;
}

async function readConfiguration(folder: string): Promise<FitConfiguration> {
  const record = await recordIn(folder);
  if (!record?.configuration || record.command !== undefined)
    throw new UsageError(
      `${folder} holds no finished fit`,
      'Give the folder of a fit: bowerbird fit PROBLEM --out DIR, then bowerbird predict DIR FEATURES.',
    );
  return record.configuration;
}

/** The learner's map to semantic vectors, or the linear scores of another method. */
async function openModel(
  folder: string,
  { method = 'this method', scaling: fitted, centreFeatures }: FitConfiguration,
): Promise<OpenedModel> {
  if (fitted === 'zscore' || centreFeatures)
    throw new UsageError(
      `${folder} was fitted with ${centreFeatures ? 'centred' : 'z-scored'} features, which depend on the pictures of the fit`,
      `Fit ${centreFeatures ? 'without --centre-features' : 'with --scaling l2'} to classify other pictures.`,
    );
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
  const path = join(folder, 'model.safetensors');
  if (!existsSync(path))
    throw new UsageError(
      `${folder} holds no model: ${method} classifies only the pictures that it was fitted with`,
      'Put the pictures into the problem as test pictures, or fit another method, such as bowerbird, ours or lr.',
    );
  const { model, metadata } = await loadModel(path);
  const scaling = metadata.scaling === 'l2' ? 'l2' : 'none';
  return { names: model.names, scaling, distances: (backend, features) => modelDistances(backend, model, features) };
}

async function rowsOf(path: string, scaling: 'l2' | 'none'): Promise<Matrix> {
  const features = toMatrix(await readNpy(path), 'float64', { file: path });
  for (let i = 0; i < features.rows; i++) {
    const column = features.row(i).findIndex((value) => !Number.isFinite(value));
    if (column >= 0)
      throw new ProblemError(
        path,
        i,
        `column ${column} is ${features.at(i, column)}; all values must be finite`,
        'Remove the row, or extract its features again.',
      );
  }
  if (scaling === 'l2') scaleToUnitLength(path, features);
  return features;
}

async function testSet(path: string, options: LoadOptions) {
  const problem = await loadProblem(path, options);
  return { features: problem.testFeatures, problem };
}
