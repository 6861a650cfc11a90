/** An executor of one job at a time in this very thread: for `--jobs 1`, for tests, and where a GPU is the bottleneck. */
import type { ExecutionOptions, Executor } from '../distribute/index.js';
import { dispatch, failureOf, fixedPlaces, type Outcome } from '../distribute/index.js';
import type { Progress } from '../progress.js';
import type { EvaluationContext } from './context.js';
import { open } from './job-handler.js';
import type { FitJob, FitOutcome } from './results.js';

export async function createLocalExecutor(context: EvaluationContext): Promise<Executor> {
  const handler = await open(context);
  const attempt = async (
    job: FitJob,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<Outcome<FitOutcome>> => {
    try {
      const before = process.cpuUsage();
      const result = await handler.handle(job, { signal, onProgress });
      const { user, system } = process.cpuUsage(before);
      return { kind: 'result', result: { ...result, processorSeconds: (user + system) / 1e6 } };
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'failure', failure: failureOf(error) };
    }
  };
  return {
    width: 1,
    async run<Job extends { id: string }, Result>(
      jobs: Iterable<Job> | AsyncIterable<Job>,
      options: ExecutionOptions<Job, Result>,
    ): Promise<void> {
      const perform = (job: Job, signal: AbortSignal) =>
        attempt(job as unknown as FitJob, signal, (progress) => options.onProgress?.(job, progress));
      await dispatch(
        jobs,
        fixedPlaces(1),
        perform as (job: Job, signal: AbortSignal) => Promise<Outcome<Result>>,
        options,
      );
    },
    close: () => handler.close(),
    [Symbol.asyncDispose]: () => handler.close(),
  };
}
