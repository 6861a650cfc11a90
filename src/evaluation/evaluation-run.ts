/**
 * What a search, a comparison and an experiment have in common: a folder with the record of the run and its journal, and the
 * executor that fits. A folder of the same problem, seed and validation pictures is continued: jobs done before are not done
 * again, and more trials, methods or seeds may be asked for.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { artefact } from '../artefact.js';
import { createThreadExecutor, type Executor } from '../distribute/index.js';
import { FormatError, InterruptedError, ProblemError, UsageError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import { createBackend, findGpu } from '../linalg/index.js';
import { type PreparationTimes, pluginModules } from '../methods/index.js';
import type { Problem } from '../problem/index.js';
import type { Progress } from '../progress.js';
import {
  describeProblem,
  type EvaluationContext,
  type ProblemSource,
  type Split,
  shareSplits,
  type ValidationChoice,
  withValidation,
} from './context.js';
import { Journal } from './journal.js';
import { createLocalExecutor } from './local-executor.js';
import { type MethodRun, sumOfPreparation, sumOfRepeats } from './method-run.js';
import type { ProblemRecord, RepeatedTrials, RunRecord } from './results.js';
import { runPlan } from './run-plan.js';

/** What is evaluated, where, and who is told. */
export interface EvaluationSetting {
  problem: Problem;
  /** Where the results go. */
  folder: string;
  /** As the user named it, for the record. */
  origin?: { path?: string; semantics?: string };
  /** @default 1 */
  seed?: number;
  /** Substitute for missing web pictures of validation categories: the share of wrong labels it shall have. */
  syntheticValidation?: number;
  /** @default false */
  generalized?: boolean;
  /** Search the parameters of methods that are made of others all together, not part by part. @default false */
  joint?: boolean;
  /** Fits at a time. @default the number of cores; on a GPU as many as its memory holds, up to 4 */
  jobs?: number;
  /** Threads of each fit. @default 1 where several fits run at a time, else the number of cores */
  threads?: number;
  /** @default 'auto' */
  device?: EvaluationContext['device'];
  /** Where jobs run instead of threads of this process; `source` is then what they open. */
  remote?: {
    source: ProblemSource;
    execute: (context: EvaluationContext, splits: readonly Split[]) => Promise<Executor>;
  };
  /** Forget what the folder holds of an earlier run. @default false */
  restart?: boolean;
  /** Recorded in run.json. */
  versions?: Record<string, string>;
  configuration?: Record<string, unknown>;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Something a user should know. */
  onNote?: (message: string) => void;
}

export interface OpenRun {
  /** The problem with the validation pictures that were chosen. */
  problem: Problem;
  record: ProblemRecord;
  validation: ValidationChoice;
  seed: number;
  generalized: boolean;
  folder: string;
  /** Runs the jobs of these methods, or takes what the journal knows. */
  execute(runs: readonly MethodRun[]): Promise<void>;
}

type Command = RunRecord['command'];

const journalNames: Readonly<Record<Command, string>> = {
  compare: 'outcomes.jsonl',
  tune: 'trials.jsonl',
  experiment: 'outcomes.jsonl',
};

/** What is there once a run has ended; results of one run beside the record of another would be taken for its own. */
const results = ['chosen.json', 'table.json', 'table.csv', 'table.md', 'experiment.json', 'predictions'];

/** Opens the folder, lets `work` run jobs, and closes the record with the time it took. */
export async function evaluate<T>(
  command: Command,
  setting: EvaluationSetting,
  needs: { validation: boolean; test: boolean; parts?: boolean },
  work: (run: OpenRun) => Promise<T>,
): Promise<T> {
  const { folder, seed = 1, generalized = false, restart = false, origin } = setting;
  // Where nothing is chosen, nothing is made up either: there may be too few categories for it.
  const syntheticNoise = needs.validation ? setting.syntheticValidation : undefined;
  const validation: ValidationChoice = { syntheticNoise, seed };
  const problem = withValidation(setting.problem, validation);
  if (needs.validation) requireValidation(problem);
  await mkdir(folder, { recursive: true });
  const journalPath = join(folder, journalNames[command]);
  const record = describeProblem(setting.problem, origin);
  const identity = { problem: record.hash, seed, validation: setting.syntheticValidation ?? 'web' };
  const begun = await openRecord(command, setting, identity);
  if (restart)
    for (const name of [journalNames[command], ...results])
      await rm(join(folder, name), { recursive: true, force: true });
  const journal = await Journal.open(journalPath);
  const splits: Split[] = [
    ...(needs.validation ? [{ split: 'validation', generalized } as const] : []),
    ...(needs.validation && generalized && needs.parts ? [{ split: 'validation', generalized: false } as const] : []),
    ...(needs.test ? [{ split: 'test', generalized } as const] : []),
  ];
  const executor = await openExecutor(setting, problem, splits, seed);
  const executed: MethodRun[] = [];
  try {
    const result = await work({
      problem,
      record,
      validation,
      seed,
      generalized,
      folder,
      execute: (runs) => {
        executed.push(...runs);
        begun.jobs += runs.reduce((sum, run) => sum + run.expectedJobs, 0);
        return runPlan(runs, { executor, journal, signal: setting.signal, onProgress: setting.onProgress });
      },
    });
    const finished = new Date();
    const seconds = (finished.getTime() - Date.parse(begun.started)) / 1000;
    const lines = executed.flatMap((run) => run.lines);
    const [preparation, repeats] = [sumOfPreparation(lines), sumOfRepeats(lines)];
    await writeRecord(folder, {
      ...begun,
      finished: finished.toISOString(),
      seconds,
      ...(preparation && { preparation }),
      ...(repeats && { repeats }),
    });
    if (preparation && preparation.shared > 0) setting.onNote?.(describePreparation(preparation));
    if (repeats) setting.onNote?.(describeRepeats(repeats));
    return result;
  } catch (error) {
    if (!(error instanceof InterruptedError) || error.hint) throw error;
    throw new InterruptedError(error.message, 'Fits that have ended are kept: the same command goes on from there.');
  } finally {
    await executor.close();
  }
}

/** How much of what fits have in common was made once for several of them. */
function describePreparation({ made, shared }: PreparationTimes): string {
  const whole = made + shared;
  return `fits shared ${shared.toFixed(1)} of ${whole.toFixed(1)} s of preparation (${Math.round((100 * shared) / whole)} %)`;
}

function describeRepeats({ trials, seconds }: RepeatedTrials): string {
  const [which, fits] = trials === 1 ? ['1 trial had', 'its fit'] : [`${trials} trials had`, 'their fits'];
  return `${which} the parameters of another one, which spared ${fits} (${seconds.toFixed(1)} s)`;
}

async function openExecutor(
  setting: EvaluationSetting,
  problem: Problem,
  splits: readonly Split[],
  seed: number,
): Promise<Executor> {
  const { remote, device = 'auto', threads } = setting;
  if (remote) return remote.execute({ source: remote.source, seed, device, threads: threads ?? 1 }, splits);
  const jobs = setting.jobs ?? (device === 'cuda' ? await fitsOnGpu(problem) : availableParallelism());
  const context: EvaluationContext = {
    source: shareSplits(problem, splits, seed),
    seed,
    device,
    threads: threads ?? (jobs === 1 ? availableParallelism() : 1),
    plugins: pluginModules(),
  };
  if (jobs === 1) return createLocalExecutor(context);
  return createThreadExecutor({ handler: artefact('evaluation/job-handler.js'), context, width: jobs });
}

/** Every fit of a GPU has a thread, a stream and a copy of the features; beyond four they gain little. */
async function fitsOnGpu({ testFeatures, webFeatures, validationWeb }: Problem): Promise<number> {
  const { memoryBytes } = await findGpu();
  const pictures = testFeatures.rows + webFeatures.rows + (validationWeb?.features.rows ?? 0);
  const share = 2 * 8 * pictures * testFeatures.cols;
  return Math.max(1, Math.min(4, availableParallelism(), Math.floor((0.8 * memoryBytes) / share)));
}

/** Refuses a folder that holds the results of something else; writes the record of this run. */
async function openRecord(
  command: Command,
  setting: EvaluationSetting,
  identity: Record<string, unknown>,
): Promise<RunRecord> {
  const { folder, device = 'auto', threads = 1, restart } = setting;
  const found = await readRecord(folder);
  // A fit is not forgotten for a search: what it left would lie among the new results.
  const old = restart && found?.command !== undefined ? undefined : found;
  if (old && old.command === undefined)
    throw new UsageError(`${folder} holds the results of a fit`, 'Name another folder with --out.');
  if (old && (old.command !== command || JSON.stringify(old.inputs) !== JSON.stringify(identity)))
    throw new UsageError(
      `${folder} holds the results of another run (${old.command}, ${describeInputs(old.inputs)}), not of this one (${command}, ${describeInputs(identity)})`,
      'Name another folder with --out, or add --restart to begin anew.',
    );
  const backend = await createBackend({ device, threads });
  const record: RunRecord = {
    schema: 'bowerbird-run-1',
    command,
    configuration: setting.configuration ?? {},
    inputs: identity as RunRecord['inputs'],
    versions: setting.versions ?? {},
    backend: { device: backend.device, description: backend.description, threads: backend.threads },
    jobs: 0,
    started: new Date().toISOString(),
  };
  backend.dispose();
  await writeRecord(folder, record);
  return record;
}

async function readRecord(folder: string): Promise<RunRecord | undefined> {
  const path = join(folder, 'run.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as RunRecord;
  } catch {
    throw new FormatError(path, undefined, 'is not the record of a run', 'Name another folder with --out.');
  }
}

async function writeRecord(folder: string, record: RunRecord): Promise<void> {
  await writeFileAtomic(join(folder, 'run.json'), `${JSON.stringify(record, null, 2)}\n`);
}

function describeInputs(inputs: Record<string, unknown> | undefined): string {
  const { problem, seed, validation } = inputs ?? {};
  return `problem ${String(problem).slice(0, 8)}…, seed ${seed}, validation ${validation}`;
}

function requireValidation(problem: Problem): void {
  if (problem.validationWeb) return;
  throw new ProblemError(
    'validation_web_features',
    undefined,
    'the problem has no web pictures of validation categories, so parameters cannot be chosen on them',
    'Give them with --web-validation FILE, or use auxiliary pictures with a share of wrong labels in their place: --synthetic-validation 0.3. Test labels are never used.',
  );
}
