import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { learnSimilarity, SimilarityObjective } from '../../../src/methods/transductive/latent-similarity.js';
import { mixtures } from '../../../src/methods/transductive/mixtures.js';
import { matchedLabels, ZhangSaligrama } from '../../../src/methods/transductive/zhang-saligrama.js';
import { Scratch } from '../../../src/numerics/scratch.js';
import { multiply, transpose } from '../../learner/plain.js';
import { backend, plainParts, rowsFrom, small, squares, steepest } from './small.js';
import '../../allclose.js';

const { pictures, labels, learnt } = plainParts();
const [decay, balance, r, d, q] = [0.01, 2, 3, 9, 5];

/** A (row by row), B and b to the objective, pair by pair. */
function literal(point: Float64Array): number {
  const [a, b] = [rowsFrom(point, r, d), rowsFrom(point.subarray(r * d), r, q)];
  const scores = multiply(multiply(pictures, transpose(a)), multiply(b, transpose(learnt)));
  let total = (decay / 2) * squares(point.subarray(0, r * (d + q)));
  scores.forEach((row, i) => {
    row.forEach((score, c) => {
      const value = score + point[r * (d + q)];
      if (c === labels[i]) total += Math.max(0, 1 - value) ** 2 / scores.length;
      else total += (balance * Math.max(0, 1 + value) ** 2) / (scores.length * (learnt.length - 1));
    });
  });
  return total;
}

describe('the latent similarity', () => {
  const scratch = new Scratch(backend);
  const features = scratch.copy(Matrix.from(pictures));
  const vectors = scratch.copy(Matrix.from(learnt));

  it('has the value and the gradient that a literal computation and finite differences have', () => {
    const objective = new SimilarityObjective(backend, scratch, features, Int32Array.from(labels), vectors, {
      decay,
      balance,
    });
    const point = new Random(2).normalArray(r * (d + q) + 1);
    const gradient = new Float64Array(point.length);
    expect(objective.differentiate(point, gradient, r)).toBeCloseTo(literal(point), 9);
    const slopes = Array.from(point, (_, k) => {
      const moved = (by: number) => literal(point.map((entry, e) => (e === k ? entry + by : entry)));
      return (moved(1e-6) - moved(-1e-6)) / 2e-6;
    });
    expect(gradient).toBeAllClose(slopes, { tolerance: 1e-6 });
  });

  it('is learnt to a point without slope', async () => {
    const settings = { dimensions: r, decay, balance, iterations: 2000 };
    const found = await learnSimilarity(backend, scratch, features, Int32Array.from(labels), vectors, settings);
    const point = Float64Array.from([...found.visual.data, ...found.semantic.data, found.bias]);
    expect(steepest(literal, point)).toBeLessThan(1e-4);
    expect(literal(point)).toBeLessThan(0.9 * literal(new Float64Array(point.length)));
  });
});

describe('Zhang and Saligrama', () => {
  it('gives every cluster a category of its own, the one that explains its pictures best in sum', () => {
    const likelihood = new Matrix(Float64Array.from([5, 4, 0, 5, 4, 0, 4, 1, 0, 0, 0, 1]), 4, 3);
    // Clusters 0 and 1 both like category 0; cluster 0 loses least by going to category 1.
    expect([...matchedLabels(Int32Array.from([0, 0, 1, 2]), 3, likelihood)]).toEqual([1, 1, 0, 2]);
  });

  it('lets clusters of test pictures correct what is foretold of their categories', async () => {
    const firm = await new ZhangSaligrama({ strength: 1e9 }).fit(small, { backend });
    const free = await new ZhangSaligrama({ strength: 1 }).fit(small, { backend });
    // Pictures lie nearer to the places that follow them.
    expect(free.mixture_!.variance).toBeLessThan(firm.mixture_!.variance);
  });

  it('refuses impossible parameters', () => {
    expect(() => new ZhangSaligrama({ dimensions: 0 })).toThrow(/dimensions is 0/);
    expect(() => new ZhangSaligrama({ strength: 0 })).toThrow(/strength is 0/);
  });
});

describe('a test category', () => {
  it('is the mixture of auxiliary categories nearest to its vector', () => {
    const random = new Random(5);
    const [sources, vectors] = [
      new Matrix(random.normalArray(6 * 4), 6, 4),
      new Matrix(random.normalArray(3 * 4), 3, 4),
    ];
    const shares = mixtures(backend, vectors, sources);
    for (let i = 0; i < 3; i++) {
      const pi = Array.from(shares.row(i));
      expect(pi.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
      const rest = Array.from({ length: 4 }, (_, j) =>
        pi.reduce((sum, share, y) => sum + share * sources.at(y, j), -vectors.at(i, j)),
      );
      const slopes = pi.map((_, y) => rest.reduce((sum, value, j) => sum + value * sources.at(y, j), 0));
      const least = Math.min(...slopes);
      pi.forEach((share, y) => {
        expect(share).toBeGreaterThanOrEqual(0);
        // Optimal: what takes part has the least slope.
        if (share > 1e-6) expect(slopes[y]).toBeLessThan(least + 1e-5);
      });
    }
  });

  it('is embedded and placed as that mixture, unless a linear source is asked for', async () => {
    const method = await new ZhangSaligrama({ strength: 1e9, weight: 0, dimensions: 3 }).fit(small, { backend });
    expect(method.mixtures_!.rows).toBe(4);
    for (let c = 0; c < 4; c++)
      expect(method.mixtures_!.row(c).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
    // With a prior that nothing moves, a category stays where its mixture puts it: within the hull of the auxiliary ones.
    const linear = await new ZhangSaligrama({ strength: 1e9, weight: 0, dimensions: 3, source: 'linear' }).fit(small, {
      backend,
    });
    expect(linear.mixtures_).toBeUndefined();
    expect(linear.mixture_!.means.data).not.toEqual(method.mixture_!.means.data);
  });
});
