/**
 * The paper's basic baseline: a linear regressor from web features to one-hot labels, min Σᵢ ‖W xᵢ + b − yᵢ‖² +
 * ridge ‖W‖² over web pictures (Hoerl and Kennard, "Ridge regression", Technometrics 1970); the largest output decides.
 */
import { type LinearModel, labelTargets, ridgeRegression } from '../../numerics/index.js';
import { type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

const parameters = {
  ridge: ridgeParameter,
};

export class LinearRegression extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('lr', parameters, given);
  }

  protected override async learn(problem: Problem, { backend }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'lr');
    const targets = labelTargets(problem.webLabels, problem.testNames.length);
    return ridgeRegression(backend, problem.webFeatures, targets, { ridge: this.options.ridge });
  }
}

export const lrSpec: MethodSpec<typeof parameters> = {
  name: 'lr',
  title: 'LR',
  citation: 'Hoerl and Kennard, Ridge regression: biased estimation for nonorthogonal problems, Technometrics 1970',
  uses: ['web'],
  setting: 'standard',
  parameters,
  create: (options) => new LinearRegression(options),
};
