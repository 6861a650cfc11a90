import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { linearDecisions } from '../../src/numerics/linear-model.js';
import { linearSvm } from '../../src/numerics/linear-svm.js';
import { privilegedSvm } from '../../src/numerics/privileged-svm.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const random = new Random(17);
const [n, d, words] = [40, 4, 3];
const features = new Matrix(random.normalArray(n * d), n, d);
const text = new Matrix(random.uniformArray(n * words), n, words);
const targets = Matrix.from(Array.from({ length: n }, (_, i) => [features.at(i, 0) + random.normal() > 0 ? 1 : -1]));
const options = {
  text,
  cost: 0.4,
  positiveWeight: 2,
  textPenalty: 0.3,
  interceptScale: 0.5,
  tolerance: 1e-8,
  maxSweeps: 200_000,
};
const costOf = (i: number) => (targets.at(i, 0) > 0 ? 0.8 : 0.4);

describe.each(['one', 'by-sign'] as const)('the machine with privileged text, slack functions: %s', (functions) => {
  it('is feasible for both signs and closes the gap between the primal and the dual objective', async () => {
    const model = await privilegedSvm(backend, features, targets, { ...options, functions });
    expect(model.converged).toBe(true);
    const values = linearDecisions(backend, model, features);
    const { textPenalty, interceptScale } = options;
    const groupOf = (i: number) => (functions === 'by-sign' && targets.at(i, 0) < 0 ? 1 : 0);
    // w and w̃ once more, from the dual variables alone.
    const w = new Float64Array(d + 1);
    const correction = [0, 1].map(() => new Float64Array(words + 1));
    let dual = 0;
    for (let i = 0; i < n; i++) {
      const [alpha, beta] = [model.duals.at(i, 0), model.slackDuals.at(i, 0)];
      expect(Math.min(alpha, beta)).toBeGreaterThanOrEqual(0);
      dual += alpha;
      for (let j = 0; j < d; j++) w[j] += alpha * targets.at(i, 0) * features.at(i, j);
      w[d] += alpha * targets.at(i, 0) * interceptScale;
      const pull = (alpha + beta - costOf(i)) / textPenalty;
      for (let j = 0; j < words; j++) correction[groupOf(i)][j] += pull * text.at(i, j);
      correction[groupOf(i)][words] += pull;
    }
    const squares = (vector: Float64Array) => vector.reduce((sum, value) => sum + value ** 2, 0);
    const half = squares(w) / 2 + (textPenalty / 2) * (squares(correction[0]) + squares(correction[1]));
    let primal = half;
    dual -= half;
    for (let i = 0; i < n; i++) {
      const own = correction[groupOf(i)];
      let slack = own[words];
      for (let j = 0; j < words; j++) slack += own[j] * text.at(i, j);
      expect(slack).toBeGreaterThan(-1e-6);
      expect(targets.at(i, 0) * values.at(i, 0)).toBeGreaterThan(1 - slack - 1e-6);
      primal += costOf(i) * slack;
    }
    expect(dual).toBeGreaterThan(1);
    expect(Math.abs(primal - dual)).toBeLessThan(1e-5);
  });
});

describe('the machine with privileged text', () => {
  it('is the ordinary machine with hinge loss where no picture has text', async () => {
    const plain = await privilegedSvm(backend, features, targets, { ...options, hasText: new Uint8Array(n) });
    const cost = targets.copy('float64');
    for (let i = 0; i < n; i++) cost.data[i] = costOf(i);
    const ordinary = await linearSvm(backend, features, targets, {
      cost,
      interceptScale: 0.5,
      tolerance: 1e-8,
      maxSweeps: 200_000,
    });
    expect(plain.weights).toBeAllClose(ordinary.weights, { tolerance: 1e-5 });
    expect(plain.intercepts).toBeAllClose(ordinary.intercepts, { tolerance: 1e-5 });
  });

  it('beats every ordinary machine where the text knows the slacks of the true separator', async () => {
    // Vapnik's oracle: whoever is told each picture's slack under the true separator needs far fewer pictures to find it.
    const dimensions = 12;
    const draw = (from: Random, pictures: number) => {
      const x = new Matrix(from.normalArray(pictures * dimensions), pictures, dimensions);
      const truth = Float64Array.from({ length: pictures }, (_, i) => Math.sign(x.at(i, 0)));
      return { x, truth };
    };
    const scores = { privileged: 0, ordinary: [0, 0, 0, 0, 0] };
    const costs = [0.01, 0.1, 1, 10, 100];
    const right = (values: Matrix, truth: Float64Array) =>
      truth.reduce((sum, sign, i) => sum + (sign * values.at(i, 0) > 0 ? 1 / truth.length : 0), 0);
    const draws = 12;
    for (let seed = 1; seed <= draws; seed++) {
      const from = new Random(seed, 40);
      const [train, test] = [draw(from, 50), draw(from, 400)];
      // A quarter of the labels of both signs is wrong.
      const labels = Matrix.from(Array.from(train.truth, (sign) => [from.uniform() < 0.25 ? -sign : sign]));
      const oracle = Matrix.from(
        Array.from(train.truth, (_, i) => [Math.max(0, 1 - labels.at(i, 0) * 3 * train.x.at(i, 0))]),
      );
      const settled = { interceptScale: 1, tolerance: 1e-3, maxSweeps: 4000 };
      const plus = await privilegedSvm(backend, train.x, labels, {
        ...{ text: oracle, cost: 1, positiveWeight: 1, textPenalty: 0.1 },
        ...settled,
      });
      scores.privileged += right(linearDecisions(backend, plus, test.x), test.truth) / draws;
      for (const [k, cost] of costs.entries()) {
        const svm = await linearSvm(backend, train.x, labels, { cost, ...settled });
        scores.ordinary[k] += right(linearDecisions(backend, svm, test.x), test.truth) / draws;
      }
    }
    expect(scores.privileged).toBeGreaterThan(Math.max(...scores.ordinary) + 0.1);
    expect(scores.privileged).toBeGreaterThan(0.9);
  });
});
