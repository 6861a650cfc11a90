/** One job: a fit of a method to a problem, and what came of it as plain values that can travel. */
import { fitAnswers } from '../fit/index.js';
import type { ResidentProblem } from '../learner/index.js';
import type { Backend } from '../linalg/index.js';
import { takePreparationTimes } from '../methods/index.js';
import type { Problem } from '../problem/index.js';
import type { Progress } from '../progress.js';
import type { FitJob, FitOutcome } from './results.js';

export interface FitTools {
  backend: Backend;
  /** The problem in the backend's storage, shared by all fits of the learner. */
  resident?: () => ResidentProblem;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export async function runFit(job: FitJob, problem: Problem, tools: FitTools): Promise<FitOutcome> {
  const { resident, ...options } = tools;
  const { method, parameters, seed, wants } = job;
  takePreparationTimes();
  const { fitted, answers, metrics, seconds, webWeights } = await fitAnswers(problem, method, {
    ...options,
    ...{ parameters, seed, methodOptions: { resident } },
  });
  const { iterations, converged } = fitted.details?.() ?? {};
  const preparation = takePreparationTimes();
  return {
    id: job.id,
    ...metrics,
    seconds,
    ...(preparation.made + preparation.shared > 0 && { preparation }),
    ...(iterations !== undefined && { iterations, converged }),
    ...(wants?.includes('predictions') && { predictions: Array.from(answers.predictions) }),
    ...(webWeights && wants?.includes('theta') && { theta: Array.from(webWeights) }),
  };
}
