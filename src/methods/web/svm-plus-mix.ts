/**
 * The paper's SVM+_mix for the generalized setting: SVM+ for each test category, whose web pictures have text, and an
 * ordinary machine for each auxiliary category, whose clean pictures have none; every machine sees all pictures of all
 * categories. Problem and solver are in numerics/privileged-svm.ts and numerics/linear-svm.ts; both have the hinge loss.
 */
import {
  centred,
  columnMeans,
  type LinearModel,
  labelTargets,
  linearSvm,
  privilegedSvm,
  uncentred,
} from '../../numerics/index.js';
import { changed, log, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { mixedLabels, requireWeb, unitText } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';
import { svmPlusParameters } from './svm-plus.js';

const parameters = {
  ...svmPlusParameters,
  cost: changed(svmPlusParameters.cost, { default: 1 }),
  textPenalty: changed(svmPlusParameters.textPenalty, { default: 0.1 }),
  sweeps: changed(svmPlusParameters.sweeps, { default: 30 }),
  positiveWeight: changed(svmPlusParameters.positiveWeight, { default: 8, range: log(1, 30) }),
};

export class MixedSvmPlus extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('svm-plus-mix', parameters, given);
  }

  protected override async learn(problem: Problem, { backend, signal }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'svm-plus-mix', 'generalized');
    const features = stackRows(problem.webFeatures, problem.auxiliaryFeatures);
    const hasText = new Uint8Array(features.rows).fill(1, 0, problem.webFeatures.rows);
    const mean = columnMeans(features);
    const categories = problem.testNames.length + problem.auxiliaryNames.length;
    const targets = labelTargets(mixedLabels(problem), categories, { absent: -1 });
    const pictures = centred(features, mean);
    const split = problem.testNames.length;
    const columns = (from: number, to: number) => targets.view(0, targets.rows, from, to).copy('float64');
    const settled = { interceptScale: 0.1, tolerance: 0.1, maxSweeps: this.options.sweeps, signal };
    const own = await privilegedSvm(backend, pictures, columns(0, split), {
      text: unitText(problem, 'svm-plus-mix'),
      hasText,
      ...this.options,
      ...settled,
    });
    const clean = columns(split, categories);
    const cost = clean.copy('float64');
    for (let k = 0; k < cost.data.length; k++)
      cost.data[k] = cost.data[k] > 0 ? this.options.cost * this.options.positiveWeight : this.options.cost;
    const ordinary = await linearSvm(backend, pictures, clean, { cost, ...settled });
    const model = {
      weights: stackRows(own.weights, ordinary.weights).copy('float64'),
      intercepts: Float64Array.of(...own.intercepts, ...ordinary.intercepts),
    };
    return uncentred(model, mean);
  }
}

export const svmPlusMixSpec: MethodSpec<typeof parameters> = {
  name: 'svm-plus-mix',
  title: 'SVM+_mix',
  citation:
    'Niu, Veeraraghavan and Sabharwal, Fine-grained classification using heterogeneous web data and auxiliary categories, 2018; SVM+ of Vapnik and Vashist 2009',
  uses: ['web', 'auxiliary', 'text'],
  setting: 'generalized',
  parameters,
  create: (options) => new MixedSvmPlus(options),
};
