import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { linearDecisions } from '../../src/numerics/linear-model.js';
import { linearSvm } from '../../src/numerics/linear-svm.js';
import { privilegedSvm } from '../../src/numerics/privileged-svm.js';
import { add, identity, multiply, scale as scaled, solve, transpose } from '../learner/plain.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const random = new Random(17);
const [n, d, words] = [60, 4, 3];
const features = new Matrix(random.normalArray(n * d), n, d);
const text = new Matrix(random.uniformArray(n * words), n, words);
const targets = Matrix.from(Array.from({ length: n }, (_, i) => [features.at(i, 0) + random.normal() > 0 ? 1 : -1]));
const options = {
  text,
  cost: 0.4,
  positiveWeight: 2,
  textPenalty: 0.3,
  interceptScale: 0.5,
  tolerance: 1e-9,
  maxSweeps: 50_000,
};

describe('the support vector machine with privileged text', () => {
  it('is feasible and closes the gap between the primal and the dual objective', async () => {
    const model = await privilegedSvm(backend, features, targets, options);
    expect(model.converged).toBe(true);
    const values = linearDecisions(backend, model, features);
    const alpha = Array.from({ length: n }, (_, i) => model.duals.at(i, 0));
    const positives = Array.from({ length: n }, (_, i) => i).filter((i) => targets.at(i, 0) > 0);
    const negatives = Array.from({ length: n }, (_, i) => i).filter((i) => targets.at(i, 0) < 0);
    const { cost, positiveWeight, textPenalty, interceptScale } = options;
    // w̃ = A⁻¹ Σ αᵢ x̃ᵢ over positives, A = γI + 2C Σ pᵢ x̃ᵢx̃ᵢ′, by Gaussian elimination.
    const t = positives.map((i) => [...text.row(i), 1]);
    const a = add(
      scaled(identity(words + 1), textPenalty),
      scaled(multiply(transpose(t), t), 2 * cost * positiveWeight),
    );
    const pull = multiply(
      transpose(t),
      positives.map((i) => [alpha[i]]),
    );
    const slackWeights = solve(a, pull);
    const slacks = multiply(t, slackWeights).map(([value]) => value);

    let primal = model.intercepts[0] ** 2 / interceptScale ** 2 / 2;
    for (const weight of model.weights.row(0)) primal += weight ** 2 / 2;
    for (const [value] of slackWeights) primal += (textPenalty / 2) * value ** 2;
    positives.forEach((i, k) => {
      primal += cost * positiveWeight * slacks[k] ** 2;
      expect(values.at(i, 0)).toBeGreaterThan(1 - slacks[k] - 1e-6);
    });
    for (const i of negatives) primal += cost * Math.max(0, 1 + values.at(i, 0)) ** 2;

    const sum = new Float64Array(d + 1);
    let dual = 0;
    for (let i = 0; i < n; i++) {
      expect(alpha[i]).toBeGreaterThanOrEqual(0);
      dual += alpha[i];
      for (let j = 0; j < d; j++) sum[j] += alpha[i] * targets.at(i, 0) * features.at(i, j);
      sum[d] += alpha[i] * targets.at(i, 0) * interceptScale;
    }
    dual -= sum.reduce((total, value) => total + value ** 2, 0) / 2;
    dual -= multiply(transpose(pull), slackWeights)[0][0] / 2;
    for (const i of negatives) dual -= alpha[i] ** 2 / (4 * cost);
    expect(dual).toBeGreaterThan(1);
    expect(primal - dual).toBeLessThan(1e-6);
  });

  it('is the ordinary machine with squared slack where no picture has text', async () => {
    const plain = await privilegedSvm(backend, features, targets, { ...options, hasText: new Uint8Array(n) });
    const cost = targets.copy('float64');
    for (let i = 0; i < n; i++) cost.data[i] = cost.data[i] > 0 ? 0.8 : 0.4;
    const ordinary = await linearSvm(backend, features, targets, {
      cost,
      loss: 'squared-hinge',
      interceptScale: 0.5,
      tolerance: 1e-9,
      maxSweeps: 50_000,
    });
    expect(plain.weights).toBeAllClose(ordinary.weights, { tolerance: 1e-6 });
    expect(plain.intercepts).toBeAllClose(ordinary.intercepts, { tolerance: 1e-5 });
  });
});
