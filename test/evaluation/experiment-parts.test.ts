/** What experiments are made of: the paper's figures, their definitions, sweeps and plots, chosen methods. */
import { describe, expect, it } from 'vitest';
import { experiments } from '../../src/evaluation/experiments/definitions.js';
import type { FittedMethod } from '../../src/evaluation/experiments/run-experiment.js';
import { runningTimes } from '../../src/evaluation/experiments/running-time.js';
import { sweepJobs, sweepPlots } from '../../src/evaluation/experiments/sweep.js';
import {
  chooseMethods,
  hasParts,
  impliesGeneralized,
  isGroup,
  lacksText,
  methodGroups,
  reasonToSkip,
} from '../../src/evaluation/method-groups.js';
import { paperAccuracy, paperDatasets, recognizeDataset } from '../../src/evaluation/paper-figures.js';
import type { FitJob } from '../../src/evaluation/results.js';
import { Matrix } from '../../src/linalg/index.js';
import { findMethod } from '../../src/methods/index.js';
import type { Problem } from '../../src/problem/index.js';

const named = (auxiliary: string[], test: string[]) =>
  ({ auxiliaryNames: auxiliary, testNames: test }) as unknown as Problem;
const many = (count: number, first = 'x') => Array.from({ length: count }, (_, k) => (k === 0 ? first : `x${k}`));

describe('the figures of the paper', () => {
  it('are those of its tables, by dataset and setting', () => {
    const figures = (method: string, generalized = false) =>
      paperDatasets.map((dataset) => paperAccuracy(dataset, method, generalized));
    expect(paperDatasets).toEqual(['cub', 'sun', 'dogs']);
    expect(figures('paper')).toEqual([76.47, 84.5, 85.16]);
    expect(figures('paper', true)).toEqual([59.6, 36, 65.89]);
    expect(figures('dap')).toEqual(figures('iap'));
    expect(figures('chao')).toEqual([undefined, undefined, undefined]);
    expect(figures('chao', true)).toEqual([25.75, 20.77, 31.53]);
    // Printed with the running times, for one dataset.
    expect(figures('combo')).toEqual([70.58, undefined, undefined]);
    expect(figures('combo', true)).toEqual([undefined, undefined, undefined]);
    for (const [name, generalized] of [
      ['table1', false],
      ['table2', true],
      ['table3', false],
      ['table4', true],
    ] as const)
      for (const method of methodGroups[name].methods)
        for (const value of figures(method, generalized)) {
          expect(value, method).toBeGreaterThan(20);
          expect(value, method).toBeLessThan(90);
        }
  });

  it('are put beside a problem that has the categories of a dataset', () => {
    expect(recognizeDataset(named(many(150), many(50, 'Black footed Albatross')))).toEqual({
      ...{ dataset: 'cub', recognisedBy: '150 auxiliary and 50 test categories, one of them named "…albatross…"' },
    });
    expect(recognizeDataset(named(many(85, 'Border Terrier'), many(28)))?.dataset).toBe('dogs');
    expect(recognizeDataset(named(many(707), many(10)))).toEqual({
      ...{ dataset: 'sun', recognisedBy: '707 auxiliary and 10 test categories' },
    });
    for (const [auxiliary, test] of [
      [150, 50],
      [85, 28],
      [707, 11],
      [706, 10],
    ])
      expect(recognizeDataset(named(many(auxiliary), many(test)))).toBeUndefined();
  });

  it('of running times stand beside those of a problem like theirs alone', () => {
    const fits = [
      { outcome: { seconds: 1.234, iterations: 4, accuracy: 0.5 } },
      { outcome: { seconds: 2, iterations: 6, accuracy: 0.7 } },
    ];
    const fitted = [
      { method: 'paper', fits },
      { method: 'lr', fits: [{ outcome: { seconds: 0.001 } }] },
    ] as unknown as FittedMethod[];
    const plain = runningTimes(fitted, named([], []), undefined);
    expect(plain.columns).toEqual(['method', 'seconds', 'iterations', 'accuracy (%)']);
    expect(plain.rows[0]).toEqual(['paper', 1.62, 5, 60]);
    expect(plain.rows[1].slice(0, 3)).toEqual(['lr', 0, null]);
    const theirs = runningTimes(fitted, named([], []), 'cub');
    expect(theirs.columns.at(-1)).toBe('seconds in the paper');
    expect(theirs.rows.map((row) => row.at(-1))).toEqual([1953.92, null]);
    expect(runningTimes(fitted, named([], []), 'sun').columns).toHaveLength(4);
  });
});

describe('the experiments', () => {
  it('vary what their titles say, over the ranges of the paper', () => {
    const { sensitivity, 'web-count': web, 'noise-rate': noise } = experiments;
    const powers = [0.001, 0.01, 0.1, 1, 10, 100, 1000];
    const { values } = sensitivity.sweep;
    expect(Object.keys(values)).toEqual(['lambda1', 'lambda2', 'lambda3', 'lambda4', 'bound']);
    for (const name of ['lambda1', 'lambda2', 'lambda3', 'lambda4'] as const) expect(values[name]).toEqual(powers);
    expect(values.bound).toEqual([1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]);
    expect(web.sweep).toEqual({ over: 'webPerCategory', shares: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] });
    expect(noise.sweep).toEqual({ over: 'wrongLabels', shares: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] });
    expect([experiments.table2.generalized, experiments.table4.generalized]).toEqual([true, true]);
    for (const name of ['table1', 'table2', 'table3', 'table4'] as const)
      expect(experiments[name]).toMatchObject({ kind: 'table', group: name });
    const kinds = Object.entries(experiments).flatMap(([name, { kind }]) => (kind === 'table' ? [] : [[name, kind]]));
    expect(Object.fromEntries(kinds)).toEqual({
      ...{ paper: 'paper', 'running-time': 'time', sensitivity: 'sweep', 'web-count': 'sweep', 'noise-rate': 'sweep' },
      weights: 'weights',
    });
    for (const experiment of Object.values(experiments))
      if ('methods' in experiment) for (const name of experiment.methods) expect(findMethod(name).name).toBe(name);
    expect([experiments['running-time'].methods.length, experiments.weights.methods.length]).toEqual([4, 4]);
    expect([web.methods.length, noise.methods.length, sensitivity.methods]).toEqual([5, 6, ['paper']]);
    for (const experiment of Object.values(experiments)) {
      expect(experiment.title.length).toBeGreaterThan(5);
      expect(experiment.description).toMatch(/\.$/);
    }
  });
});

describe('a sweep', () => {
  const job = (method: string, seed: number): FitJob => ({
    ...{ id: 'x', method, parameters: { lambda1: 5, bound: 2 }, seed, split: 'test', generalized: false },
  });
  const problem = {
    ...{ webLabels: Int32Array.of(0, 0, 0, 0, 1), testNames: ['a', 'b'] },
    ...{ testLabels: Int32Array.of(0, 1, -1, 1), testFeatures: Matrix.zeros(4, 1) },
  } as unknown as Problem;

  it('asks for a fit of each method, value and seed', () => {
    const values = { lambda1: [1, 2], other: [3] };
    expect(sweepJobs({ over: 'parameters', values }, [job('paper', 1)], problem)).toMatchObject([
      { id: 'paper/lambda1=1/seed-1', parameters: { lambda1: 1, bound: 2 }, wants: ['predictions'] },
      { id: 'paper/lambda1=2/seed-1', parameters: { lambda1: 2, bound: 2 } },
    ]);
    const wrong = sweepJobs({ over: 'wrongLabels', shares: [0, 0.5] }, [job('lr', 2)], problem);
    expect(wrong.map(({ id, change }) => [id, change])).toEqual([
      ['lr/wrongLabels=0/seed-2', { wrongLabels: 0 }],
      ['lr/wrongLabels=0.5/seed-2', { wrongLabels: 0.5 }],
    ]);
    // Of at most four pictures: a tenth is one at least, and equal numbers are one.
    const web = { over: 'webPerCategory', shares: [0.1, 0.25, 0.6, 1] } as const;
    expect(sweepJobs(web, [job('lr', 1)], problem).map(({ change }) => change)).toEqual([
      ...[{ webPerCategory: 1 }, { webPerCategory: 2 }, { webPerCategory: 4 }],
    ]);
    expect(sweepJobs(web, [job('lr', 1)], problem, 'random')[0].change).toEqual({
      webPerCategory: 1,
      webChoice: 'random',
    });
  });

  it('draws the mean over seeds of pictures that show a category, with its interval and the chosen value', () => {
    const fit = (id: string, predictions: number[]) => ({ job: { id }, outcome: { predictions } });
    const fits = [
      fit('paper/lambda1=10/seed-1', [0, 1, 0, 1]),
      fit('paper/lambda1=1/seed-1', [0, 0, 0, 0]),
      fit('paper/lambda1=1/seed-2', [0, 1, 0, 0]),
      fit('paper/bound=2/seed-1', [1, 0, 0, 0]),
    ];
    const fitted = [{ method: 'paper', parameters: { lambda1: 5, bound: 'x' }, fits }] as unknown as FittedMethod[];
    const plots = sweepPlots(
      { over: 'parameters', values: { lambda1: [], lambda2: [], bound: [] } },
      fitted,
      problem,
      1,
    );
    expect(plots.map(({ title, x, y }) => [title, x.scale, y.label])).toEqual([
      ['λ1, closeness to the auxiliary dictionary', 'log', 'accuracy (%)'],
      ['b, largest weight of a web picture', 'linear', 'accuracy (%)'],
    ]);
    const [series] = plots[0].series;
    expect(series).toMatchObject({ name: 'paper', mark: 5 });
    expect(series.points.map(({ x }) => x)).toEqual([1, 10]);
    expect(series.points[0].y).toBeCloseTo(50, 9);
    expect(series.points[1]).toMatchObject({ y: 100, low: 100, high: 100 });
    expect(series.points[0].low!).toBeLessThan(50);
    expect(series.points[0].high!).toBeGreaterThan(50);
    expect(plots[1].series[0]).not.toHaveProperty('mark');
    expect(plots[1].series[0].points[0].y).toBe(0);
    const wrong = [
      { method: 'lr', parameters: {}, fits: [fit('lr/wrongLabels=0.5/seed-1', [0, 1, 0, 1])] },
    ] as unknown as FittedMethod[];
    expect(sweepPlots({ over: 'wrongLabels', shares: [0.5] }, wrong, problem, 1)[0].x).toEqual({
      ...{ label: 'share of web pictures given a wrong label', scale: 'linear' },
    });
  });
});

describe('methods of a list', () => {
  const problem = (web: number, text = false) =>
    ({ webFeatures: Matrix.zeros(web, 2), ...(text && { webText: Matrix.zeros(web, 2) }) }) as unknown as Problem;

  it('are each taken once, tables in their own setting alone', () => {
    expect(chooseMethods(['lr', 'table3', 'lr'], false).map(({ name }) => name)).toEqual([
      ...['lr', 'svm-plus', 'wsl+zsl', 'wsdg-pi+zsl', 'paper', 'paper-pi'],
    ]);
    expect(() => chooseMethods(['table2'], false)).toThrow('table2 is a table of the generalized setting');
    expect(() => chooseMethods(['table1'], true)).toThrow('table1 is a table of the standard setting');
    const all = chooseMethods(['all'], true);
    expect(all.every(({ setting }) => setting !== 'standard')).toBe(true);
    expect(all.map(({ name }) => name)).toContain('chao');
    expect([isGroup('table4'), isGroup('toString'), isGroup('lr')]).toEqual([true, false, false]);
    expect([
      impliesGeneralized([]),
      impliesGeneralized(['table2', 'table4']),
      impliesGeneralized(['table2', 'lr']),
    ]).toEqual([...[false, true, false]]);
  });

  it('are left out where they cannot work, and it is said why', () => {
    expect(reasonToSkip(findMethod('lr'), problem(0), false)).toBe('there are no web pictures');
    expect(reasonToSkip(findMethod('lr'), problem(3), false)).toBeUndefined();
    expect(reasonToSkip(findMethod('lr'), problem(3), true)).toMatch(/standard setting/);
    expect(reasonToSkip(findMethod('chao'), problem(3), false)).toMatch(/generalized setting/);
    expect(reasonToSkip(findMethod('eszsl'), problem(0), false)).toBeUndefined();
    expect([
      lacksText(findMethod('svm-plus'), problem(3)),
      lacksText(findMethod('svm-plus'), problem(3, true)),
      lacksText(findMethod('lr'), problem(3)),
    ]).toEqual([...[true, false, false]]);
    expect([hasParts([findMethod('lr')]), hasParts([findMethod('lr'), findMethod('wsl+zsl')])]).toEqual([false, true]);
  });
});
