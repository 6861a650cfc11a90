/**
 * ConSE (Norouzi, Mikolov, Bengio, Singer, Shlens, Frome, Corrado and Dean, "Zero-shot learning by convex combination of
 * semantic embeddings", ICLR 2014): a picture's vector is Σ_t p(y_t | x) s_{y_t} over its T likeliest auxiliary
 * categories; the candidate at the smallest angle wins. Vectors are used as they are given. p(y | x) is a softmax
 * regression on the given features in place of the paper's network.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import {
  type LinearModel,
  linearDecisions,
  SoftmaxLoss,
  softmaxProbabilities,
  trainMachines,
  unitRows,
  withScratch,
} from '../../numerics/index.js';
import { integers, log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { gatherAuxiliary, pictureProducts } from './auxiliary.js';

const parameters = {
  decay: number('penalty on the squared weights of the classifier', 0.1, { above: 0, range: log(1e-2, 3) }),
  combined: whole('auxiliary categories combined, T', 10, { range: integers(1, 20) }),
};

export class Conse implements Method {
  readonly options: OptionsOf<typeof parameters>;
  /** The classifier of auxiliary categories. */
  classifier_: LinearModel | undefined;
  #vectors: Matrix<Float64Array> | undefined;
  #candidates: Matrix<Float64Array> | undefined;
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    this.options = resolveParameters('conse', parameters, given);
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    this.classifier_ = undefined;
    await withScratch(options.backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'conse', { centre: false });
      const loss = new SoftmaxLoss(data.labels, data.counts.length);
      const weights = await trainMachines(options.backend, data.features, loss, {
        decay: this.options.decay,
        products: pictureProducts(scratch, data, loss.typicalCurvature),
        signal: options.signal,
        onIteration: (done) => options.onProgress?.({ done }),
      });
      this.classifier_ = { weights, intercepts: new Float64Array(weights.rows) };
      this.#vectors = unitRows(data.classVectors);
      this.#candidates = unitRows(data.candidates);
    });
    this.#backend = options.backend;
    return this;
  }

  /** n×m convex combinations of auxiliary vectors. */
  semanticsOf(features: Matrix): Matrix<Float64Array> {
    if (!this.classifier_ || !this.#vectors || !this.#backend) throw notFitted();
    const probabilities = softmaxProbabilities(this.#backend, this.classifier_, features);
    for (let i = 0; i < probabilities.rows; i++) keepLargest(probabilities.row(i), this.options.combined);
    const semantics = Matrix.zeros(features.rows, this.#vectors.cols);
    this.#backend.gemm(semantics, probabilities, this.#vectors);
    return semantics;
  }

  /** Cosines of the angles to the candidates. */
  decisionValues(features: Matrix): Matrix {
    const semantics = unitRows(this.semanticsOf(features));
    const candidates = this.#candidates!;
    const model = { weights: candidates, intercepts: new Float64Array(candidates.rows) };
    return linearDecisions(this.#backend!, model, semantics);
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

/** Zeroes all but the `count` largest entries and divides these by their sum. */
function keepLargest(row: Float64Array, count: number): void {
  const threshold = count < row.length ? Float64Array.from(row).sort()[row.length - count] : 0;
  let total = 0;
  for (let c = 0; c < row.length; c++) total += row[c] >= threshold ? row[c] : 0;
  for (let c = 0; c < row.length; c++) row[c] = row[c] >= threshold ? row[c] / total : 0;
}

export const conseSpec: MethodSpec<typeof parameters> = {
  name: 'conse',
  title: 'ConSE',
  citation:
    'Norouzi, Mikolov, Bengio, Singer, Shlens, Frome, Corrado and Dean, Zero-shot learning by convex combination of semantic embeddings, ICLR 2014',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options) => new Conse(options),
};
