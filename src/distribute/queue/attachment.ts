/** A worker's part in one run: takes its jobs, runs them on threads of this process, or all in this one, and answers. */
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { failureOf } from '../failure.js';
import { OwnThread } from '../own-thread.js';
import { Seat } from '../seat.js';
import { type JobAnswer, keys, notPublished, type Sealed } from './records.js';
import { parsed } from './schema.js';
import type { Signer } from './secret.js';

export interface AttachmentOptions {
  redis: Redis;
  run: string;
  /** Of the run's record. */
  fingerprint: string;
  signer: Signer;
  worker: string;
  handler: URL;
  context: unknown;
  places: number;
  /** Whether jobs run in this thread, all at once, because they wait rather than compute. */
  waiting: boolean;
  /** A job whose worker has been silent this long is given to another one. */
  lockMs: number;
  onJob(event: { id: string; seconds: number; failed: boolean }): void;
}

/** Progress is passed on this often at most. */
const progressMs = 500;
const graceMs = 2000;

export class Attachment {
  readonly #options: AttachmentOptions;
  readonly #stop = new AbortController();
  /** Each with a job at most, or one of this thread with all of them. */
  readonly #seats: (Seat | OwnThread)[];
  readonly #free: (Seat | OwnThread)[];
  readonly #worker: Worker;
  #lastActivity = Date.now();
  running = 0;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    const start = { handler: options.handler.href, context: options.context };
    const { places, waiting } = options;
    this.#seats = waiting ? [new OwnThread(start)] : Array.from({ length: places }, () => new Seat(start, graceMs));
    this.#free = waiting ? new Array(places).fill(this.#seats[0]) : [...this.#seats];
    this.#worker = new Worker(options.run, (job, token) => this.#process(job, token), {
      connection: options.redis,
      prefix: keys.queuePrefix,
      name: options.worker,
      concurrency: options.places,
      lockDuration: options.lockMs,
      stalledInterval: Math.max(500, options.lockMs / 2),
      maxStalledCount: 5,
      // So that a run that ends is let go of soon.
      drainDelay: 1,
    });
    // The connection mends itself, and a job whose lock was lost belongs to another worker by then.
    this.#worker.on('error', () => {});
  }

  /** Milliseconds since there was last something to do. */
  get idleMs(): number {
    return this.running > 0 ? 0 : Date.now() - this.#lastActivity;
  }

  async #process(job: Job, token: string | undefined): Promise<Sealed> {
    const work = this.#believed(job);
    // Thrown, so that it takes no place and counts against the job; the coordinator of the run queues its own again.
    if (!work) throw new UnrecoverableError(notPublished);
    return this.#answer(job, await this.#perform(job, work, token));
  }

  #purpose(kind: 'job' | 'answer', job: Job): string[] {
    const { run, fingerprint } = this.#options;
    return [kind, run, fingerprint, job.id ?? ''];
  }

  #believed(job: Job): { id: string } | undefined {
    const { text } = (job.data ?? {}) as Partial<Sealed>;
    if (typeof text !== 'string') return undefined;
    return parsed('job', this.#options.signer.verify(this.#purpose('job', job), text));
  }

  #answer(job: Job, answer: JobAnswer): Sealed {
    return { text: this.#options.signer.sign(this.#purpose('answer', job), JSON.stringify(answer)) };
  }

  async #perform(job: Job, work: { id: string }, token: string | undefined): Promise<JobAnswer> {
    const signal = this.#stop.signal;
    const begun = performance.now();
    // BullMQ gives this worker no more jobs than it has places.
    const seat = this.#free.pop() as Seat | OwnThread;
    this.running++;
    let told = 0;
    try {
      const outcome = await seat.run({
        job: work,
        signal,
        onProgress: (progress) => {
          if (Date.now() - told < progressMs) return;
          told = Date.now();
          job.updateProgress(progress).catch(() => {});
        },
      });
      if (signal.aborted) return await this.#giveBack(job, token);
      // Thrown, so that the queue tries again, perhaps elsewhere.
      if (outcome.kind === 'crash' || outcome.kind === 'stopped')
        throw new Error(outcome.kind === 'crash' ? `the thread died: ${outcome.reason}` : 'the thread was stopped');
      this.#report(work.id, begun, outcome.kind === 'failure');
      const { worker } = this.#options;
      return outcome.kind === 'failure' ? { failure: outcome.failure, worker } : { result: outcome.result, worker };
    } catch (error) {
      if (error instanceof WaitingError || !(error as { code?: string }).code?.startsWith('BOWERBIRD_')) throw error;
      // The handler cannot open what the run needs: no use in trying again.
      this.#report(work.id, begun, true);
      return { failure: failureOf(error), worker: this.#options.worker };
    } finally {
      this.running--;
      this.#lastActivity = Date.now();
      this.#free.push(seat);
    }
  }

  #report(id: string, begun: number, failed: boolean): void {
    this.#options.onJob({ id, seconds: (performance.now() - begun) / 1000, failed });
  }

  /** Back to the front of the queue, for another worker; it counts as no attempt. */
  async #giveBack(job: Job, token: string | undefined): Promise<never> {
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /** Stops the jobs that run, gives them back, and ends the threads. */
  async detach(): Promise<void> {
    await this.#worker.pause(true);
    this.#stop.abort();
    await this.#worker.close();
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }
}
