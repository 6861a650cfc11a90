/**
 * A small multilayer perceptron: layers x ← φ(x W' + b), φ(z) = max(z, z/5) but for the last layer, which is linear.
 * Gradients by backpropagation, steps by Adam (Kingma and Ba 2015). Hidden weights start normal with variance 2/inputs (He,
 * Zhang, Ren and Sun 2015), those of the last layer at zero, so that no answer is preferred before anything is learnt.
 * `forward` keeps what `backward` needs, so the two go in pairs; gradients add up until `step`.
 */
import { ArgumentError } from '../errors.js';
import type { Backend, Dtype, Matrix, Random } from '../linalg/index.js';
import { type AdamState, type PerceptronPasses, perceptronPasses } from './perceptron-passes.js';

export interface PerceptronOptions {
  /** Most rows of one forward pass. */
  batch: number;
  random: Random;
  /** @default 'float32', where products run twice as fast */
  dtype?: Dtype;
}

interface Layer {
  /** outputs × inputs */
  weights: AdamState;
  /** 1 × outputs */
  intercepts: AdamState;
  outputs: Matrix;
  /** dLoss/dz of the layer. */
  slopes: Matrix;
}

/** φ'(z) for z < 0. */
const leak = 0.2;

export class Perceptron {
  readonly sizes: readonly number[];
  readonly dtype: Dtype;
  readonly #backend: Backend;
  readonly #passes: PerceptronPasses;
  readonly #layers: Layer[];
  #input: Matrix | undefined;
  #steps = 0;

  /** @param sizes inputs, units of the hidden layers, outputs */
  constructor(backend: Backend, sizes: readonly number[], { batch, random, dtype = 'float32' }: PerceptronOptions) {
    if (sizes.length < 2 || sizes.some((size) => !Number.isInteger(size) || size < 1))
      throw new ArgumentError(
        `Perceptron: sizes are [${sizes.join(', ')}]; it needs two or more whole numbers above 0`,
      );
    this.#backend = backend;
    this.sizes = sizes;
    this.dtype = dtype;
    this.#passes = perceptronPasses(backend, dtype);
    this.#layers = sizes.slice(1).map((outputs, k) => {
      const inputs = sizes[k];
      const weights = this.#learnt(outputs, inputs);
      const deviation = k === sizes.length - 2 ? 0 : Math.sqrt(2 / inputs);
      for (let e = 0; e < outputs * inputs; e++) weights.values.data[e] = deviation * random.normal();
      return {
        weights,
        intercepts: this.#learnt(1, outputs),
        outputs: this.#passes.matrix(batch, outputs),
        slopes: this.#passes.matrix(batch, outputs),
      };
    });
  }

  /** Weights and intercepts of every layer, the ones that learn. */
  get parameters(): readonly Matrix[] {
    return this.#layers.flatMap(({ weights, intercepts }) => [weights.values, intercepts.values]);
  }

  /** Gradients in the order of `parameters`. */
  get gradients(): readonly Matrix[] {
    return this.#layers.flatMap(({ weights, intercepts }) => [weights.gradients, intercepts.gradients]);
  }

  /** Outputs of the input's rows, in storage of the network; the input must stay as it is until `backward`. */
  forward(input: Matrix): Matrix {
    this.#input = input;
    let x = input;
    this.#layers.forEach((layer, k) => {
      const z = layer.outputs.view(0, input.rows);
      this.#backend.gemm(z, x, layer.weights.values, { transposeB: true });
      this.#passes.addAndBend(z, layer.intercepts.values, k === this.#layers.length - 1 ? 1 : leak);
      x = z;
    });
    return x;
  }

  /**
   * Given dLoss/dOutputs of the last `forward`, adds the gradient by the parameters and writes that by the inputs.
   * @param learn false leaves the parameters' gradients alone: the network only passes slopes on
   */
  backward(outputSlopes: Matrix, inputSlopes?: Matrix, learn = true): void {
    const input = this.#input!;
    const rows = input.rows;
    for (let k = this.#layers.length - 1; k >= 0; k--) {
      const layer = this.#layers[k];
      const slopes = layer.slopes.view(0, rows);
      if (k === this.#layers.length - 1) slopes.copyFrom(outputSlopes);
      const below = k === 0 ? input : this.#layers[k - 1].outputs.view(0, rows);
      if (learn) {
        this.#backend.gemm(layer.weights.gradients, slopes, below, { transposeA: true, beta: 1 });
        this.#passes.addRows(layer.intercepts.gradients, slopes);
      }
      if (k > 0) {
        const next = this.#layers[k - 1].slopes.view(0, rows);
        this.#backend.gemm(next, slopes, layer.weights.values);
        this.#passes.bendBack(next, below, leak);
      } else if (inputSlopes) this.#backend.gemm(inputSlopes, slopes, layer.weights.values);
    }
  }

  /**
   * One step of Adam along the gradients added up so far, which then start again from zero.
   * @param decay weights shrink by this share of the rate as well (Loshchilov and Hutter 2019)
   */
  step(rate: number, decay = 0): void {
    const [keepMean, keepSquare, least] = [0.9, 0.999, 1e-8];
    this.#steps++;
    const meanScale = 1 / (1 - keepMean ** this.#steps);
    const squareScale = 1 / (1 - keepSquare ** this.#steps);
    const adam = { keepMean, keepSquare, rate: rate * meanScale, squareScale, least };
    for (const { weights, intercepts } of this.#layers) {
      this.#passes.step(weights, { ...adam, keep: 1 - rate * decay });
      this.#passes.step(intercepts, { ...adam, keep: 1 });
    }
  }

  release(): void {
    this.#passes.release();
  }

  #learnt(rows: number, cols: number): AdamState {
    const [values, gradients, means, squares] = [0, 1, 2, 3].map(() => this.#passes.matrix(rows, cols));
    return { values, gradients, means, squares };
  }
}
