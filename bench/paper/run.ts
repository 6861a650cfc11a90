/** `experiment paper` on one of the four problems, with what its twin has fitted already where semantic vectors play no part. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EvaluationSetting, type ExperimentResult, runExperiment } from '../../src/evaluation/index.js';
import { Journal } from '../../src/evaluation/journal.js';
import type { JournalLine } from '../../src/evaluation/results.js';
import { findMethod } from '../../src/methods/index.js';
import { type CubProblemName, cubProblem, twinOf } from '../shared/cub-problems.js';

export interface PaperOptions {
  data: string;
  out: string;
  /** Where problems that have to be made are kept. @default `out` */
  made?: string;
  name: CubProblemName;
  trials: number;
  jobs: number;
  /** Where fits run instead of threads of this process. */
  remote?: EvaluationSetting['remote'];
}

export async function paperOn(options: PaperOptions): Promise<ExperimentResult> {
  const { data, out, made = out, name, trials, jobs, remote } = options;
  const twin = twinOf(name);
  if (twin) await takeOver(join(out, twin), join(out, name));
  const problem = await cubProblem({ data, made }, name);
  let told = 0;
  return runExperiment({
    name: 'paper',
    problem,
    folder: join(out, name),
    origin: { path: twin ?? name, semantics: twin ? 'word vectors of the names' : 'attributes' },
    trials,
    jobs,
    threads: 1,
    paper: 'cub',
    remote,
    onProgress: ({ done, total, detail }) => {
      if (Date.now() - told < 2000) return;
      told = Date.now();
      console.error(`${name}: ${done}${total === undefined ? '' : ` of ${total}`}${detail ? `, ${detail}` : ''}`);
    },
  });
}

/** Fits of methods that read no semantic vectors are the same on both problems. */
async function takeOver(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  for (const part of readdirSync(from)) {
    const path = join(from, part, 'outcomes.jsonl');
    if (!existsSync(path)) continue;
    const [given, own] = [await Journal.open(path), await Journal.open(join(to, part, 'outcomes.jsonl'))];
    for (const line of readLines(path)) {
      if (findMethod(line.job.method).uses.includes('semantics') || (await own.finished(line.job))) continue;
      const finished = await given.finished(line.job);
      if (finished) await own.append(finished);
    }
  }
}

/** Seconds of all fits of a problem together, those taken over from its twin left out. */
export function secondsOfFits(out: string, name: CubProblemName): number {
  const folder = join(out, name);
  const shared = (line: JournalLine) =>
    twinOf(name) !== undefined && !findMethod(line.job.method).uses.includes('semantics');
  return readdirSync(folder)
    .map((part) => join(folder, part, 'outcomes.jsonl'))
    .filter(existsSync)
    .flatMap(readLines)
    .reduce((sum, line) => sum + ('outcome' in line && !shared(line) ? line.outcome.seconds : 0), 0);
}

function readLines(path: string): JournalLine[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalLine);
}
