/** Which fit of a run is started next, what is taken from earlier ones, and what is told meanwhile. */
import { describe, expect, it } from 'vitest';
import type { Executor } from '../../src/distribute/index.js';
import type { Journal } from '../../src/evaluation/journal.js';
import { createLocalExecutor } from '../../src/evaluation/local-executor.js';
import { MethodRun } from '../../src/evaluation/method-run.js';
import type { FitJob, FitOutcome, JournalLine } from '../../src/evaluation/results.js';
import { runPlan } from '../../src/evaluation/run-plan.js';
import { findMethod } from '../../src/methods/index.js';
import type { Progress } from '../../src/progress.js';

const seedsOf = (method: string, count: number, parameters = {}): FitJob[] =>
  Array.from({ length: count }, (_, k) => ({
    ...{ id: `${method}/seed-${k + 1}`, method, parameters, seed: k + 1, split: 'test', generalized: false },
  }));
const runOf = (method: string, finals: readonly FitJob[]) =>
  new MethodRun({ spec: findMethod(method), trials: 0, seed: 1, generalized: false, finals: () => finals });

/** Runs all fits one after the other, each for as many seconds as its method takes. */
async function play(runs: MethodRun[], seconds: Record<string, number>, known: readonly JournalLine[] = []) {
  const [started, told, written]: [string[], Progress[], JournalLine[]] = [[], [], []];
  const executor = {
    async run(jobs: AsyncIterable<FitJob>, options: Parameters<Executor['run']>[1]) {
      for await (const job of jobs) {
        started.push(job.id);
        options.onProgress?.(job, { done: 1, total: 2, unit: 'rounds', detail: 'learning' });
        if (seconds[job.method] === undefined) await options.onFailure(job, { name: 'Error', message: 'odd' });
        else await options.onResult(job, { id: job.id, seconds: seconds[job.method] });
      }
    },
  } as unknown as Executor;
  const journal = {
    finished: async (job: FitJob) => known.find((line) => line.job.id === job.id),
    append: async (line: JournalLine) => void written.push(line),
  } as unknown as Journal;
  await runPlan(runs, { executor, journal, onProgress: (progress) => told.push(progress) });
  return { started, told, written };
}

describe('the fits of a run', () => {
  it('begin with one of each method, then with those of the method that has most to do', async () => {
    const runs = [runOf('lr', seedsOf('lr', 3)), runOf('conse', seedsOf('conse', 3))];
    const { started } = await play(runs, { lr: 1, conse: 10 });
    expect(started).toEqual(['lr/seed-1', 'conse/seed-1', 'conse/seed-2', 'conse/seed-3', 'lr/seed-2', 'lr/seed-3']);
  });

  it('of whatever method come together where they have a part in common', async () => {
    const of = (method: string, power: number): FitJob => ({
      ...seedsOf(method, 1, { power, shrinkage: 0.1 })[0],
      id: `${method}/${power}`,
    });
    const [first, second] = ['nearest-prototype', 'naive'].map((name) => ({
      ...findMethod('lr'),
      name,
      sharedBy: ['power'],
    }));
    const runs = [first, second].map(
      (spec) =>
        new MethodRun({
          spec,
          trials: 0,
          seed: 1,
          generalized: false,
          finals: () => [of(spec.name, 1), of(spec.name, 2)],
        }),
    );
    const { started } = await play(runs, { 'nearest-prototype': 1, naive: 1 });
    expect(started.map((id) => id.slice(-1))).toEqual(['1', '1', '2', '2']);
  });

  it('with no part in common with the last are not taken for such', () => {
    const spec = { ...findMethod('lr'), sharedBy: ['ridge'] };
    const run = new MethodRun({ spec, trials: 0, seed: 1, generalized: false, finals: () => seedsOf('lr', 2) });
    expect(run.next('another part')).toBeUndefined();
    expect(run.ready).toBe(2);
  });

  it('in this thread tell what goes on within them', async () => {
    const source = { kind: 'generated', options: { seed: 6 }, validation: { seed: 1 } } as const;
    const executor = await createLocalExecutor({ source, seed: 1, device: 'wasm', threads: 1 });
    const told: string[] = [];
    const failed: unknown[] = [];
    await executor.run<FitJob, FitOutcome>(seedsOf('paper', 1), {
      onProgress: (job, { unit }) => told.push(`${job.id} ${unit}`),
      onResult: () => {},
      onFailure: (_, failure) => void failed.push(failure),
    });
    await executor.close();
    expect(failed).toEqual([]);
    expect(told[0]).toBe('paper/seed-1 iterations');
  });

  it('that ended earlier are not run again, and count', async () => {
    const jobs = seedsOf('lr', 2);
    const run = runOf('lr', jobs);
    const { started, told, written } = await play([run], { lr: 1 }, [
      { job: jobs[0], outcome: { id: jobs[0].id, seconds: 5 } },
    ]);
    expect(started).toEqual(['lr/seed-2']);
    expect(written.map(({ job }) => job.id)).toEqual(['lr/seed-2']);
    expect(run.finals).toHaveLength(2);
    expect(told[0]).toEqual({ done: 1, total: 2, unit: 'fits', detail: 'lr/seed-1' });
  });

  it('that another one stands for are written down with what came of it, once', async () => {
    const run = () =>
      new MethodRun({ spec: findMethod('lr'), trials: 6, seed: 1, generalized: false, finals: () => [] });
    const { started, written } = await play([run()], { lr: 1 });
    expect(started.length).toBeLessThan(6);
    expect(written.map(({ job }) => job.id).sort()).toEqual([0, 1, 2, 3, 4, 5].map((k) => `lr/trial-00${k}`));
    const again = await play([run()], { lr: 1 }, written);
    expect([again.started, again.written]).toEqual([[], []]);
  });

  it('are counted, with what goes on within them, and failures are written down', async () => {
    const { told, written } = await play([runOf('lr', seedsOf('lr', 1)), runOf('conse', seedsOf('conse', 1))], {
      lr: 1,
    });
    expect(told).toEqual([
      { done: 0, total: 2, unit: 'fits', detail: 'lr/seed-1: 1 of 2 rounds, learning' },
      { done: 1, total: 2, unit: 'fits', detail: 'lr/seed-1' },
      { done: 1, total: 2, unit: 'fits', detail: 'conse/seed-1: 1 of 2 rounds, learning' },
      { done: 2, total: 2, unit: 'fits', detail: 'conse/seed-1' },
    ]);
    expect(written[1]).toMatchObject({ failure: { id: 'conse/seed-1', name: 'Error', message: 'odd' } });
  });
});
