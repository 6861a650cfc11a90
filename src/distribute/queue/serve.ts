/**
 * The life of a worker on any machine: it says that it lives, looks for the oldest open run with jobs to take, fetches
 * what the run needs, works for it until the run ends or another one needs hands more, and looks again.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { Attachment } from './attachment.js';
import { connect } from './connect.js';
import { obtainFile } from './files.js';
import { atMost } from './patience.js';
import { heartbeatMs, keys, type RunRecord, type WorkerRecord, workerExpiryMs } from './records.js';
import { forgetRun, isOpen, openRuns } from './run.js';

/** What a worker knows about one kind of job. */
export interface RegisteredHandler {
  /** Module that exports `open` (a `JobHandlerModule`). */
  module: URL;
  /** The context for `open` from that of the run and the local paths of its files. */
  prepare(context: unknown, files: Record<string, string>, signal: AbortSignal): Promise<unknown>;
}

export type WorkerEvent =
  | { kind: 'attached' | 'detached'; run: string }
  | { kind: 'trouble'; run: string; message: string }
  | { kind: 'job'; run: string; id: string; seconds: number; failed: boolean };

export interface ServeOptions {
  url: string;
  handlers: Readonly<Record<string, RegisteredHandler>>;
  /** Jobs at the same time. */
  places: number;
  /** Folder shared with coordinators. */
  folder?: string;
  /** Where fetched files are kept. */
  cache: string;
  /** A job whose worker has been silent this long is given to another one. @default 15000 */
  lockMs?: number;
  /** Stop after this long without work. @default never */
  idleExitMs?: number;
  signal: AbortSignal;
  onEvent?: (event: WorkerEvent) => void;
}

/** A run that could not be served is looked at again after this long. */
const troubleMs = 5000;
/** A run that had nothing for so long is left when another one has. */
const idleMs = 2000;
/** How long giving jobs back may take where the queue does not answer. */
const patienceMs = 5000;

/** Works until the signal aborts or there has been nothing to do for long enough; gives back what it was doing. */
export async function serveQueue(options: ServeOptions): Promise<{ jobs: number; failed: number }> {
  const redis = await connect(options.url);
  const server = new Server(redis, options);
  const serving = server.serve();
  const stopped = new Promise<void>((resolve) => {
    options.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await Promise.race([serving, stopped]);
    await atMost(patienceMs, serving);
    return server.count;
  } finally {
    redis.disconnect();
  }
}

class Server {
  readonly #redis: Redis;
  readonly #options: ServeOptions;
  readonly #me: WorkerRecord;
  readonly #avoided = new Map<string, number>();
  readonly count = { jobs: 0, failed: 0 };
  #attachment: Attachment | undefined;

  constructor(redis: Redis, options: ServeOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#me = { id: randomUUID(), host: hostname(), pid: process.pid, places: options.places, running: 0 };
  }

  async serve(): Promise<void> {
    const { signal, idleExitMs = Number.POSITIVE_INFINITY } = this.#options;
    const beat = () => this.#sayAlive().catch(() => {});
    await this.#sayAlive();
    const timer = setInterval(beat, heartbeatMs);
    let lastWork = Date.now();
    try {
      while (!signal.aborted && Date.now() - lastWork < idleExitMs) {
        const next = await this.#runWithWork();
        if (next && (await this.#workFor(next.id, next.record))) lastWork = Date.now();
        else await sleep(300, undefined, { signal }).catch(() => {});
      }
    } finally {
      clearInterval(timer);
      await this.#redis.del(keys.worker(this.#me.id));
      await this.#redis.srem(keys.workers, this.#me.id);
    }
  }

  async #sayAlive(): Promise<void> {
    this.#me.running = this.#attachment?.running ?? 0;
    await this.#redis.set(keys.worker(this.#me.id), JSON.stringify(this.#me), 'PX', workerExpiryMs);
    await this.#redis.sadd(keys.workers, this.#me.id);
  }

  /** The oldest open run with jobs to take, other than `except`. */
  async #runWithWork(except?: string): Promise<{ id: string; record: RunRecord } | undefined> {
    const { open, expired } = await openRuns(this.#redis);
    for (const id of expired) {
      await forgetRun(this.#redis, id);
      await this.#withQueue(id, (queue) => queue.obliterate({ force: true }));
    }
    for (const run of open) {
      if (run.id === except || (this.#avoided.get(run.id) ?? 0) > Date.now()) continue;
      if ((await this.#withQueue(run.id, (queue) => queue.getJobCountByTypes('waiting', 'active', 'delayed'))) > 0)
        return run;
    }
    return undefined;
  }

  async #withQueue<T>(id: string, use: (queue: Queue) => Promise<T>): Promise<T> {
    const queue = new Queue(id, { connection: this.#redis, prefix: keys.queuePrefix, skipMetasUpdate: true });
    queue.on('error', () => {});
    try {
      return await use(queue);
    } finally {
      await queue.close();
    }
  }

  /** False when this worker cannot serve the run. */
  async #workFor(run: string, record: RunRecord): Promise<boolean> {
    const { signal, onEvent, places, lockMs = 15_000 } = this.#options;
    try {
      const prepared = await this.#prepare(record);
      this.#attachment = new Attachment({
        redis: this.#redis,
        run,
        worker: this.#me.id,
        places,
        lockMs,
        ...prepared,
        onJob: (job) => {
          this.count.jobs++;
          if (job.failed) this.count.failed++;
          onEvent?.({ kind: 'job', run, ...job });
        },
      });
    } catch (error) {
      if (signal.aborted) return false;
      const { message } = error as Error;
      this.#avoided.set(run, Date.now() + troubleMs);
      this.#me.run = run;
      this.#me.trouble = `${this.#me.host} (${this.#me.pid}): ${message}`;
      await this.#sayAlive();
      onEvent?.({ kind: 'trouble', run, message });
      return false;
    }
    this.#me.run = run;
    this.#me.trouble = undefined;
    await this.#sayAlive();
    onEvent?.({ kind: 'attached', run });
    await this.#whileNeeded(run, this.#attachment);
    await this.#attachment.detach();
    this.#attachment = undefined;
    this.#me.run = undefined;
    onEvent?.({ kind: 'detached', run });
    return true;
  }

  async #prepare(record: RunRecord): Promise<{ handler: URL; context: unknown }> {
    const { handlers, folder, cache, signal } = this.#options;
    const registered = Object.hasOwn(handlers, record.handler) ? handlers[record.handler] : undefined;
    if (!registered) throw new Error(`this worker knows no handler "${record.handler}"`);
    const files: Record<string, string> = {};
    for (const [name, file] of Object.entries(record.files))
      files[name] = await obtainFile(file, { folder, cache, address: record.address, signal });
    return { handler: registered.module, context: await registered.prepare(record.context, files, signal) };
  }

  /** Resolves when the run is closed, the worker shall stop, or another run has work while this one has none. */
  async #whileNeeded(run: string, attachment: Attachment): Promise<void> {
    const { signal, idleExitMs = Number.POSITIVE_INFINITY } = this.#options;
    while (!signal.aborted) {
      await sleep(heartbeatMs / 2, undefined, { signal }).catch(() => {});
      if (!(await isOpen(this.#redis, run).catch(() => true))) return;
      if (attachment.idleMs > idleExitMs) return;
      if (attachment.idleMs > idleMs && (await this.#runWithWork(run).catch(() => undefined))) return;
    }
  }
}
