import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { minimize } from '../../src/numerics/lbfgs.js';
import type { LinearModel } from '../../src/numerics/linear-model.js';
import { SoftmaxRegression, softmaxProbabilities, softmaxRegression } from '../../src/numerics/softmax.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const random = new Random(11);
const features = new Matrix(random.normalArray(40 * 5), 40, 5);
for (let i = 0; i < 40; i++) features.row(i)[0] += 3;
const targets = new Matrix(random.uniformArray(40 * 3), 40, 3);

/** −Σ t log p + decay/2 ‖W‖², written out. */
function objective({ weights, intercepts }: LinearModel, decay: number): number {
  let sum = 0;
  for (const weight of weights.data) sum += (decay / 2) * weight ** 2;
  for (let i = 0; i < features.rows; i++) {
    const values = Array.from(intercepts, (b, c) => weights.row(c).reduce((s, w, j) => s + w * features.at(i, j), b));
    const total = values.reduce((s, value) => s + Math.exp(value), 0);
    values.forEach((value, c) => {
      sum -= targets.at(i, c) * (value - Math.log(total));
    });
  }
  return sum;
}

describe('softmax regression', () => {
  it('is where no small change of a parameter lowers the objective', async () => {
    const model = await softmaxRegression(backend, features, targets, { decay: 0.2, tolerance: 1e-9 });
    const shifted = (k: number, by: number): LinearModel => {
      const weights = model.weights.copy('float64');
      const intercepts = Float64Array.from(model.intercepts);
      if (k < 15) weights.data[k] += by;
      else intercepts[k - 15] += by;
      return { weights, intercepts };
    };
    for (let k = 0; k < 18; k++)
      expect(Math.abs(objective(shifted(k, 1e-4), 0.2) - objective(shifted(k, -1e-4), 0.2)) / 2e-4).toBeLessThan(1e-6);
  });

  it('starts where a given model stands and says its probabilities', async () => {
    const model = await softmaxRegression(backend, features, targets, { decay: 0.2, tolerance: 1e-9 });
    const regression = new SoftmaxRegression(backend, features, 3, 0.2, model);
    expect(regression.model.weights).toBeAllClose(model.weights);
    expect(regression.model.intercepts).toBeAllClose(model.intercepts, { tolerance: 1e-10 });
    expect(regression.probabilities()).toBeAllClose(softmaxProbabilities(backend, model, features), {
      tolerance: 1e-10,
    });
    await regression.fit(targets, { tolerance: 1e-7, maxIterations: 0 });
    expect(regression.model.weights).toBeAllClose(model.weights);
    regression.release();
  });

  it('gives probabilities that sum to one however large the values are', () => {
    const model = {
      weights: Matrix.from([[1000], [-1000], [0]]) as Matrix<Float64Array>,
      intercepts: new Float64Array(3),
    };
    const probabilities = softmaxProbabilities(backend, model, Matrix.from([[1], [-1], [0]]));
    expect([...probabilities.row(0)]).toEqual([1, 0, 0]);
    expect([...probabilities.row(2)]).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });
});

describe('L-BFGS', () => {
  it('walks down the curved valley of Rosenbrock to its only minimum', async () => {
    const rosenbrock = (x: Float64Array, g: Float64Array) => {
      g.fill(0);
      let sum = 0;
      for (let k = 0; k + 1 < x.length; k++) {
        const bend = x[k + 1] - x[k] ** 2;
        sum += 100 * bend ** 2 + (1 - x[k]) ** 2;
        g[k] += -400 * x[k] * bend - 2 * (1 - x[k]);
        g[k + 1] += 200 * bend;
      }
      return sum;
    };
    const point = Float64Array.of(-1.2, 1, -0.5, 0.8);
    const result = await minimize(rosenbrock, point, { tolerance: 1e-9, maxIterations: 500 });
    expect(result.converged).toBe(true);
    expect(point).toBeAllClose([1, 1, 1, 1], { tolerance: 1e-8 });
  });

  it('stops when asked to', async () => {
    const controller = new AbortController();
    const slow = (x: Float64Array, g: Float64Array) => {
      x.forEach((value, k) => {
        g[k] = 4 * value ** 3;
      });
      return x.reduce((sum, value) => sum + value ** 4, 0);
    };
    const work = minimize(slow, Float64Array.of(3, 5), { tolerance: 0, maxIterations: 1e6, signal: controller.signal });
    controller.abort();
    await expect(work).rejects.toThrow(/abort/i);
  });
});
