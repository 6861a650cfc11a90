/**
 * Random search for a method's parameters on validation categories (the paper's protocol): trial k is drawn from seed and k,
 * the best mean per-category accuracy wins, the smaller trial among equals. Test labels play no part.
 */
import { join } from 'node:path';
import { BowerbirdError, ProblemError, UsageError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import { findMethod, type MethodSpec } from '../methods/index.js';
import { describeValidation } from './context.js';
import { type EvaluationSetting, evaluate } from './evaluation-run.js';
import { hasParts, reasonToSkip } from './method-groups.js';
import { type EarlyStopping, failureOf, type MethodRun, methodRuns } from './method-run.js';
import type { ChosenParameters, JournalLine } from './results.js';
import { searchable } from './sample-parameters.js';

export interface SearchOptions extends EvaluationSetting {
  /** @default 'bowerbird' */
  method?: string;
  /** @default 40 */
  trials?: number;
  /** Give up hopeless trials after a first look at a share of the pictures. */
  earlyStopping?: EarlyStopping;
}

export interface SearchResult {
  chosen: ChosenParameters;
  /** In the order they ended. */
  trials: readonly JournalLine[];
}

/** The first look of early stopping: a quarter of the pictures, and the best third goes on. */
export const defaultEarlyStopping: EarlyStopping = { share: 1 / 4, keep: 1 / 3 };

/**
 * @example
 * const { chosen } = await search({ problem, folder: 'tuned', method: 'paper', trials: 40 });
 * const result = await fit(problem, chosen.method, { parameters: chosen.parameters });
 */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const { trials = 40, earlyStopping } = options;
  const spec = findMethod(options.method ?? 'bowerbird');
  const method = spec.name;
  requireSearch(spec, trials);
  return evaluate('tune', options, { validation: true, test: false, parts: hasParts([spec]) }, async (open) => {
    const reason = reasonToSkip(spec, open.problem, open.generalized);
    if (reason) throw new UsageError(`${method} cannot be searched for here: ${reason}`);
    const { seed, generalized } = open;
    const wanted = { spec, trials, seed, generalized, earlyStopping, finals: () => [] };
    const runs = methodRuns([wanted], options);
    await open.execute(runs.all);
    const [run] = runs.wanted;
    if (!run.chosenTrial) throw failedSearch(run);
    const chosen: ChosenParameters = {
      schema: 'bowerbird-parameters-1',
      method,
      parameters: run.parameters,
      validationAccuracy: run.chosenTrial.validationAccuracy,
      trial: run.chosenTrial.id,
      trials,
      failedTrials: run.failedTrials,
      stoppedTrials: run.stoppedTrials,
      seed,
      validation: describeValidation(open.problem, open.validation),
    };
    await writeFileAtomic(join(open.folder, 'chosen.json'), `${JSON.stringify(chosen, null, 2)}\n`);
    return { chosen, trials: runs.all.flatMap((each) => each.trials) };
  });
}

function requireSearch(spec: MethodSpec, trials: number): void {
  if (!Number.isSafeInteger(trials) || trials < 1)
    throw new UsageError(`trials is ${trials}; it must be a whole number of at least 1`);
  if (!searchable(spec)) throw new UsageError(`${spec.name} has no parameters to search for`);
}

function failedSearch(run: MethodRun): BowerbirdError {
  const failure = run.trials.map(failureOf).find(Boolean);
  const message = `no trial of ${run.spec.name} succeeded: ${failure?.message ?? run.note ?? 'all failed'}`;
  if (failure?.code === 'BOWERBIRD_PROBLEM') return new ProblemError(run.spec.name, undefined, message, failure.hint);
  return new BowerbirdError('BOWERBIRD_SEARCH', message, { hint: failure?.hint });
}
