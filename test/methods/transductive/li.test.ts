import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { LabelEmbedding, labelCosts } from '../../../src/methods/transductive/label-embedding.js';
import { Li, liSpec } from '../../../src/methods/transductive/li.js';
import { Scratch } from '../../../src/numerics/scratch.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { rowMaxima } from '../../../src/problem/method.js';
import { multiply, transpose } from '../../learner/plain.js';
import { backend, gap, neverRises, rowsFrom, rowsOf, small, squares } from './small.js';
import '../../allclose.js';

const penalties = { decay: 0.3, drift: 0.7 };

describe('the objective of Li, Guo and Schuurmans', () => {
  const [n, d, categories, r] = [12, 5, 6, 3];
  const random = new Random(8);
  const matrix = (rows: number, cols: number) => new Matrix(random.normalArray(rows * cols), rows, cols);
  const [pictures, first, map, embedding] = [matrix(n, d), matrix(categories, r), matrix(r, d), matrix(categories, r)];
  const state = new LabelEmbedding(backend, new Scratch(backend), pictures, first, penalties);
  for (let i = 0; i < n; i++) {
    state.labels[i] = random.integer(categories);
    state.weights[i] = random.uniform();
  }

  function literal(mapPoint: ArrayLike<number>, embeddingPoint: ArrayLike<number>): number {
    const [w, m] = [rowsFrom(mapPoint, r, d), rowsFrom(embeddingPoint, categories, r)];
    const scores = multiply(multiply(rowsOf(pictures), transpose(w)), transpose(m));
    let total = (penalties.decay / 2) * squares(mapPoint) + (penalties.drift / 2) * gap(embeddingPoint, first.data);
    scores.forEach((f, i) => {
      f.forEach((value, c) => {
        if (c !== state.labels[i]) total += state.weights[i] * Math.max(0, 1 + value - f[state.labels[i]]) ** 2;
      });
    });
    return total;
  }
  const slopes = (value: (point: Float64Array) => number, at: Float64Array) =>
    Array.from(at, (_, k) => {
      const moved = (by: number) => value(at.map((entry, e) => (e === k ? entry + by : entry)));
      return (moved(1e-6) - moved(-1e-6)) / 2e-6;
    });

  it('has the value and the gradients that a literal computation and finite differences have', () => {
    state.embedding.copyFrom(embedding);
    const mapGradient = new Float64Array(r * d);
    expect(state.differentiateMap(map.data, mapGradient)).toBeCloseTo(literal(map.data, embedding.data), 8);
    expect(mapGradient).toBeAllClose(
      slopes((point) => literal(point, embedding.data), map.data),
      { tolerance: 1e-5 },
    );
    const embeddingGradient = new Float64Array(categories * r);
    expect(state.differentiateEmbedding(embedding.data, embeddingGradient)).toBeCloseTo(state.value(), 8);
    expect(embeddingGradient).toBeAllClose(
      slopes((point) => literal(map.data, point), embedding.data),
      { tolerance: 1e-5 },
    );
  });

  it('has the value but not the gradient of a point above the bound, and the scores of what was asked for last', () => {
    state.embedding.copyFrom(embedding);
    const gradient = new Float64Array(r * d).fill(7);
    const value = state.differentiateMap(map.data, gradient, 0);
    expect(value).toBeCloseTo(literal(map.data, embedding.data), 8);
    expect([...gradient]).toEqual(Array(r * d).fill(7));
    expect(state.value()).toBe(value);
    for (const [w, m] of [
      [map, embedding],
      [map, first],
      [map, first],
      [matrix(r, d), first],
    ]) {
      state.map.copyFrom(w);
      state.embedding.copyFrom(m);
      const expected = multiply(multiply(rowsOf(pictures), transpose(rowsOf(w))), transpose(rowsOf(m))).flat();
      expect(state.refreshScores().copy('float64').data).toBeAllClose(expected, { tolerance: 1e-12 });
    }
  });

  it('knows what every label of a picture would cost', () => {
    const scores = Float64Array.from([0.2, 1.4, -0.3, 0.9]);
    const costs = labelCosts(scores, 3);
    for (let y = 0; y < 3; y++) {
      let expected = 0;
      for (let c = 0; c < 4; c++) if (c !== y) expected += Math.max(0, 1 + scores[c] - scores[y]) ** 2;
      expect(costs[y]).toBeCloseTo(expected, 12);
    }
  });
});

describe('Li, Guo and Schuurmans', () => {
  it('never raises its objective', async () => {
    const noisy = generateProblem({ seed: 6, noise: 1.5, testCategories: 8, testPerCategory: 15, text: false });
    const { objectives_ } = await new Li().fit(noisy, { backend });
    expect(objectives_!.length % 3).toBe(1);
    expect(neverRises(objectives_!)).toBe(true);
    expect(objectives_![objectives_!.length - 1]).toBeLessThan(0.99 * objectives_![0]);
  });

  it('goes on until no label changes, and then has nothing left to gain', async () => {
    const noisy = generateProblem({ seed: 6, noise: 1.5, testCategories: 8, testPerCategory: 15, text: false });
    const settled = await new Li().fit(noisy, { backend });
    expect(settled.converged_).toBe(true);
    const further = await new Li({ rounds: 100, iterations: 2000 }).fit(noisy, { backend });
    const last = (method: Li) => method.objectives_![method.objectives_!.length - 1];
    expect(last(settled)).toBeLessThan(last(further) * 1.01);
    const hasty = await new Li({ rounds: 1, iterations: 3 }).fit(noisy, { backend });
    expect(last(hasty)).toBeGreaterThan(last(settled) * 1.01);
    expect(liSpec.parameters.dimensions.range).toBeDefined();
  });

  it('keeps categories within the bounds on their size', async () => {
    const uneven = { ...small, testFeatures: small.testFeatures.view(0, 16), testLabels: undefined };
    const counts = (labels: Int32Array) => [0, 1, 2, 3].map((c) => labels.filter((label) => label === c).length);
    const tight = await new Li({ spread: 0.05 }).fit(uneven, { backend });
    expect(Math.max(...counts(tight.predict(uneven.testFeatures)))).toBeLessThanOrEqual(5);
    const loose = await new Li({ spread: 1, rounds: 0 }).fit(uneven, { backend });
    expect(Math.max(...counts(loose.predict(uneven.testFeatures)))).toBeGreaterThan(5);
  });

  it('scores other pictures by the map and the embedding it learnt', async () => {
    const method = await new Li().fit(small, { backend });
    const others = small.auxiliaryFeatures.view(0, 5);
    expect([...method.predict(others)]).toEqual([...rowMaxima(method.decisionValues(others))]);
    expect(method.embedding_!.rows).toBe(4);
  });

  it('refuses impossible parameters', () => {
    expect(() => new Li({ spread: 0 })).toThrow(/spread is 0/);
    expect(() => new Li({ drift: 0 })).toThrow(/drift is 0/);
  });
});
