/** Options that `tune`, `compare` and `experiment` share, and what they turn into. */
import { UsageError } from '../errors.js';
import type { EvaluationSetting } from '../evaluation/index.js';
import { type LoadOptions, loadProblem } from '../problem/index.js';
import { versions } from '../versions.js';
import type { OptionSpec } from './command.js';
import { queuedExecution, requireQueueAddress } from './executor.js';
import type { ProgressLine } from './progress.js';
import { backendOptions, loadOptions, type ProblemValues, pluginOption, problemOptions } from './shared-options.js';

export const evaluationOptions = {
  out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'Folder for the results; continued if begun.' },
  seed: { type: 'integer', minimum: 0, default: 1, description: 'Seed of the search, splits and intervals.' },
  'web-validation': {
    type: 'string',
    placeholder: 'FILE',
    description: 'Web pictures of validation categories from this file.',
  },
  'synthetic-validation': {
    type: 'number',
    minimum: 0,
    maximum: 0.99,
    placeholder: 'NOISE',
    description: 'In their place, auxiliary pictures with this share of wrong labels.',
  },
  jobs: {
    type: 'integer',
    minimum: 1,
    placeholder: 'N',
    description: 'Fits at a time (all cores, or up to 4 on a GPU, if not given).',
  },
  queue: {
    type: 'string',
    placeholder: 'URL',
    description: 'Fits run on the machines of "bowerbird worker --queue URL" (redis://…).',
  },
  joint: {
    type: 'flag',
    description: 'Search the parameters of combined methods all together, not part by part.',
  },
  restart: { type: 'flag', description: 'Begin anew, forgetting what DIR holds.' },
  ...pluginOption,
  ...problemOptions,
  ...backendOptions,
} as const satisfies Record<string, OptionSpec>;

export interface EvaluationValues extends ProblemValues {
  out: string | undefined;
  seed: number;
  'web-validation': string | undefined;
  'synthetic-validation': number | undefined;
  jobs: number | undefined;
  queue: string | undefined;
  joint: boolean;
  restart: boolean;
  device: string;
  threads: number | undefined;
}

export function loadOptionsOf(values: EvaluationValues, signal: AbortSignal): LoadOptions {
  return { ...loadOptions(values, signal), web: 'optional', validationFile: values['web-validation'] };
}

/** Everything but what a command alone knows; reads the problem. */
export async function evaluationSetting(
  command: string,
  path: string,
  values: EvaluationValues,
  tools: { signal: AbortSignal; progress: ProgressLine },
): Promise<EvaluationSetting> {
  const folder = requireOut(command, path, values.out);
  if (values.queue !== undefined) requireQueueAddress(values.queue);
  const load = loadOptionsOf(values, tools.signal);
  tools.progress.update({ stage: 'read the problem', done: 0 });
  const problem = await loadProblem(path, load);
  tools.progress.end();
  const setting = settingOf(folder, values, tools, command);
  const validation = { syntheticNoise: values['synthetic-validation'], seed: values.seed };
  const remote =
    values.queue === undefined
      ? undefined
      : queuedExecution({ queue: values.queue, out: folder, path, load, problem, validation, ...tools });
  return { ...setting, problem, origin: { path, semantics: values.semantics }, remote };
}

/** The setting less its problem. */
export function settingOf(
  folder: string,
  values: EvaluationValues,
  { signal, progress }: { signal: AbortSignal; progress: ProgressLine },
  stage: string,
): Omit<EvaluationSetting, 'problem' | 'origin'> {
  if (values['synthetic-validation'] !== undefined)
    progress.note(
      'parameters are chosen on auxiliary pictures with made-up label noise; they know nothing of the look of web pictures',
    );
  return {
    folder,
    seed: values.seed,
    syntheticValidation: values['synthetic-validation'],
    jobs: values.jobs,
    threads: values.threads,
    device: values.device as EvaluationSetting['device'],
    joint: values.joint,
    restart: values.restart,
    versions: versions(),
    signal,
    onProgress: progress.during(stage),
    onNote: progress.note,
  };
}

export function requireOut(command: string, path: string, out: string | undefined): string {
  if (out !== undefined) return out;
  throw new UsageError(
    '--out is missing: where should the results go?',
    `Try: bowerbird ${[command, path].filter(Boolean).join(' ')} --out results`,
  );
}
