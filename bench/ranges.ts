/**
 * Where each method's parameters are worth looking for, and how many trials a search needs: the same trials for all methods on validation categories.
 *
 * Every method is tried with the same settings on small forms of the validation categories of `cub-web` and `cub-resnet50`, with attributes and
 * with word vectors where it reads semantic vectors; the test categories play no part. `--draw outer` (the first step) draws far beyond the
 * declared ranges and teaches the table src/methods/learnt-ranges.ts; `--draw learnt` (the second) draws as searches do and says how accuracy
 * grows with the trials. Trials that were made are kept in `--out DIR` and not made again. Options: `--data DIR`, `--out DIR`,
 * `--problems A,B`, `--methods A,B`, `--trials N`, `--draw outer|learnt`, `--jobs N`, `--report` (try nothing), `--write` (into docs/results.md,
 * and the table of ranges after `outer`).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { artefact } from '../src/artefact.js';
import { createThreadExecutor } from '../src/distribute/index.js';
import { type FitJob, type FitOutcome, type JournalLine, shareSplits } from '../src/evaluation/index.js';
import { Journal } from '../src/evaluation/journal.js';
import { declaredMethods, type MethodSpec } from '../src/methods/index.js';
import { type Learnt, learn } from './ranges/learn.js';
import { defaultsTable, saturationTable, writeRanges } from './ranges/report.js';
import { smallProblem } from './ranges/small-problem.js';
import { type Draw, learningMethods, rangeSeed, suits, trialJob } from './ranges/trials.js';
import { type CubFolders, type CubProblemName, cubProblemNames } from './shared/cub-problems.js';
import { writeResults } from './shared/results.js';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      out: { type: 'string', default: 'scratch/ranges' },
      problems: { type: 'string', default: cubProblemNames.join(',') },
      methods: { type: 'string' },
      trials: { type: 'string', default: '20' },
      draw: { type: 'string', default: 'outer' },
      jobs: { type: 'string', default: '2' },
      report: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const draw = values.draw as Draw;
  const wanted = values.methods?.split(',');
  const specs = learningMethods(draw).filter(({ name }) => !wanted || wanted.includes(name));
  const runs = new Map<string, JournalLine[]>();
  for (const name of values.problems.split(',') as CubProblemName[]) {
    const journal = await Journal.open(join(values.out, `${name}-${draw}.jsonl`));
    const jobs = specs
      .filter((spec) => suits(spec, name))
      .flatMap((spec) => Array.from({ length: Number(values.trials) }, (_, trial) => trialJob(spec, trial)));
    const lines: JournalLine[] = [];
    const missing: FitJob[] = [];
    for (const job of jobs) {
      const line = await journal.finished(job);
      if (line) lines.push(line);
      else missing.push(job);
    }
    if (!values.report && missing.length > 0)
      lines.push(
        ...(await tryAll({ data: values.data, made: values.out }, name, missing, journal, Number(values.jobs))),
      );
    runs.set(name, lines);
  }
  const found = specs.flatMap((spec) => learn(declared(spec), runs) ?? []);
  const text = [draw === 'outer' ? defaultsTable(found) : '', saturationTable(found, draw), untried(specs, found)]
    .filter((part) => part !== '')
    .join('\n\n');
  console.log(text);
  if (!values.write) return;
  if (draw === 'outer') writeRanges(found);
  writeResults(draw === 'outer' ? 'ranges' : 'saturation', text);
}

function declared({ name }: MethodSpec): MethodSpec {
  return declaredMethods.find((spec) => spec.name === name)!;
}

/** Methods that no range was learnt for; searches look where they declare. */
function untried(specs: readonly MethodSpec[], found: readonly Learnt[]): string {
  const names = specs.map(({ name }) => name).filter((name) => !found.some(({ method }) => method === name));
  return names.length === 0 ? '' : `Not tried: ${names.map((name) => `\`${name}\``).join(', ')}.`;
}

async function tryAll(
  folders: CubFolders,
  name: CubProblemName,
  jobs: readonly FitJob[],
  journal: Journal,
  width: number,
): Promise<JournalLine[]> {
  const problem = await smallProblem(folders, name);
  const source = shareSplits(problem, [{ split: 'test', generalized: false }], rangeSeed);
  const executor = await createThreadExecutor({
    handler: artefact('evaluation/job-handler.js'),
    context: { source, seed: rangeSeed, device: 'auto', threads: 1 },
    width,
  });
  const lines: JournalLine[] = [];
  const keep = async (line: JournalLine, told: string) => {
    lines.push(line);
    await journal.append(line);
    console.error(`${name}: ${lines.length} of ${jobs.length}, ${line.job.id}: ${told}`);
  };
  try {
    await executor.run<FitJob, FitOutcome>(jobs, {
      onResult: (job, outcome) => keep({ job, outcome }, `${(100 * (outcome.accuracy ?? 0)).toFixed(1)} %`),
      onFailure: (job, failure) => keep({ job, failure: { id: job.id, ...failure } }, failure.message),
    });
  } finally {
    await executor.close();
  }
  return lines;
}
