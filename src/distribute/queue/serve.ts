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
import { connect, QueueError } from './connect.js';
import { type FilePlaces, obtainFile } from './files.js';
import { atMost } from './patience.js';
import { heartbeatMs, keys, type RunRecord, type WorkerRecord, workerExpiryMs } from './records.js';
import { forgetRun, isAnnouncedAnew, isOpen, type Listing, ofType, openRuns } from './run.js';
import { type QueueCredentials, queueCredentials, Signer } from './secret.js';

/** What a worker knows about one kind of job. */
export interface RegisteredHandler {
  /** Module that exports `open` (a `JobHandlerModule`). */
  module: URL;
  /** Whether its jobs name files that the coordinator offers while the run goes on. @default false */
  offered?: boolean;
  /** Jobs at the same time, all in the worker's own thread, where they wait rather than compute. @default the worker's places */
  atOnce?: number;
  /** Only for runs that are signed, or of a queue on this machine: its jobs reach out to where a stranger could want to. */
  reachesOut?: boolean;
  /** The context for `open` from that of the run and the local paths of its files. */
  prepare(
    context: unknown,
    files: Record<string, string>,
    signal: AbortSignal,
    /** Where files that jobs name are had from. */
    places: FilePlaces,
  ): Promise<unknown>;
}

export type WorkerEvent =
  | { kind: 'attached' | 'detached'; run: string }
  | { kind: 'trouble'; run: string; message: string }
  | { kind: 'job'; run: string; id: string; seconds: number; failed: boolean };

export interface ServeOptions extends QueueCredentials {
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
/** A run that is signed otherwise, or not at all, is looked at again after this long. */
const foreignMs = 30_000;
const mostAvoided = 50_000;
/** Expired runs that are cleared away after one look at the list. */
const mostExpired = 5;
const unsignedHere = 'it is signed, and no secret is known here';
const secretHint = 'Set BOWERBIRD_QUEUE_SECRET to the same value for coordinator and workers.';
const fileHint = `${secretHint.slice(0, -1)}, or share a folder and name it with --folder.`;
/** How long giving jobs back may take where the queue does not answer. */
const patienceMs = 5000;

/** Works until the signal aborts or there has been nothing to do for long enough; gives back what it was doing. */
export async function serveQueue(options: ServeOptions): Promise<{ jobs: number; failed: number }> {
  const { secret, password } = queueCredentials(options);
  const redis = await connect(options.url, password);
  const server = new Server(redis, options, new Signer(secret));
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
  readonly #signer: Signer;
  readonly #me: WorkerRecord;
  readonly #avoided = new Map<string, number>();
  readonly #expired = new Set<string>();
  #lastTrouble = '';
  readonly count = { jobs: 0, failed: 0 };
  #attachment: Attachment | undefined;

  constructor(redis: Redis, options: ServeOptions, signer: Signer) {
    this.#redis = redis;
    this.#options = options;
    this.#signer = signer;
    this.#me = { id: randomUUID(), host: hostname(), pid: process.pid, places: options.places, running: 0 };
  }

  async serve(): Promise<void> {
    const { signal, idleExitMs = Number.POSITIVE_INFINITY } = this.#options;
    const beat = () => this.#sayAlive().catch(() => {});
    let beating = beat();
    await beating;
    const timer = setInterval(() => {
      beating = beat();
    }, heartbeatMs);
    let lastWork = Date.now();
    try {
      while (!signal.aborted && Date.now() - lastWork < idleExitMs) {
        if (await this.#turn()) lastWork = Date.now();
        else await sleep(300, undefined, { signal }).catch(() => {});
      }
    } finally {
      clearInterval(timer);
      // A sign of life that is under way would come after the removal.
      await beating;
      await this.#redis.del(keys.worker(this.#me.id));
      await this.#redis.srem(keys.workers, this.#me.id).catch(() => {});
    }
  }

  /** Looks for a run and works for it. Whatever somebody has put into the queue, the worker goes on. */
  async #turn(): Promise<boolean> {
    try {
      const next = await this.#runWithWork();
      if (next) return await this.#workFor(next.id, next.record);
      this.#lastTrouble = '';
    } catch (error) {
      if (!this.#options.signal.aborted) this.#complain('', (error as Error).message);
    }
    return false;
  }

  /** Says what is wrong, once. */
  #complain(run: string, message: string): void {
    if (this.#lastTrouble === `${run}: ${message}`) return;
    this.#lastTrouble = `${run}: ${message}`;
    this.#options.onEvent?.({ kind: 'trouble', run, message });
  }

  async #sayAlive(): Promise<void> {
    this.#me.running = this.#attachment?.running ?? 0;
    const text = this.#signer.sign(['worker', this.#me.id], JSON.stringify(this.#me));
    await this.#redis.set(keys.worker(this.#me.id), text, 'PX', workerExpiryMs);
    await ofType(this.#redis, keys.workers, 'set');
    await this.#redis.sadd(keys.workers, this.#me.id);
  }

  /** The oldest open run with jobs to take, other than `except`. */
  async #runWithWork(except?: string): Promise<{ id: string; record: RunRecord } | undefined> {
    const listing: Listing = {
      skip: (id) => id === except || (this.#avoided.get(id) ?? 0) > Date.now(),
      onForeign: (id) => {
        this.#avoid(id, foreignMs);
        this.#complain(id, this.#signer.signs ? 'it is not signed with the secret known here' : unsignedHere);
      },
      onExpired: (id) => {
        if (this.#expired.size < mostExpired) this.#expired.add(id);
      },
    };
    for await (const run of openRuns(this.#redis, this.#signer, listing))
      try {
        if ((await this.#withQueue(run.id, (queue) => queue.getJobCountByTypes('waiting', 'active', 'delayed'))) > 0)
          return run;
      } catch (error) {
        this.#avoid(run.id, troubleMs);
        this.#complain(run.id, (error as Error).message);
      }
    await this.#forgetExpired();
    return undefined;
  }

  #avoid(id: string, milliseconds: number): void {
    if (this.#avoided.size >= mostAvoided) this.#avoided.clear();
    this.#avoided.set(id, Date.now() + milliseconds);
  }

  /** Removes what is left in the queue of runs that nobody has resumed. */
  async #forgetExpired(): Promise<void> {
    const ids = [...this.#expired];
    this.#expired.clear();
    for (const id of ids) {
      await forgetRun(this.#redis, id);
      await this.#withQueue(id, (queue) => queue.obliterate({ force: true })).catch(() => {});
    }
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
    const { signal, onEvent, lockMs = 15_000 } = this.#options;
    try {
      const prepared = await this.#prepare(record);
      const { atOnce } = this.#options.handlers[record.handler];
      this.#me.places = atOnce ?? this.#options.places;
      this.#attachment = new Attachment({
        redis: this.#redis,
        run,
        fingerprint: record.fingerprint,
        signer: this.#signer,
        worker: this.#me.id,
        places: this.#me.places,
        waiting: atOnce !== undefined,
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
      this.#avoid(run, troubleMs);
      this.#me.run = run;
      this.#me.trouble = `${this.#me.host} (${this.#me.pid}): ${message}`.slice(0, 2000);
      await this.#sayAlive();
      onEvent?.({ kind: 'trouble', run, message });
      return false;
    }
    this.#me.run = run;
    this.#me.trouble = undefined;
    await this.#sayAlive();
    onEvent?.({ kind: 'attached', run });
    await this.#whileNeeded(run, record, this.#attachment);
    await this.#attachment.detach();
    this.#attachment = undefined;
    this.#me.run = undefined;
    this.#me.places = this.#options.places;
    onEvent?.({ kind: 'detached', run });
    return true;
  }

  async #prepare(record: RunRecord): Promise<{ handler: URL; context: unknown }> {
    const { handlers, folder, cache, signal } = this.#options;
    const registered = Object.hasOwn(handlers, record.handler) ? handlers[record.handler] : undefined;
    if (!registered) throw new Error(`this worker knows no handler "${record.handler}"`);
    if (registered.reachesOut && !this.#signer.signs && !isLoopback(new URL(this.#options.url).hostname))
      throw new QueueError('the run is not signed, so nothing is fetched from the web for it', secretHint);
    const files: Record<string, string> = {};
    const key = this.#signer.fileKey(record.salt);
    const address = this.#mayFetch(record.address) ? record.address : undefined;
    for (const [name, file] of Object.entries(record.files))
      files[name] = await obtainFile(file, { folder, cache, address, key, signal }).catch((error: Error) => {
        if (address || !record.address) throw error;
        throw new QueueError(`${error.message}, and the run is not signed, so nothing is fetched for it`, fileHint);
      });
    const places = { folder, cache, address, key };
    return { handler: registered.module, context: await registered.prepare(record.context, files, signal, places) };
  }

  /** From the coordinator that signed the run; unsigned, from this machine for a queue on this machine. */
  #mayFetch(address: string | undefined): boolean {
    if (address === undefined || this.#signer.signs) return address !== undefined;
    return isLoopback(new URL(this.#options.url).hostname) && isLoopback(new URL(address).hostname);
  }

  /** Resolves when the run is closed or taken over, the worker shall stop, or another run has work while this one has none. */
  async #whileNeeded(run: string, record: RunRecord, attachment: Attachment): Promise<void> {
    const { signal, idleExitMs = Number.POSITIVE_INFINITY } = this.#options;
    while (!signal.aborted) {
      await sleep(heartbeatMs / 2, undefined, { signal }).catch(() => {});
      if (!(await isOpen(this.#redis, run).catch(() => true))) return;
      // Another coordinator has taken the run over, and offers its files elsewhere.
      const offered = this.#options.handlers[record.handler]?.offered;
      if (offered && (await isAnnouncedAnew(this.#redis, run, record, this.#signer).catch(() => false))) return;
      if (attachment.idleMs > idleExitMs) return;
      if (attachment.idleMs > idleMs && (await this.#runWithWork(run).catch(() => undefined))) return;
    }
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
