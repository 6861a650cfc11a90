/** Jobs on threads of this process. What the context holds in SharedArrayBuffers is shared by all threads, not copied. */
import { availableParallelism } from 'node:os';
import { ArgumentError } from '../errors.js';
import { dispatch, fixedPlaces, type Outcome, Turn } from './dispatch.js';
import type { ExecutionOptions, Executor } from './executor.js';
import { Seat } from './seat.js';

export interface ThreadExecutorOptions<Context = unknown> {
  /** Module that exports `open` (a `JobHandlerModule`); loaded in every thread. */
  handler: URL;
  /** Given to `open` in every thread: a structured clone, but for SharedArrayBuffers. */
  context: Context;
  /** Threads, and so jobs at a time. @default the number of cores */
  width?: number;
  /** How often a job is given to another thread after its own died. @default 1 */
  crashRetries?: number;
  /** How long a job may take to stop after an abort before its thread is ended. @default 2000 */
  graceMs?: number;
}

/**
 * @example
 * const executor = createThreadExecutor({ handler: new URL('./square.js', import.meta.url), context: {}, width: 2 });
 * await executor.run([{ id: 'a', x: 3 }], { onResult: (job, y) => console.log(job.id, y), onFailure: console.error });
 * await executor.close();
 */
export function createThreadExecutor(options: ThreadExecutorOptions): Executor {
  return new ThreadExecutor(options);
}

class ThreadExecutor implements Executor {
  readonly width: number;
  readonly #crashRetries: number;
  readonly #seats: Seat[];
  readonly #turn = new Turn();

  constructor({ handler, context, width, crashRetries = 1, graceMs = 2000 }: ThreadExecutorOptions) {
    this.width = width ?? availableParallelism();
    if (!Number.isSafeInteger(this.width) || this.width < 1)
      throw new ArgumentError(`createThreadExecutor: width is ${width}; it must be a whole number of at least 1`);
    this.#crashRetries = crashRetries;
    this.#seats = Array.from({ length: this.width }, () => new Seat({ handler: handler.href, context }, graceMs));
  }

  async run<Job extends { id: string }, Result>(
    jobs: Iterable<Job> | AsyncIterable<Job>,
    options: ExecutionOptions<Job, Result>,
  ): Promise<void> {
    const giveBack = this.#turn.take();
    const free = [...this.#seats];
    const perform = async (job: Job, signal: AbortSignal): Promise<Outcome<Result>> => {
      // The dispatcher starts no more jobs than there are seats. The seat used last comes first: its thread is warm.
      const seat = free.pop() as Seat;
      try {
        return (await this.#attempt(seat, job, signal, options)) as Outcome<Result>;
      } finally {
        free.push(seat);
      }
    };
    try {
      await dispatch(jobs, fixedPlaces(this.width), perform, options);
    } finally {
      giveBack();
    }
  }

  async #attempt<Job extends { id: string }, Result>(
    seat: Seat,
    job: Job,
    signal: AbortSignal,
    { onProgress }: ExecutionOptions<Job, Result>,
  ): Promise<Outcome<unknown>> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await seat.run({ job, signal, onProgress: (progress) => onProgress?.(job, progress) });
      if (outcome.kind === 'result' || outcome.kind === 'failure') return outcome;
      signal.throwIfAborted();
      const reason = outcome.kind === 'crash' ? outcome.reason : 'it was stopped';
      if (attempt > this.#crashRetries)
        return {
          kind: 'failure',
          failure: {
            name: 'WorkerLostError',
            code: 'BOWERBIRD_WORKER_LOST',
            message: `the thread of job ${job.id} died ${attempt === 1 ? 'once' : `${attempt} times`}: ${reason}`,
            hint: 'Memory may have run out; try fewer jobs at a time.',
          },
        };
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }
}
