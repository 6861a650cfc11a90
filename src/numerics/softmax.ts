/**
 * Softmax regression, min over W and b of −Σᵢ Σ_c tᵢ_c log p_c(xᵢ) + decay/2 ‖W‖², p(x) ∝ exp(W x + b), with targets
 * t ≥ 0 that need not be one-hot nor sum to one (a row's sum is the instance's weight). Minimized over all instances at
 * once by L-BFGS; every evaluation is two matrix products.
 */
import { ArgumentError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { centred, columnMeans } from './centring.js';
import { minimize } from './lbfgs.js';
import { type LinearModel, linearDecisions } from './linear-model.js';
import { dot } from './products.js';
import { Scratch } from './scratch.js';

export interface SoftmaxFitOptions {
  /** Largest entry of the gradient at which it stops. @default 0.01 */
  tolerance?: number;
  /** @default 200 */
  maxIterations?: number;
  signal?: AbortSignal;
}

export interface SoftmaxOptions extends SoftmaxFitOptions {
  /** Penalty on ‖W‖², above 0. */
  decay: number;
}

/** Features n×d, targets n×C; both are left as they are. */
export async function softmaxRegression(
  backend: Backend,
  features: Matrix,
  targets: Matrix,
  { decay, ...options }: SoftmaxOptions,
): Promise<LinearModel> {
  const regression = new SoftmaxRegression(backend, features, targets.cols, decay);
  try {
    await regression.fit(targets, options);
    return regression.model;
  } finally {
    regression.release();
  }
}

/** A regression that is fitted again and again to changing targets, each time from where it stands. */
export class SoftmaxRegression {
  readonly decay: number;
  readonly #layer: SoftmaxLayer;
  readonly #point: Float64Array;
  readonly #precondition: (vector: Float64Array) => void;

  constructor(backend: Backend, features: Matrix, categories: number, decay: number, start?: LinearModel) {
    if (!(decay > 0)) throw new ArgumentError(`softmaxRegression: decay is ${decay}; it must be above 0`);
    this.decay = decay;
    this.#layer = new SoftmaxLayer(backend, features, categories);
    this.#point = this.#layer.startFrom(start);
    this.#precondition = this.#layer.preconditioner(decay);
  }

  async fit(targets: Matrix, { tolerance = 0.01, maxIterations = 200, signal }: SoftmaxFitOptions = {}): Promise<void> {
    const layer = this.#layer;
    if (targets.rows !== layer.rows)
      throw new ArgumentError(`softmaxRegression: ${layer.rows} rows of features, ${targets.rows} rows of targets`);
    const masses = Float64Array.from({ length: targets.rows }, (_, i) => sum(targets.row(i)));
    const objective = (parameters: Float64Array, gradient: Float64Array, bound: number) => {
      const probabilities = layer.forward(parameters);
      let loss = 0;
      for (let i = 0; i < probabilities.rows; i++) {
        const p = probabilities.row(i);
        const t = targets.row(i);
        for (let c = 0; c < p.length; c++) {
          if (t[c] > 0) loss -= t[c] * Math.log(Math.max(p[c], Number.MIN_VALUE));
          p[c] = masses[i] * p[c] - t[c];
        }
      }
      const value = loss + layer.penalty(parameters, this.decay);
      if (!(value > bound)) layer.backward(parameters, gradient, this.decay);
      return value;
    };
    await minimize(objective, this.#point, { tolerance, maxIterations, precondition: this.#precondition, signal });
  }

  get model(): LinearModel {
    return this.#layer.model(this.#point);
  }

  /** p(x) of the regression's own pictures, n×C. */
  probabilities(): Matrix<Float64Array> {
    return this.#layer.forward(this.#point).copy('float64');
  }

  /** decay/2 ‖W‖² */
  get penalty(): number {
    const { weights } = this.model;
    let squares = 0;
    for (const weight of weights.data) squares += weight * weight;
    return (this.decay / 2) * squares;
  }

  release(): void {
    this.#layer.release();
  }
}

/** n×C probabilities p(x) of a model. */
export function softmaxProbabilities(backend: Backend, model: LinearModel, features: Matrix): Matrix<Float64Array> {
  const values = linearDecisions(backend, model, features);
  for (let i = 0; i < values.rows; i++) softmaxInPlace(values.row(i));
  return values;
}

/** Each entry becomes its exponential's share of the row; the largest is subtracted first, so nothing overflows. */
export function softmaxInPlace(row: Float64Array): void {
  let most = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < row.length; c++) most = Math.max(most, row[c]);
  let total = 0;
  for (let c = 0; c < row.length; c++) total += row[c] = Math.exp(row[c] - most);
  for (let c = 0; c < row.length; c++) row[c] /= total;
}

/** log Σ exp(values), −∞ where all are. */
export function logSumExp(values: Float64Array): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < values.length; k++) if (values[k] > most) most = values[k];
  if (most === Number.NEGATIVE_INFINITY) return most;
  let sum = 0;
  // Below, terms are lost in the rounding of the sum.
  for (let k = 0; k < values.length; k++) {
    const away = values[k] - most;
    if (away > -60) sum += away === 0 ? 1 : Math.exp(away);
  }
  return most + Math.log(sum);
}

/**
 * The map from parameters (W row by row, then b) to probabilities and back. Works on centred features, which changes
 * b alone and spares the optimizer the long common direction of CNN features.
 */
export class SoftmaxLayer {
  readonly #backend: Backend;
  readonly #scratch: Scratch;
  readonly #features: Matrix<Float64Array>;
  readonly #mean: Float64Array;
  readonly #values: Matrix<Float64Array>;
  readonly #weights: Matrix<Float64Array>;
  readonly #weightGradient: Matrix<Float64Array>;
  readonly categories: number;

  constructor(backend: Backend, features: Matrix, categories: number) {
    this.#backend = backend;
    this.#scratch = new Scratch(backend);
    this.#mean = columnMeans(features);
    this.#features = this.#scratch.copy(centred(features, this.#mean));
    this.#values = this.#scratch.matrix(features.rows, categories);
    this.#weights = this.#scratch.matrix(categories, features.cols);
    this.#weightGradient = this.#scratch.matrix(categories, features.cols);
    this.categories = categories;
  }

  get rows(): number {
    return this.#features.rows;
  }

  get parameterCount(): number {
    return this.categories * (this.#features.cols + 1);
  }

  /** Parameters of a model, or zeros. */
  startFrom(model?: LinearModel): Float64Array {
    const point = new Float64Array(this.parameterCount);
    if (!model) return point;
    const size = this.categories * this.#features.cols;
    point.set(model.weights.data.subarray(0, size));
    for (let c = 0; c < this.categories; c++)
      point[size + c] = model.intercepts[c] + dot(model.weights.row(c), this.#mean);
    return point;
  }

  model(parameters: Float64Array): LinearModel {
    const size = this.categories * this.#features.cols;
    const weights = new Matrix(parameters.slice(0, size), this.categories, this.#features.cols);
    const intercepts = parameters.slice(size, size + this.categories);
    for (let c = 0; c < this.categories; c++) intercepts[c] -= dot(weights.row(c), this.#mean);
    return { weights, intercepts };
  }

  /** n×C probabilities, in storage of this layer: the caller replaces them by dLoss/dValues before `backward`. */
  forward(parameters: Float64Array): Matrix<Float64Array> {
    const size = this.categories * this.#features.cols;
    this.#weights.data.set(parameters.subarray(0, size));
    this.#backend.gemm(this.#values, this.#features, this.#weights, { transposeB: true });
    for (let i = 0; i < this.#values.rows; i++) {
      const row = this.#values.row(i);
      for (let c = 0; c < row.length; c++) row[c] += parameters[size + c];
      softmaxInPlace(row);
    }
    return this.#values;
  }

  /** decay/2 ‖W‖² */
  penalty(parameters: Float64Array, decay: number): number {
    const size = this.categories * this.#features.cols;
    let squares = 0;
    for (let k = 0; k < size; k++) squares += parameters[k] * parameters[k];
    return (decay / 2) * squares;
  }

  /** Writes the gradient of loss + decay/2 ‖W‖² into the first entries of `gradient`. */
  backward(parameters: Float64Array, gradient: Float64Array, decay: number): void {
    const size = this.categories * this.#features.cols;
    this.#backend.gemm(this.#weightGradient, this.#values, this.#features, { transposeA: true });
    gradient.set(this.#weightGradient.data.subarray(0, size));
    for (let k = 0; k < size; k++) gradient[k] += decay * parameters[k];
    gradient.fill(0, size, size + this.categories);
    for (let i = 0; i < this.#values.rows; i++) {
      const row = this.#values.row(i);
      for (let c = 0; c < row.length; c++) gradient[size + c] += row[c];
    }
  }

  /**
   * Divides by κX'X + decay I and, for intercepts, by κn, with κ = (1 − 1/C)/C the curvature of even probabilities: the
   * Hessian where the search starts, up to the coupling of categories. Entries behind the layer's own are left alone.
   */
  preconditioner(decay: number): (vector: Float64Array) => void {
    const [n, d] = [this.#features.rows, this.#features.cols];
    const curvature = (1 - 1 / this.categories) / this.categories;
    const system = this.#scratch.matrix(d, d);
    this.#backend.syrk(system, this.#features, { transpose: true, alpha: curvature });
    this.#backend.addDiagonal(system, decay);
    this.#backend.cholesky(system);
    const size = this.categories * d;
    const rows = this.#scratch.matrix(this.categories, d);
    return (vector) => {
      rows.data.set(vector.subarray(0, size));
      this.#backend.choleskySolve(system, rows, 'rows');
      vector.set(rows.data.subarray(0, size));
      for (let c = 0; c < this.categories; c++) vector[size + c] /= Math.max(curvature * n, Number.MIN_VALUE);
    };
  }

  release(): void {
    this.#scratch.release();
  }
}

function sum(row: ArrayLike<number>): number {
  let total = 0;
  for (let c = 0; c < row.length; c++) total += row[c];
  return total;
}
