import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { trainMachines } from '../../src/numerics/linear-machines.js';
import { LogisticLoss, type MachineLoss, SoftmaxLoss, SquaredHingeLoss } from '../../src/numerics/machine-losses.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const random = new Random(5);
const [n, d, categories] = [60, 7, 4];
const features = new Matrix(random.normalArray(n * d), n, d);
// A long common direction, as in features of a network, is what the preconditioner is for.
for (let i = 0; i < n; i++) features.row(i)[0] += 8;
const labels = Int32Array.from({ length: n }, () => random.integer(categories));
/** Categories × attributes. */
const attributes = Matrix.from([
  [1, 0, 1],
  [0, 0, 1],
  [0, 1, 1],
  [0, 1, 0],
]);
const decay = 0.3;

const sign = (i: number, k: number) => (attributes.at(labels[i], k) > 0 ? 1 : -1);
const cases: [string, MachineLoss, (scores: number[], i: number) => number][] = [
  [
    'logistic',
    new LogisticLoss(labels, attributes),
    (scores, i) => scores.reduce((sum, z, k) => sum + Math.log(1 + Math.exp(-sign(i, k) * z)), 0),
  ],
  [
    'squared hinge',
    new SquaredHingeLoss(labels, attributes),
    (scores, i) => scores.reduce((sum, z, k) => sum + Math.max(0, 1 - sign(i, k) * z) ** 2, 0),
  ],
  [
    'softmax',
    new SoftmaxLoss(labels, categories),
    (scores, i) => Math.log(scores.reduce((sum, z) => sum + Math.exp(z), 0)) - scores[labels[i]],
  ],
];

describe.each(cases)('linear machines with %s loss', (_, loss, lossOf) => {
  const objective = (weights: Matrix<Float64Array>) => {
    let total = 0;
    for (const weight of weights.data) total += (decay / 2) * weight ** 2;
    for (let i = 0; i < n; i++) {
      const scores = Array.from({ length: weights.rows }, (__, c) =>
        weights.row(c).reduce((sum, weight, j) => sum + weight * features.at(i, j), 0),
      );
      total += lossOf(scores, i);
    }
    return total;
  };
  const derivative = (weights: Matrix<Float64Array>, k: number) => {
    const moved = (by: number) => {
      const copy = weights.copy('float64');
      copy.data[k] += by;
      return objective(copy);
    };
    return (moved(1e-5) - moved(-1e-5)) / 2e-5;
  };

  it('end where no derivative of the objective is left', async () => {
    const weights = await trainMachines(backend, features, loss, { decay, tolerance: 1e-8, maxIterations: 200 });
    expect([weights.rows, weights.cols]).toEqual([loss.machines, d]);
    for (let k = 0; k < weights.data.length; k++) expect(Math.abs(derivative(weights, k))).toBeLessThan(1e-5);
    const zero = Matrix.zeros(weights.rows, d);
    expect(Math.abs(derivative(zero, 0))).toBeGreaterThan(1);
  });

  it('state slopes along a direction that finite differences confirm', () => {
    const scores = new Matrix(random.normalArray(n * loss.machines), n, loss.machines);
    const change = new Matrix(random.normalArray(n * loss.machines), n, loss.machines);
    const steps = new Float64Array(loss.machines).fill(0.7);
    const at = (step: number) => {
      let total = 0;
      for (let i = 0; i < n; i++)
        total += lossOf(
          Array.from(scores.row(i), (z, c) => z + step * change.at(i, c)),
          i,
        );
      return total;
    };
    const slopes = new Float64Array(loss.machines);
    const curvatures = new Float64Array(loss.machines);
    loss.along(slopes, curvatures, { scores, change, steps });
    const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
    expect(sum(slopes)).toBeCloseTo((at(0.7 + 1e-5) - at(0.7 - 1e-5)) / 2e-5, 4);
    expect(sum(curvatures)).toBeCloseTo((at(0.7 + 1e-4) - 2 * at(0.7) + at(0.7 - 1e-4)) / 1e-8, -1);
  });

  it('stop when they are told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(trainMachines(backend, features, loss, { decay, signal })).rejects.toThrow('enough');
  });
});
