/**
 * Runs the jobs of many methods on one executor: whatever is in the journal is taken from there, the rest is computed, slow
 * methods first, so that none is left running alone at the end, but fits that have a part in common one after another. Trials with
 * the parameters of another one are not fitted, and stand in the journal with what came of that one.
 */
import type { Executor } from '../distribute/index.js';
import { countText, type Progress } from '../progress.js';
import type { Journal } from './journal.js';
import type { MethodRun } from './method-run.js';
import type { FitJob, FitOutcome, JournalLine } from './results.js';

export interface PlanOptions {
  executor: Executor;
  journal: Journal;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export async function runPlan(runs: readonly MethodRun[], options: PlanOptions): Promise<void> {
  const { executor, journal, signal, onProgress } = options;
  const owners = new Map<string, MethodRun>();
  let wake = () => {};
  const accept = async (run: MethodRun, line: JournalLine) => {
    for (const repeated of run.accept(line))
      if (!(await journal.finished(repeated.job))) await journal.append(repeated);
    wake();
    const count = (of: (run: MethodRun) => number) => runs.reduce((sum, each) => sum + of(each), 0);
    onProgress?.({
      done: count((each) => each.done),
      total: count((each) => each.expectedJobs),
      unit: 'fits',
      detail: line.job.id,
    });
  };
  async function* jobs(): AsyncGenerator<FitJob> {
    let shared: string | undefined;
    for (;;) {
      const next = nextJob(runs, shared);
      if (next) {
        const { run, job } = next;
        shared = run.sharedPart(job);
        const finished = await journal.finished(job);
        if (finished) await accept(run, finished);
        else {
          owners.set(job.id, run);
          yield job;
        }
      } else if (runs.every(({ ended }) => ended)) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const settle = async (job: FitJob, line: JournalLine) => {
    await journal.append(line);
    await accept(owners.get(job.id)!, line);
  };
  await executor.run<FitJob, FitOutcome>(jobs(), {
    signal,
    onResult: (job, outcome) => settle(job, { job, outcome }),
    onFailure: (job, failure) => settle(job, { job, failure: { id: job.id, ...failure } }),
    onProgress: (job, { detail, ...progress }) => {
      const finished = runs.reduce((sum, each) => sum + each.done, 0);
      const total = runs.reduce((sum, each) => sum + each.expectedJobs, 0);
      const within = [countText(progress), detail].filter(Boolean).join(', ');
      onProgress?.({ done: finished, total, unit: 'fits', detail: within ? `${job.id}: ${within}` : job.id });
    },
  });
}

/** One that shares a part with the last, which is at hand then; otherwise one of the slowest method. */
function nextJob(runs: readonly MethodRun[], shared: string | undefined): { run: MethodRun; job: FitJob } | undefined {
  if (shared !== undefined)
    for (const run of runs) {
      const job = run.next(shared);
      if (job) return { run, job };
    }
  const run = slowest(runs);
  const job = run?.next();
  return run && job && { run, job };
}

/** Of the methods with something to start, the one whose jobs will take longest together; new ones come first. */
function slowest(runs: readonly MethodRun[]): MethodRun | undefined {
  let best: MethodRun | undefined;
  for (const run of runs)
    if (run.ready > 0 && (best === undefined || run.expectedSeconds > best.expectedSeconds)) best = run;
  return best;
}
