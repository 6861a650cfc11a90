/**
 * A 40-trial search with one worker and with two: threads of one process, and worker processes behind a Redis queue.
 *
 * Both must choose the same parameters; the second should take less than 1/1.7 of the time on two free cores. A longer search
 * of small trials then follows the resident memory of a worker process, which must not grow with their number. Options:
 * `--trials N`, `--problem FILE` (a generated one if not given), `--method NAME`, `--device NAME`, `--memory-trials N`,
 * `--write` (into docs/benchmarks.md).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { queuedExecution } from '../src/cli/executor.js';
import { createProgress } from '../src/cli/progress.js';
import { type EvaluationSetting, search } from '../src/evaluation/index.js';
import { generateProblem, loadProblem, type Problem, saveProblem } from '../src/problem/index.js';
import { startRedis } from '../test/distribute/redis.js';
import { hasRedis } from '../test/tools.js';
import { markdownTable, writeSection } from './shared/document.js';

interface Setting {
  folder: string;
  path: string;
  problem: Problem;
  method: string;
  trials: number;
  device: EvaluationSetting['device'];
}

interface Measured {
  seconds: number;
  chosen: string;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      trials: { type: 'string', default: '40' },
      problem: { type: 'string' },
      method: { type: 'string', default: 'paper' },
      device: { type: 'string', default: 'auto' },
      'memory-trials': { type: 'string', default: '300' },
      write: { type: 'boolean', default: false },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-tune-'));
  try {
    const path = values.problem ?? join(folder, 'problem.npz');
    if (!values.problem) await saveProblem(path, generated());
    const problem = await loadProblem(path, { web: 'optional' });
    const setting: Setting = {
      folder,
      path,
      problem,
      method: values.method,
      trials: Number(values.trials),
      device: values.device as Setting['device'],
    };
    const rows: string[][] = [];
    for (const [name, measure] of [
      ['threads', onThreads],
      ['processes behind a queue', onQueue],
    ] as const) {
      if (measure === onQueue && !hasRedis) {
        console.error('redis-server is not installed: only threads are measured');
        continue;
      }
      const one = await measure(setting, 1);
      const two = await measure(setting, 2);
      if (one.chosen !== two.chosen) throw new Error(`one worker chose ${one.chosen}, two chose ${two.chosen}`);
      const factor = one.seconds / two.seconds;
      rows.push([
        name,
        one.seconds.toFixed(1),
        two.seconds.toFixed(1),
        factor.toFixed(2),
        factor >= 1.7 ? 'yes' : 'no',
      ]);
      console.error(rows.at(-1)!.join('  '));
    }
    const text = [
      `${setting.trials} trials of \`${setting.method}\` on ${values.problem ?? 'a generated problem'} (${problem.auxiliaryFeatures.rows} auxiliary, ${problem.webFeatures.rows} web, ${problem.testFeatures.rows} test pictures, ${problem.testFeatures.cols} features), one thread a trial, ${cpus().length} cores, ${cpus()[0].model}.`,
      `Command: \`npm run bench -- tune ${args.filter((word) => word !== '--write').join(' ')}\`.`.replace(' `.', '`.'),
      '',
      markdownTable(['workers', 'one, s', 'two, s', 'times faster', '1.7 reached'], rows),
      ...(hasRedis ? ['', await memoryOverTrials(setting, Number(values['memory-trials']))] : []),
    ].join('\n');
    console.log(text);
    if (values.write) writeSection('tune', text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Large enough that a trial takes about half a second. */
function generated(): Problem {
  return generateProblem({
    seed: 11,
    auxiliaryCategories: 60,
    testCategories: 20,
    dimensions: 384,
    semanticDimensions: 64,
    auxiliaryPerCategory: 40,
    webPerCategory: 80,
    testPerCategory: 40,
    text: false,
  });
}

async function onThreads(setting: Setting, workers: number): Promise<Measured> {
  return timed(setting, `threads-${workers}`, { jobs: workers });
}

async function onQueue(setting: Setting, workers: number): Promise<Measured> {
  return behindQueue(setting, workers, `queue-${workers}`, (where) => timed(setting, `queue-${workers}`, where));
}

/** Starts a queue and worker processes for as long as `use` takes. */
async function behindQueue<T>(
  { folder, path, problem }: Setting,
  workers: number,
  name: string,
  use: (where: Partial<EvaluationSetting>, crew: readonly ChildProcess[]) => Promise<T>,
): Promise<T> {
  const redis = await startRedis();
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const words = ['worker', '--queue', redis.url, '--jobs', '1', '--cache', join(folder, 'cache'), '--quiet'];
  const crew = Array.from({ length: workers }, () => spawn(process.execPath, [main, ...words], { stdio: 'ignore' }));
  try {
    while ((await redis.client.scard('bowerbird:workers')) < workers) await sleep(100);
    const remote = queuedExecution({
      queue: redis.url,
      out: join(folder, name),
      path,
      load: {},
      problem,
      validation: { seed: 1 },
      progress: createProgress(process.stderr, true),
      signal: new AbortController().signal,
    });
    return await use({ remote }, crew);
  } finally {
    for (const child of crew) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await redis.stop();
  }
}

/** Resident memory of a worker process during a long search of small trials. */
async function memoryOverTrials({ folder, method, device }: Setting, trials: number): Promise<string> {
  const path = join(folder, 'small.npz');
  await saveProblem(path, generateProblem({ seed: 3, testCategories: 5, dimensions: 24, webPerCategory: 15 }));
  const setting: Setting = { folder, path, problem: await loadProblem(path), method, trials, device };
  const memory: number[] = [];
  const tenth = Math.max(1, Math.floor(trials / 10));
  await behindQueue(setting, 1, 'memory', (where, [worker]) => {
    const onProgress = ({ done }: { done: number }) => {
      if (done % tenth === 0) memory[done / tenth - 1] ??= residentMemory(worker.pid!);
    };
    return timed(setting, 'memory', { ...where, onProgress });
  });
  const read = memory.map((value) => value.toFixed(0)).join(', ');
  // The first half fills caches and lets the engine's heap find its size.
  const growth = Math.round(memory.at(-1)! - memory[Math.floor(memory.length / 2)]);
  return `Resident memory of a worker process in a search of ${trials} small trials, read every ${tenth} trials: ${read} MiB; change over the second half: ${growth} MiB.`;
}

async function timed(setting: Setting, name: string, where: Partial<EvaluationSetting>): Promise<Measured> {
  const { folder, problem, method, trials, device } = setting;
  const begun = performance.now();
  const { chosen, trials: ended } = await search({
    problem,
    folder: join(folder, name),
    method,
    trials,
    device,
    threads: 1,
    ...where,
  });
  const seconds = (performance.now() - begun) / 1000;
  // One trial that takes longer than half of all leaves a second worker idle.
  const longest = Math.max(...ended.map((line) => ('outcome' in line ? line.outcome.seconds : 0)));
  console.error(`${name}: ${seconds.toFixed(1)} s, longest trial ${longest.toFixed(1)} s, ${chosen.trial}`);
  return { seconds, chosen: JSON.stringify([chosen.trial, chosen.parameters, chosen.validationAccuracy]) };
}

/** In MiB, as the system counts it. */
function residentMemory(process: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(process)], { encoding: 'utf8' })) / 1024;
}
