/**
 * The paper's SVM+_mix for the generalized setting: SVM+ for each test category, whose web pictures have text, and an
 * ordinary machine for each auxiliary category, whose clean pictures have none; every machine sees all pictures of all
 * categories. Problem and solver are in blocks/privileged-svm.ts.
 */
import {
  centred,
  columnMeans,
  type LinearModel,
  labelTargets,
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
    const model = await privilegedSvm(backend, centred(features, mean), targets, {
      text: unitText(problem, 'svm-plus-mix'),
      hasText,
      cost: this.options.cost,
      textPenalty: this.options.textPenalty,
      positiveWeight: this.options.positiveWeight,
      interceptScale: 0.1,
      tolerance: 0.1,
      maxSweeps: 15,
      signal,
    });
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
