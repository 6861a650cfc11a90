import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { mixtureWeights, Sync } from '../../../src/methods/zero-shot/sync.js';
import { multiply } from '../../learner/plain.js';
import { backend, dot, plainAuxiliary, rowsOf, small, steepest } from './small.js';
import '../../allclose.js';

describe('SynC', () => {
  const parameters = { decay: 0.5, sigma: 1.2, tolerance: 1e-9 };

  it('ends where its objective has no slope in the phantom classifiers', async () => {
    const { phantoms_ } = await new Sync(parameters).fit(small, { backend });
    const { pictures, labels, learnt } = plainAuxiliary(false);
    const mixing = rowsOf(mixtureWeights(Matrix.from(learnt), Matrix.from(learnt), parameters.sigma));
    const objective = (point: Float64Array) => {
      const phantoms = learnt.map((_, r) => Array.from(point.subarray(9 * r, 9 * r + 9)));
      const classifiers = multiply(mixing, phantoms);
      let total = 0;
      for (const [c, w] of classifiers.entries()) {
        total += (parameters.decay / 2) * dot(w, w);
        pictures.forEach((x, i) => {
          total += Math.max(0, 1 - (labels[i] === c ? 1 : -1) * dot(w, x)) ** 2;
        });
      }
      return total;
    };
    const point = Float64Array.from(phantoms_!.data);
    expect(steepest(objective, point)).toBeLessThan(1e-4);
    expect(steepest(objective, new Float64Array(point.length))).toBeGreaterThan(1);
  });

  it('synthesizes the classifier of a candidate from the phantoms near it', async () => {
    const method = await new Sync(parameters).fit(small, { backend });
    const { learnt, candidates } = plainAuxiliary(false);
    const squared = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + (value - b[k]) ** 2, 0);
    const shares = learnt.map((b) => Math.exp(-squared(candidates[0], b) / parameters.sigma ** 2));
    const total = shares.reduce((sum, value) => sum + value, 0);
    const expected = Array.from({ length: 9 }, (_, j) =>
      shares.reduce((sum, share, r) => sum + (share / total) * method.phantoms_!.at(r, j), 0),
    );
    expect(method.model_!.weights.row(0)).toBeAllClose(expected, { tolerance: 1e-9 });
  });

  it('gives an auxiliary category back its own classifier', async () => {
    const narrow = await new Sync({ ...parameters, sigma: 0.2 }).fit({ ...small, generalized: true }, { backend });
    expect(narrow.model_!.weights.rows).toBe(11);
    const { candidates, learnt } = plainAuxiliary(false);
    expect(candidates.length).toBe(4);
    // With a narrow kernel a category is its own phantom.
    const own = rowsOf(narrow.model_!.weights.view(4, 11))
      .map((row) => row[0])
      .sort();
    expect(own).toBeAllClose(
      rowsOf(narrow.phantoms_!)
        .map((row) => row[0])
        .sort(),
      { tolerance: 1e-4 },
    );
    expect(learnt.length).toBe(7);
  });
});
