/** The files a fit leaves behind: predictions, scores, weights, trace, configuration and the saved model. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCsv, writeFileAtomic, writeNpy } from '../formats/index.js';
import { type IterationRecord, type LearnerModel, saveModel, traceColumns } from '../learner/index.js';
import type { Matrix } from '../linalg/matrix.js';
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
export interface FittedLearner {
  semantics_: Matrix;
  theta_: Float64Array;
  /** Absent for a combination of learners. */
  dictionary_?: Matrix;
  model_: LearnerModel;
  trace_: readonly IterationRecord[];
  converged_: boolean;
  warnings_: readonly string[];
  decisionValues(features: Matrix): Matrix;
}

/** Everything about a fit of the paper's learner. `record` is what run.json holds. */
export async function writeLearnerRun(
  folder: string,
  learner: FittedLearner,
  problem: Problem,
  record: Record<string, unknown>,
  modelMetadata: Record<string, string>,
): Promise<FitMetrics> {
  await mkdir(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  const values = learner.decisionValues(problem.testFeatures);
  for (let i = 0; i < values.data.length; i++) values.data[i] = -values.data[i];
  const candidates = candidateNames(problem);
  const rows = predictionRows(values, learner.model_.names).map((entry) =>
    problem.testLabels ? { ...entry, truth: candidates[problem.testLabels[entry.row]] } : entry,
  );
  const metrics = fitMetrics(
    problem,
    Int32Array.from(rows, (row) => row.category),
    learner.theta_,
  );
  await writePredictions(file('predictions.csv'), rows);
  await writeNpy(file('semantics.npy'), learner.semantics_);
  if (learner.dictionary_) await writeNpy(file('dictionary.npy'), learner.dictionary_);
  if (learner.theta_.length > 0) {
    await writeNpy(file('theta.npy'), { shape: [learner.theta_.length], dtype: 'float64', data: learner.theta_ });
    await writeCsv(
      file('weights.csv'),
      Array.from(learner.theta_, (weight, i) => [
        i,
        problem.testNames[problem.webLabels[i]],
        weight,
        problem.webTexts?.[i] ?? '',
      ]),
      { header: ['row', 'category', 'weight', 'text'] },
    );
  }
  await writeCsv(
    file('trace.csv'),
    learner.trace_.map((entry) => traceColumns.map((column) => entry[column])),
    { header: traceColumns },
  );
  await saveModel(file('model.safetensors'), learner.model_, modelMetadata);
  await writeFileAtomic(file('metrics.json'), `${JSON.stringify(metrics, null, 2)}\n`);
  await writeFileAtomic(file('run.json'), `${JSON.stringify(record, null, 2)}\n`);
  return metrics;
}
