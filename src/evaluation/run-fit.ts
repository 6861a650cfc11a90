/** One job: fits a method to a problem and scores what it says about the test pictures. */
import { Combo, PaperLearner, type ResidentProblem } from '../learner/index.js';
import type { Backend } from '../linalg/backend.js';
import type { Matrix } from '../linalg/matrix.js';
import { createMethod, findMethod } from '../methods/index.js';
import { candidateNames, type FitProgress, type Problem, rowMaxima } from '../problem/index.js';
import { generalizedScores } from './generalized-scores.js';
import { accuracy, categoryAccuracies, meanCategoryAccuracy, rocArea } from './metrics.js';
import type { FitJob, FitOutcome } from './results.js';
import { webWeights } from './run-folder.js';
import { seenUnseenArea } from './seen-unseen.js';

export interface FitTools {
  backend: Backend;
  /** The problem in the backend's storage, shared by all fits of the learner. */
  resident?: () => ResidentProblem;
  signal?: AbortSignal;
  onProgress?: (progress: FitProgress) => void;
}

export async function runFit(job: FitJob, problem: Problem, tools: FitTools): Promise<FitOutcome> {
  const { backend, resident, signal, onProgress } = tools;
  signal?.throwIfAborted();
  const begun = performance.now();
  const method = createMethod(findMethod(job.method), job.parameters, job.seed);
  const options = { backend, signal, onProgress };
  const learner = method instanceof PaperLearner || method instanceof Combo ? method : undefined;
  if (learner) await learner.fit(problem, { ...options, ...(resident && { resident: resident() }) });
  else await method.fit(problem, options);
  const values = method.decisionValues(problem.testFeatures);
  const predictions = rowMaxima(values);
  const seconds = (performance.now() - begun) / 1000;
  const theta = webWeights(method);
  return {
    id: job.id,
    ...scores(problem, predictions, values),
    ...(theta && problem.webKinds?.length === theta.length && { thetaArea: thetaArea(theta, problem.webKinds) }),
    seconds,
    ...(learner && { iterations: learner.trace_.length, converged: learner.converged_ }),
    ...(job.wants?.includes('predictions') && { predictions: Array.from(predictions) }),
    ...(theta && job.wants?.includes('theta') && { theta: Array.from(theta) }),
  };
}

function scores(problem: Problem, predictions: Int32Array, values: Matrix): Partial<FitOutcome> {
  const { testLabels } = problem;
  if (!testLabels) return {};
  const names = candidateNames(problem);
  const each = categoryAccuracies(predictions, testLabels, names.length);
  return {
    accuracy: accuracy(predictions, testLabels),
    meanCategoryAccuracy: meanCategoryAccuracy(predictions, testLabels, names.length),
    categories: Object.fromEntries(
      [...each].flatMap((value, c) => (Number.isNaN(value) ? [] : [[names[c], value] as const])),
    ),
    ...(problem.generalized && {
      ...generalizedScores(predictions, testLabels, problem.testNames.length),
      ausuc: seenUnseenArea(values, testLabels, problem.testNames.length),
    }),
  };
}

function thetaArea(theta: Float64Array, kinds: readonly string[]): number {
  return rocArea(
    theta,
    kinds.map((kind) => kind === 'clean'),
  );
}
