/**
 * The order of events that every executor keeps: a job is taken from the iterable only when a place is free, results are
 * delivered one at a time in the order in which they come, and an abort, or an error of whoever makes the jobs or takes
 * the results, stops all.
 */
import { setMaxListeners } from 'node:events';
import { ArgumentError } from '../errors.js';
import type { ExecutionOptions, JobFailure } from './executor.js';

export type Outcome<Result> = { kind: 'result'; result: Result } | { kind: 'failure'; failure: JobFailure };

export interface Places {
  /** How many jobs may run now. */
  count(): number;
  /** Resolves when the count may have changed; never, where it cannot. */
  changed(): Promise<void>;
}

/** Places that neither come nor go. */
export function fixedPlaces(width: number): Places {
  return { count: () => width, changed: () => new Promise(() => {}) };
}

/** An executor runs one set of jobs at a time. */
export class Turn {
  #taken = false;

  /**
   * @returns what gives it back
   * @throws ArgumentError where the executor still runs the jobs it was given before
   */
  take(): () => void {
    if (this.#taken)
      throw new ArgumentError(
        'this executor is running jobs already',
        'Wait for the first run, or make a second executor.',
      );
    this.#taken = true;
    return () => {
      this.#taken = false;
    };
  }
}

/**
 * Runs the jobs through `perform`, which must settle soon after its signal aborts. Rejects with the signal's reason, or
 * with the error that stopped the run, after every job that ran has settled.
 */
export async function dispatch<Job, Result>(
  jobs: Iterable<Job> | AsyncIterable<Job>,
  places: Places,
  perform: (job: Job, signal: AbortSignal) => Promise<Outcome<Result>>,
  { signal, onResult, onFailure }: ExecutionOptions<Job, Result>,
): Promise<void> {
  const stop = new AbortController();
  // Every job that runs listens.
  setMaxListeners(0, stop.signal);
  const follow = () => stop.abort(signal?.reason);
  if (signal?.aborted) follow();
  else signal?.addEventListener('abort', follow, { once: true });
  const stopped = new Promise<void>((resolve) => {
    if (stop.signal.aborted) resolve();
    stop.signal.addEventListener('abort', () => resolve(), { once: true });
  });

  const running = new Set<Promise<void>>();
  let delivered = Promise.resolve();
  const deliver = (job: Job, outcome: Outcome<Result>): Promise<void> => {
    delivered = delivered.then(async () => {
      if (stop.signal.aborted) return;
      if (outcome.kind === 'result') await onResult(job, outcome.result);
      else await onFailure(job, outcome.failure);
    });
    return delivered;
  };
  const start = (job: Job): void => {
    const run: Promise<void> = perform(job, stop.signal)
      .then((outcome) => deliver(job, outcome))
      .catch((error) => stop.abort(error))
      .finally(() => running.delete(run));
    running.add(run);
  };

  const iterator = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  let exhausted = false;
  try {
    while (!stop.signal.aborted) {
      if (running.size >= places.count()) {
        await Promise.race([...running, places.changed(), stopped]);
        continue;
      }
      const next = await Promise.race([iterator.next(), stopped]);
      if (!next) break;
      if (next.done) {
        exhausted = true;
        break;
      }
      start(next.value);
    }
    await Promise.all(running);
  } catch (error) {
    stop.abort(error);
    await Promise.all(running);
  } finally {
    signal?.removeEventListener('abort', follow);
    // A generator that waits for something would answer only after that; it is told, not waited for.
    if (!exhausted) Promise.resolve(iterator.return?.()).catch(() => {});
  }
  stop.signal.throwIfAborted();
}
