/** A queue for the tests of a `describe`: a Redis server, workers that serve the toy handler, and coordinators. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createQueueExecutor, type Executor, type QueueExecutorOptions } from '../../src/distribute/index.js';
import { type RedisServer, startRedis, startWorker, type WorkerProcess } from './redis.js';

export interface TestQueue {
  readonly redis: RedisServer;
  /** Where workers keep files. */
  readonly cache: string;
  worker(options?: Record<string, unknown>): WorkerProcess;
  coordinator(options?: Partial<QueueExecutorOptions>): Promise<Executor>;
}

/** Begins with the tests, ends with them, and is emptied after each; `shared` options are those of both sides. */
export function testQueue(shared: { secret?: string } = {}): TestQueue {
  let redis: RedisServer;
  let cache: string;
  let runs = 0;
  const workers: WorkerProcess[] = [];
  const executors: Executor[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    cache = await mkdtemp(join(tmpdir(), 'bowerbird-cache-'));
  });
  afterAll(async () => {
    await redis.stop();
    await rm(cache, { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all(executors.splice(0).map((executor) => executor.close()));
    await Promise.all(workers.splice(0).map((worker) => worker.kill('SIGKILL')));
    await redis.client.flushall();
  });
  return {
    get redis() {
      return redis;
    },
    get cache() {
      return cache;
    },
    worker(options = {}) {
      const started = startWorker({ url: redis.url, cache, ...shared, ...options });
      workers.push(started);
      return started;
    },
    async coordinator(options = {}) {
      const base = { url: redis.url, runId: `run-${runs++}`, handler: 'toy', context: {}, patienceMs: 300 };
      const executor = await createQueueExecutor({ ...base, ...shared, ...options });
      executors.push(executor);
      return executor;
    },
  };
}
