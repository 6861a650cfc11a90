/**
 * How long an answer takes to be taken up: the refit with it and the ranking of the next questions, after the first fit of a folder.
 * Two folders: birds-mini, and one of 50,000 made-up pictures to classify. Options: `--data DIR`, `--cache DIR` (features of birds-mini),
 * `--pictures N`, `--dimensions D`, `--answers N`, `--only birds-mini|large`, `--write`.
 */
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { beliefsOf, rankQuestions, verdicts } from '../src/ask/index.js';
import { type Backend, createBackend, Random } from '../src/linalg/index.js';
import { createMethod, findMethod } from '../src/methods/index.js';
import { generateProblem, type Problem, unanswered } from '../src/problem/index.js';
import { markdownTable, writeSection } from './shared/document.js';
import { wildSources } from './wild/problems.js';

/** Questions that a page keeps ready. */
const wanted = 12;
const categories = 50;

interface Latency {
  readonly name: string;
  readonly pictures: string;
  readonly fit: number;
  /** Seconds of each refit on the clock and of all processors together, and of each ranking. */
  readonly refits: number[];
  readonly processor: number[];
  readonly rankings: number[];
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: join(import.meta.dirname, '../../shared/data') },
      cache: { type: 'string', default: 'scratch/ask/features' },
      pictures: { type: 'string', default: '50000' },
      dimensions: { type: 'string', default: '256' },
      answers: { type: 'string', default: '10' },
      only: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const backend = await createBackend();
  const [before] = loadavg();
  const rows: Latency[] = [];
  try {
    if (values.only !== 'large') {
      const { problem } = await wildSources(values.data, values.cache)['birds-mini-resnet50'].make(1, {});
      rows.push(await measure('birds-mini', problem, Number(values.answers), backend));
    }
    if (values.only !== 'birds-mini') {
      const problem = generateProblem({
        ...{ auxiliaryCategories: categories, testCategories: categories, dimensions: Number(values.dimensions) },
        ...{ testPerCategory: Math.ceil(Number(values.pictures) / categories), webPerCategory: 50 },
        ...{ semanticDimensions: 50, noise: 6, text: false, validation: false, dtype: 'float32' },
      });
      rows.push(await measure('made up', problem, Number(values.answers), backend));
    }
  } finally {
    backend.dispose();
  }
  const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.versions.node}; load average ${before.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after.`;
  const table = markdownTable(
    [
      'folder',
      'pictures, features',
      'first fit, s',
      'refit after an answer, s',
      'longest, s',
      'processor seconds',
      'ranking, s',
    ],
    rows.map(({ name, pictures, fit, refits, processor, rankings }) => [
      ...[name, pictures, fit.toFixed(1), median(refits).toFixed(2), Math.max(...refits).toFixed(2)],
      ...[median(processor).toFixed(2), median(rankings).toFixed(2)],
    ]),
  );
  console.log(`${machine}\n\n${table}`);
  if (values.write) writeSection('ask-latency', `${machine}\n\n${table}`);
}

/** Answers what is asked first, one after another, with the truth. */
async function measure(name: string, problem: Problem, answers: number, backend: Backend): Promise<Latency> {
  const seconds = (begun: number) => (performance.now() - begun) / 1000;
  const begun = performance.now();
  const method = await createMethod(findMethod('bowerbird'), {}, 1).fit(problem, { backend });
  const fit = seconds(begun);
  console.error(`${name}: fitted in ${fit.toFixed(1)} s`);
  const known = new Int32Array(problem.testFeatures.rows).fill(unanswered);
  const random = new Random(5);
  const [refits, processor, rankings]: [number[], number[], number[]] = [[], [], []];
  const truth = problem.testLabels ?? verdicts(beliefsOf(method, problem, known).chances);
  for (let k = 0; k < answers; k++) {
    const ranking = performance.now();
    const beliefs = beliefsOf(method, problem, known);
    const [first] = rankQuestions({ ...beliefs, groups: method.groups?.() }, wanted).filter(
      (asking) => asking.kind === 'picture',
    );
    rankings.push(seconds(ranking));
    const row = first?.kind === 'picture' ? first.row : random.integer(known.length);
    known[row] = truth[row];
    const [refit, used] = [performance.now(), process.cpuUsage()];
    await method.refit!({ test: known.slice() });
    refits.push(seconds(refit));
    const { user, system } = process.cpuUsage(used);
    processor.push((user + system) / 1e6);
    console.error(
      `${name}: refit ${k + 1} in ${refits.at(-1)!.toFixed(2)} s, ${processor.at(-1)!.toFixed(2)} s of processors`,
    );
  }
  const { rows, cols } = problem.testFeatures;
  return { name, pictures: `${rows.toLocaleString('en')}, ${cols}`, fit, refits, processor, rankings };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
