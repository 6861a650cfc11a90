/** The part of `bowerbird fit` that belongs to the paper's learner: its options, checkpoints, trace and saved model. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import { type FitMetrics, type FittedLearner, writeLearnerRun } from '../evaluation/run-folder.js';
import {
  Checkpoint,
  Combo,
  type LearnerOptions,
  learnerParameters,
  PaperLearner,
  type SpecialCase,
  specialCases,
} from '../learner/index.js';
import type { ParameterValue } from '../parameters.js';
import { problemHash, type StreamedProblem } from '../problem/index.js';
import type { CommandContext } from './command.js';
import type { FitSetting } from './fit-method.js';
import { choiceOption, numberOption } from './parameter-options.js';

const tunable = ['lambda1', 'lambda2', 'lambda3', 'lambda4', 'bound', 'gamma'] as const;

/** Options of the learner and its special cases. */
export const learnerOptions = {
  lambda1: numberOption(learnerParameters.lambda1),
  lambda2: numberOption(learnerParameters.lambda2),
  lambda3: numberOption(learnerParameters.lambda3),
  lambda4: numberOption(learnerParameters.lambda4),
  bound: numberOption(learnerParameters.bound),
  gamma: numberOption(learnerParameters.gamma),
  space: choiceOption(learnerParameters.space),
  metric: choiceOption(learnerParameters.metric),
  'theta-solver': choiceOption(learnerParameters.thetaSolver),
  'max-iterations': numberOption(learnerParameters.maxIterations),
  tolerance: numberOption(learnerParameters.tolerance),
  resume: { type: 'flag', description: 'Continue an interrupted fit in DIR.' },
} as const;

type LearnerValues = CommandContext<typeof learnerOptions>['options'] & { dtype: string };

/** `ours-pi` is `ours` with the text; its weight then has a default above 0. */
export function learnerCase(method: string): SpecialCase | 'combo' | undefined {
  if (method === 'combo') return 'combo';
  const name = method === 'ours-pi' ? 'ours' : method;
  return Object.hasOwn(specialCases, name) ? (name as SpecialCase) : undefined;
}

/** @throws UsageError for an option of the learner that was given for another method */
export function refuseLearnerOptions(method: string, values: LearnerValues): void {
  const own = [...tunable, 'space', 'metric', 'theta-solver', 'max-iterations', 'tolerance'] as const;
  const given = own.find((name) => values[name] !== undefined) ?? (values.resume ? 'resume' : undefined);
  if (given)
    throw new UsageError(
      `--${given} belongs to the paper's learner, and this is a fit of ${method}`,
      `Add --method ours, or leave it out; "--set NAME=VALUE" sets a parameter of ${method}.`,
    );
}

/** @throws UsageError for a parameter that makes the special case what it is */
export function refuseFixedParameters(special: SpecialCase, values: LearnerValues): void {
  const fixed: Partial<LearnerOptions> = specialCases[special];
  const given = tunable.find((name) => values[name] !== undefined && fixed[name] !== undefined);
  if (given)
    throw new UsageError(
      `${special} has ${given} = ${fixed[given]}, and --${given} ${values[given]} would change it`,
      'Add --method ours, or leave it out.',
    );
}

/** Fits the learner, writes its folder and says what came out. */
export async function fitLearner(
  special: SpecialCase | 'combo',
  parameters: Readonly<Record<string, ParameterValue>>,
  values: LearnerValues,
  setting: FitSetting & { webRows?: StreamedProblem['webRows'] },
): Promise<{ record: Record<string, unknown>; metrics: FitMetrics; lines: string[] }> {
  const { out, problem, backend, signal, progress, webRows, configuration } = setting;
  const chosen: Partial<LearnerOptions> = {
    ...known(parameters),
    ...Object.fromEntries(tunable.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]]))),
    space: values.space,
    metric: values.metric,
    thetaSolver: values['theta-solver'],
    maxIterations: values['max-iterations'],
    tolerance: values.tolerance,
    dtype: values.dtype as LearnerOptions['dtype'],
  };
  const hash = problemHash(problem);
  const whole = { ...configuration, ...chosen };
  const fingerprint = JSON.stringify({ configuration: whole, hash, backend: backend.description });
  const checkpoint = new Checkpoint(join(out, 'checkpoint.npz'), { fingerprint, resume: values.resume });
  if (values.resume && !existsSync(checkpoint.path)) progress.note('nothing to resume; starting from the beginning');
  const begun = performance.now();
  const shared = {
    backend,
    signal,
    webRows,
    onProgress: ({ done, detail }: { done: number; detail?: string }) =>
      progress.update({ stage: 'fit', done, detail }),
  };
  const learner: FittedLearner =
    special === 'combo'
      ? await new Combo(chosen).fit(problem, shared)
      : await new PaperLearner({ ...chosen, special }).fit(problem, { ...shared, checkpoint });
  const seconds = (performance.now() - begun) / 1000;
  const record = {
    ...setting.record(problem, seconds),
    configuration: whole,
    iterations: learner.trace_.length,
    converged: learner.converged_,
    warnings: learner.warnings_,
  };
  const metrics = await writeLearnerRun(out, learner, problem, record, { scaling: setting.scaling });
  await checkpoint.clear();
  for (const warning of learner.warnings_) progress.note(`warning: ${warning}`);
  const ended = learner.converged_ ? 'converged' : 'stopped';
  return {
    record,
    metrics,
    lines: [`${ended} after ${learner.trace_.length} iterations, ${seconds.toFixed(1)} s (${backend.description})`],
  };
}

function known(parameters: Readonly<Record<string, ParameterValue>>): Partial<LearnerOptions> {
  const entries = Object.entries(parameters).filter(([key]) => (tunable as readonly string[]).includes(key));
  return Object.fromEntries(entries) as Partial<LearnerOptions>;
}
