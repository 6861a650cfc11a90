/** Runs one of the experiments on a problem: jobs through the same runner as comparisons, results as plots and tables. */
import { join } from 'node:path';
import { ArgumentError, UsageError } from '../../errors.js';
import { writeFileAtomic } from '../../formats/index.js';
import { findMethod } from '../../methods/index.js';
import type { Problem } from '../../problem/index.js';
import { compareIn } from '../compare.js';
import { splitProblem } from '../context.js';
import { type EvaluationSetting, evaluate, type OpenRun } from '../evaluation-run.js';
import { chooseMethods, hasParts, lacksText, methodGroups, reasonToSkip } from '../method-groups.js';
import { type EarlyStopping, failureOf, type MethodRunOptions, methodRuns, unsuitable } from '../method-run.js';
import type { PaperDataset } from '../paper-figures.js';
import type { ExperimentResult, FitJob, FitOutcome, Parameters } from '../results.js';
import { writeTable } from '../table-files.js';
import { type Experiment, type ExperimentName, experimentNames, experiments } from './definitions.js';
import { runPaper } from './paper.js';
import { runningTimes } from './running-time.js';
import { sweepJobs, sweepPlots } from './sweep.js';
import { weightJobs, weightResults } from './weights.js';

export interface ExperimentOptions extends Omit<EvaluationSetting, 'generalized'> {
  name: ExperimentName;
  /** Trials of the search for each method's parameters; 0 takes the defaults. @default 0 */
  trials?: number;
  /** @default 1 */
  seeds?: number;
  earlyStopping?: EarlyStopping;
  /** Parameters by method; those methods are not searched for. */
  given?: Readonly<Record<string, Parameters>>;
  paper?: PaperDataset;
  /** Take web pictures at random where an experiment takes fewer of them, not the top-ranked ones. */
  webChoice?: 'random';
}

/** An experiment that is no collection of others. */
type Single = Exclude<Experiment, { kind: 'paper' }>;

/** A method's fits that succeeded, with the parameters they are about. */
export interface FittedMethod {
  method: string;
  parameters: Parameters;
  fits: readonly { job: FitJob; outcome: FitOutcome }[];
}

export async function runExperiment(options: ExperimentOptions): Promise<ExperimentResult> {
  const { name, trials = 0 } = options;
  if (!Object.hasOwn(experiments, name))
    throw new ArgumentError(`there is no experiment "${name}"`, `Experiments: ${experimentNames.join(', ')}.`);
  const experiment: Experiment = experiments[name];
  if (!options.problem.testLabels)
    throw new UsageError(
      'the test pictures have no labels, so nothing can be scored',
      'Add test_labels to the problem.',
    );
  if (experiment.kind === 'paper') {
    const { title, description } = experiment;
    return runPaper(options, { title, description }, runExperiment);
  }
  const setting: EvaluationSetting = {
    ...options,
    generalized: experiment.generalized,
    // Times are told of one thread with nothing beside it.
    ...(experiment.kind === 'time' && { jobs: 1, threads: 1 }),
  };
  const names = experiment.kind === 'table' ? methodGroups[experiment.group].methods : experiment.methods;
  const needs = { validation: trials > 0, test: true, parts: hasParts(names.map(findMethod)) };
  return evaluate('experiment', setting, needs, async (open) => {
    const result = await resultOf(open, experiment, options);
    if (result.compare) await writeTable(open.folder, result.compare);
    await writeFileAtomic(join(open.folder, 'experiment.json'), `${JSON.stringify(result, null, 2)}\n`);
    return result;
  });
}

async function resultOf(open: OpenRun, experiment: Single, options: ExperimentOptions): Promise<ExperimentResult> {
  const { title, description } = experiment;
  const { record, seed, generalized } = open;
  const base = {
    schema: 'bowerbird-experiment-1',
    name: options.name,
    title,
    description,
    problem: record,
    seed,
  } as const;
  if (experiment.kind === 'table') {
    const methods = chooseMethods([experiment.group], generalized);
    const table = await compareIn(open, { ...options, methods, title: methodGroups[experiment.group].title });
    const parameters = Object.fromEntries(table.rows.map((row) => [row.method, row.parameters]));
    const { skipped, failed } = table;
    return { ...base, parameters, plots: [], tables: [], skipped, failed, compare: table };
  }
  const problem = splitProblem(open.problem, { split: 'test', generalized }, seed);
  const { fitted, skipped, failed } = await fitAll(open, experiment, problem, options);
  const parameters = Object.fromEntries(fitted.map((each) => [each.method, each.parameters]));
  const shown =
    experiment.kind === 'time'
      ? { plots: [], tables: [runningTimes(fitted, problem, options.paper)] }
      : experiment.kind === 'sweep'
        ? { plots: sweepPlots(experiment.sweep, fitted, problem, seed), tables: [] }
        : weightResults(fitted, problem);
  return { ...base, parameters, ...shown, skipped, failed };
}

async function fitAll(
  open: OpenRun,
  experiment: Exclude<Single, { kind: 'table' }>,
  problem: Problem,
  options: ExperimentOptions,
): Promise<{ fitted: FittedMethod[]; skipped: ExperimentResult['skipped']; failed: ExperimentResult['failed'] }> {
  const { generalized, seed } = open;
  const { trials = 0, earlyStopping, given, webChoice } = options;
  const seeds = Array.from({ length: options.seeds ?? 1 }, (_, k) => k + 1);
  const jobsOf = (method: string, parameters: Parameters): FitJob[] => {
    const plain = seeds.map(
      (each): FitJob => ({ id: `${method}/seed-${each}`, method, parameters, seed: each, split: 'test', generalized }),
    );
    if (experiment.kind === 'time') return plain;
    return experiment.kind === 'sweep' ? sweepJobs(experiment.sweep, plain, problem, webChoice) : weightJobs(plain);
  };
  const skipped: { method: string; reason: string }[] = [];
  const wanted: MethodRunOptions[] = [];
  for (const method of experiment.methods) {
    const spec = findMethod(method);
    const reason = reasonToSkip(spec, problem, generalized);
    const finals = (parameters: Parameters) => jobsOf(method, parameters);
    if (reason) skipped.push({ method, reason });
    else wanted.push({ spec, trials, seed, generalized, earlyStopping, given: given?.[method], finals });
  }
  const runs = methodRuns(wanted, options);
  await open.execute(runs.all);
  const failed: { method: string; job: string; message: string }[] = [];
  const fitted: FittedMethod[] = [];
  for (const run of runs.wanted) {
    const method = run.spec.name;
    const failures = run.finals.filter((line) => 'failure' in line);
    const fits = run.finals.flatMap((line) => ('outcome' in line ? [{ job: line.job, outcome: line.outcome }] : []));
    if (fits.length === 0 && failures.every((line) => unsuitable(line) || lacksText(run.spec, problem)))
      skipped.push({ method, reason: failures[0] ? failureOf(failures[0])!.message : 'there is nothing to vary' });
    else failed.push(...failures.map((line) => ({ method, job: line.job.id, message: failureOf(line)!.message })));
    if (fits.length > 0) fitted.push({ method, parameters: run.parameters, fits });
  }
  return { fitted, skipped, failed };
}
