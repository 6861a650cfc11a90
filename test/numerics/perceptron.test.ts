import { describe, expect, it } from 'vitest';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { Perceptron } from '../../src/numerics/perceptron.js';
import { KernelPasses } from '../../src/numerics/perceptron-kernels.js';
import { LoopPasses, type PerceptronPasses } from '../../src/numerics/perceptron-passes.js';
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

describe('the passes of a perceptron', () => {
  /** What is left in the matrices of a pass over so many rows and columns, in an odd place of larger ones. */
  const outcome = (passes: PerceptronPasses, rows: number, cols: number): number[] => {
    const filled = (height: number, seed: number) => {
      const matrix = passes.matrix(height, cols).copyFrom(normal(height, cols, seed));
      // Zeros of both signs are not above zero.
      matrix.data.set([0, -0].slice(0, matrix.data.length));
      return matrix;
    };
    const [z, over, under] = [1, 2, 3].map((seed) => filled(rows + 1, seed).view(1, rows + 1));
    const [intercepts, sums] = [4, 5].map((seed) => filled(1, seed));
    const [values, gradients, means, squares] = [6, 7, 8, 9].map((seed) => filled(rows, seed));
    for (let e = 0; e < rows * cols; e++) squares.data[e] **= 2;
    passes.addAndBend(z, intercepts, 0.2);
    passes.bendBack(over, under, 0.2);
    passes.addRows(sums, over);
    const adam = { keepMean: 0.9, keepSquare: 0.999, keep: 0.995, rate: 3e-3, squareScale: 1.7, least: 1e-8 };
    for (let k = 0; k < 2; k++) passes.step({ values, gradients, means, squares }, adam);
    const found = [z, over, sums, values, gradients, means, squares].flatMap((matrix) =>
      Array.from(matrix.data.subarray(0, matrix.rows * matrix.cols)),
    );
    passes.release();
    return found;
  };

  it.each([
    [1, 1],
    [3, 2],
    [2, 4],
    [5, 7],
    [9, 33],
  ])('leave the same bits as kernels and as loops, on %i rows of %i columns', (rows, cols) => {
    const [kernels, loops] = [new KernelPasses(), new LoopPasses(backend, 'float32')];
    expect(outcome(kernels, rows, cols)).toEqual(outcome(loops, rows, cols));
  });

  it('begin with zeros in memory that other networks gave back', () => {
    const first = new KernelPasses();
    first.matrix(3, 5).fill(1);
    first.release();
    const second = new KernelPasses();
    expect(Array.from(second.matrix(3, 5).data)).toEqual(Array(15).fill(0));
    second.release();
  });

  it('keep a network where it is while another one takes and gives memory', () => {
    const [first, second] = [new KernelPasses(), new KernelPasses()];
    const kept = first.matrix(2, 3).fill(7);
    second.matrix(1000, 1000).fill(1);
    second.release();
    const third = new KernelPasses();
    third.matrix(4, 4).fill(2);
    expect(Array.from(kept.data)).toEqual(Array(6).fill(7));
    first.release();
    third.release();
  });
});
