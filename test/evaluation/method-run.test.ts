import { describe, expect, it } from 'vitest';
import { MethodRun, type MethodRunOptions } from '../../src/evaluation/method-run.js';
import type { FitJob, JournalLine } from '../../src/evaluation/results.js';
import { Random } from '../../src/linalg/index.js';
import { findMethod } from '../../src/methods/index.js';

const finals = (parameters: FitJob['parameters']): FitJob[] => [
  { id: 'lr/seed-1', method: 'lr', parameters, seed: 1, split: 'test', generalized: false },
];
const options: MethodRunOptions = { spec: findMethod('lr'), trials: 8, seed: 1, generalized: false, finals };
const good = (job: FitJob, score: number): JournalLine => ({
  job,
  outcome: { id: job.id, meanCategoryAccuracy: score, seconds: 1 },
});
const bad = (job: FitJob, code?: string): JournalLine => ({
  job,
  failure: { id: job.id, name: 'Error', code, message: 'it broke' },
});

/** Runs to the end, ending the running jobs in a random order. */
function play(run: MethodRun, seed: number, outcome: (job: FitJob) => JournalLine): FitJob[] {
  const random = new Random(seed);
  const running: FitJob[] = [];
  const all: FitJob[] = [];
  while (!run.ended) {
    while (run.ready > 0 && (running.length === 0 || random.uniform() < 0.6)) {
      const job = run.next()!;
      running.push(job);
      all.push(job);
    }
    const [job] = running.splice(random.integer(running.length), 1);
    run.accept(outcome(job));
  }
  return all;
}

/** A score that depends on the trial alone, with ties. */
const scoreOf = (job: FitJob) => [0.2, 0.7, 0.1, 0.7, 0.5, 0.4, 0.3, 0.6][Number(job.id.slice(-3))] ?? 0.5;

describe('the way of a method through a run', () => {
  it('chooses the best trial, the smaller among equals, whatever the order in which they end', () => {
    for (const earlyStopping of [undefined, { share: 0.3, keep: 0.5 }])
      for (let seed = 1; seed <= 10; seed++) {
        const run = new MethodRun({ ...options, earlyStopping });
        const jobs = play(run, seed, (job) => good(job, scoreOf(job)));
        expect(run.chosenTrial).toEqual({ id: 'lr/trial-001', validationAccuracy: 0.7 });
        expect(run.chosenBy).toBe('search');
        expect(jobs.at(-1)!.parameters).toEqual(run.parameters);
        expect(jobs.length).toBe(earlyStopping ? 8 + 4 + 1 : 8 + 1);
        expect(run.expectedJobs).toBe(jobs.length);
      }
  });

  it('gives up the worse half after a first look at part of the pictures', () => {
    const run = new MethodRun({ ...options, earlyStopping: { share: 0.3, keep: 0.5 } });
    const jobs = play(run, 1, (job) => good(job, scoreOf(job)));
    const looks = jobs.filter(({ id }) => id.includes('look'));
    const trials = jobs.filter(({ id }) => id.includes('trial'));
    expect(looks.every(({ change }) => change?.share === 0.3)).toBe(true);
    expect(trials.map(({ id }) => id.slice(-3)).sort()).toEqual(['001', '003', '004', '007']);
    expect(trials.every(({ change }) => change === undefined)).toBe(true);
    expect(run.stoppedTrials).toBe(4);
  });

  it('does not look first where there are few trials', () => {
    const run = new MethodRun({ ...options, trials: 3, earlyStopping: { share: 0.3, keep: 0.5 } });
    expect(run.next()!.id).toBe('lr/trial-000');
  });

  it('passes over trials that failed', () => {
    const run = new MethodRun(options);
    play(run, 1, (job) => (job.id.endsWith('trial-001') ? bad(job) : good(job, scoreOf(job))));
    expect(run.chosenTrial!.id).toBe('lr/trial-003');
    expect(run.failedTrials).toBe(1);
  });

  it('falls back to the defaults, and says so, where no trial succeeds', () => {
    const run = new MethodRun(options);
    play(run, 1, (job) => (job.split === 'validation' ? bad(job) : good(job, 0.5)));
    expect(run.chosenBy).toBe('defaults');
    expect(run.note).toContain('it broke');
    expect(run.finals.length).toBe(1);
  });

  it('gives up at the first trial where the problem itself is unsuitable', () => {
    const run = new MethodRun(options);
    run.accept(bad(run.next()!, 'BOWERBIRD_PROBLEM'));
    expect(run.next()!.id).toBe('lr/seed-1');
  });

  it('takes given parameters without a search', () => {
    const run = new MethodRun({ ...options, given: { ridge: 3 } });
    expect(run.next()!.parameters).toEqual({ ridge: 3 });
    expect(run.chosenBy).toBe('given');
  });
});
