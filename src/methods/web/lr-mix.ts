/**
 * The paper's LR_mix for the generalized setting: one linear regressor per category, test categories from web pictures
 * and auxiliary ones from their clean pictures, fitted together: min Σᵢ ‖W xᵢ + b − yᵢ‖² + ridge ‖W‖² over both kinds
 * of pictures and all categories.
 */
import { type LinearModel, labelTargets, ridgeRegression } from '../../numerics/index.js';
import { changed, log, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import { mixedLabels, requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

const parameters = {
  ridge: changed(ridgeParameter, { default: 0.02, range: log(1e-3, 1e1) }),
};

export class MixedLinearRegression extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('lr-mix', parameters, given);
  }

  protected override async learn(problem: Problem, { backend }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'lr-mix', 'generalized');
    const features = stackRows(problem.webFeatures, problem.auxiliaryFeatures);
    const categories = problem.testNames.length + problem.auxiliaryNames.length;
    const targets = labelTargets(mixedLabels(problem), categories);
    return ridgeRegression(backend, features, targets, { ridge: this.options.ridge });
  }
}

export const lrMixSpec: MethodSpec<typeof parameters> = {
  name: 'lr-mix',
  title: 'LR_mix',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018',
  uses: ['web', 'auxiliary'],
  setting: 'generalized',
  parameters,
  create: (options) => new MixedLinearRegression(options),
};
