import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/linalg/random.js';
import { Ale } from '../../../src/methods/zero-shot/ale.js';
import { Devise } from '../../../src/methods/zero-shot/devise.js';
import type { RankingMethod } from '../../../src/methods/zero-shot/ranking.js';
import { Sje } from '../../../src/methods/zero-shot/sje.js';
import { miniBatches } from '../../../src/numerics/mini-batches.js';
import { multiply, transpose, zeros } from '../../learner/plain.js';
import { backend, dot, plainAuxiliary, rowsOf, small } from './small.js';
import '../../allclose.js';

/** The losses of the papers, written out. */
const wrong = (scores: number[], label: number) => scores.map((z, c) => z - scores[label] + (c === label ? 0 : 1));
const losses: [string, RankingMethod, (scores: number[], label: number) => number][] = [
  ['SJE', new Sje({ learningRate: 2, epochs: 3 }, 9), (z, y) => Math.max(...wrong(z, y))],
  [
    'ALE',
    new Ale({ learningRate: 2, epochs: 3 }, 9),
    (z, y) => {
      const violations = wrong(z, y).filter((value, c) => c !== y && value > 0);
      const weight = violations.reduce((sum, _, k) => sum + 1 / (k + 1), 0) / Math.max(1, violations.length);
      return weight * violations.reduce((sum, value) => sum + value, 0);
    },
  ],
  [
    'DeViSE',
    new Devise({ learningRate: 0.2, epochs: 3, margin: 0.3 }, 9),
    (z, y) => z.reduce((sum, value, c) => sum + (c === y ? 0 : Math.max(0, 0.3 - z[y] + value)), 0),
  ],
];

describe.each(losses)('%s', (_, method, lossOf) => {
  it('has the loss of its paper and its slope', () => {
    const random = new Random(3);
    for (let trial = 0; trial < 20; trial++) {
      const scores = random.normalArray(6).map((value) => (trial === 0 ? 0.01 : 2) * value);
      const label = trial % 6;
      const slopes = new Float64Array(6);
      expect(method.rank(slopes, scores, label)).toBeCloseTo(lossOf(Array.from(scores), label), 10);
      for (let c = 0; c < 6; c++) {
        const moved = (by: number) =>
          lossOf(
            Array.from(scores, (z, k) => (k === c ? z + by : z)),
            label,
          );
        expect(slopes[c]).toBeCloseTo((moved(1e-6) - moved(-1e-6)) / 2e-6, 5);
      }
    }
  });

  it('has no loss and no slope when the right category wins by the margin', () => {
    const slopes = new Float64Array(3);
    expect(method.rank(slopes, Float64Array.of(0, 5, 1), 1)).toBe(0);
    expect([...slopes]).toEqual([0, 0, 0]);
  });

  it('walks the path of descent on V itself', async () => {
    const { pictures, labels, learnt, candidates } = plainAuxiliary();
    const v = zeros(9, 5);
    const { learningRate, epochs } = method.options;
    for await (const { rows, step } of miniBatches(pictures.length, new Random(method.seed), { epochs })) {
      const gradient = zeros(9, 5);
      for (const row of rows) {
        const scores = Float64Array.from(learnt, (s) =>
          dot(
            pictures[row],
            v.map((line) => dot(line, s)),
          ),
        );
        const slopes = new Float64Array(learnt.length);
        method.rank(slopes, scores, labels[row]);
        for (let j = 0; j < 9; j++)
          for (let k = 0; k < 5; k++)
            gradient[j][k] += slopes.reduce(
              (sum, slope, c) => sum + (slope * pictures[row][j] * learnt[c][k]) / rows.length,
              0,
            );
      }
      gradient.forEach((line, j) => {
        line.forEach((value, k) => {
          v[j][k] -= learningRate * step * value;
        });
      });
    }
    await method.fit(small, { backend });
    const expected = transpose(multiply(v, transpose(candidates)));
    expect(rowsOf(method.model_!.weights).flat()).toBeAllClose(expected.flat(), { tolerance: 1e-9 });
  });
});
