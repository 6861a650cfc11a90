/** Which fits an experiment asks for, and what becomes of those that fail: all of them are answered here, none is made. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Executor } from '../../src/distribute/index.js';
import { type ExperimentOptions, runExperiment } from '../../src/evaluation/experiments/run-experiment.js';
import type { FitJob, FitOutcome } from '../../src/evaluation/results.js';
import { Matrix } from '../../src/linalg/index.js';
import { generateProblem, type Problem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const problem = generateProblem({
  seed: 2,
  dimensions: 4,
  semanticDimensions: 3,
  webPerCategory: 4,
  testPerCategory: 2,
});

/** What fails, by a part of the job's name, and with which code. */
type Failures = Record<string, string>;

/** Runs an experiment whose fits are answered at once. */
async function runWith(
  name: ExperimentOptions['name'],
  failures: Failures = {},
  more: Partial<ExperimentOptions> = {},
) {
  const jobs: FitJob[] = [];
  const close = async () => {};
  const executor: Executor = {
    width: 1,
    async run(all, options) {
      for await (const each of all) {
        const job = each as unknown as FitJob;
        jobs.push(job);
        const [, code] = Object.entries(failures).find(([part]) => job.id.includes(part)) ?? [];
        const outcome: FitOutcome = {
          ...{ id: job.id, seconds: 2, iterations: 3, accuracy: 0.5, meanCategoryAccuracy: 0.5 },
          ...{ predictions: new Array(500).fill(0), theta: Array.from(problem.webLabels, (_, i) => i), categories: {} },
        };
        if (code) await options.onFailure?.(each, { code, message: `${job.method} cannot` } as never);
        else await options.onResult(each, outcome as never);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  const source = { kind: 'generated', options: {}, validation: { seed: 2 } } as const;
  const place = join(folder, `${name}-${JSON.stringify([failures, Object.keys(more)]).replaceAll(/\W+/g, '-')}`);
  const options = { problem, folder: place, name, remote: { source, execute: async () => executor }, ...more };
  return { result: await runExperiment(options), jobs, place };
}

describe('the fits of an experiment', () => {
  it('are one for each method and seed where times are told, on one thread', async () => {
    const { result, jobs, place } = await runWith('running-time', {}, { seeds: 2, threads: 3 });
    const methods = ['paper-wsl', 'paper-zsl', 'combo', 'paper'];
    expect(jobs.map(({ id }) => id).sort()).toEqual(
      methods.flatMap((name) => [`${name}/seed-1`, `${name}/seed-2`]).sort(),
    );
    expect(jobs.every(({ split, generalized }) => split === 'test' && !generalized)).toBe(true);
    expect(result.tables[0].rows).toEqual(methods.map((name) => [name, 2, 3, 50]));
    expect(result).toMatchObject({ plots: [], skipped: [], failed: [], schema: 'bowerbird-experiment-1', seed: 1 });
    expect(Object.keys(result.parameters)).toEqual(methods);
    expect(JSON.parse(readFileSync(join(place, 'run.json'), 'utf8')).backend.threads).toBe(1);
    expect(JSON.parse(readFileSync(join(place, 'experiment.json'), 'utf8'))).toMatchObject({ name: 'running-time' });
  });

  it('are made with given parameters, or with those that trials chose on validation categories', async () => {
    const given = { paper: { lambda1: 7 } };
    const { jobs, result } = await runWith('running-time', {}, { given, trials: 2 });
    expect(jobs.filter(({ id }) => id.startsWith('paper/')).map(({ id }) => id)).toEqual(['paper/seed-1']);
    expect(result.parameters.paper).toEqual({ lambda1: 7 });
    expect(jobs.filter(({ id }) => id.startsWith('paper-zsl/')).map(({ id }) => id)).toEqual([
      ...['paper-zsl/trial-000', 'paper-zsl/trial-001', 'paper-zsl/seed-1'],
    ]);
  });

  it('that fail are listed, but for methods that cannot work on the problem', async () => {
    const { result } = await runWith('running-time', { 'wsl/seed': 'BOWERBIRD_PROBLEM', 'zsl/seed': 'BOWERBIRD_ODD' });
    expect(result.skipped).toEqual([{ method: 'paper-wsl', reason: 'paper-wsl cannot' }]);
    expect(result.failed).toEqual([{ method: 'paper-zsl', job: 'paper-zsl/seed-1', message: 'paper-zsl cannot' }]);
    expect(result.tables[0].rows.map(([method]) => method)).toEqual(['combo', 'paper']);
    const some = await runWith('running-time', { 'wsl/seed-2': 'BOWERBIRD_PROBLEM' }, { seeds: 2 });
    expect(some.result.failed.map(({ job }) => job)).toEqual(['paper-wsl/seed-2']);
    expect(some.result.skipped).toEqual([]);
    expect(some.result.tables[0].rows).toHaveLength(4);
  });

  it('are not asked for where a method needs what the problem lacks', async () => {
    const { webText: _, webTexts: __, ...silent } = problem;
    const lacking = await runWith('weights', { 'paper-pi': 'BOWERBIRD_ARGUMENT' }, { problem: silent });
    expect(lacking.result.skipped).toEqual([{ method: 'paper-pi', reason: 'paper-pi cannot' }]);
    const whole = await runWith('weights', { 'paper-pi': 'BOWERBIRD_ARGUMENT' });
    expect(whole.result.failed.map(({ method }) => method)).toEqual(['paper-pi']);
    expect(whole.result.skipped).toEqual([]);
    const webless: Problem = {
      ...silent,
      ...{ webFeatures: Matrix.zeros(0, 4), webLabels: new Int32Array(0), webKinds: [] },
    };
    const { result, jobs } = await runWith('noise-rate', {}, { problem: webless, folder: join(folder, 'webless') });
    expect(result.skipped.map(({ method }) => method)).not.toContain('paper-zsl');
    expect(result.skipped.map(({ method }) => method)).toContain('lr');
    expect(new Set(jobs.map(({ method }) => method))).toEqual(new Set(['paper-zsl']));
  });

  it('change the problem along a sweep, with pictures at random where asked', async () => {
    const { jobs, result } = await runWith('web-count', {}, { webChoice: 'random' });
    const own = jobs.filter(({ method }) => method === 'lr');
    expect(own.map(({ change }) => change)).toEqual(
      [1, 2, 3, 4].map((n) => ({ webPerCategory: n, webChoice: 'random' })),
    );
    expect(result.plots.map(({ x }) => x.label)).toEqual(['web pictures per category']);
    expect(result.tables).toEqual([]);
    const { jobs: top } = await runWith('web-count');
    expect(top[0].change).not.toHaveProperty('webChoice');
  });

  it('are those of a comparison where the experiment is a table', async () => {
    const given = { 'lr-mix': { ridge: 2 } };
    const failures = { chao: 'BOWERBIRD_ODD', 'wsl+lr': 'BOWERBIRD_PROBLEM' };
    const { result, jobs, place } = await runWith('table2', failures, { given, seeds: 2 });
    expect(jobs.every(({ generalized }) => generalized)).toBe(true);
    expect(jobs.map(({ id }) => id).filter((id) => id.startsWith('lr-mix'))).toEqual([
      'lr-mix/seed-1',
      'lr-mix/seed-2',
    ]);
    expect(result.skipped.map(({ method }) => method)).toEqual(['wsl+lr']);
    expect(result.failed.map(({ job }) => job)).toEqual(['chao/seed-1', 'chao/seed-2']);
    expect(result.parameters['lr-mix']).toEqual({ ridge: 2 });
    expect(result.compare!.rows.map(({ method, seeds }) => [method, seeds])).toEqual([
      ['lr-mix', [1, 2]],
      ['paper', [1, 2]],
    ]);
    expect(JSON.parse(readFileSync(join(place, 'table.json'), 'utf8')).title).toBe('Table II: generalized setting');
  });

  it('are none for a name that is no experiment, and where nothing can be scored', async () => {
    await expect(runWith('toString' as never)).rejects.toMatchObject({ code: 'BOWERBIRD_ARGUMENT' });
    const { testLabels: _, ...blind } = problem;
    await expect(runWith('weights', {}, { problem: blind })).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
  });
});
