/** What the search and the comparison of a workspace have in common. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BowerbirdError } from '../errors.js';
import type { EvaluationSetting, RunRecord } from '../evaluation/index.js';
import { type Problem, problemHash } from '../problem/index.js';
import { versions } from '../versions.js';
import { defaultNoise } from './configuration.js';
import type { StageContext } from './stage.js';
import { layout } from './workspace.js';

export async function evaluationSetting(
  { workspace, signal, onProgress, note }: StageContext,
  problem: Problem,
  into: string,
): Promise<EvaluationSetting> {
  const { learner, jobs, seed, tune } = workspace.configuration;
  const folder = workspace.path(into);
  const syntheticValidation = problem.validationWeb ? undefined : (tune?.noise ?? defaultNoise);
  if (syntheticValidation !== undefined)
    note(
      'parameters are chosen on auxiliary pictures with made-up label noise; they know nothing of the look of web pictures',
    );
  return {
    problem,
    folder,
    origin: { path: layout.problem },
    seed,
    generalized: problem.generalized,
    syntheticValidation,
    jobs,
    threads: learner.threads,
    device: learner.device,
    // A folder of other pictures or another seed is of no use any more.
    restart: !(await continues(folder, {
      problem: problemHash(problem),
      seed,
      validation: syntheticValidation ?? 'web',
    })),
    versions: versions(),
    configuration: { problem: layout.problem, method: learner.method, seed },
    signal,
    onProgress,
  };
}

/** Whether an error of a search speaks of too few auxiliary pictures, not of a fault. */
export function tooLittleToTry({ code }: BowerbirdError): boolean {
  return code === 'BOWERBIRD_PROBLEM' || code === 'BOWERBIRD_SEARCH';
}

async function continues(folder: string, inputs: RunRecord['inputs']): Promise<boolean> {
  try {
    const record = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')) as RunRecord;
    return JSON.stringify(record.inputs) === JSON.stringify(inputs);
  } catch {
    return false;
  }
}
