/**
 * What a perceptron does besides products, element by element: φ(z + b), the way back through φ, sums over rows, steps of Adam.
 * Loops over matrices of any backend; kernels that do the same are in perceptron-kernels.ts.
 */
import type { Backend, Dtype, Matrix } from '../linalg/index.js';
import { KernelPasses } from './perceptron-kernels.js';

/** θ ← keep θ − rate · m/(√(squareScale · v) + least), m and v being running means of the gradient and its square. */
export interface AdamStep {
  readonly keepMean: number;
  readonly keepSquare: number;
  readonly keep: number;
  readonly rate: number;
  readonly squareScale: number;
  readonly least: number;
}

/** What Adam knows of some parameters; matrices of one shape. */
export interface AdamState {
  readonly values: Matrix;
  readonly gradients: Matrix;
  readonly means: Matrix;
  readonly squares: Matrix;
}

/** All matrices come from `matrix`, or are rows of such. */
export interface PerceptronPasses {
  matrix(rows: number, cols: number): Matrix;
  /** Every row of z ← φ(row + intercepts), φ(z) = z above zero and slope · z elsewhere. */
  addAndBend(z: Matrix, intercepts: Matrix, slope: number): void;
  /** Over ← slope · over, where under is not above zero. */
  bendBack(over: Matrix, under: Matrix, slope: number): void;
  /** Sums ← sums + all rows of a. */
  addRows(sums: Matrix, a: Matrix): void;
  /** Gradients are zero afterwards. */
  step(state: AdamState, step: AdamStep): void;
  /** Gives all matrices back. */
  release(): void;
}

export function perceptronPasses(backend: Backend, dtype: Dtype): PerceptronPasses {
  return backend.device === 'native' && dtype === 'float32' ? new KernelPasses() : new LoopPasses(backend, dtype);
}

export class LoopPasses implements PerceptronPasses {
  readonly #backend: Backend;
  readonly #dtype: Dtype;
  readonly #owned: Matrix[] = [];

  constructor(backend: Backend, dtype: Dtype) {
    this.#backend = backend;
    this.#dtype = dtype;
  }

  matrix(rows: number, cols: number): Matrix {
    const matrix = this.#backend.matrix(rows, cols, this.#dtype);
    this.#owned.push(matrix);
    return matrix;
  }

  addAndBend({ data, rows, cols }: Matrix, { data: intercepts }: Matrix, slope: number): void {
    for (let i = 0, e = 0; i < rows; i++)
      for (let j = 0; j < cols; j++, e++) {
        const value = data[e] + intercepts[j];
        data[e] = value > 0 ? value : slope * value;
      }
  }

  bendBack({ data: over, rows, cols }: Matrix, { data: under }: Matrix, slope: number): void {
    for (let e = 0, end = rows * cols; e < end; e++) if (under[e] <= 0) over[e] *= slope;
  }

  addRows({ data: sums }: Matrix, { data, rows, cols }: Matrix): void {
    for (let i = 0, e = 0; i < rows; i++) for (let j = 0; j < cols; j++, e++) sums[j] += data[e];
  }

  step(state: AdamState, { keepMean, keepSquare, keep, rate, squareScale, least }: AdamStep): void {
    const [values, gradient] = [state.values.data, state.gradients.data];
    const [mean, square] = [state.means.data, state.squares.data];
    for (let e = 0, end = state.values.rows * state.values.cols; e < end; e++) {
      const slope = gradient[e];
      mean[e] = keepMean * mean[e] + (1 - keepMean) * slope;
      square[e] = keepSquare * square[e] + (1 - keepSquare) * slope * slope;
      const move = (rate * mean[e]) / (Math.sqrt(squareScale * square[e]) + least);
      values[e] = keep * values[e] - move;
      gradient[e] = 0;
    }
  }

  release(): void {
    for (const matrix of this.#owned.splice(0)) this.#backend.release(matrix);
  }
}
