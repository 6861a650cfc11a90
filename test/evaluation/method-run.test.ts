import { describe, expect, it } from 'vitest';
import { MethodRun, type MethodRunOptions, methodRuns } from '../../src/evaluation/method-run.js';
import type { FitJob, FitOutcome, JournalLine } from '../../src/evaluation/results.js';
import { Random } from '../../src/linalg/index.js';
import { findMethod } from '../../src/methods/index.js';

const finals = (parameters: FitJob['parameters']): FitJob[] => [
  { id: 'lr/seed-1', method: 'lr', parameters, seed: 1, split: 'test', generalized: false },
];
/** With so many parameters that no two trials are alike. */
const spec = { ...findMethod('lr'), parameters: findMethod('neil').parameters };
const options: MethodRunOptions = { spec, trials: 8, seed: 1, generalized: false, finals };
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
        expect(jobs.length).toBe(earlyStopping ? 8 + 4 + 1 + 1 : 8 + 1);
        expect(run.expectedJobs).toBe(jobs.length);
      }
  });

  it('gives up the worse half after a first look at part of the pictures', () => {
    const run = new MethodRun({ ...options, earlyStopping: { share: 0.3, keep: 0.5 } });
    const jobs = play(run, 1, (job) => good(job, scoreOf(job)));
    const looks = jobs.filter(({ id }) => id.includes('look'));
    const trials = jobs.filter(({ id }) => id.includes('trial'));
    expect(looks.every(({ change }) => change?.share === 0.3)).toBe(true);
    // The defaults, trial 0, go on though the look was against them.
    expect(trials.map(({ id }) => id.slice(-3)).sort()).toEqual(['000', '001', '003', '004', '007']);
    expect(trials.every(({ change }) => change === undefined)).toBe(true);
    expect(run.stoppedTrials).toBe(3);
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

  it('counts the seconds of its search, those of looks and of its parts too, and not those of the final fits', () => {
    const run = new MethodRun({ ...options, earlyStopping: { share: 0.3, keep: 0.5 } });
    play(run, 1, (job) => (job.id.endsWith('trial-003') ? bad(job) : good(job, scoreOf(job))));
    // Eight looks, and four of five trials.
    expect(run.searchSeconds).toBe(12);
    const whole = new MethodRun({ ...options, trials: 2, parts: [run, run] });
    play(whole, 1, (job) => good(job, 0.5));
    expect(whole.searchSeconds).toBe(26);
  });

  it('expects no end of the first fits, nothing while they run, then as long for each as for those before', () => {
    const run = new MethodRun(options);
    expect(run.expectedSeconds).toBe(Number.POSITIVE_INFINITY);
    const jobs = [run.next()!, run.next()!];
    expect(run.expectedSeconds).toBe(0);
    run.accept({ job: jobs[0], outcome: { id: jobs[0].id, meanCategoryAccuracy: 0.5, seconds: 3 } });
    run.accept(good(jobs[1], 0.5));
    expect(run.expectedSeconds).toBe(2 * 6);
  });

  it('fits trials with the same parameters once, and counts each of them', () => {
    for (const earlyStopping of [undefined, { share: 0.3, keep: 0.9 }]) {
      const run = new MethodRun({ ...options, spec: findMethod('lr'), trials: 20, earlyStopping });
      const jobs = play(run, 1, (job) => good(job, scoreOf(job)));
      const trials = jobs.filter(({ id }) => id.includes('trial'));
      expect(new Set(trials.map(({ parameters }) => JSON.stringify(parameters))).size).toBe(trials.length);
      expect(run.trials).toHaveLength(20 - run.stoppedTrials);
      const repeats = run.trials.length - trials.length;
      expect(repeats).toBeGreaterThan(3);
      expect(run.expectedJobs).toBe(run.lines.length);
      expect(run.repeats!.trials).toBe(run.lines.length - jobs.length);
      expect(run.repeats!.seconds).toBe(run.repeats!.trials);
      for (const line of run.trials) {
        const first = trials.find(
          ({ parameters }) => JSON.stringify(parameters) === JSON.stringify(line.job.parameters),
        )!;
        const outcome = (line as { outcome: FitOutcome }).outcome;
        expect(outcome).toMatchObject({ id: line.job.id, meanCategoryAccuracy: scoreOf(first) });
        expect(outcome.repeats).toBe(first.id === line.job.id ? undefined : first.id);
        expect(outcome.seconds).toBe(first.id === line.job.id ? 1 : 0);
      }
    }
  });

  it('does not fit a trial that failed again for another with its parameters', () => {
    const run = new MethodRun({ ...options, spec: findMethod('lr'), trials: 20 });
    const jobs = play(run, 1, (job) => (job.id.endsWith('trial-000') ? bad(job) : good(job, 0.5)));
    const repeated = run.trials.filter((line) => 'failure' in line);
    expect(repeated.length).toBeGreaterThan(1);
    expect(jobs.length).toBeLessThan(20);
    expect(repeated.every((line) => 'failure' in line && line.failure.id === line.job.id)).toBe(true);
  });

  it('takes given parameters without a search', () => {
    const run = new MethodRun({ ...options, given: { ridge: 3 } });
    expect(run.next()!.parameters).toEqual({ ridge: 3 });
    expect(run.chosenBy).toBe('given');
  });
});

describe('a method made of others', () => {
  const whole: MethodRunOptions = { ...options, spec: findMethod('wsl+zsl'), trials: 4 };
  const end = (runs: readonly MethodRun[]): FitJob[] => {
    const done: FitJob[] = [];
    while (runs.some(({ ended }) => !ended)) {
      const run = runs.find(({ ready }) => ready > 0)!;
      const job = run.next()!;
      done.push(job);
      // Trial 2 of every part is its best.
      run.accept(good(job, job.id.endsWith('trial-002') ? 0.9 : 0.5));
    }
    return done;
  };

  it('takes what was chosen for each part on its own, and searches only for what is left', () => {
    const { wanted, all } = methodRuns([whole]);
    expect(all.map(({ spec }) => spec.name).sort()).toEqual(['wsl+zsl', 'xiao', 'zhang-saligrama']);
    const jobs = end(all);
    const own = jobs.filter(({ method }) => method === 'wsl+zsl');
    for (const part of all.filter(({ spec }) => spec.name !== 'wsl+zsl')) {
      expect(part.chosenTrial!.id).toBe(`${part.spec.name}/trial-002`);
      expect(part.finals).toEqual([]);
      for (const [name, value] of Object.entries(part.parameters))
        for (const job of own) expect(job.parameters[`${part.spec.name}.${name}`]).toBe(value);
    }
    expect(own[0].parameters.share).toBe(0.5);
    expect(new Set(own.map(({ parameters }) => parameters.share)).size).toBeGreaterThan(1);
    expect(jobs.indexOf(own[0])).toBeGreaterThanOrEqual(8);
    expect(wanted[0].chosenTrial!.id).toBe('wsl+zsl/trial-002');
  });

  it('tries either part alone early, and every share once, however many trials are asked for', () => {
    for (const method of ['wsl+zsl', 'wsdg-pi+zsl', 'combo']) {
      const { all } = methodRuns([{ ...whole, spec: findMethod(method), trials: 20 }]);
      const shares = end(all)
        .filter((job) => job.method === method && job.split === 'validation')
        .map(({ parameters }) => parameters.share);
      expect(shares).toEqual([0.5, 0, 1, 0.25, 0.75]);
    }
  });

  it('shares the search of a part that is asked for itself, and searches all together where that is asked for', () => {
    const xiao: MethodRunOptions = { ...options, spec: findMethod('xiao'), trials: 4 };
    const { all } = methodRuns([whole, xiao]);
    expect(all.length).toBe(3);
    expect(end(all).filter(({ id }) => id === 'xiao/trial-001').length).toBe(1);
    expect(all.find(({ spec }) => spec.name === 'xiao')!.finals.length).toBe(1);
    const joint = methodRuns([whole], { joint: true });
    expect(joint.all.length).toBe(1);
    expect(joint.all[0].next()!.id).toBe('wsl+zsl/trial-000');
  });

  it('begins with the defaults of the setting', () => {
    for (const [generalized, lambda1] of [
      [false, 0.01],
      [true, 3],
    ] as const)
      for (const trials of [0, 2]) {
        const [run] = methodRuns([{ ...options, spec: findMethod('paper'), trials, generalized }]).wanted;
        expect(run.parameters.lambda1).toBe(lambda1);
        if (trials > 0) expect(run.next()!.parameters.lambda1).toBe(lambda1);
      }
  });

  it('searches for parts of the standard setting in that setting', () => {
    const { all } = methodRuns([{ ...options, spec: findMethod('wsl+lr'), trials: 2, generalized: true }]);
    const jobs = end(all);
    for (const { method, generalized, split } of jobs)
      if (split === 'validation') expect(generalized).toBe(method === 'wsl+lr');
  });
});
