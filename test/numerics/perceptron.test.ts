import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { Perceptron } from '../../src/numerics/perceptron.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const normal = (rows: number, cols: number, seed: number) =>
  new Matrix(new Random(seed).normalArray(rows * cols), rows, cols);

describe('the perceptron', () => {
  const network = new Perceptron(backend, [4, 6, 5, 3], { batch: 7, random: new Random(1), dtype: 'float64' });
  network.parameters.forEach((parameter, k) => {
    parameter.copyFrom(normal(parameter.rows, parameter.cols, 10 + k));
  });
  const [input, target] = [normal(7, 4, 2), normal(7, 3, 3)];
  const loss = (x: Matrix) => {
    const outputs = network.forward(x);
    let sum = 0;
    for (let k = 0; k < 21; k++) sum += (outputs.data[k] - target.data[k]) ** 2 / 2;
    return sum;
  };
  const slopes = () => {
    const outputs = network.forward(input).copy('float64');
    for (let k = 0; k < 21; k++) outputs.data[k] -= target.data[k];
    return outputs;
  };
  const numeric = (entry: { data: ArrayLike<number> & { [k: number]: number } }, k: number) => {
    const before = entry.data[k];
    entry.data[k] = before + 1e-6;
    const up = loss(input);
    entry.data[k] = before - 1e-6;
    const down = loss(input);
    entry.data[k] = before;
    return (up - down) / 2e-6;
  };

  it('has the gradients that finite differences have, by parameters and by inputs', () => {
    const inputSlopes = Matrix.zeros(7, 4);
    network.backward(slopes(), inputSlopes);
    const expected = network.parameters.map((parameter) =>
      Array.from({ length: parameter.rows * parameter.cols }, (_, k) => numeric(parameter, k)),
    );
    network.gradients.forEach((gradient, k) => {
      expect(gradient.copy('float64').data).toBeAllClose(expected[k], { tolerance: 1e-6 });
    });
    expect(inputSlopes.data).toBeAllClose(
      Array.from({ length: 28 }, (_, k) => numeric(input, k)),
      { tolerance: 1e-6 },
    );
  });

  it('adds gradients up until a step, and passes slopes on without learning when asked to', () => {
    const once = network.gradients.map((gradient) => gradient.copy('float64').data);
    network.backward(slopes());
    network.gradients.forEach((gradient, k) => {
      expect(gradient.copy('float64').data).toBeAllClose(
        once[k].map((value) => 2 * value),
        { tolerance: 1e-12 },
      );
    });
    const inputSlopes = Matrix.zeros(7, 4);
    network.backward(slopes(), inputSlopes, false);
    expect(network.gradients[0].at(0, 0)).toBeCloseTo(2 * once[0][0], 10);
    expect(backend.maxAbs(inputSlopes)).toBeGreaterThan(0);
  });

  it('takes a first step of the learning rate against the sign of the gradient, as Adam does', () => {
    const fresh = new Perceptron(backend, [4, 3], { batch: 7, random: new Random(1), dtype: 'float64' });
    const out = fresh.forward(input).copy('float64');
    expect(backend.maxAbs(out)).toBe(0);
    for (let k = 0; k < 21; k++) out.data[k] -= target.data[k];
    fresh.backward(out);
    const signs = Array.from(fresh.gradients[0].copy('float64').data, (value) => -0.01 * Math.sign(value));
    fresh.step(0.01);
    expect(fresh.parameters[0].copy('float64').data).toBeAllClose(signs, { tolerance: 1e-6 });
    expect(backend.maxAbs(fresh.gradients[0])).toBe(0);
    fresh.release();
  });

  it('learns a curve in single precision', () => {
    const learner = new Perceptron(backend, [1, 24, 1], { batch: 64, random: new Random(4) });
    const x = Matrix.zeros(64, 1, 'float32');
    for (let i = 0; i < 64; i++) x.data[i] = i / 16 - 2;
    const error = () => {
      const outputs = learner.forward(x).copy('float32');
      let sum = 0;
      for (let i = 0; i < 64; i++) {
        outputs.data[i] -= Math.sin(2 * x.data[i]);
        sum += outputs.data[i] ** 2 / 64;
        outputs.data[i] /= 64;
      }
      learner.backward(outputs);
      return sum;
    };
    const first = error();
    for (let step = 0; step < 1500; step++) {
      learner.step(0.01);
      error();
    }
    expect(error()).toBeLessThan(0.02 * first);
    learner.release();
  });

  it('refuses impossible sizes', () => {
    expect(() => new Perceptron(backend, [3], { batch: 1, random: new Random(1) })).toThrow(/sizes are \[3\]/);
  });
});
