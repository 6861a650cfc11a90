/**
 * Where jobs run: threads of this process, or processes on any machine behind a queue. A job and its result are plain
 * values (JSON); what the jobs share, such as a problem, is given once as the context.
 */
import type { Progress } from '../progress.js';

/** Why a job failed, as a plain value, so that it can cross a thread or a network. */
export interface JobFailure {
  name: string;
  /** `BOWERBIRD_…` where the error was one of ours. */
  code?: string;
  message: string;
  hint?: string;
}

export interface ExecutionOptions<Job, Result> {
  signal?: AbortSignal;
  /** Called once for each finished job, in the order they finish; the next result waits for it. */
  onResult: (job: Job, result: Result) => void | Promise<void>;
  /** Called once for each job that failed for good, after retries where the executor retries. */
  onFailure: (job: Job, failure: JobFailure) => void | Promise<void>;
  /** Called when a job says how far it is. */
  onProgress?: (job: Job, progress: Progress) => void;
}

export interface Executor {
  /** Jobs that run at the same time. */
  readonly width: number;
  /**
   * Runs the jobs and resolves when all have ended; jobs are taken from the iterable as places fall free, so that it
   * may decide late. Rejects with the signal's reason when aborted, after the running jobs have been told to stop.
   */
  run<Job extends { id: string }, Result>(
    jobs: Iterable<Job> | AsyncIterable<Job>,
    options: ExecutionOptions<Job, Result>,
  ): Promise<void>;
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the module of a handler exports: called once in each thread or process, it returns what runs one job. */
export interface JobHandlerModule<Context, Job, Result> {
  open(context: Context): Promise<{
    handle(job: Job, tools: { signal: AbortSignal; onProgress(progress: Progress): void }): Promise<Result>;
    close?(): Promise<void>;
  }>;
}
