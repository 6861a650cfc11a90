/** What methods share whose answer is one linear decision function per category. */
import type { Backend, Matrix } from '../../linalg/index.js';
import { type LinearModel, linearDecisions, transposedModel } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type LinearDecision, type Method, notFitted, rowMaxima } from '../../problem/index.js';

export abstract class LinearMethod implements Method {
  model_: LinearModel | undefined;
  #backend: Backend | undefined;

  protected abstract learn(problem: Problem, options: FitOptions): Promise<LinearModel>;

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    this.model_ = undefined;
    this.model_ = await this.learn(problem, options);
    this.#backend = options.backend;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.model_ || !this.#backend) throw notFitted();
    return linearDecisions(this.#backend, this.model_, features);
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  linear(): LinearDecision | undefined {
    return this.model_ && transposedModel(this.model_);
  }
}
