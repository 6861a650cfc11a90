/** Pictures fetched by workers: the catalog of one machine, within the host's rate, whoever is killed meanwhile. */
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Finished, startChild } from '../crawl/web/child.js';
import { contents } from '../crawl/web/contents.js';
import { generator } from '../crawl/web/pictures.js';
import { busiestWindow, FakeWeb } from '../crawl/web/server.js';
import { type RedisServer, startRedis } from '../distribute/redis.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasRedis } from '../tools.js';
import { makeWorld, writeConfiguration } from '../workspace/world.js';

/** Taking a run over waits until the coordinator that was killed is given up. */
const long = Boolean(process.env.BOWERBIRD_LONG);

const rate = 50;

const faults = [
  'error-once',
  'gone',
  'html',
  'truncated',
  'cut-once',
  'bomb',
  'redirect-once',
  'redirect-private',
  'placeholder',
  'noai',
  'announced',
  'compressed',
];

describe.skipIf(!hasRedis)('a crawl by workers of a queue (skipped where redis-server is not installed)', () => {
  const folder = temporaryFolder();
  let redis: RedisServer;
  let web: FakeWeb;
  const started: { child: ChildProcess; finished: Promise<Finished> }[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    web = await FakeWeb.start();
  });
  beforeEach(() => {
    web.forget();
    web.options = {};
  });
  afterEach(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.splice(0).map(({ finished }) => finished));
    await redis.client.flushall();
  });
  afterAll(async () => {
    await redis.stop();
    await web.stop();
  });

  function start(words: string[]) {
    const process = startChild(words);
    started.push(process);
    return process;
  }
  const worker = (...more: string[]) =>
    start(['worker', '--queue', redis.url, '--lock', '1', '--allow-address', '127.0.0.0/8', ...more]);
  function crawl(workspace: string, rate: number, ...more: string[]) {
    const names = join(folder, 'names.txt');
    mkdirSync(folder, { recursive: true });
    writeFileSync(names, 'Auk\nBlue Jay\n');
    return start([
      ...['crawl', join(folder, workspace), '--source', 'flickr', '--categories', names, '--json'],
      ...['--endpoint', `flickr=${web.endpoints.flickr}`, '--allow-address', '127.0.0.0/8'],
      ...['--rate', `127.0.0.1=${rate}`, '--backoff', '0.01', '--timeout', '5', ...more],
    ]);
  }
  const queued = (workspace: string, rate: number, ...more: string[]) =>
    crawl(workspace, rate, '--queue', redis.url, ...more);
  const pictures = () => web.requests.filter(({ path }) => path.startsWith('/picture'));
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const mixed = (results: number) => ({
    results,
    fault: (query: string, index: number) => {
      const random = generator(index * 31 + query.length);
      return random() < 0.4 ? faults[Math.floor(random() * faults.length)] : 'none';
    },
  });

  const local = async (workspace: string) => {
    const { code, stderr } = await crawl(workspace, 1e6).finished;
    expect(code, stderr).toBe(3);
    web.forget();
    return contents(join(folder, workspace));
  };

  it('is that of one machine and keeps to the rate of the host, though a worker is killed', {
    timeout: 60_000,
  }, async () => {
    web.options = mixed(20);
    const here = await local('here');
    const crew = Array.from({ length: 3 }, () => worker('--json'));
    const coordinator = queued('three', rate);
    await until(() => pictures().length >= 10);
    crew[0].child.kill('SIGKILL');
    const { code, stderr } = await coordinator.finished;
    expect(code, stderr).toBe(3);
    expect(await contents(join(folder, 'three'))).toEqual(here);
    const { requests } = web;
    const seconds = (requests.at(-1)!.at - requests[0].at) / 1000;
    const busiest = busiestWindow(requests, 1000);
    console.log(`${requests.length} requests in ${seconds.toFixed(1)} s, the busiest second had ${busiest} of ${rate}`);
    expect(seconds).toBeGreaterThanOrEqual((requests.length - 1) / rate);
    // A request that reaches a busy server late falls into the second of those behind it.
    expect(busiest).toBeLessThanOrEqual(1.1 * rate);
    for (const { child, finished } of crew.slice(1)) {
      child.kill('SIGTERM');
      expect(JSON.parse((await finished).stdout).jobs).toBeGreaterThan(0);
    }
  });

  it.skipIf(!long)(
    'is that of one machine when the queue loses its memory and the coordinator is killed',
    { timeout: 180_000 },
    async () => {
      web.options = mixed(80);
      const here = await local('whole');
      for (let i = 0; i < 3; i++) worker();
      const killed = queued('resumed', rate);
      await until(() => pictures().length >= 20);
      await redis.restart();
      await until(() => pictures().length >= 60 || killed.child.exitCode !== null);
      killed.child.kill('SIGKILL');
      const end = await killed.finished;
      expect(end.signal, end.stderr).toBe('SIGKILL');
      const { code, stderr } = await queued('resumed', rate, '--resume').finished;
      expect(code, stderr).toBe(3);
      expect(await contents(join(folder, 'resumed'))).toEqual(here);
      expect(busiestWindow(web.requests, 1000)).toBeLessThanOrEqual(1.1 * rate);
    },
  );

  it.skipIf(!long)('makes the workspace that one machine makes, in a run', { timeout: 180_000 }, async () => {
    web.options = { ...mixed(12), results: 12 };
    const world = await makeWorld({ auxiliary: 4, test: 2, web: 0 });
    try {
      writeConfiguration(world, {
        sources: [{ source: 'flickr', endpoint: web.endpoints.flickr, rate: 1e6 }],
        crawl: { perCategory: 4, requestsPerSecond: 1e6, allowAddresses: ['127.0.0.0/8'], attempts: 2 },
      });
      const [plain, shared] = ['plain', 'shared'].map((name) => join(folder, name));
      for (const copy of [plain, shared]) cpSync(world.folder, copy, { recursive: true });
      const here = await start(['run', plain, '--until', 'crawl']).finished;
      worker();
      const there = await start(['run', shared, '--until', 'crawl', '--queue', redis.url]).finished;
      expect(there.code, there.stderr).toBe(here.code);
      const [expected, found] = [await contents(plain), await contents(shared)];
      expect(expected.rows.filter(({ state }) => state === 'kept').length).toBeGreaterThan(0);
      expect(found).toEqual(expected);
    } finally {
      world.remove();
    }
  });
});
