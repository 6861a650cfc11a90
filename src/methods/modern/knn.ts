/**
 * k nearest web pictures by Euclidean distance, the i-th neighbour voting for its label with weight
 * (d_{k+1} − dᵢ)/(d_{k+1} − d_1) (Dudani, "The distance-weighted k-nearest-neighbor rule", 1976), so that the nearest votes with
 * one and a neighbour as far as the first one left out with nothing.
 */
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { Scratch, smallest } from '../../numerics/index.js';
import { integers, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

/** Pictures answered by one matrix product. */
const batch = 1024;

const parameters = {
  k: whole('neighbours that vote', 20, { range: integers(1, 60) }),
};

export class NearestNeighbours implements Method {
  readonly options: OptionsOf<typeof parameters>;
  features_: Matrix<Float64Array> | undefined;
  labels_: Int32Array | undefined;
  #categories = 0;
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    this.options = resolveParameters('knn', parameters, given);
  }

  async fit(problem: Problem, { backend, signal }: FitOptions): Promise<this> {
    signal?.throwIfAborted();
    requireWeb(problem, 'knn');
    this.features_ = problem.webFeatures.copy('float64');
    this.labels_ = problem.webLabels.slice();
    this.#categories = problem.testNames.length;
    this.#backend = backend;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    const { features_: known, labels_: labels } = this;
    if (!known || !labels || !this.#backend) throw notFitted();
    if (features.cols !== known.cols)
      throw new ArgumentError(
        `the features have ${features.cols} dimensions, the model was learnt with ${known.cols}`,
        'Use features of the same vision model and layer as in the fit.',
      );
    const votes = Matrix.zeros(features.rows, this.#categories);
    const scratch = new Scratch(this.#backend);
    try {
      const here = scratch.copy(known);
      const squares = new Float64Array(known.rows);
      this.#backend.rowDots(squares, here, here);
      const products = scratch.matrix(Math.min(batch, features.rows), known.rows);
      for (let first = 0; first < features.rows; first += batch) {
        const rows = features.view(first, Math.min(features.rows, first + batch)).copy('float64');
        const part = products.view(0, rows.rows);
        this.#backend.gemm(part, rows, here, { transposeB: true });
        for (let i = 0; i < rows.rows; i++) {
          const own = rows.row(i).reduce((sum, value) => sum + value * value, 0);
          const distances = part.row(i).map((value, j) => Math.sqrt(Math.max(0, own + squares[j] - 2 * value)));
          vote(votes.row(first + i), distances, labels, Math.min(this.options.k, known.rows));
        }
      }
      return votes;
    } finally {
      scratch.release();
    }
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

function vote(out: Float64Array, distances: Float64Array, labels: Int32Array, k: number): void {
  const order = smallest(distances, Math.min(k + 1, distances.length));
  const nearest = distances[order[0]];
  const farthest = distances[order[Math.min(k, order.length - 1)]];
  for (const i of order.subarray(0, k))
    out[labels[i]] += farthest > nearest ? (farthest - distances[i]) / (farthest - nearest) : 1;
}

export const knnSpec: MethodSpec<typeof parameters> = {
  name: 'knn',
  title: 'k nearest neighbours',
  citation: 'Dudani, The distance-weighted k-nearest-neighbor rule, IEEE Trans. Systems, Man and Cybernetics 1976',
  uses: ['web'],
  setting: 'standard',
  parameters,
  create: (options) => new NearestNeighbours(options),
};
