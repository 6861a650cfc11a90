/** Fits that a journal lacks, on threads, each kept as it ends; and what the journal then says of all. */
import { artefact } from '../../src/artefact.js';
import { createThreadExecutor } from '../../src/distribute/index.js';
import { type FitJob, type FitOutcome, shareSplits } from '../../src/evaluation/index.js';
import type { Journal } from '../../src/evaluation/journal.js';
import type { Problem } from '../../src/problem/index.js';

export interface MissingFits {
  /** Told before every line of progress. */
  name: string;
  jobs: readonly FitJob[];
  journal: Journal;
  /** Read only if something is missing. */
  problem(): Promise<Problem>;
  width: number;
}

export async function fitMissing({ name, jobs, journal, problem, width }: MissingFits): Promise<void> {
  const missing: FitJob[] = [];
  for (const job of jobs) if (!(await journal.finished(job))) missing.push(job);
  if (missing.length === 0) return;
  const splits = new Map(missing.map(({ split, generalized }) => [`${split} ${generalized}`, { split, generalized }]));
  const executor = await createThreadExecutor({
    handler: artefact('evaluation/job-handler.js'),
    context: { source: shareSplits(await problem(), [...splits.values()], 1), seed: 1, device: 'auto', threads: 1 },
    width,
  });
  try {
    await executor.run<FitJob, FitOutcome>(missing, {
      onResult: async (job, outcome) => {
        await journal.append({ job, outcome });
        console.error(`${name}, ${job.id}: ${(100 * outcome.meanCategoryAccuracy!).toFixed(1)} %`);
      },
      onFailure: (job, { message }) => console.error(`${name}, ${job.id}: ${message}`),
    });
  } finally {
    await executor.close();
  }
}

/** Mean per-category accuracy in percent by the job's id, of the fits that there are. */
export async function accuraciesOf(jobs: readonly FitJob[], journal: Journal): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const job of jobs) {
    const line = await journal.finished(job);
    if (line && 'outcome' in line) found.set(job.id, 100 * line.outcome.meanCategoryAccuracy!);
  }
  return found;
}
