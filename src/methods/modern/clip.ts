/**
 * Zero-shot classification in a joint space of pictures and texts (Radford et al., "Learning transferable visual models from
 * natural language supervision", ICML 2021): cos(x, a_c) between a picture's embedding and that of the category's name.
 * Nothing is learnt; features and semantic vectors must come from the two towers of one model.
 */
import { ProblemError } from '../../errors.js';
import type { Backend, Matrix } from '../../linalg/index.js';
import { linearDecisions, unitRows } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import {
  type FitOptions,
  type Method,
  notFitted,
  requireLearnable,
  rowMaxima,
  stackRows,
} from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';

export class Clip implements Method {
  /** Unit vectors of the candidate categories, C×d. */
  categories_: Matrix<Float64Array> | undefined;
  #backend: Backend | undefined;

  async fit(problem: Problem, { backend, signal }: FitOptions): Promise<this> {
    signal?.throwIfAborted();
    requireLearnable(problem);
    const { testFeatures, testSemantics, auxiliarySemantics } = problem;
    if (testFeatures.cols !== testSemantics.cols)
      throw new ProblemError(
        'test_semantics',
        undefined,
        `the category vectors have ${testSemantics.cols} dimensions and the features ${testFeatures.cols}; clip compares them directly and needs both from one joint image-text model`,
        'Extract features and embed the category names with the same image-text model, or choose another zero-shot method.',
      );
    const candidates = problem.generalized ? stackRows(testSemantics, auxiliarySemantics) : testSemantics;
    this.categories_ = unitRows(candidates);
    this.#backend = backend;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.categories_ || !this.#backend) throw notFitted();
    const model = { weights: this.categories_, intercepts: new Float64Array(this.categories_.rows) };
    return linearDecisions(this.#backend, model, unitRows(features));
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

export const clipSpec: MethodSpec = {
  name: 'clip',
  title: 'CLIP zero-shot',
  citation: 'Radford et al., Learning transferable visual models from natural language supervision, ICML 2021',
  uses: ['semantics'],
  setting: 'both',
  parameters: {},
  create: () => new Clip(),
};
