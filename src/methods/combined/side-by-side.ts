/**
 * The paper's combinations for the generalized setting: a web method for the test categories, learnt from web pictures
 * alone, and beside it a linear regressor for the auxiliary categories, min Σᵢ ‖W xᵢ + b − yᵢ‖² + ridge ‖W‖² over their
 * clean pictures. Neither has seen the other's categories and their values differ in kind, so each is put on one scale,
 * (v − mean)/deviation over all values given to the test pictures of the fit; `balance` is added to those of test
 * categories. The larger value decides.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import {
  type LinearModel,
  labelTargets,
  linearDecisions,
  ridgeRegression,
  type Scale,
  scaleOf,
  standardized,
} from '../../numerics/index.js';
import { changed, linear, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type LinearDecision, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import { readLinearThrough } from '../blocks/linear-decision.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import { requireWeb } from '../blocks/web-problem.js';

export const sideBySideParameters = {
  ridge: changed(ridgeParameter, {
    description: 'penalty on the squared weights of the regressor of auxiliary categories',
  }),
  balance: number('added to the standardized values of test categories', 0, { range: linear(-2, 2) }),
};

export class SideBySide implements Method {
  readonly name: string;
  readonly web: Method;
  readonly options: OptionsOf<typeof sideBySideParameters>;
  /** The regressor of the auxiliary categories. */
  auxiliary_: LinearModel | undefined;
  /** Of the values of test and of auxiliary categories. */
  scales_: readonly [Scale, Scale] | undefined;
  #backend: Backend | undefined;

  constructor(name: string, web: Method, given: Partial<OptionsOf<typeof sideBySideParameters>> = {}) {
    this.name = name;
    this.web = web;
    this.options = resolveParameters(name, sideBySideParameters, given);
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    const { backend, signal } = options;
    signal?.throwIfAborted();
    requireWeb(problem, this.name, 'generalized');
    this.scales_ = undefined;
    const { testLabels: _, ...unlabelled } = problem;
    await this.web.fit({ ...unlabelled, generalized: false }, options);
    signal?.throwIfAborted();
    const targets = labelTargets(problem.auxiliaryLabels, problem.auxiliaryNames.length);
    this.auxiliary_ = ridgeRegression(backend, problem.auxiliaryFeatures, targets, { ridge: this.options.ridge });
    this.#backend = backend;
    this.scales_ = [
      scaleOf(this.web.decisionValues(problem.testFeatures)),
      scaleOf(linearDecisions(backend, this.auxiliary_, problem.testFeatures)),
    ];
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.scales_ || !this.auxiliary_ || !this.#backend) throw notFitted();
    const test = standardized(this.web.decisionValues(features), this.scales_[0]);
    for (let k = 0; k < test.data.length; k++) test.data[k] += this.options.balance;
    const auxiliary = standardized(linearDecisions(this.#backend, this.auxiliary_, features), this.scales_[1]);
    const values = Matrix.zeros(features.rows, test.cols + auxiliary.cols);
    values.view(0, values.rows, 0, test.cols).copyFrom(test);
    values.view(0, values.rows, test.cols).copyFrom(auxiliary);
    return values;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  linear(): LinearDecision | undefined {
    return readLinearThrough(this.web, (features) => this.decisionValues(features));
  }
}
