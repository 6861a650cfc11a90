/** Compares methods on one problem: parameters by search on validation categories, final fits with several seeds, one table. */
import { ArgumentError, UsageError } from '../errors.js';
import { isShareable, type MethodSpec, registerMethod } from '../methods/index.js';
import { buildTable, type MethodResult } from './compare-table.js';
import { splitProblem } from './context.js';
import { type EvaluationSetting, evaluate, type OpenRun } from './evaluation-run.js';
import { hasParts, lacksText, reasonToSkip } from './method-groups.js';
import { type EarlyStopping, failureOf, type MethodRunOptions, methodRuns, unsuitable } from './method-run.js';
import { type PaperDataset, recognizeDataset } from './paper-figures.js';
import type { CompareTable, FitJob, Parameters } from './results.js';
import { searchable } from './sample-parameters.js';
import { writeTable } from './table-files.js';

export interface CompareOptions extends EvaluationSetting {
  methods: readonly MethodSpec[];
  /** @default 'Comparison' */
  title?: string;
  /** Trials of the search for each method's parameters; 0 takes the defaults. @default 0 */
  trials?: number;
  /** Parameters of methods that have them already, by name; these are not searched for. */
  given?: Readonly<Record<string, Parameters>>;
  /** Final fits of each method, with seeds 1 … K. @default 1 */
  seeds?: number;
  earlyStopping?: EarlyStopping;
  /** Print the paper's figures of this dataset; recognized by itself where the problem has its categories. */
  paper?: PaperDataset;
}

/**
 * @example
 * const table = await compare({ problem, folder: 'table', methods: [findMethod('paper'), findMethod('lr')], trials: 20 });
 * for (const row of table.rows) console.log(row.method, row.accuracy.mean);
 */
export async function compare(given: CompareOptions): Promise<CompareTable> {
  const options = { ...given, ...placesFor(given) };
  const { trials = 0 } = options;
  requireLabels(options);
  const search = trials > 0 && options.methods.some(searchable);
  return evaluate(
    'compare',
    options,
    { validation: search, test: true, parts: hasParts(options.methods) },
    async (open) => {
      const table = await compareIn(open, options);
      await writeTable(open.folder, table);
      return table;
    },
  );
}

/** Methods that no module brings can be fitted in this thread alone. */
function placesFor({ methods, jobs }: CompareOptions): { jobs?: number } {
  for (const spec of methods) registerMethod(spec);
  const own = methods.find((spec) => !isShareable(spec));
  if (!own || jobs === 1) return {};
  if (jobs === undefined) return { jobs: 1 };
  throw new ArgumentError(
    `${own.name} is known in this thread alone, and ${jobs} jobs are to run at a time`,
    'Put it into a module that exports it in `methods`, and load that with loadPlugins; or leave out `jobs`.',
  );
}

/** The comparison within a run that is open already. */
export async function compareIn(open: OpenRun, options: CompareOptions): Promise<CompareTable> {
  const { title = 'Comparison', trials = 0, seeds: seedCount = 1, earlyStopping } = options;
  const { problem, generalized, seed } = open;
  const seeds = Array.from({ length: seedCount }, (_, k) => k + 1);
  const skipped: { method: string; reason: string }[] = [];
  const wanted: MethodRunOptions[] = [];
  for (const spec of options.methods) {
    const reason = reasonToSkip(spec, problem, generalized);
    if (reason) skipped.push({ method: spec.name, reason });
    else
      wanted.push({
        spec,
        trials,
        ...(options.given?.[spec.name] && { given: options.given[spec.name] }),
        seed,
        generalized,
        earlyStopping,
        finals: (parameters) => seeds.map((each) => finalJob(spec.name, parameters, each, generalized)),
      });
  }
  const runs = methodRuns(wanted, options);
  await open.execute(runs.all);
  const failed: { method: string; job: string; message: string }[] = [];
  const results: MethodResult[] = [];
  for (const run of runs.wanted) {
    const method = run.spec.name;
    const failures = run.finals.filter((line) => 'failure' in line);
    if (failures.some(unsuitable) || (failures.length > 0 && lacksText(run.spec, problem)))
      skipped.push({ method, reason: failureOf(failures[0])!.message });
    else {
      failed.push(...failures.map((line) => ({ method, job: line.job.id, message: failureOf(line)!.message })));
      const outcomes = run.finals.flatMap((line) =>
        'outcome' in line ? [{ job: line.job, outcome: line.outcome }] : [],
      );
      if (outcomes.length > 0) results.push({ run, outcomes: outcomes.sort((a, b) => a.job.seed - b.job.seed) });
    }
  }
  const recognized = recognizeDataset(problem);
  const paper = options.paper ? { dataset: options.paper, recognisedBy: 'as asked for' } : recognized;
  return buildTable(results, {
    title,
    problem: splitProblem(problem, { split: 'test', generalized }, seed),
    record: open.record,
    trials,
    seeds,
    seed,
    paper,
    skipped,
    failed,
  });
}

export function finalJob(method: string, parameters: Parameters, seed: number, generalized: boolean): FitJob {
  const id = `${method}/seed-${seed}`;
  return { id, method, parameters, seed, split: 'test', generalized, wants: ['predictions'] };
}

function requireLabels({ problem, methods }: CompareOptions): void {
  if (methods.length === 0) throw new UsageError('there are no methods to compare', 'See "bowerbird methods".');
  if (!problem.testLabels?.some((label) => label >= 0))
    throw new UsageError(
      'the test pictures have no labels, so nothing can be scored',
      'Add test_labels to the problem.',
    );
}
