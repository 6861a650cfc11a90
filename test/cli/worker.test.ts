import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChosenParameters, JournalLine } from '../../src/evaluation/index.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { type RedisServer, startRedis } from '../distribute/redis.js';
import { hasRedis } from '../tools.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const environment = { ...process.env, OPENBLAS_NUM_THREADS: '1', NO_COLOR: '1' };

describe.skipIf(!hasRedis)('bowerbird worker (skipped where redis-server is not installed)', () => {
  let redis: RedisServer;
  let folder: string;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    folder = await mkdtemp(join(tmpdir(), 'bowerbird-worker-'));
    const options = { seed: 3, auxiliaryCategories: 10, testCategories: 4, dimensions: 24 };
    await saveProblem(join(folder, 'problem.npz'), generateProblem(options));
    // The same problem in several files, which are packed into one for the workers.
    await saveProblem(join(folder, 'parts'), generateProblem(options));
  }, 60_000);
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [main, ...words], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    return child;
  };
  const worker = () =>
    start(['worker', '--queue', redis.url, '--jobs', '1', '--lock', '1', '--cache', join(folder, 'cache')]);
  /** The child itself, as soon as it has said the words; its output goes on being read. */
  const saying = (child: ChildProcess, words: string) =>
    new Promise<ChildProcess>((resolve, reject) => {
      let said = '';
      child.stderr!.on('data', (text) => {
        said += text;
        if (said.includes(words)) resolve(child);
      });
      child.on('exit', () => reject(new Error(`it ended without saying "${words}": ${said}`)));
    });
  const tune = (problem: string, out: string, ...more: string[]) => {
    const words = ['tune', join(folder, problem), '--trials', '6', '--out', join(folder, out), '--device', 'wasm'];
    return [...words, '--threads', '1', ...more];
  };
  const chosenIn = async (out: string) =>
    JSON.parse(await readFile(join(folder, out, 'chosen.json'), 'utf8')) as ChosenParameters;
  const trialsIn = async (out: string) =>
    (await readFile(join(folder, out, 'trials.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalLine)
      .map((line) => ('outcome' in line ? [line.job.id, line.outcome.meanCategoryAccuracy] : [line.job.id, 'failed']))
      .sort();

  it('finds on several machines, one of which dies, what one process finds', async () => {
    const crew = [worker(), worker()];
    const search = start(tune('problem.npz', 'queued', '--queue', redis.url));
    const ended = once(search, 'exit');
    // Whichever has the first job dies: the other may still be starting, and may come when all is done.
    const victim = await Promise.race(crew.map((child) => saying(child, 'working for run')));
    victim.kill('SIGKILL');
    const survivor = crew.find((child) => child !== victim)!;
    expect((await ended)[0]).toBe(0);
    const alone = spawnSync(process.execPath, [main, ...tune('problem.npz', 'alone', '--jobs', '1')], {
      env: environment,
    });
    expect(alone.status, String(alone.stderr)).toBe(0);
    expect(await chosenIn('queued')).toEqual(await chosenIn('alone'));
    expect(await trialsIn('queued')).toEqual(await trialsIn('alone'));

    const parts = start(tune('parts', 'packed', '--queue', redis.url));
    expect((await once(parts, 'exit'))[0]).toBe(0);
    expect(await chosenIn('packed')).toEqual(await chosenIn('alone'));
    survivor.kill('SIGTERM');
    expect((await once(survivor, 'exit'))[0]).toBe(0);
  }, 120_000);

  it('asks for a queue, and says when there is none', () => {
    const without = spawnSync(process.execPath, [main, 'worker'], { env: environment, encoding: 'utf8' });
    expect(without.status).toBe(2);
    expect(without.stderr).toContain('--queue is missing');
    const words = ['worker', '--queue', 'redis://127.0.0.1:1'];
    const nobody = spawnSync(process.execPath, [main, ...words], { env: environment, encoding: 'utf8' });
    expect(nobody.status).toBe(1);
    expect(nobody.stderr).toContain('BOWERBIRD_QUEUE');
    expect(nobody.stderr).toContain('Is redis-server (or Valkey) running there');
  });
});
