/**
 * The coordinator of a run whose jobs are taken by workers on any machine. A job is queued when a worker has a place for
 * it, and its answer is delivered once: answers are found by the job's own key, events only say when to look.
 */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { ArgumentError } from '../../errors.js';
import type { Progress } from '../../progress.js';
import { dispatch, type Outcome, type Places, Turn } from '../dispatch.js';
import type { ExecutionOptions, Executor } from '../executor.js';
import { connect } from './connect.js';
import { type FileServer, serveFiles } from './file-server.js';
import { describeFile } from './files.js';
import { atMost, unlessAborted } from './patience.js';
import {
  type FileRecord,
  fingerprintOf,
  keys,
  notPublished,
  queueKey,
  runExpirySeconds,
  type Sealed,
} from './records.js';
import { Run } from './run.js';
import { fitting, isRunId, parsed } from './schema.js';
import { type QueueCredentials, queueCredentials, Signer } from './secret.js';

export interface QueueStatus {
  workers: number;
  /** Jobs that all workers together run at the same time. */
  places: number;
  queued: number;
  running: number;
  /** Delivered by this coordinator. */
  done: number;
  /** What keeps workers from working, each once. */
  troubles: string[];
}

export interface QueueExecutorOptions extends QueueCredentials {
  /** `redis://host:port` or `rediss://…` */
  url: string;
  /** Letters, digits, `.`, `_` and `-`. A second coordinator with the same id resumes the run of one that died. */
  runId: string;
  /** Name of the handler in the workers' registry. */
  handler: string;
  /** Plain values (JSON) for the handler. */
  context: unknown;
  /** Files the handler reads, by the name it knows them under: paths on this machine. */
  files?: Record<string, string>;
  /** Whether jobs name files that are offered to the workers while the run goes on. @default false */
  offers?: boolean;
  /** Whether an answer that was delivered is taken out of the queue at once, where there are very many. @default false */
  forgets?: boolean;
  /** Whether a job waits in the queue for each place, so that no worker waits for one to be made; not where results decide what comes next. @default false */
  ahead?: boolean;
  /** Address of this machine for workers that fetch the files. @default the one that talks to the queue */
  host?: string;
  /** How long to wait for another coordinator of this run, which may have died, to be given up. @default 11000 */
  patienceMs?: number;
  /** How often a job is tried when workers crash over it. @default 3 */
  attempts?: number;
  /** Called every second. */
  onStatus?: (status: QueueStatus) => void;
  signal?: AbortSignal;
}

export interface OfferingExecutor extends Executor {
  /** Lets workers fetch a file; what a job needs to name it by. */
  offer(path: string): Promise<FileRecord>;
}

/** @throws QueueError when the queue cannot be reached or another coordinator holds the run */
export async function createQueueExecutor(options: QueueExecutorOptions): Promise<OfferingExecutor> {
  const { url, runId, handler, context, signal } = options;
  if (!isRunId(runId)) throw new ArgumentError(`run id "${runId}"`, 'Up to 64 letters, digits, ".", "_" and "-".');
  const { secret, password } = queueCredentials(options);
  const signer = new Signer(secret);
  const redis = await connect(url, password);
  let server: FileServer | undefined;
  const run = new Run(redis, runId, signer);
  try {
    await run.take(options.patienceMs, signal);
    const files: Record<string, FileRecord> = {};
    const paths = new Map<string, string>();
    for (const [name, path] of Object.entries(options.files ?? {})) {
      files[name] = await describeFile(path);
      paths.set(files[name].hash, path);
    }
    const salt = randomBytes(16).toString('hex');
    if (paths.size > 0 || options.offers)
      server = await serveFiles(paths, options.host ?? localAddress(redis), signer.fileKey(salt));
    const described = { handler, context, files };
    const fingerprint = fingerprintOf(described);
    await run.announce({ ...described, ...(server && { address: server.address }), fingerprint, salt });
    return await new QueueExecutor(redis, run, fingerprint, signer, server, options, paths).start();
  } catch (error) {
    await server?.close();
    await run.leave();
    redis.disconnect();
    throw error;
  }
}

function localAddress(redis: Redis): string {
  return (redis.stream as Socket).localAddress ?? '127.0.0.1';
}

/** How long clearing up may take where the queue does not answer. */
const patienceMs = 3000;
const mostDisbelieved = 20;

interface Waiting {
  look(): void;
  tell(progress: Progress): void;
}

class QueueExecutor implements OfferingExecutor {
  readonly #redis: Redis;
  readonly #run: Run;
  readonly #fingerprint: string;
  readonly #signer: Signer;
  /** Answers that were not believed, by job. */
  readonly #disbelieved = new Map<string, number>();
  readonly #server: FileServer | undefined;
  readonly #options: QueueExecutorOptions;
  /** Of the files that workers may fetch, by their hash. */
  readonly #paths: Map<string, string>;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #waiting = new Map<string, Waiting>();
  readonly #lost = new AbortController();
  #placesChanged: (() => void)[] = [];
  #done = 0;
  readonly #turn = new Turn();
  #unfinished = false;
  #closing: Promise<void> | undefined;

  constructor(
    redis: Redis,
    run: Run,
    fingerprint: string,
    signer: Signer,
    server: FileServer | undefined,
    options: QueueExecutorOptions,
    paths: Map<string, string>,
  ) {
    this.#paths = paths;
    this.#redis = redis;
    this.#run = run;
    this.#fingerprint = fingerprint;
    this.#signer = signer;
    this.#server = server;
    this.#options = options;
    const shared = { connection: redis, prefix: keys.queuePrefix };
    this.#queue = new Queue(run.id, shared);
    this.#events = new QueueEvents(run.id, shared);
    // The connection mends itself; what was missed meanwhile is found by looking again at every heartbeat.
    this.#queue.on('error', () => {});
    this.#events.on('error', () => {});
    this.#events.on('completed', ({ jobId }) => this.#waiting.get(jobId)?.look());
    this.#events.on('failed', ({ jobId }) => this.#waiting.get(jobId)?.look());
    this.#events.on('progress', ({ jobId, data }) => {
      const progress = fitting('progress', data);
      if (progress) this.#waiting.get(jobId)?.tell(progress);
    });
  }

  async start(): Promise<this> {
    await this.#events.waitUntilReady();
    this.#run.startHeartbeat(
      () => this.#beat(),
      (error) => this.#lost.abort(error),
    );
    return this;
  }

  get width(): number {
    return Math.max(
      1,
      this.#run.workers.reduce((sum, { places, trouble }) => sum + (trouble ? 0 : places), 0),
    );
  }

  async offer(path: string): Promise<FileRecord> {
    const record = await describeFile(path);
    this.#paths.set(record.hash, path);
    return record;
  }

  async run<Job extends { id: string }, Result>(
    jobs: Iterable<Job> | AsyncIterable<Job>,
    options: ExecutionOptions<Job, Result>,
  ): Promise<void> {
    const giveBack = this.#turn.take();
    this.#unfinished = true;
    const places: Places = {
      count: () => this.width * (this.#options.ahead ? 2 : 1),
      changed: () => new Promise((resolve) => this.#placesChanged.push(resolve)),
    };
    const signal = AbortSignal.any([this.#lost.signal, ...(options.signal ? [options.signal] : [])]);
    try {
      // Left over from an earlier coordinator: what is still wanted comes again from the iterable.
      await unlessAborted(this.#queue.drain(), signal);
      await unlessAborted(this.#run.setState('open'), signal);
      await dispatch<Job, Result>(jobs, places, (job, stop) => this.#perform(job, stop, options), {
        ...options,
        signal,
      });
      this.#unfinished = false;
    } catch (error) {
      if (!this.#lost.signal.aborted) {
        await atMost(patienceMs, this.#run.setState('cancelled'), this.#queue.drain());
      }
      throw error;
    } finally {
      giveBack();
    }
  }

  /** Queues the job, unless an earlier coordinator did, and waits for its answer. */
  async #perform<Job extends { id: string }, Result>(
    job: Job,
    signal: AbortSignal,
    { onProgress }: ExecutionOptions<Job, Result>,
  ): Promise<Outcome<Result>> {
    const key = queueKey(job);
    if (this.#waiting.has(key)) throw new ArgumentError(`job ${job.id} was given twice`);
    await unlessAborted(this.#enqueue(key, job), signal);
    return new Promise((resolve, reject) => {
      const stop = () => settle(() => reject(signal.reason));
      const settle = (how: () => void) => {
        this.#waiting.delete(key);
        signal.removeEventListener('abort', stop);
        how();
      };
      const look = async () => {
        try {
          const outcome = await this.#answer(key, job);
          if (!outcome || !this.#waiting.has(key)) return;
          this.#done++;
          settle(() => resolve(outcome as Outcome<Result>));
          if (this.#options.forgets) await this.#queue.remove(key);
        } catch {
          // Redis is away; the next heartbeat looks again.
        }
      };
      this.#waiting.set(key, { look, tell: (progress) => onProgress?.(job, progress) });
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else void look();
    });
  }

  async #enqueue(key: string, job: { id: string }): Promise<void> {
    const earlier = await this.#queue.getJob(key);
    // Given up by an earlier coordinator; that it comes again means that it shall be tried again.
    if (earlier && (await earlier.isFailed())) await earlier.remove();
    await this.#add(key, job);
  }

  async #add(key: string, job: { id: string }): Promise<void> {
    const text = this.#signer.sign(['job', this.#run.id, this.#fingerprint, key], JSON.stringify(job));
    await this.#queue.add('job', { text } satisfies Sealed, {
      jobId: key,
      attempts: this.#options.attempts ?? 3,
      backoff: { type: 'fixed', delay: 500 },
      removeOnComplete: { age: runExpirySeconds },
      removeOnFail: { age: runExpirySeconds },
    });
  }

  /** What came of a job; undefined while it is not known. */
  async #answer(key: string, job: { id: string }): Promise<Outcome<unknown> | undefined> {
    const state = await this.#queue.getJobState(key);
    // Unless its answer came meanwhile, and was taken out of the queue.
    if (state === 'unknown' && this.#waiting.has(key)) await this.#add(key, job);
    if (state !== 'completed' && state !== 'failed') return undefined;
    const entry = await this.#queue.getJob(key);
    if (!entry) return undefined;
    if (state === 'completed') {
      const { text } = (entry.returnvalue ?? {}) as Partial<Sealed>;
      const purpose = ['answer', this.#run.id, this.#fingerprint, key];
      const answer = parsed('answer', typeof text === 'string' ? this.#signer.verify(purpose, text) : undefined);
      if (answer)
        return answer.failure
          ? { kind: 'failure', failure: answer.failure }
          : { kind: 'result', result: answer.result };
      return this.#disbelieve(key, job);
    }
    // Somebody else changed the job before a worker took it.
    if (entry.failedReason === notPublished) return this.#disbelieve(key, job);
    return {
      kind: 'failure',
      failure: {
        name: 'WorkerLostError',
        code: 'BOWERBIRD_WORKER_LOST',
        message: `the workers of job ${job.id} were lost: ${entry.failedReason}`,
        hint: 'Memory may have run out there; see what the workers printed.',
      },
    };
  }

  /** An answer that no worker of this queue gave is thrown away and the job queued again, but not for ever. */
  async #disbelieve(key: string, job: { id: string }): Promise<Outcome<unknown> | undefined> {
    const times = (this.#disbelieved.get(key) ?? 0) + 1;
    this.#disbelieved.set(key, times);
    if (times > mostDisbelieved)
      return {
        kind: 'failure',
        failure: {
          name: 'QueueError',
          code: 'BOWERBIRD_QUEUE',
          message: `answers to job ${job.id} came ${times} times from somebody who does not know the queue's secret`,
          hint: 'Protect the queue: others write to it.',
        },
      };
    await (await this.#queue.getJob(key))?.remove();
    await this.#add(key, job);
    return undefined;
  }

  #beat(): void {
    for (const { look } of this.#waiting.values()) look();
    for (const resolve of this.#placesChanged.splice(0)) resolve();
    if (!this.#options.onStatus) return;
    const workers = this.#run.workers;
    const running = workers.reduce((sum, worker) => sum + (worker.run === this.#run.id ? worker.running : 0), 0);
    this.#options.onStatus({
      workers: workers.length,
      places: workers.reduce((sum, { places }) => sum + places, 0),
      queued: Math.max(0, this.#waiting.size - running),
      running,
      done: this.#done,
      troubles: [...new Set(workers.flatMap(({ trouble }) => (trouble ? [trouble] : [])))],
    });
  }

  /** Removes the run from the queue if it is finished; a run that was stopped stays there to be resumed. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const finished = !this.#unfinished && !this.#lost.signal.aborted;
    if (finished) await atMost(patienceMs, this.#run.end(), this.#queue.obliterate({ force: true }));
    await atMost(patienceMs, this.#run.leave());
    await atMost(patienceMs, this.#events.close(), this.#queue.close());
    await this.#server?.close();
    this.#redis.disconnect();
  }
}
