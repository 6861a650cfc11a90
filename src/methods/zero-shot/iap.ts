/**
 * IAP, indirect attribute prediction (Lampert, Nickisch and Harmeling, "Attribute-based classification for zero-shot
 * visual object categorization", TPAMI 2014): a classifier of auxiliary categories gives the chance of each attribute,
 * p(a_k | x) = Σ_y p(a_k | y) p(y | x) with p(a_k | y) = 0 or 1, then Bayes' rule as in DAP (attribute-posteriors.ts).
 * Dimensions of real-valued vectors are binarised at their mean over the auxiliary categories.
 */
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { type FitOptions, type Method, rowMaxima } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import type { LinearModel } from '../blocks/linear-model.js';
import { positive } from '../blocks/parameters.js';
import { softmaxProbabilities } from '../blocks/softmax.js';
import { withWorkspace } from '../blocks/workspace.js';
import type { MethodSpec } from '../spec.js';
import {
  type AttributePrior,
  attributeDecisions,
  type BinaryAttributes,
  binaryAttributes,
  requirePrior,
} from './attribute-posteriors.js';
import { gatherAuxiliary } from './auxiliary.js';
import { auxiliaryPosteriors } from './posteriors.js';

export interface IapParameters {
  decay?: number;
  prior?: AttributePrior;
}

export class Iap implements Method {
  readonly decay: number;
  readonly prior: AttributePrior;
  /** The classifier of auxiliary categories. */
  classifier_: LinearModel | undefined;
  #attributes: BinaryAttributes | undefined;
  #backend: Backend | undefined;

  constructor({ decay = 0.1, prior = 'empirical' }: IapParameters = {}) {
    this.decay = positive('iap', 'decay', decay);
    this.prior = requirePrior('iap', prior);
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    this.classifier_ = undefined;
    await withWorkspace(options.backend, async (workspace) => {
      const data = gatherAuxiliary(workspace, problem, 'iap', { centre: false });
      this.#attributes = binaryAttributes(data.classVectors, data.candidates);
      this.classifier_ = await auxiliaryPosteriors(data, this.decay, options);
    });
    this.#backend = options.backend;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.classifier_ || !this.#attributes || !this.#backend)
      throw new ArgumentError('decision values were asked for before fit', 'Call fit first.');
    const probabilities = softmaxProbabilities(this.#backend, this.classifier_, features);
    const chances = Matrix.zeros(features.rows, this.#attributes.learnt.cols);
    this.#backend.gemm(chances, probabilities, this.#attributes.learnt);
    return attributeDecisions(this.#backend, chances, this.#attributes, this.prior);
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

export const iapSpec: MethodSpec = {
  name: 'iap',
  title: 'IAP',
  citation:
    'Lampert, Nickisch and Harmeling, Attribute-based classification for zero-shot visual object categorization, TPAMI 2014',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters: {
    decay: {
      description: 'penalty on the squared weights of the category classifier',
      default: 0.1,
      range: { kind: 'log', low: 1e-2, high: 3 },
    },
    prior: {
      description: 'chance of an attribute before the picture is seen',
      default: 'empirical',
      range: { kind: 'choice', values: ['empirical', 'flat'] },
    },
  },
  create: (parameters) => new Iap(parameters as IapParameters),
};
