/** A coordinator and workers in one process, whose hearts beat fifty times as fast: what is told, counted and left behind. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createQueueExecutor,
  type JobFailure,
  type OfferingExecutor,
  type QueueExecutorOptions,
  type QueueStatus,
  type RegisteredHandler,
  type ServeOptions,
  serveQueue,
  type WorkerEvent,
} from '../../src/distribute/index.js';
import { hasRedis } from '../tools.js';
import { type RedisServer, startRedis } from './redis.js';

vi.mock('../../src/distribute/queue/records.js', async (original) => ({
  ...(await original<object>()),
  ...{ heartbeatMs: 20, workerExpiryMs: 2000, coordinatorExpiryMs: 2000 },
}));

interface Job {
  id: string;
  x?: number;
  fail?: string;
  wait?: number;
  progress?: number;
}

/** Jobs that do as they are told, in the worker's own thread. */
const toy = `
export async function open(context) {
  if (context.broken) throw Object.assign(new Error('the context is broken'), { code: 'BOWERBIRD_TOY' });
  return {
    async handle(job, { signal, onProgress }) {
      if (job.progress) onProgress({ done: job.progress, total: 9 });
      if (job.wait) await new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, job.wait);
        signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); });
      });
      if (job.fail) throw Object.assign(new Error(job.fail), { code: 'BOWERBIRD_TOY', hint: 'Try another.' });
      return { square: job.x ** 2, more: context.more };
    },
  };
}`;

describe.skipIf(!hasRedis)('a quick queue (skipped where redis-server is not installed)', () => {
  let redis: RedisServer;
  let folder: string;
  const executors: OfferingExecutor[] = [];
  const workers: { stop: AbortController; served: Promise<unknown> }[] = [];
  let runs = 0;
  beforeAll(async () => {
    redis = await startRedis();
    folder = await mkdtemp(join(tmpdir(), 'bowerbird-quick-'));
  });
  afterEach(async () => {
    for (const { stop } of workers) stop.abort();
    await Promise.all(workers.splice(0).map(({ served }) => served));
    await Promise.all(executors.splice(0).map((executor) => executor.close()));
    await redis.client.flushall();
  });
  afterAll(async () => {
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const handler = (more: Partial<RegisteredHandler> = {}): RegisteredHandler => ({
    module: new URL(`data:text/javascript,${encodeURIComponent(toy)}`),
    atOnce: 3,
    prepare: async (context) => context,
    ...more,
  });

  function worker(options: Partial<ServeOptions> = {}) {
    const stop = new AbortController();
    const events: WorkerEvent[] = [];
    const served = serveQueue({
      ...{ url: redis.url, handlers: { toy: handler() }, places: 1, cache: join(folder, 'cache') },
      ...{ signal: stop.signal, onEvent: (event: WorkerEvent) => events.push(event), ...options },
    });
    workers.push({ stop, served });
    return { events, served, stop };
  }

  async function coordinator(options: Partial<QueueExecutorOptions> = {}) {
    const base = { url: redis.url, runId: `run-${runs++}`, handler: 'toy', context: {}, patienceMs: 100 };
    const executor = await createQueueExecutor({ ...base, ...options });
    executors.push(executor);
    return executor;
  }

  async function collect(executor: OfferingExecutor, jobs: Job[], signal?: AbortSignal) {
    const results = new Map<string, unknown>();
    const failures = new Map<string, JobFailure>();
    await executor.run<Job, unknown>(jobs, {
      signal,
      onResult: ({ id }, result) => void results.set(id, result),
      onFailure: ({ id }, failure) => void failures.set(id, failure),
    });
    return { results: Object.fromEntries(results), failures: Object.fromEntries(failures) };
  }

  /** Waits until something holds: no time is measured. */
  const until = (holds: () => unknown) =>
    vi.waitFor(() => expect(holds()).toBeTruthy(), { timeout: 10_000, interval: 10 });

  it('answers jobs, tells of each, and forgets the run at its end', async () => {
    const { events, served, stop } = worker();
    const executor = await coordinator({ runId: 'told', context: { more: 1 } });
    const jobs = [
      { id: 'a', x: 3 },
      { id: 'b', fail: 'no b' },
    ];
    expect(await collect(executor, jobs)).toEqual({
      results: { a: { square: 9, more: 1 } },
      failures: { b: { name: 'Error', code: 'BOWERBIRD_TOY', message: 'no b', hint: 'Try another.' } },
    });
    await executor.close();
    expect(await redis.client.keys('bowerbird:*told*')).toEqual([]);
    expect(await redis.client.zcard('bowerbird:runs')).toBe(0);
    await until(() => events.at(-1)?.kind === 'detached');
    stop.abort();
    expect(await served).toEqual({ jobs: 2, failed: 1 });
    expect(events[0]).toEqual({ kind: 'attached', run: 'told' });
    expect(events.at(-1)).toEqual({ kind: 'detached', run: 'told' });
    const told = events.filter((event) => event.kind === 'job');
    expect(told.map(({ id, failed, run }) => [id, failed, run]).sort()).toEqual([
      ['a', false, 'told'],
      ['b', true, 'told'],
    ]);
    for (const { seconds } of told) expect(seconds).toBeLessThan(60);
    // A worker that left is not counted any more.
    expect(await redis.client.keys('bowerbird:worker*')).toEqual([]);
  });

  it('takes its name off the list, though a sign of life is under way when it is stopped', async () => {
    const left: string[] = [];
    for (let beats = 0; beats < 60; beats++) {
      const { served, stop } = worker();
      // About where the next sign of life is given, a little later each time.
      await new Promise((resolve) => setTimeout(resolve, 20 + (beats % 6)));
      stop.abort();
      await served;
      left.push(...(await redis.client.keys('bowerbird:worker*')));
    }
    expect(left).toEqual([]);
  });

  it('counts workers, places and jobs, and passes progress on', async () => {
    worker();
    const seen: QueueStatus[] = [];
    const executor = await coordinator({ onStatus: (status) => seen.push(status) });
    const heard: [string, number][] = [];
    const stop = new AbortController();
    const running = executor.run<Job, unknown>(
      Array.from({ length: 5 }, (_, k) => ({ id: `j${k}`, x: k, wait: 60_000, progress: k + 1 })),
      {
        ...{ signal: stop.signal, onResult: () => {}, onFailure: () => {} },
        onProgress: ({ id }, { done }) => heard.push([id, done]),
      },
    );
    await until(() => seen.some((status) => status.running === 3));
    expect(seen.findLast((status) => status.running === 3)).toEqual({
      ...{ workers: 1, places: 3, queued: 0, running: 3, done: 0, troubles: [] },
    });
    expect(executor.width).toBe(3);
    await until(() => heard.length > 0);
    for (const [id, done] of heard) expect(done).toBe(Number(id.slice(1)) + 1);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  it('has one place at least, though no worker is there', async () => {
    expect((await coordinator()).width).toBe(1);
  });

  it('tells what keeps a worker from working, to both sides', async () => {
    const { events } = worker({ handlers: {} });
    const seen: QueueStatus[] = [];
    const executor = await coordinator({ runId: 'odd', onStatus: (status) => seen.push(status) });
    const stop = new AbortController();
    const running = collect(executor, [{ id: 'a', x: 1 }], stop.signal);
    await until(() => seen.some(({ troubles }) => troubles.length > 0));
    const message = 'this worker knows no handler "toy"';
    expect(seen.at(-1)!.troubles).toEqual([`${hostname()} (${process.pid}): ${message}`]);
    expect(events[0]).toEqual({ kind: 'trouble', run: 'odd', message });
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  it('gives a job up whose handler cannot open what the run needs, again for each', async () => {
    worker({ handlers: { toy: handler({ atOnce: undefined, prepare: async () => ({ broken: true }) }) } });
    const { failures } = await collect(await coordinator(), [{ id: 'a', x: 1 }]);
    expect(failures.a).toMatchObject({ code: 'BOWERBIRD_TOY', message: 'the context is broken' });
  });

  it('brings files of the run and those offered later to the worker', async () => {
    const [first, second] = ['first.txt', 'second.txt'].map((name) => join(folder, name));
    await writeFile(first, 'one');
    await writeFile(second, 'two');
    const seen: Record<string, string>[] = [];
    const prepare: RegisteredHandler['prepare'] = async (context, files, _, places) => {
      seen.push({ ...files, address: String(places.address), cache: places.cache });
      return context;
    };
    worker({ handlers: { toy: handler({ prepare, offered: true }) } });
    const executor = await coordinator({ files: { it: first }, offers: true, host: '127.0.0.1' });
    await collect(executor, [{ id: 'a', x: 1 }]);
    expect(seen[0].it).toMatch(/\.txt$/);
    const record = await executor.offer(second);
    expect(record).toMatchObject({ name: 'second.txt', bytes: 3 });
    expect((await fetch(`${seen[0].address}/${record.hash}`)).status).toBe(200);
    await executor.close();
    await expect(fetch(`${seen[0].address}/${record.hash}`)).rejects.toThrow();
  });

  it('lets nothing be fetched from the web for a run that nobody signed, unless it is on this machine', async () => {
    const reaching = { toy: handler({ reachesOut: true }) };
    worker({ handlers: reaching });
    expect((await collect(await coordinator(), [{ id: 'a', x: 2 }])).results).toEqual({ a: { square: 4 } });
  });

  it('says of runs that are signed otherwise that they cannot be believed, once', async () => {
    const [plain, signed] = [worker(), worker({ secret: 'another secret of mine' })];
    const executor = await coordinator({ runId: 'secret', secret: 'a secret of ours' });
    const stop = new AbortController();
    const running = collect(executor, [{ id: 'a', x: 1 }], stop.signal);
    await until(() => plain.events.length > 0 && signed.events.length > 0);
    expect(plain.events).toEqual([
      { kind: 'trouble', run: 'secret', message: 'it is signed, and no secret is known here' },
    ]);
    expect(signed.events).toEqual([
      { kind: 'trouble', run: 'secret', message: 'it is not signed with the secret known here' },
    ]);
    worker({ secret: 'a secret of ours' });
    expect((await running).results).toEqual({ a: { square: 1 } });
  });

  it('goes from a run that has nothing to one that has', async () => {
    const { events } = worker();
    const first = await coordinator({ runId: 'first' });
    await collect(first, [{ id: 'a', x: 1 }]);
    const second = await coordinator({ runId: 'second' });
    await first.close();
    await collect(second, [{ id: 'b', x: 1 }]);
    const attached = events.flatMap((event) => (event.kind === 'attached' ? [event.run] : []));
    expect(attached).toEqual(['first', 'second']);
  });

  it('remembers answers for a second coordinator, unless it forgets them at once', async () => {
    for (const forgets of [false, true]) {
      const { stop, served } = worker();
      const first = await coordinator({ runId: 'again', forgets });
      const abort = new AbortController();
      const running = first.run<Job, unknown>(
        [
          { id: 'a', x: 2 },
          { id: 'b', x: 3, wait: 60_000 },
        ],
        { signal: abort.signal, onFailure: () => {}, onResult: () => abort.abort(new Error('enough')) },
      );
      await expect(running).rejects.toThrow('enough');
      stop.abort();
      await served;
      await first.close();
      const left = (await redis.client.keys('bowerbird:queue:again:a-*')).length;
      expect(left).toBe(forgets ? 0 : 1);
      await redis.client.flushall();
    }
  });

  it('refuses a job that is given twice, and odd names of runs', async () => {
    worker();
    const executor = await coordinator();
    const twice = collect(executor, [
      { id: 'a', x: 1, wait: 200 },
      { id: 'a', x: 1, wait: 200 },
    ]);
    await expect(twice).rejects.toThrow('job a was given twice');
    await expect(coordinator({ runId: 'a b' })).rejects.toMatchObject({ name: 'ArgumentError' });
  });

  it('takes back what a worker was doing when it is told to stop, for another one', async () => {
    const first = worker();
    const executor = await coordinator();
    const running = collect(executor, [{ id: 'a', x: 5, wait: 300 }]);
    await until(() => first.events.some(({ kind }) => kind === 'attached'));
    first.stop.abort();
    expect(await first.served).toEqual({ jobs: 0, failed: 0 });
    worker();
    expect((await running).results).toEqual({ a: { square: 25 } });
  });

  it('does not leave a run whose jobs are under way for another', async () => {
    const { events } = worker();
    const first = await coordinator({ runId: 'long' });
    const running = collect(first, [{ id: 'a', x: 2, wait: 300 }]);
    await until(() => events.some(({ kind }) => kind === 'attached'));
    const second = await coordinator({ runId: 'other' });
    const waiting = collect(second, [{ id: 'b', x: 3 }]);
    expect((await running).results).toEqual({ a: { square: 4 } });
    await first.close();
    expect((await waiting).results).toEqual({ b: { square: 9 } });
    const attached = events.flatMap((event) => (event.kind === 'attached' ? [event.run] : []));
    expect(attached).toEqual(['long', 'other']);
  });

  it('gives a job up whose answers come again and again from somebody who does not know the secret', async () => {
    const executor = await coordinator({ runId: 'forged', secret: 'a secret of ours' });
    const forger = new Worker('forged', async () => ({ text: '{"worker":"me","result":1}' }), {
      connection: redis.client.duplicate({ maxRetriesPerRequest: null }),
      prefix: 'bowerbird:queue',
    });
    forger.on('error', () => {});
    try {
      const { results, failures } = await collect(executor, [{ id: 'a', x: 1 }]);
      expect(results).toEqual({});
      expect(failures.a).toMatchObject({ code: 'BOWERBIRD_QUEUE', message: expect.stringContaining('came 21 times') });
    } finally {
      await forger.close(true);
    }
  });
});
