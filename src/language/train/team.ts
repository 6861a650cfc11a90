/** Worker threads over one shared memory that take jobs from a queue. */
import { Worker } from 'node:worker_threads';
import { artefact } from '../../artefact.js';
import { BackendError, BowerbirdError } from '../../errors.js';
import type { Job } from './jobs.js';

export interface WorkerAnswer {
  result?: unknown;
  error?: { message: string; code?: string; hint?: string; stack?: string };
}

export class Team {
  readonly size: number;
  readonly #workers: Worker[];

  private constructor(workers: Worker[]) {
    this.#workers = workers;
    this.size = workers.length;
  }

  static start(memory: WebAssembly.Memory, threads: number): Team {
    return new Team(
      Array.from({ length: threads }, (_, thread) => {
        const url = artefact('language/train/worker.js');
        return new Worker(url, { workerData: { memory }, execArgv: [], name: `bowerbird-words-${thread}` });
      }),
    );
  }

  /**
   * Runs all jobs, each as soon as a thread is free; `makeJob` gets the number of the thread, so that a job can name
   * that thread's part of the memory. Answers come in the order of the jobs.
   */
  async run<R>(count: number, makeJob: (index: number, thread: number) => Job): Promise<R[]> {
    const results: R[] = new Array(count);
    let next = 0;
    await Promise.all(
      this.#workers.map(async (worker, thread) => {
        while (next < count) {
          const index = next++;
          results[index] = (await ask(worker, makeJob(index, thread))) as R;
        }
      }),
    );
    return results;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.terminate()));
  }
}

function ask(worker: Worker, job: Job): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      worker.off('message', answered).off('error', failed).off('exit', ended);
      act();
    };
    const answered = ({ result, error }: WorkerAnswer) =>
      settle(() => (error ? reject(revive(error)) : resolve(result)));
    const failed = (cause: unknown) =>
      settle(() => reject(new BackendError(`a training thread failed: ${(cause as Error).message}`, undefined, cause)));
    const ended = () => settle(() => reject(new BackendError('a training thread ended unexpectedly')));
    worker.on('message', answered).on('error', failed).on('exit', ended);
    worker.postMessage(job);
  });
}

/** Errors lose their class between threads; the code says whether it was one of ours. */
function revive({ message, code, hint, stack }: NonNullable<WorkerAnswer['error']>): Error {
  if (code?.startsWith('BOWERBIRD_')) return new BowerbirdError(code as `BOWERBIRD_${string}`, message, { hint });
  const error = new Error(message);
  error.stack = stack;
  return error;
}
