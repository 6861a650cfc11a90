/**
 * Combinations against either of their parts alone, with defaults, on the validation categories of the four problems.
 *
 * An average is fitted with equal shares as published, then with one part only (share 0 and 1); where a web method stands beside a regressor of
 * the auxiliary categories, a large balance leaves one of them. Test labels play no part. Fits that were made are kept in `--out DIR` and
 * not made again. Options: `--data DIR`, `--out DIR`, `--problems A,B`, `--jobs N`, `--report` (fit nothing), `--write` (into docs/results.md).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { artefact } from '../src/artefact.js';
import { createThreadExecutor } from '../src/distribute/index.js';
import { type FitJob, type FitOutcome, shareSplits } from '../src/evaluation/index.js';
import { Journal } from '../src/evaluation/journal.js';
import { combinationJobs, combinationTable } from './combinations/trials.js';
import { type CubProblemName, cubProblem, cubProblemNames } from './shared/cub-problems.js';
import { writeResults } from './shared/results.js';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      out: { type: 'string', default: 'scratch/combinations' },
      problems: { type: 'string', default: cubProblemNames.join(',') },
      jobs: { type: 'string', default: '2' },
      report: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const found = new Map<CubProblemName, ReadonlyMap<string, number>>();
  for (const name of values.problems.split(',') as CubProblemName[]) {
    const journal = await Journal.open(join(values.out, `${name}.jsonl`));
    const jobs = combinationJobs(name);
    if (!values.report) await fitMissing(values, name, jobs, journal);
    const accuracies = new Map<string, number>();
    for (const job of jobs) {
      const line = await journal.finished(job);
      if (line && 'outcome' in line) accuracies.set(job.id, 100 * line.outcome.meanCategoryAccuracy!);
    }
    found.set(name, accuracies);
  }
  const text = combinationTable(found);
  console.log(text);
  if (values.write) writeResults('combinations', text);
}

async function fitMissing(
  { data, out, jobs: width }: { data: string; out: string; jobs: string },
  name: CubProblemName,
  jobs: readonly FitJob[],
  journal: Journal,
): Promise<void> {
  const missing: FitJob[] = [];
  for (const job of jobs) if (!(await journal.finished(job))) missing.push(job);
  if (missing.length === 0) return;
  const problem = await cubProblem({ data, made: out }, name);
  const splits = [false, true].map((generalized) => ({ split: 'validation' as const, generalized }));
  const executor = await createThreadExecutor({
    handler: artefact('evaluation/job-handler.js'),
    context: { source: shareSplits(problem, splits, 1), seed: 1, device: 'auto', threads: 1 },
    width: Number(width),
  });
  try {
    await executor.run<FitJob, FitOutcome>(missing, {
      onResult: async (job, outcome) => {
        await journal.append({ job, outcome });
        console.error(`${name}, ${job.id}: ${(100 * outcome.meanCategoryAccuracy!).toFixed(1)} %`);
      },
      onFailure: (job, { message }) => console.error(`${name}, ${job.id}: ${message}`),
    });
  } finally {
    await executor.close();
  }
}
