import { describe, expect, it } from 'vitest';
import { Shojaee } from '../../../src/methods/transductive/shojaee.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { multiply } from '../../learner/plain.js';
import { backend, flat, gap, neverRises, plainParts, rowsFrom, rowsOf, small, squares, steepest } from './small.js';

const [balance, decay] = [0.8, 0.3];

describe('Shojaee and Baghshah', () => {
  const { pictures, labels, test, learnt, candidates, testOrder } = plainParts();
  const constant = (vectors: number[][]) => vectors.map((row) => [...row, 1]);
  const [auxiliary, vectors] = [constant(learnt), constant(candidates)];

  const fitted = () => new Shojaee({ balance, decay }).fit(small, { backend });
  /** Labels of the test pictures, in the order of content, by the nearest prototype. */
  const nearest = (prototypes: number[][]) =>
    test.map((x) => prototypes.reduce((best, p, c) => (gap(x, p) < gap(x, prototypes[best]) ? c : best), 0));

  it('never raises its objective', async () => {
    const noisy = generateProblem({ seed: 5, noise: 2, testCategories: 10, testPerCategory: 40, text: false });
    const { objectives_ } = await new Shojaee({ balance: 30, decay }).fit(noisy, { backend });
    expect(objectives_!.length).toBeGreaterThan(1);
    expect(neverRises(objectives_!)).toBe(true);
  });

  it('reports its objective as it is defined', async () => {
    const { objectives_, map_ } = await fitted();
    const map = rowsOf(map_!);
    const [seen, unseen] = [multiply(auxiliary, map), multiply(vectors, map)];
    const chosen = nearest(unseen);
    let total = decay * squares(map.flat());
    pictures.forEach((x, i) => {
      total += gap(x, seen[labels[i]]);
    });
    test.forEach((x, i) => {
      total += balance * gap(x, unseen[chosen[i]]);
    });
    expect(objectives_![objectives_!.length - 1]).toBeCloseTo(total, 8);
  });

  it('ends where the map has no slope and every label is the nearest prototype', async () => {
    const method = await fitted();
    const chosen = nearest(rowsOf(method.prototypes_!));
    const objective = (point: Float64Array) => {
      const map = rowsFrom(point, 6, 9);
      const [seen, unseen] = [multiply(auxiliary, map), multiply(vectors, map)];
      const first = pictures.reduce((sum, x, i) => sum + gap(x, seen[labels[i]]), decay * squares(point));
      return test.reduce((sum, x, i) => sum + balance * gap(x, unseen[chosen[i]]), first);
    };
    expect(steepest(objective, flat(method.map_!))).toBeLessThan(1e-5);
    const values = method.decisionValues(small.testFeatures);
    testOrder.forEach((row, i) => {
      const highest = Math.max(...values.row(row));
      expect(-highest).toBeCloseTo(gap(test[i], rowsOf(method.prototypes_!)[chosen[i]]), 9);
    });
  });

  it('refuses impossible parameters', () => {
    expect(() => new Shojaee({ balance: -1 })).toThrow(/balance is -1/);
    expect(() => new Shojaee({ decay: 0 })).toThrow(/decay is 0/);
  });
});
