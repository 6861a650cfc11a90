import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { Latem, latentHinge } from '../../../src/methods/zero-shot/latem.js';
import type { Problem } from '../../../src/problem/problem.js';
import { backend, small } from './small.js';

/**
 * Every category is photographed in two poses, and what points one way in the first points the other way in the second:
 * x = ±D's with a mark of the pose. No single bilinear map ranks both.
 */
function twoPoses(): Problem {
  const random = new Random(8);
  const [m, d] = [6, 20];
  const dictionary = new Matrix(random.normalArray(m * d), m, d);
  const categories = (count: number, perCategory: number) => {
    const semantics = new Matrix(random.normalArray(count * m), count, m);
    const features = Matrix.zeros(count * perCategory, d);
    const labels = Int32Array.from({ length: features.rows }, (_, i) => Math.floor(i / perCategory));
    for (let i = 0; i < features.rows; i++) {
      const pose = i % 2 === 0 ? 1 : -1;
      const row = features.row(i);
      for (let j = 0; j < d; j++) {
        row[j] = 0.2 * random.normal();
        for (let k = 0; k < m; k++) row[j] += pose * semantics.at(labels[i], k) * dictionary.at(k, j);
      }
    }
    return { semantics, features, labels, names: Array.from({ length: count }, (_, c) => `${count}-${c}`) };
  };
  const [auxiliary, test] = [categories(30, 20), categories(5, 30)];
  return {
    ...small,
    auxiliaryFeatures: auxiliary.features,
    auxiliaryLabels: auxiliary.labels,
    auxiliarySemantics: auxiliary.semantics,
    auxiliaryNames: auxiliary.names,
    testFeatures: test.features,
    testLabels: test.labels,
    testSemantics: test.semantics,
    testNames: test.names,
    validationWeb: undefined,
  };
}

describe('LatEm', () => {
  it('has the hinge of its paper, each side scored by its best map, and its slope', () => {
    const random = new Random(6);
    for (let trial = 0; trial < 10; trial++) {
      const scores = [random.normalArray(5), random.normalArray(5), random.normalArray(5)];
      const wrong = [1, 3, 3];
      const lossOf = (maps: Float64Array[]) => {
        const best = (c: number) => Math.max(...maps.map((map) => map[c]));
        return wrong.reduce((sum, c) => sum + Math.max(0, 1 + best(c) - best(0)) / wrong.length, 0);
      };
      const slopes = scores.map((map) => new Float64Array(map.length));
      expect(latentHinge(slopes, scores, 0, wrong)).toBeCloseTo(lossOf(scores), 10);
      for (let i = 0; i < 3; i++)
        for (let c = 0; c < 5; c++) {
          const moved = (by: number) =>
            lossOf(scores.map((map, k) => map.map((z, j) => (k === i && j === c ? z + by : z))));
          expect(slopes[i][c]).toBeCloseTo((moved(1e-6) - moved(-1e-6)) / 2e-6, 5);
        }
    }
  });

  it('separates what no single map can', async () => {
    const problem = twoPoses();
    const score = async (maps: number) => {
      const method = await new Latem({ maps, learningRate: 0.5, leastShare: 0.05 }, 2).fit(problem, { backend });
      return accuracy(method.predict(problem.testFeatures), problem.testLabels!);
    };
    expect(await score(1)).toBeLessThan(0.45);
    expect(await score(2)).toBeGreaterThan(0.6);
  });

  it('starts from random maps of the size that `spread` says', async () => {
    const values = async (spread: number) =>
      (
        await new Latem({ maps: 2, leastShare: 0, epochs: 1, learningRate: 1e-12, spread }, 2).fit(small, { backend })
      ).decisionValues(small.testFeatures).data;
    const [once, thrice] = [await values(0.1), await values(0.3)];
    expect(Math.hypot(...thrice) / Math.hypot(...once)).toBeCloseTo(3, 6);
  });

  it('prunes maps that few pictures choose, and never all of them', async () => {
    const kept = async (leastShare: number) =>
      (await new Latem({ maps: 6, leastShare }, 2).fit(small, { backend })).models_.length;
    expect(await kept(0)).toBe(6);
    expect(await kept(0.2)).toBeLessThan(6);
    expect(await kept(1)).toBe(1);
  });

  it('decides by the best of its maps', async () => {
    const method = await new Latem({ maps: 3, leastShare: 0 }, 2).fit(small, { backend });
    const values = method.decisionValues(small.testFeatures);
    const [row, category] = [2, 1];
    const each = method.models_.map(({ weights, intercepts }) =>
      weights.row(category).reduce((sum, w, j) => sum + w * small.testFeatures.at(row, j), intercepts[category]),
    );
    expect(each.length).toBe(3);
    expect(values.at(row, category)).toBeCloseTo(Math.max(...each), 9);
  });
});
