/** The page on weights of web pictures, from weights that are written down here. */
import { describe, expect, it } from 'vitest';
import { weightJobs, weightResults } from '../../src/evaluation/experiments/weights.js';
import type { FitJob } from '../../src/evaluation/results.js';
import type { Problem } from '../../src/problem/index.js';

const problemOf = (kinds?: string[], texts?: string[]) =>
  ({
    testNames: ['crow', 'jay'],
    webLabels: Int32Array.from({ length: 300 }, (_, i) => i % 2),
    webKinds: kinds,
    webTexts: texts,
  }) as unknown as Problem;
const fitted = (theta?: number[]) => [
  { method: 'paper', parameters: {}, fits: [{ job: {} as FitJob, outcome: { id: 'x', seconds: 1, theta } }] },
];

describe('the page on weights', () => {
  it('asks one fit of each method for them', () => {
    const job: FitJob = {
      id: 'paper/seed-1',
      method: 'paper',
      parameters: {},
      seed: 1,
      split: 'test',
      generalized: false,
    };
    expect(weightJobs([job, { ...job, seed: 2 }])).toEqual([{ ...job, id: 'paper/weights/seed-1', wants: ['theta'] }]);
  });

  it('holds them against the truth: means by kind and the area under the curve', () => {
    const kinds = ['clean', 'clean', 'off-topic', 'swapped'];
    const { plots, tables } = weightResults(fitted([0.9, 0.5, 0.1, 0.6]), problemOf(kinds, ['a', 'b', 'c', 'd']));
    const swapped = weightResults(fitted([0.6, 0.9, 0.5, 0.1]), problemOf(['swapped', 'clean', 'clean', 'off-topic']));
    expect(swapped.tables[0]).toEqual(tables[0]);
    expect(tables[0].columns).toEqual(['method', 'clean (2)', 'off-topic (1)', 'swapped (1)', 'ROC area']);
    // Of four pairs of a right and a wrong picture three are in the right order.
    expect(tables[0].rows).toEqual([['paper', 0.7, 0.1, 0.6, 0.75]]);
    const [, curve] = plots;
    expect(curve.series[0].name).toBe('paper (area 0.750)');
    expect(curve.series[0].points).toEqual([
      { x: 0, y: 0 },
      { x: 0, y: 0.5 },
      { x: 0.5, y: 0.5 },
      { x: 0.5, y: 1 },
      { x: 1, y: 1 },
    ]);
    expect(plots.map(({ x }) => x.scale)).toEqual(['linear', 'linear']);
  });

  it('says nothing of a truth that is not known, and nothing of methods without weights', () => {
    const { plots, tables } = weightResults([...fitted([0.2, 0.8]), ...fitted()], problemOf());
    expect(plots.map(({ series }) => series.length)).toEqual([1]);
    expect(tables).toHaveLength(1);
    expect(tables[0].rows).toEqual([
      [1, 'jay', 0.8, 1, null, null],
      [0, 'crow', 0.2, 1, null, null],
    ]);
  });

  it('draws all weights in descending order, a hundred and one of them where there are more', () => {
    const points = (theta: number[]) => weightResults(fitted(theta), problemOf()).plots[0].series[0].points;
    expect(points([0.25])).toEqual([{ x: 0, y: 0.25 }]);
    expect(points([1, 3, 2])).toEqual([
      { x: 0, y: 3 },
      { x: 0.5, y: 2 },
      { x: 1, y: 1 },
    ]);
    const many = points(Array.from({ length: 201 }, (_, i) => i));
    expect(many).toHaveLength(101);
    expect([many[0], many[50], many[100]]).toEqual([
      { x: 0, y: 200 },
      { x: 0.5, y: 100 },
      { x: 1, y: 0 },
    ]);
  });

  it('draws two hundred points of a long curve, its ends among them', () => {
    const theta = Array.from({ length: 300 }, (_, i) => i);
    const kinds = theta.map((i) => (i % 2 === 0 ? 'clean' : 'swapped'));
    const { points } = weightResults(fitted(theta), problemOf(kinds)).plots[1].series[0];
    expect(points).toHaveLength(200);
    expect([points[0], points.at(-1)]).toEqual([
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ]);
  });

  it('shows five pictures of either end, no picture twice, and of equal ones some that lie evenly among them', () => {
    const shown = (theta: number[]) => {
      const { tables } = weightResults(fitted(theta), problemOf(theta.map(() => 'clean')));
      return tables[1].rows.map(([picture, , weight, equals]) => [picture, weight, equals]);
    };
    expect(shown([3, 1, 2])).toEqual([
      [0, 3, 1],
      [2, 2, 1],
      [1, 1, 1],
    ]);
    expect(shown(Array.from({ length: 20 }, (_, i) => i)).map(([picture]) => picture)).toEqual([
      ...[19, 18, 17, 16, 15],
      ...[4, 3, 2, 1, 0],
    ]);
    const alike = [1, ...Array.from({ length: 40 }, () => 0.5), 0];
    expect(shown(alike).map(([picture, weight]) => [picture, weight])).toEqual([
      ...[0, 6, 16, 26, 36].map((i) => [i, i === 0 ? 1 : 0.5]),
      ...[5, 15, 25, 35, 41].map((i) => [i, i === 41 ? 0 : 0.5]),
    ]);
    expect(shown(alike)[1][2]).toBe(40);
  });
});
