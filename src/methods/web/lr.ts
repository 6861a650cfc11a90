/**
 * The paper's basic baseline: a linear regressor from web features to one-hot labels, min Σᵢ ‖W xᵢ + b − yᵢ‖² +
 * ridge ‖W‖² over web pictures (Hoerl and Kennard, "Ridge regression", Technometrics 1970); the largest output decides.
 */
import type { FitOptions } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { type LinearModel, labelTargets } from '../blocks/linear-model.js';
import { positive } from '../blocks/parameters.js';
import { ridgeParameter, ridgeRegression } from '../blocks/ridge.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

export class LinearRegression extends LinearMethod {
  readonly ridge: number;

  constructor({ ridge = 0.5 }: { ridge?: number } = {}) {
    super();
    this.ridge = positive('lr', 'ridge', ridge);
  }

  protected override async learn(problem: Problem, { backend }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'lr');
    const targets = labelTargets(problem.webLabels, problem.testNames.length);
    return ridgeRegression(backend, problem.webFeatures, targets, { ridge: this.ridge });
  }
}

export const lrSpec: MethodSpec = {
  name: 'lr',
  title: 'LR',
  citation: 'Hoerl and Kennard, Ridge regression: biased estimation for nonorthogonal problems, Technometrics 1970',
  uses: ['web'],
  setting: 'standard',
  parameters: { ridge: ridgeParameter },
  create: (parameters) => new LinearRegression(parameters as { ridge?: number }),
};
