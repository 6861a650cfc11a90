/** How sure answers may be: the factor and the doubt that make known labels likely. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, createBackend, Matrix, Random } from '../../../src/linalg/index.js';
import { likeliestFactor, likeliestSureness } from '../../../src/methods/bowerbird/likelihood.js';
import { backends } from '../../linalg/backends.js';

/** Labels drawn from softmax(factor · scores), a share of them from nothing at all. */
function drawn(n: number, factor: number, doubt: number, seed: number) {
  const random = new Random(seed);
  const scores = Matrix.zeros(n, 5);
  for (let k = 0; k < scores.data.length; k++) scores.data[k] = 3 * random.normal();
  const labels = Int32Array.from({ length: n }, (_, i) => {
    if (random.uniform() < doubt) return Math.floor(5 * random.uniform());
    const weights = Array.from(scores.row(i), (score) => Math.exp(factor * score));
    let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    return weights.findIndex((weight) => {
      left -= weight;
      return left <= 0;
    });
  });
  return { scores, labels };
}

describe.each(backends)('the factor under which labels are likeliest, on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it('is that of the smallest loss, folders of any size together', () => {
    const sets = [drawn(40, 0.7, 0.05, 1), drawn(300, 0.7, 0.05, 2), { scores: Matrix.zeros(0, 5), labels: [] }];
    const loss = (factor: number) =>
      sets.reduce(
        (total, { scores, labels }) =>
          Array.from(labels).reduce((sum, label, i) => {
            const row = Array.from(scores.row(i), (score) => factor * score);
            return sum + Math.log(row.reduce((all, value) => all + Math.exp(value), 0)) - row[label];
          }, total),
        0,
      );
    const grid = Array.from({ length: 600 }, (_, k) => 0.05 * 1.01 ** k);
    const best = grid.reduce((a, b) => (loss(b) < loss(a) ? b : a));
    const found = likeliestFactor(backend, sets, 0.05, 15);
    expect(Math.abs(Math.log(found / best))).toBeLessThan(0.03);
    expect(loss(found)).toBeLessThan(loss(best) + 0.01);
  });
});

describe('how sure answers may be', () => {
  it('finds the factor and the doubt that labels were drawn with', () => {
    for (const [factor, doubt] of [
      [0.5, 0],
      [1, 0.1],
      [1.5, 0.2],
    ]) {
      const found = likeliestSureness([drawn(3000, factor, doubt, 4)]);
      expect(found.factor / factor).toBeGreaterThan(0.8);
      expect(found.factor / factor).toBeLessThan(1.25);
      expect(Math.abs(found.doubt - doubt)).toBeLessThan(0.06);
    }
  });

  it('takes a few clear mistakes for doubt, where the factor alone would make all answers unsure', async () => {
    const backend = await createBackend({ device: 'wasm' });
    const { scores } = drawn(200, 1, 0, 5);
    for (let k = 0; k < scores.data.length; k++) scores.data[k] *= 10;
    const labels = Int32Array.from({ length: 200 }, (_, i) => {
      const row = Array.from(scores.row(i));
      return i < 6 ? row.indexOf(Math.min(...row)) : row.indexOf(Math.max(...row));
    });
    const alone = likeliestFactor(backend, [{ scores, labels }], 0.01, 2);
    backend.dispose();
    const together = likeliestSureness([{ scores, labels }]);
    expect(alone).toBeLessThan(0.2);
    expect(together.factor).toBeGreaterThan(3 * alone);
    expect(together.doubt).toBeGreaterThan(0.015);
    expect(together.doubt).toBeLessThan(0.11);
  });

  it('says how likely the labels are then: the mean logarithm of their chances', () => {
    const sets = [drawn(30, 1, 0.1, 7), drawn(50, 1, 0.1, 8)];
    const { factor, doubt, likelihood } = likeliestSureness(sets);
    const logarithms = sets.flatMap(({ scores, labels }) =>
      Array.from(labels, (label, i) => {
        const chances = Array.from(scores.row(i), (score) => Math.exp(factor * score));
        const chance = chances[label] / chances.reduce((sum, value) => sum + value, 0);
        return Math.log((1 - doubt) * chance + doubt / 5);
      }),
    );
    expect(likelihood).toBeCloseTo(logarithms.reduce((sum, value) => sum + value, 0) / 80, 10);
  });

  it('is never surer than the number of pictures allows, and unsure without any', () => {
    const { scores } = drawn(20, 1, 0, 6);
    const labels = Int32Array.from({ length: 20 }, (_, i) => {
      const row = Array.from(scores.row(i));
      return row.indexOf(Math.max(...row));
    });
    expect(likeliestSureness([{ scores, labels }]).doubt).toBeGreaterThanOrEqual(1 / 22);
    expect(likeliestSureness([])).toMatchObject({ factor: 0.5, doubt: 0.5 });
  });
});
