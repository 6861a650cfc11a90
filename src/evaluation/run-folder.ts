/** The files a fit leaves behind: predictions, scores, weights, trace, configuration and the saved model. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCsv, writeFileAtomic, writeNpy } from '../formats/index.js';
import { type IterationRecord, type LearnerModel, saveModel, traceColumns } from '../learner/index.js';
import type { Matrix } from '../linalg/matrix.js';
import type { Method } from '../problem/method.js';
import { candidateNames, type Problem } from '../problem/problem.js';
import { accuracy, categoryAccuracies, meanCategoryAccuracy, rocArea } from './metrics.js';

export interface PredictionRow {
  row: number;
  category: number;
  name: string;
  distance: number;
  runnerUp: string;
  /** How much farther the runner-up is. */
  margin: number;
  /** The right category, where it is known. */
  truth?: string;
}

/** One record for each row of an n×C table of distances. */
export function predictionRows(distances: Matrix, names: readonly string[]): PredictionRow[] {
  return Array.from({ length: distances.rows }, (_, row) => {
    const values = distances.row(row);
    let best = 0;
    let second = -1;
    for (let c = 1; c < values.length; c++) {
      if (values[c] < values[best]) {
        second = best;
        best = c;
      } else if (second < 0 || values[c] < values[second]) second = c;
    }
    return {
      row,
      category: best,
      name: names[best],
      distance: values[best],
      runnerUp: second < 0 ? '' : names[second],
      margin: second < 0 ? Number.NaN : values[second] - values[best],
    };
  });
}

export async function writePredictions(path: string, rows: readonly PredictionRow[]): Promise<void> {
  const labelled = rows.some(({ truth }) => truth !== undefined);
  await writeCsv(
    path,
    rows.map((entry) => [
      ...[entry.row, entry.name, entry.category, entry.distance, entry.runnerUp, entry.margin],
      ...(labelled ? [entry.truth] : []),
    ]),
    { header: ['row', 'name', 'category', 'distance', 'runner_up', 'margin', ...(labelled ? ['truth'] : [])] },
  );
}

export interface FitMetrics {
  accuracy?: number;
  meanCategoryAccuracy?: number;
  categories?: Record<string, number>;
  /** Area under the curve of θ as a detector of right web pictures, where the truth is known. */
  thetaArea?: number;
}

export function fitMetrics(problem: Problem, predicted: Int32Array, theta: Float64Array): FitMetrics {
  const metrics: FitMetrics = {};
  const names = candidateNames(problem);
  if (problem.testLabels) {
    metrics.accuracy = accuracy(predicted, problem.testLabels);
    metrics.meanCategoryAccuracy = meanCategoryAccuracy(predicted, problem.testLabels, names.length);
    const each = categoryAccuracies(predicted, problem.testLabels, names.length);
    metrics.categories = Object.fromEntries(
      [...each].flatMap((value, c) => (Number.isNaN(value) ? [] : [[names[c], value]])),
    );
  }
  if (problem.webKinds && theta.length === problem.webKinds.length)
    metrics.thetaArea = rocArea(
      theta,
      problem.webKinds.map((kind) => kind === 'clean'),
    );
  return metrics;
}

/** What a finished fit of the learner, or of its combination, offers. */
export interface FittedLearner extends Method {
  semantics_: Matrix;
  theta_: Float64Array;
  /** Absent for a combination of learners. */
  dictionary_?: Matrix;
  model_: LearnerModel;
  trace_: readonly IterationRecord[];
  converged_: boolean;
  warnings_: readonly string[];
}

/** What is known of a folder's results; `command` says that they are no fit. */
interface FolderRecord {
  command?: string;
  configuration?: object;
}

/** undefined where there is no record that can be read. */
export async function recordIn(folder: string): Promise<FolderRecord | undefined> {
  try {
    return (JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')) as FolderRecord | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** run.json goes first: without it a folder holds no finished fit. */
const filesOfFits = [
  'run.json',
  'metrics.json',
  'predictions.csv',
  'scores.npy',
  'theta.npy',
  'weights.csv',
  'semantics.npy',
  'dictionary.npy',
  'trace.csv',
  'model.safetensors',
  'scorer.safetensors',
];

/** Makes the folder, without what an earlier fit left there: nobody shall take its model for that of this one. */
async function clearedFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of filesOfFits) await rm(join(folder, name), { force: true });
}

/**
 * What every fit leaves: predictions for the test pictures, scores where labels are known, weights of the web pictures
 * where the method has some, and `record` as run.json.
 */
export async function writeMethodRun(
  folder: string,
  method: Method,
  problem: Problem,
  record: Record<string, unknown>,
): Promise<FitMetrics> {
  await clearedFolder(folder);
  return writeResults(folder, method, problem, record);
}

async function writeResults(
  folder: string,
  method: Method,
  problem: Problem,
  record: Record<string, unknown>,
): Promise<FitMetrics> {
  const file = (name: string) => join(folder, name);
  const values = method.decisionValues(problem.testFeatures).copy('float64');
  await writeNpy(file('scores.npy'), values.copy('float32'));
  for (let i = 0; i < values.data.length; i++) values.data[i] = -values.data[i];
  const candidates = candidateNames(problem);
  const rows = predictionRows(values, candidates).map((entry) =>
    problem.testLabels ? { ...entry, truth: candidates[problem.testLabels[entry.row]] } : entry,
  );
  const theta = webWeights(method) ?? new Float64Array(0);
  const metrics = fitMetrics(
    problem,
    Int32Array.from(rows, (row) => row.category),
    theta,
  );
  await writePredictions(file('predictions.csv'), rows);
  if (theta.length > 0) {
    await writeNpy(file('theta.npy'), { shape: [theta.length], dtype: 'float64', data: theta });
    await writeCsv(
      file('weights.csv'),
      Array.from(theta, (weight, i) => [
        i,
        problem.testNames[problem.webLabels[i]],
        weight,
        problem.webTexts?.[i] ?? '',
      ]),
      { header: ['row', 'category', 'weight', 'text'] },
    );
  }
  await writeFileAtomic(file('metrics.json'), `${JSON.stringify(metrics, null, 2)}\n`);
  await writeFileAtomic(file('run.json'), `${JSON.stringify(record, null, 2)}\n`);
  return metrics;
}

/** The weights of the web pictures, of methods that have some. */
export function webWeights(method: Method): Float64Array | undefined {
  const theta = (method as { theta_?: unknown }).theta_;
  return theta instanceof Float64Array && theta.length > 0 ? theta : undefined;
}

/** Beside that, what the paper's learner leaves: learnt semantic vectors, dictionary, trace and saved model. */
export async function writeLearnerRun(
  folder: string,
  learner: FittedLearner,
  problem: Problem,
  record: Record<string, unknown>,
  modelMetadata: Record<string, string>,
): Promise<FitMetrics> {
  await clearedFolder(folder);
  const file = (name: string) => join(folder, name);
  await writeNpy(file('semantics.npy'), learner.semantics_);
  if (learner.dictionary_) await writeNpy(file('dictionary.npy'), learner.dictionary_);
  await writeCsv(
    file('trace.csv'),
    learner.trace_.map((entry) => traceColumns.map((column) => entry[column])),
    { header: traceColumns },
  );
  await saveModel(file('model.safetensors'), learner.model_, modelMetadata);
  return writeResults(folder, learner, problem, record);
}
