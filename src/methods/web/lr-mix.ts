/**
 * The paper's LR_mix for the generalized setting: one linear regressor per category, test categories from web pictures
 * and auxiliary ones from their clean pictures, fitted together: min Σᵢ ‖W xᵢ + b − yᵢ‖² + ridge ‖W‖² over both kinds
 * of pictures and all categories.
 */
import type { FitOptions } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { stackRows } from '../../problem/rows.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { type LinearModel, labelTargets } from '../blocks/linear-model.js';
import { positive } from '../blocks/parameters.js';
import { ridgeParameter, ridgeRegression } from '../blocks/ridge.js';
import { mixedLabels, requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

export class MixedLinearRegression extends LinearMethod {
  readonly ridge: number;

  constructor({ ridge = 0.02 }: { ridge?: number } = {}) {
    super();
    this.ridge = positive('lr-mix', 'ridge', ridge);
  }

  protected override async learn(problem: Problem, { backend }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'lr-mix', 'generalized');
    const features = stackRows(problem.webFeatures, problem.auxiliaryFeatures);
    const categories = problem.testNames.length + problem.auxiliaryNames.length;
    const targets = labelTargets(mixedLabels(problem), categories);
    return ridgeRegression(backend, features, targets, { ridge: this.ridge });
  }
}

export const lrMixSpec: MethodSpec = {
  name: 'lr-mix',
  title: 'LR_mix',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary'],
  setting: 'generalized',
  parameters: {
    ridge: { ...ridgeParameter, default: 0.02, range: { kind: 'log', low: 1e-3, high: 1e1 } },
  },
  create: (parameters) => new MixedLinearRegression(parameters as { ridge?: number }),
};
