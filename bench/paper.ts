/**
 * Every table and figure of the paper on four problems and one page.
 *
 * `experiment paper` on `cub-web` and on `cub-resnet50` with planted web pictures, each with attributes and with word vectors;
 * what does not read semantic vectors is fitted once for both. Everything is kept in `--out DIR` and continued where it was stopped. Options: `--data DIR`, `--out DIR`,
 * `--problems A,B`, `--trials N` (of a search for every method; the defaults without), `--jobs N`, `--report` (the page alone, of what there is), `--write` (into docs/results.md).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExperimentResult } from '../src/evaluation/index.js';
import type { PaperOfProblem } from './paper/of-problem.js';
import { wholePage } from './paper/page.js';
import { paperOn, secondsOfFits } from './paper/run.js';
import { type CubProblemName, cubProblemNames } from './shared/cub-problems.js';
import { writeResults } from './shared/results.js';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      out: { type: 'string', default: 'scratch/paper' },
      problems: { type: 'string', default: cubProblemNames.join(',') },
      trials: { type: 'string', default: '0' },
      jobs: { type: 'string', default: '2' },
      report: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const names = values.problems.split(',') as CubProblemName[];
  const trials = Number(values.trials);
  if (!values.report)
    for (const name of names)
      await paperOn({ data: values.data, out: values.out, name, trials, jobs: Number(values.jobs) });
  const found = names.flatMap((name): PaperOfProblem[] => {
    const file = join(values.out, name, 'experiment.json');
    if (!existsSync(file)) return [];
    const result = JSON.parse(readFileSync(file, 'utf8')) as ExperimentResult;
    return [{ name, result, seconds: secondsOfFits(values.out, name) }];
  });
  if (found.length === 0) throw new Error(`${values.out} holds no results; leave out --report`);
  const text = wholePage(found, `npm run bench -- paper${trials > 0 ? ` --trials ${trials}` : ''}`);
  writeFileSync(join(values.out, 'page.md'), `${text}\n`);
  console.log(text);
  if (values.write) writeResults('paper', text);
}
