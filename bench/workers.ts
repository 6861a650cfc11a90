/**
 * Feature extraction by one worker with one thread and by two, behind a queue of their own.
 *
 * `bowerbird features --queue` hands the shards out, `bowerbird worker --jobs 1` takes them, and redis-server, a program of the
 * PATH, lies between them on a free loopback port. A further run has one of its two workers killed and another one join. All
 * must leave the same bytes. Starting (loading the network here and in the workers, sending it to them, connecting) is what the
 * first shards take beyond the time of later ones. Rates by the clock mean something where there is a free core for each
 * worker, its decoder, the coordinator and Redis. `--pin` (needs taskset) gives each worker, with its decoder, one core and no
 * more; the coordinator has the others from six cores on, and what workers leave of theirs on fewer.
 * Options: `--model A,B`, `--count N,M` (pictures for each model; those of the folder over and over), `--pictures FOLDER`,
 * `--shard-size N`, `--rounds N`, `--pin`, `--write` (into docs/benchmarks.md).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openPictures } from '../src/vision/index.js';
import { type RedisServer, startRedis } from '../test/distribute/redis.js';
import { markdownTable, writeSection } from './shared/document.js';
import { treeMilliseconds } from './shared/processor-time.js';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const birds = '../shared/data/birds-mini/auxiliary';

interface Setting {
  folder: string;
  pictures: string;
  model: string;
  count: number;
  shardSize: number;
  pin: boolean;
}

interface Processor {
  workers: number;
  coordinator: number;
  queue: number;
}

/** Seconds by the clock and milliseconds of processor time for each picture. */
interface Measured {
  starting: number;
  whole: number;
  /** Pictures a second after starting. */
  rate: number;
  /** After starting, too. */
  processor: Processor;
  hash: string;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', default: 'mobilenet-v2-0.35,resnet50' },
      count: { type: 'string', default: '15360,1280' },
      pictures: { type: 'string', default: birds },
      'shard-size': { type: 'string', default: '64' },
      rounds: { type: 'string', default: '1' },
      pin: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  if (values.pin && availableParallelism() < 2) throw new Error('--pin needs two cores');
  const loadBefore = loadavg()[0];
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-workers-'));
  const rows: string[][] = [];
  try {
    for (const [i, model] of values.model.split(',').entries()) {
      const counts = values.count.split(',').map(Number);
      const count = counts[Math.min(i, counts.length - 1)];
      const pictures = join(folder, `pictures-${i}`);
      await repeatPictures(resolve(values.pictures), pictures, count);
      const setting = { folder, pictures, model, count, shardSize: Number(values['shard-size']), pin: values.pin };
      rows.push(...(await compare(setting, Number(values.rounds))));
    }
    const text = [
      `${cpus()[0].model.trim()}, ${availableParallelism()} cores, Node ${process.versions.node}; pictures of ${values.pictures}, shards of ${values['shard-size']}, median of ${values.rounds}; load average ${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after. Command: \`npm run bench -- workers ${args.filter((word) => word !== '--write').join(' ')}\`.`.replace(
        ' `.',
        '`.',
      ),
      '',
      markdownTable(
        [
          'model, pictures, workers',
          'starting, s',
          'all, s',
          'pictures/s after starting',
          'times one worker',
          'with starting',
          'workers, ms of processor a picture',
          'coordinator',
          'Redis',
          'bytes',
        ],
        rows,
      ),
    ].join('\n');
    console.log(text);
    if (values.write) writeSection('workers', text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Links to the pictures of a folder, over and over, in categories of their own so that no shard has a picture twice. */
async function repeatPictures(from: string, to: string, count: number): Promise<void> {
  const source = await openPictures(from);
  let made = 0;
  for (let pass = 0; made < count; pass++)
    for await (const { path, category = 'all' } of source.pictures()) {
      if (made === count) break;
      const target = join(to, `${String(pass).padStart(4, '0')} ${category}`);
      await mkdir(target, { recursive: true });
      await symlink(join(source.folder, path), join(target, `${made++}${path.slice(path.lastIndexOf('.'))}`));
    }
  await source.close();
}

async function compare(setting: Setting, rounds: number): Promise<string[][]> {
  const arrangements = [
    { name: 'one', workers: 1, killed: false },
    { name: 'two', workers: 2, killed: false },
    { name: 'two, one killed, one joining', workers: 2, killed: true },
  ];
  const trials: Measured[][] = arrangements.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, { name, workers, killed }] of arrangements.entries()) {
      const measured = await extract(setting, workers, killed);
      trials[i].push(measured);
      console.error(
        `${setting.model}, ${name}: ${measured.whole.toFixed(1)} s, ${measured.rate.toFixed(1)} pictures/s after ${measured.starting.toFixed(1)} s`,
      );
    }
  const [{ hash }] = trials[0];
  const [one] = trials;
  return trials.map((measured, i) => {
    const figure = (value: (of: Measured) => number) => median(measured.map(value));
    const times = (value: (of: Measured) => number) => (figure(value) / median(one.map(value))).toFixed(2);
    const same = measured.every((each) => each.hash === hash);
    if (!same) throw new Error(`the bytes of ${setting.model} depend on the workers: ${arrangements[i].name}`);
    return [
      `${setting.model}, ${setting.count}, ${arrangements[i].name}`,
      ...(arrangements[i].killed ? [''] : [figure(({ starting }) => starting).toFixed(1)]),
      figure(({ whole }) => whole).toFixed(1),
      ...(arrangements[i].killed ? ['', ''] : [figure(({ rate }) => rate).toFixed(1), times(({ rate }) => rate)]),
      (1 / Number(times(({ whole }) => whole))).toFixed(2),
      figure(({ processor }) => processor.workers).toFixed(2),
      figure(({ processor }) => processor.coordinator).toFixed(2),
      figure(({ processor }) => processor.queue).toFixed(2),
      'the same',
    ];
  });
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** One run: workers that have nothing yet, then the coordinator. */
async function extract(setting: Setting, workers: number, killed: boolean): Promise<Measured> {
  const folder = await mkdtemp(join(setting.folder, 'run-'));
  const redis = await startRedis();
  const crew: ChildProcess[] = [];
  // Of workers that were killed.
  let spent = 0;
  const hire = () => crew.push(startWorker(redis, join(folder, `cache-${crew.length}`), setting.pin, crew.length));
  try {
    while (crew.length < workers) hire();
    while ((await redis.client.scard('bowerbird:workers')) < workers) await sleep(50);
    const out = join(folder, 'features');
    const begun = Date.now();
    const coordinator = startCoordinator(redis, setting, out, workers);
    const lastFirst = join(out, `shard-${String(workers - 1).padStart(5, '0')}.csv`);
    let started: Processor | undefined;
    let coordinatorMs = 0;
    const watch = setInterval(async () => {
      coordinatorMs = Math.max(coordinatorMs, treeMilliseconds(coordinator.pid ?? 0));
      if (!started && existsSync(lastFirst)) started = { ...(await used(redis, crew)), coordinator: coordinatorMs };
    }, 500);
    const ended = once(coordinator, 'exit');
    if (killed) {
      while ((await shardTimes(out)).length < 2 * workers) await sleep(50);
      spent = treeMilliseconds(crew[0].pid ?? 0);
      crew[0].kill('SIGKILL');
      hire();
    }
    const [code] = await ended;
    clearInterval(watch);
    const whole = (Date.now() - begun) / 1000;
    if (code !== 0) throw new Error(`the coordinator ended with exit code ${code}`);
    const after = { ...(await used(redis, crew)), coordinator: coordinatorMs };
    const times = (await shardTimes(out)).map((time) => (time - begun) / 1000);
    // Each worker starts with a shard of its own; what comes after these comes at the usual rate.
    const first = times[workers - 1];
    const rate = (setting.count - workers * setting.shardSize) / (times[times.length - 1] - first);
    const left = setting.count - workers * setting.shardSize;
    const since = (end: number, begin = 0) => (end - begin) / left;
    return {
      starting: first - (workers * setting.shardSize) / rate,
      whole,
      rate,
      processor: {
        workers: since(after.workers + spent, started?.workers),
        coordinator: since(after.coordinator, started?.coordinator),
        queue: since(after.queue, started?.queue),
      },
      hash: await hashOf(out),
    };
  } finally {
    for (const child of crew) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function used(redis: RedisServer, crew: readonly ChildProcess[]): Promise<Omit<Processor, 'coordinator'>> {
  const told = /used_cpu_sys:([\d.]+)[\s\S]*used_cpu_user:([\d.]+)/.exec(await redis.client.info('cpu'));
  return {
    workers: crew.reduce((sum, { pid = 0 }) => sum + treeMilliseconds(pid), 0),
    queue: told ? 1000 * (Number(told[1]) + Number(told[2])) : 0,
  };
}

/** From here on core 0 and those after the workers' are left to all others. */
const coresForAll = 6;

/** Two workers at a time, and one that takes the place of a killed one. */
function coreOf(place: number): string {
  return String(availableParallelism() < coresForAll ? place % 2 : 1 + place);
}

function pinned(pin: boolean, cores: string, words: string[]): [program: string, words: string[]] {
  return pin ? ['taskset', ['-c', cores, process.execPath, ...words]] : [process.execPath, words];
}

function startWorker(redis: RedisServer, cache: string, pin: boolean, place: number): ChildProcess {
  const words = [main, 'worker', '--queue', redis.url, '--jobs', '1', '--lock', '3', '--cache', cache, '--quiet'];
  return spawn(...pinned(pin, coreOf(place), words), { stdio: ['ignore', 'ignore', 'inherit'] });
}

function startCoordinator(redis: RedisServer, setting: Setting, out: string, workers: number): ChildProcess {
  const words = [
    ...[main, 'features', setting.pictures, '--model', setting.model, '--queue', redis.url],
    ...['--out', out, '--shard-size', String(setting.shardSize), '--quiet'],
  ];
  const rest = `0,${2 + workers}-${availableParallelism() - 1}`;
  return spawn(...pinned(setting.pin && availableParallelism() >= coresForAll, rest, words), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** When each shard was written, in milliseconds, in their order. */
async function shardTimes(out: string): Promise<number[]> {
  if (!existsSync(out)) return [];
  const names = (await readdir(out)).filter((name) => /^shard-\d+\.csv$/.test(name)).sort();
  return Promise.all(names.map(async (name) => (await stat(join(out, name))).mtimeMs));
}

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest('hex');
}
