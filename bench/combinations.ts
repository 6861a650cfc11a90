/**
 * Combinations against either of their parts alone, with defaults, on the validation categories of the four problems.
 *
 * An average is fitted with equal shares as published, then with one part only (share 0 and 1) and the other shares that a search tries; where a
 * web method stands beside a regressor of the auxiliary categories, a large balance leaves one of them. Test labels play no part. Fits that were made are kept in `--out DIR` and
 * not made again. Options: `--data DIR`, `--out DIR`, `--problems A,B`, `--jobs N`, `--report` (fit nothing), `--write` (into docs/results.md).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Journal } from '../src/evaluation/journal.js';
import { combinationJobs, combinationTable } from './combinations/trials.js';
import { type CubProblemName, cubProblem, cubProblemNames } from './shared/cub-problems.js';
import { accuraciesOf, fitMissing } from './shared/fit-missing.js';
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
    const problem = () => cubProblem({ data: values.data, made: values.out }, name);
    if (!values.report) await fitMissing({ name, jobs, journal, problem, width: Number(values.jobs) });
    found.set(name, await accuraciesOf(jobs, journal));
  }
  const text = combinationTable(found);
  console.log(text);
  if (values.write) writeResults('combinations', text);
}
