import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { type ExperimentResult, experimentNames, experiments, runExperiment } from '../../src/evaluation/index.js';
import { rocArea } from '../../src/fit/index.js';
import { PaperLearner } from '../../src/learner/index.js';
import { createBackend } from '../../src/linalg/index.js';
import { findMethod } from '../../src/methods/index.js';
import { generateProblem, saveProblem, topWeb } from '../../src/problem/index.js';
import { catchOutput } from '../cli/output.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const place = (...names: string[]) => join(folder, ...names);

const problem = generateProblem({
  seed: 4,
  dimensions: 24,
  semanticDimensions: 8,
  webPerCategory: 10,
  testPerCategory: 8,
});
const parameters = { lambda1: 10, lambda2: 0.01, lambda3: 0.1, lambda4: 0.1, bound: 2 };
const given = {
  paper: parameters,
  'paper-wsl': { lambda2: 0.01, lambda3: 0.1, lambda4: 0.1, bound: 2 },
  'paper-zsl': { lambda1: 10, lambda2: 0.01 },
  'paper-pi': { ...parameters, gamma: 0.1 },
};
const base = { problem, jobs: 1, threads: 1, given };

describe('an experiment', () => {
  it('on sensitivity varies one parameter at a time and marks the chosen value', async () => {
    const result = await runExperiment({ ...base, name: 'sensitivity', folder: place('sensitivity') });
    expect(result.plots.map(({ series }) => series[0].mark)).toEqual([10, 0.01, 0.1, 0.1, 2]);
    expect(result.plots[0].series[0].points.map(({ x }) => x)).toEqual([1e-3, 1e-2, 1e-1, 1, 10, 100, 1000]);
    expect(result.plots.map(({ x }) => x.scale)).toEqual(['log', 'log', 'log', 'log', 'linear']);
    // The point at the chosen value is the fit with the chosen parameters.
    const backend = await createBackend({ threads: 1 });
    const learner = await new PaperLearner(parameters).fit(problem, { backend });
    const right = [...learner.predict(problem.testFeatures)].filter((c, i) => c === problem.testLabels![i]).length;
    backend.dispose();
    for (const [k, x] of [10, 0.01, 0.1, 0.1, 2].entries()) {
      const point = result.plots[k].series[0].points.find((each) => each.x === x)!;
      expect(point.y).toBeCloseTo((100 * right) / problem.testFeatures.rows, 9);
      expect(point.low).toBeLessThanOrEqual(point.y);
      expect(point.high).toBeGreaterThanOrEqual(point.y);
    }
  });

  it('on the number of web pictures uses the top-ranked ones, up to all of them', async () => {
    const result = await runExperiment({ ...base, name: 'web-count', folder: place('web') });
    const ours = result.plots[0].series.find(({ name }) => name === 'paper')!;
    expect(ours.points.map(({ x }) => x)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const backend = await createBackend({ threads: 1 });
    const learner = await new PaperLearner(parameters).fit(topWeb(problem, 4), { backend });
    const right = [...learner.predict(problem.testFeatures)].filter((c, i) => c === problem.testLabels![i]).length;
    backend.dispose();
    expect(ours.points[3].y).toBeCloseTo((100 * right) / problem.testFeatures.rows, 9);
  });

  it('on wrong labels hurts a method that believes them, and not one that uses no web pictures', async () => {
    const result = await runExperiment({ ...base, name: 'noise-rate', folder: place('noise') });
    const series = Object.fromEntries(result.plots[0].series.map(({ name, points }) => [name, points]));
    expect(series.lr[0].y - series.lr.at(-1)!.y).toBeGreaterThan(20);
    expect(new Set(series['paper-zsl'].map(({ y }) => y)).size).toBe(1);
  });

  it('on weights shows how θ tells right pictures from wrong ones', async () => {
    const result = await runExperiment({ ...base, name: 'weights', folder: place('weights') });
    const [kinds, extremes] = result.tables;
    expect(kinds.rows.map((row) => row[0])).toEqual(['paper', 'paper-wsl', 'paper-pi', 'bowerbird']);
    const backend = await createBackend({ threads: 1 });
    const { webWeights_ } = await new PaperLearner(parameters).fit(problem, { backend });
    backend.dispose();
    const clean = problem.webKinds!.map((kind) => kind === 'clean');
    expect(kinds.rows[0].at(-1)).toBeCloseTo(rocArea(webWeights_, clean), 3);
    const weights = extremes.rows.map((row) => row[2] as number);
    expect(weights[0]).toBeCloseTo(Math.max(...webWeights_), 3);
    expect(weights.at(-1)).toBeCloseTo(Math.min(...webWeights_), 3);
    expect(weights).toEqual([...weights].sort((a, b) => b - a));
    expect(new Set(extremes.rows.map((row) => row[0])).size).toBe(10);
    const equal = [...webWeights_].filter((weight) => Math.abs(weight - weights[0]) < 5e-4).length;
    expect(extremes.rows[0][3]).toBe(equal);
    expect(result.plots.map(({ x }) => x.scale)).toEqual(['linear', 'linear']);
    const curve = result.plots[1].series[0].points;
    expect([curve[0].x, curve.at(-1)!.x]).toEqual([0, 1]);
  });

  it('on running time tells seconds and iterations', async () => {
    const result = await runExperiment({ ...base, name: 'running-time', folder: place('time') });
    const [table] = result.tables;
    expect(table.rows.map((row) => row[0])).toEqual(['paper-wsl', 'paper-zsl', 'combo', 'paper']);
    for (const row of table.rows) expect(row[2]).toBeGreaterThan(1);
  });

  it('that is a table is a comparison, in the setting of that table', async () => {
    const result = await runExperiment({ ...base, name: 'table4', folder: place('table4') });
    expect(result.compare!.setting).toBe('generalized');
    expect(result.compare!.rows.map(({ method }) => method)).toContain('lr-mix');
    expect(readFileSync(place('table4', 'table.md'), 'utf8')).toContain('Table IV');
    expect((JSON.parse(readFileSync(place('table4', 'experiment.json'), 'utf8')) as ExperimentResult).name).toBe(
      'table4',
    );
  });

  it('names only methods that there are', () => {
    for (const name of experimentNames) {
      const experiment = experiments[name];
      if ('methods' in experiment)
        for (const method of experiment.methods) expect(findMethod(method).name).toBe(method);
    }
  });
});

describe('bowerbird experiment, tune and compare', () => {
  const printed = catchOutput();
  const small = ['--jobs', '1', '--threads', '1', '--quiet'];

  it('lead from a search to a fit and to a figure', async () => {
    await saveProblem(place('problem.npz'), problem);
    expect(await run(['tune', place('problem.npz'), '--trials', '3', '--out', place('tuned'), ...small])).toBe(0);
    expect(printed.out).toContain('best: bowerbird/trial-00');
    const chosen = place('tuned', 'chosen.json');
    expect(await run(['fit', place('problem.npz'), '--params', chosen, '--out', place('fit'), '--quiet'])).toBe(0);
    printed.out = '';
    const words = ['experiment', 'web-count', place('problem.npz'), '--params', chosen, '--tune', '0'];
    expect(await run([...words, '--out', place('figure'), ...small, '--json'])).toBe(0);
    const { parameters: used } = JSON.parse(printed.out) as ExperimentResult;
    const { parameters: wanted } = JSON.parse(readFileSync(chosen, 'utf8')) as { parameters: unknown };
    expect(used.bowerbird).toEqual(wanted);
  });

  it('print a table, with web pictures of validation categories from a file of their own', async () => {
    const { validationWeb, ...bare } = problem;
    await saveProblem(place('bare.npz'), bare);
    await saveProblem(place('validation.npz'), { ...bare, validationWeb });
    const words = ['compare', place('bare.npz'), '--methods', 'lr,eszsl', '--tune', '2', ...small];
    expect(await run([...words, '--out', place('refused')])).toBe(1);
    expect(printed.errors).toContain('--web-validation FILE');
    expect(await run([...words, '--out', place('with'), '--web-validation', place('validation.npz')])).toBe(0);
    expect(printed.out).toMatch(/eszsl +\d+\.\d\d/);
    expect(printed.out).toContain('parameters chosen on validation categories');
  });

  it('explain the likely mistakes', async () => {
    expect(await run(['experiment'])).toBe(0);
    for (const name of experimentNames) expect(printed.out).toContain(name);
    expect(await run(['experiment', 'sensitivty', '--out', place('x')])).toBe(2);
    expect(printed.errors).toContain('Did you mean "sensitivity"?');
    expect(await run(['experiment', 'weights'])).toBe(2);
    expect(printed.errors).toContain('--out is missing');
    printed.errors = '';
    writeFileSync(place('broken.json'), '{');
    expect(await run(['experiment', 'weights', '--params', place('broken.json'), '--out', place('x')])).toBe(1);
    expect(printed.errors).toContain('is not JSON');
    printed.errors = '';
    expect(await run(['compare', place('problem.npz'), '--methods', 'table2,lr', '--out', place('x')])).toBe(2);
    expect(printed.errors).toContain('Add --generalized');
    printed.errors = '';
    expect(await run(['tune', place('problem.npz'), '--method', 'nonsense', '--out', place('x'), '--quiet'])).toBe(2);
    expect(printed.errors).toContain('there is no method "nonsense"');
  });
});
