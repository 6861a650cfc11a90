/**
 * How much the paper's learner depends on where its penalty starts: μ₀ with all, half and a quarter of the web pictures, on validation categories.
 *
 * The learner's problem has several local optima, and which of them is reached depends on how the penalty μ grows. Each start is fitted
 * on the validation categories of the four problems, with the top-ranked 40, 20 and 10 web pictures of a category, and with another bound and weight of the nuclear norm. Test
 * labels play no part. Fits that were made are kept in `--out DIR` and not made again.
 * Options: `--data DIR`, `--out DIR`, `--problems A,B`, `--jobs N`, `--report` (fit nothing), `--write` (into docs/results.md).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { FitJob, Parameters } from '../src/evaluation/index.js';
import { Journal } from '../src/evaluation/journal.js';
import { describeParameters } from '../src/evaluation/table-files.js';
import { findMethod } from '../src/methods/index.js';
import { resolveParameters } from '../src/parameters.js';
import { type CubProblemName, cubProblem, cubProblemNames } from './shared/cub-problems.js';
import { markdownTable } from './shared/document.js';
import { accuraciesOf, fitMissing } from './shared/fit-missing.js';
import { writeResults } from './shared/results.js';

/** Web pictures of a category; the first takes all. */
const counts = [40, 20, 10];
const settings: readonly Parameters[] = [
  {},
  { penaltyStart: 0.01 },
  { penaltyStart: 0.3 },
  { penaltyStart: 1 },
  { bound: 4 },
  { bound: 4, penaltyStart: 1 },
  { lambda2: 1 },
  { lambda2: 1, penaltyStart: 1 },
];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      out: { type: 'string', default: 'scratch/schedule' },
      problems: { type: 'string', default: cubProblemNames.join(',') },
      jobs: { type: 'string', default: '2' },
      report: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const jobs = settings.flatMap((given) => counts.map((count) => jobOf(given, count)));
  const rows: string[][] = [];
  for (const name of values.problems.split(',') as CubProblemName[]) {
    const journal = await Journal.open(join(values.out, `${name}.jsonl`));
    const problem = () => cubProblem({ data: values.data, made: values.out }, name);
    if (!values.report) await fitMissing({ name, jobs, journal, problem, width: Number(values.jobs) });
    const found = await accuraciesOf(jobs, journal);
    for (const count of counts)
      rows.push([
        name,
        String(count),
        ...settings.map((given) => found.get(jobOf(given, count).id)?.toFixed(1) ?? '–'),
      ]);
  }
  const heads = settings.map((given) => describeParameters(given) || 'defaults');
  const text = [
    'Mean per-category accuracy in percent on validation categories, by the web pictures of a category at most. Command: `npm run bench -- schedule`.',
    markdownTable(['problem', 'web pictures', ...heads], rows),
  ].join('\n\n');
  console.log(text);
  if (values.write) writeResults('schedule', text);
}

function jobOf(given: Parameters, count: number): FitJob {
  return {
    id: `paper/${JSON.stringify(given)}/${count}`,
    method: 'paper',
    parameters: resolveParameters('paper', findMethod('paper').parameters, given),
    seed: 1,
    split: 'validation',
    generalized: false,
    ...(count < counts[0] && { change: { webPerCategory: count } }),
  };
}
