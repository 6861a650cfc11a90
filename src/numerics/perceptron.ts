/**
 * A small multilayer perceptron: layers x ← φ(x W' + b), φ(z) = max(z, z/5) but for the last layer, which is linear.
 * Gradients by backpropagation, steps by Adam (Kingma and Ba 2015). Hidden weights start normal with variance 2/inputs (He,
 * Zhang, Ren and Sun 2015), those of the last layer at zero, so that no answer is preferred before anything is learnt.
 * `forward` keeps what `backward` needs, so the two go in pairs; gradients add up until `step`.
 */
import { ArgumentError } from '../errors.js';
import type { Backend, Dtype, Matrix, Random } from '../linalg/index.js';

export interface PerceptronOptions {
  /** Most rows of one forward pass. */
  batch: number;
  random: Random;
  /** @default 'float32', where products run twice as fast */
  dtype?: Dtype;
}

interface Layer {
  /** outputs × inputs */
  weights: Matrix;
  /** 1 × outputs */
  intercepts: Matrix;
  weightGradient: Matrix;
  interceptGradient: Matrix;
  /** Adam's running means of the gradient and its square. */
  means: Matrix[];
  squares: Matrix[];
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
  readonly #layers: Layer[];
  readonly #owned: Matrix[] = [];
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
    this.#layers = sizes.slice(1).map((outputs, k) => {
      const inputs = sizes[k];
      const weights = this.#matrix(outputs, inputs);
      const deviation = k === sizes.length - 2 ? 0 : Math.sqrt(2 / inputs);
      for (let e = 0; e < outputs * inputs; e++) weights.data[e] = deviation * random.normal();
      const pair = () => [this.#matrix(outputs, inputs), this.#matrix(1, outputs)];
      return {
        weights,
        intercepts: this.#matrix(1, outputs),
        weightGradient: this.#matrix(outputs, inputs),
        interceptGradient: this.#matrix(1, outputs),
        means: pair(),
        squares: pair(),
        outputs: this.#matrix(batch, outputs),
        slopes: this.#matrix(batch, outputs),
      };
    });
  }

  /** Weights and intercepts of every layer, the ones that learn. */
  get parameters(): readonly Matrix[] {
    return this.#layers.flatMap(({ weights, intercepts }) => [weights, intercepts]);
  }

  /** Gradients in the order of `parameters`. */
  get gradients(): readonly Matrix[] {
    return this.#layers.flatMap(({ weightGradient, interceptGradient }) => [weightGradient, interceptGradient]);
  }

  /** Outputs of the input's rows, in storage of the network; the input must stay as it is until `backward`. */
  forward(input: Matrix): Matrix {
    this.#input = input;
    let x = input;
    this.#layers.forEach((layer, k) => {
      const z = layer.outputs.view(0, input.rows);
      this.#backend.gemm(z, x, layer.weights, { transposeB: true });
      const last = k === this.#layers.length - 1;
      const intercepts = layer.intercepts.data;
      const { data } = z;
      const width = z.cols;
      for (let i = 0, e = 0; i < z.rows; i++)
        for (let j = 0; j < width; j++, e++) {
          const value = data[e] + intercepts[j];
          data[e] = last || value > 0 ? value : leak * value;
        }
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
        this.#backend.gemm(layer.weightGradient, slopes, below, { transposeA: true, beta: 1 });
        const sums = layer.interceptGradient.data;
        const { data, cols } = slopes;
        for (let i = 0, e = 0; i < rows; i++) for (let j = 0; j < cols; j++, e++) sums[j] += data[e];
      }
      if (k > 0) {
        const next = this.#layers[k - 1].slopes.view(0, rows);
        this.#backend.gemm(next, slopes, layer.weights);
        const [under, over] = [below.data, next.data];
        for (let e = 0, end = rows * next.cols; e < end; e++) if (under[e] <= 0) over[e] *= leak;
      } else if (inputSlopes) this.#backend.gemm(inputSlopes, slopes, layer.weights);
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
    for (const layer of this.#layers)
      for (const part of [0, 1]) {
        const values = (part === 0 ? layer.weights : layer.intercepts).data;
        const gradient = (part === 0 ? layer.weightGradient : layer.interceptGradient).data;
        const keep = part === 0 ? 1 - rate * decay : 1;
        const [mean, square] = [layer.means[part].data, layer.squares[part].data];
        for (let e = 0, end = layer.means[part].rows * layer.means[part].cols; e < end; e++) {
          const slope = gradient[e];
          mean[e] = keepMean * mean[e] + (1 - keepMean) * slope;
          square[e] = keepSquare * square[e] + (1 - keepSquare) * slope * slope;
          const move = (rate * meanScale * mean[e]) / (Math.sqrt(squareScale * square[e]) + least);
          values[e] = keep * values[e] - move;
          gradient[e] = 0;
        }
      }
  }

  release(): void {
    for (const matrix of this.#owned.splice(0)) this.#backend.release(matrix);
  }

  #matrix(rows: number, cols: number): Matrix {
    const matrix = this.#backend.matrix(rows, cols, this.dtype);
    this.#owned.push(matrix);
    return matrix;
  }
}
