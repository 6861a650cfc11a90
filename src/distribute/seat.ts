/** One place of the thread pool: at most one thread and one job at a time. A thread that dies is replaced at the next job. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { artefact } from '../artefact.js';
import type { Progress } from '../progress.js';
import type { Outcome } from './dispatch.js';
import type { JobFailure } from './executor.js';
import { errorOf } from './failure.js';
import type { FromThread, ThreadStart, ToThread } from './thread-messages.js';

export type SeatOutcome = Outcome<unknown> | { kind: 'crash'; reason: string } | { kind: 'stopped' };

type Ending = SeatOutcome | { kind: 'unusable'; failure: JobFailure };

interface Task {
  job: unknown;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

export class Seat {
  readonly #start: ThreadStart;
  readonly #graceMs: number;
  #worker: Worker | undefined;

  constructor(start: ThreadStart, graceMs: number) {
    this.#start = start;
    this.#graceMs = graceMs;
  }

  /** @throws the error of the handler's `open`, since no job can run then */
  async run({ job, signal, onProgress }: Task): Promise<SeatOutcome> {
    const fresh = this.#worker === undefined;
    this.#worker ??= this.#startThread();
    const worker = this.#worker;
    worker.ref();
    const say = (message: ToThread) => worker.postMessage(message);
    let resolve: (outcome: Ending) => void = () => {};
    const ending = new Promise<Ending>((settle) => {
      resolve = settle;
    });
    let lastWords: string | undefined;
    const hear = (message: FromThread) => {
      if (message.kind === 'ready') {
        if (signal.aborted) resolve({ kind: 'stopped' });
        else say({ kind: 'job', job });
      } else if (message.kind === 'progress') onProgress(message.progress);
      else resolve(message);
    };
    const fail = (error: Error) => {
      lastWords = error.message;
    };
    const gone = (code: number) => resolve({ kind: 'crash', reason: lastWords ?? `it ended with exit code ${code}` });
    let grace: NodeJS.Timeout | undefined;
    const cancel = () => {
      say({ kind: 'abort' });
      // A handler deep in a computation may not hear; the thread is given up then.
      grace = setTimeout(() => resolve({ kind: 'stopped' }), this.#graceMs);
    };
    worker.on('message', hear).on('error', fail).on('exit', gone);
    signal.addEventListener('abort', cancel, { once: true });
    if (!fresh) say({ kind: 'job', job });
    if (signal.aborted) cancel();
    const outcome = await ending;
    clearTimeout(grace);
    signal.removeEventListener('abort', cancel);
    worker.off('message', hear).off('error', fail).off('exit', gone);
    if (outcome.kind === 'result' || outcome.kind === 'failure') {
      worker.unref();
      return outcome;
    }
    this.#worker = undefined;
    await worker.terminate();
    if (outcome.kind === 'unusable') throw errorOf(outcome.failure);
    return outcome;
  }

  /** Lets the handler close what it opened, and ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    worker.ref();
    worker.postMessage({ kind: 'close' } satisfies ToThread);
    const ended = once(worker, 'exit').catch(() => {});
    const grace = setTimeout(() => worker.terminate(), this.#graceMs);
    await ended;
    clearTimeout(grace);
  }

  #startThread(): Worker {
    const worker = new Worker(artefact('distribute/thread-worker.js'), { workerData: this.#start, name: 'jobs' });
    // A thread that dies between two jobs is noticed at the next one, through its exit; the error must not end the process.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}
