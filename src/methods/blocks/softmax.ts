/**
 * Softmax regression, min over W and b of −Σᵢ Σ_c tᵢ_c log p_c(xᵢ) + decay/2 ‖W‖², p(x) ∝ exp(W x + b), with targets
 * t ≥ 0 that need not be one-hot nor sum to one (a row's sum is the instance's weight). Minimised over all instances at
 * once by L-BFGS; every evaluation is two matrix products.
 */
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { centred, columnMeans } from './centring.js';
import { minimise } from './lbfgs.js';
import { type LinearModel, linearDecisions } from './linear-model.js';
import { Workspace } from './workspace.js';

export interface SoftmaxOptions {
  /** Penalty on ‖W‖², at least 0. */
  decay: number;
  /** Where the search starts. @default all zero */
  start?: LinearModel;
  /** Largest entry of the gradient at which it stops. @default 1e-3 */
  tolerance?: number;
  /** @default 200 */
  maxIterations?: number;
  signal?: AbortSignal;
}

/** Features n×d, targets n×C; both are left as they are. */
export async function softmaxRegression(
  backend: Backend,
  features: Matrix,
  targets: Matrix,
  { decay, start, tolerance = 1e-3, maxIterations = 200, signal }: SoftmaxOptions,
): Promise<LinearModel> {
  if (!(decay >= 0)) throw new ArgumentError(`softmaxRegression: decay is ${decay}; it must be at least 0`);
  if (features.rows !== targets.rows)
    throw new ArgumentError(`softmaxRegression: ${features.rows} rows of features, ${targets.rows} rows of targets`);
  const layer = new SoftmaxLayer(backend, features, targets.cols);
  try {
    const point = layer.startFrom(start);
    const masses = Float64Array.from({ length: targets.rows }, (_, i) => sum(targets.row(i)));
    const objective = (parameters: Float64Array, gradient: Float64Array) => {
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
      return loss + layer.backward(parameters, gradient, decay);
    };
    await minimise(objective, point, { tolerance, maxIterations, signal });
    return layer.model(point);
  } finally {
    layer.release();
  }
}

/** n×C probabilities p(x) of a model. */
export function softmaxProbabilities(backend: Backend, model: LinearModel, features: Matrix): Matrix<Float64Array> {
  const values = linearDecisions(backend, model, features);
  for (let i = 0; i < values.rows; i++) normaliseExponentials(values.row(i));
  return values;
}

/** Each entry becomes its exponential's share of the row; the largest is subtracted first, so nothing overflows. */
export function normaliseExponentials(row: Float64Array): void {
  let most = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < row.length; c++) most = Math.max(most, row[c]);
  let total = 0;
  for (let c = 0; c < row.length; c++) total += row[c] = Math.exp(row[c] - most);
  for (let c = 0; c < row.length; c++) row[c] /= total;
}

/**
 * The map from parameters (W row by row, then b) to probabilities and back. Works on centred features, which changes
 * b alone and spares the optimiser the long common direction of CNN features.
 */
export class SoftmaxLayer {
  readonly #backend: Backend;
  readonly #workspace: Workspace;
  readonly #features: Matrix<Float64Array>;
  readonly #mean: Float64Array;
  readonly #values: Matrix<Float64Array>;
  readonly #weights: Matrix<Float64Array>;
  readonly #weightGradient: Matrix<Float64Array>;
  readonly categories: number;

  constructor(backend: Backend, features: Matrix, categories: number) {
    this.#backend = backend;
    this.#workspace = new Workspace(backend);
    this.#mean = columnMeans(features);
    this.#features = this.#workspace.copy(centred(features, this.#mean));
    this.#values = this.#workspace.matrix(features.rows, categories);
    this.#weights = this.#workspace.matrix(categories, features.cols);
    this.#weightGradient = this.#workspace.matrix(categories, features.cols);
    this.categories = categories;
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
      normaliseExponentials(row);
    }
    return this.#values;
  }

  /** Writes the gradient of loss + decay/2 ‖W‖² into the first entries of `gradient` and returns the penalty. */
  backward(parameters: Float64Array, gradient: Float64Array, decay: number): number {
    const size = this.categories * this.#features.cols;
    this.#backend.gemm(this.#weightGradient, this.#values, this.#features, { transposeA: true });
    gradient.set(this.#weightGradient.data.subarray(0, size));
    let squares = 0;
    for (let k = 0; k < size; k++) {
      squares += parameters[k] * parameters[k];
      gradient[k] += decay * parameters[k];
    }
    gradient.fill(0, size, size + this.categories);
    for (let i = 0; i < this.#values.rows; i++) {
      const row = this.#values.row(i);
      for (let c = 0; c < row.length; c++) gradient[size + c] += row[c];
    }
    return (decay / 2) * squares;
  }

  release(): void {
    this.#workspace.release();
  }
}

function sum(row: ArrayLike<number>): number {
  let total = 0;
  for (let c = 0; c < row.length; c++) total += row[c];
  return total;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let total = 0;
  for (let j = 0; j < a.length; j++) total += a[j] * b[j];
  return total;
}
