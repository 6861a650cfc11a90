/**
 * DAP, direct attribute prediction (Lampert, Nickisch and Harmeling, "Attribute-based classification for zero-shot
 * visual object categorization", TPAMI 2014): one logistic regression an attribute, trained on pictures that inherit
 * the attributes of their category, then Bayes' rule over the attributes of each candidate (attribute-posteriors.ts).
 * Dimensions of real-valued vectors are binarized at their mean over the auxiliary categories.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { type LinearModel, LogisticLoss, linearDecisions, trainMachines, withScratch } from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type LinearDecision, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import { readLinear } from '../blocks/linear-decision.js';
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
  decay: number('penalty on the squared weights of the attribute classifiers', 0.1, { above: 0, range: log(1e-2, 3) }),
  prior: priorParameter,
};

export class Dap implements Method {
  readonly options: OptionsOf<typeof parameters>;
  /** One logistic regression an attribute. */
  classifiers_: LinearModel | undefined;
  #attributes: BinaryAttributes | undefined;
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    this.options = resolveParameters('dap', parameters, given);
  }

  async fit(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<this> {
    signal?.throwIfAborted();
    this.classifiers_ = undefined;
    await withScratch(backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'dap', { centre: false });
      const attributes = binaryAttributes(data.classVectors, data.candidates);
      const loss = new LogisticLoss(data.labels, attributes.learnt);
      const weights = await trainMachines(backend, data.features, loss, {
        decay: this.options.decay,
        products: pictureProducts(scratch, data, loss.typicalCurvature),
        signal,
        onIteration: (done) => onProgress?.({ done }),
      });
      this.classifiers_ = { weights, intercepts: new Float64Array(weights.rows) };
      this.#attributes = attributes;
    });
    this.#backend = backend;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.classifiers_ || !this.#attributes || !this.#backend) throw notFitted();
    const chances = linearDecisions(this.#backend, this.classifiers_, features);
    for (let k = 0; k < chances.data.length; k++) chances.data[k] = 1 / (1 + Math.exp(-chances.data[k]));
    return attributeDecisions(this.#backend, chances, this.#attributes, this.options.prior);
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  /** But for chances within 10⁻⁶ of certainty, which count as that far from it. */
  linear(): LinearDecision | undefined {
    return this.classifiers_ && readLinear((features) => this.decisionValues(features), this.classifiers_.weights.cols);
  }
}

export const dapSpec: MethodSpec<typeof parameters> = {
  name: 'dap',
  title: 'DAP',
  citation: lampert2014,
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options) => new Dap(options),
};
