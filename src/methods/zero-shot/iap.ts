/**
 * IAP, indirect attribute prediction (Lampert, Nickisch and Harmeling, "Attribute-based classification for zero-shot
 * visual object categorization", TPAMI 2014): a classifier of auxiliary categories gives the chance of each attribute,
 * p(a_k | x) = Σ_y p(a_k | y) p(y | x) with p(a_k | y) = 0 or 1, then Bayes' rule as in DAP (attribute-posteriors.ts).
 * p(y | x) comes from one logistic regression a category, against all others, their chances divided by their sum.
 * Dimensions of real-valued vectors are binarized at their mean over the auxiliary categories.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import {
  type LinearModel,
  LogisticLoss,
  labelTargets,
  linearDecisions,
  trainMachines,
  withScratch,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import {
  attributeDecisions,
  type BinaryAttributes,
  binaryAttributes,
  lampert2014,
  priorParameter,
} from './attribute-posteriors.js';
import { gatherAuxiliary, pictureProducts } from './auxiliary.js';

const parameters = {
  decay: number('penalty on the squared weights of the category classifier', 0.1, { above: 0, range: log(3e-2, 3) }),
  prior: priorParameter,
};

export class Iap implements Method {
  readonly options: OptionsOf<typeof parameters>;
  /** One logistic regression an auxiliary category. */
  classifier_: LinearModel | undefined;
  #attributes: BinaryAttributes | undefined;
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    this.options = resolveParameters('iap', parameters, given);
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    this.classifier_ = undefined;
    await withScratch(options.backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'iap', { centre: false });
      this.#attributes = binaryAttributes(data.classVectors, data.candidates);
      const own = Int32Array.from(data.counts.keys());
      const loss = new LogisticLoss(data.labels, labelTargets(own, own.length));
      const weights = await trainMachines(options.backend, data.features, loss, {
        decay: this.options.decay,
        products: pictureProducts(scratch, data, loss.typicalCurvature),
        // Few pictures are of any one category: learning that takes most of the first gradient and none of the time.
        tolerance: 5e-3,
        signal: options.signal,
        onIteration: (done) => options.onProgress?.({ done }),
      });
      this.classifier_ = { weights, intercepts: new Float64Array(weights.rows) };
    });
    this.#backend = options.backend;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.classifier_ || !this.#attributes || !this.#backend) throw notFitted();
    const probabilities = linearDecisions(this.#backend, this.classifier_, features);
    for (let i = 0; i < probabilities.rows; i++) normalizeLogistic(probabilities.row(i));
    const chances = Matrix.zeros(features.rows, this.#attributes.learnt.cols);
    this.#backend.gemm(chances, probabilities, this.#attributes.learnt);
    return attributeDecisions(this.#backend, chances, this.#attributes, this.options.prior);
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

/** Scores of one-versus-rest logistic regressions become chances that sum to one. */
function normalizeLogistic(row: Float64Array): void {
  let total = 0;
  for (let c = 0; c < row.length; c++) total += row[c] = 1 / (1 + Math.exp(-row[c]));
  for (let c = 0; c < row.length; c++) row[c] /= total || 1;
}

export const iapSpec: MethodSpec<typeof parameters> = {
  name: 'iap',
  title: 'IAP',
  citation: lampert2014,
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options) => new Iap(options),
};
