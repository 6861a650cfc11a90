/**
 * SVM+ (Vapnik and Vashist, "A new learning paradigm: learning using privileged information", Neural Networks 2009) on
 * web pictures with their titles and tags: one machine per category against the rest, whose positives may be
 * misclassified by w̃'x̃ᵢ + b̃, a linear function of the text alone. Problem and solver are in blocks/privileged-svm.ts.
 * Negatives keep ordinary slacks: their words describe other categories, and under one slack function for both sides the
 * category's own name would come to mean "hard to classify". Text enters as term frequencies of unit length, features less
 * the mean of the web pictures.
 */
import {
  centred,
  columnMeans,
  type LinearModel,
  labelTargets,
  privilegedSvm,
  uncentred,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb, unitText } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

export const svmPlusParameters = {
  cost: number('price of squared slack', 0.4, { above: 0, range: log(1e-2, 1e1) }),
  textPenalty: number('penalty on the slack function; towards 0 the text can excuse any picture', 0.1, {
    above: 0,
    range: log(1e-3, 1e1),
  }),
  positiveWeight: number('how much more the slack of a positive costs than that of a negative', 3, {
    above: 0,
    range: log(1, 10),
  }),
};

export class SvmPlus extends LinearMethod {
  readonly options: OptionsOf<typeof svmPlusParameters>;

  constructor(given: Partial<OptionsOf<typeof svmPlusParameters>> = {}) {
    super();
    this.options = resolveParameters('svm-plus', svmPlusParameters, given);
  }

  protected override async learn(problem: Problem, { backend, signal }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'svm-plus');
    const text = unitText(problem, 'svm-plus');
    const mean = columnMeans(problem.webFeatures);
    const targets = labelTargets(problem.webLabels, problem.testNames.length, { absent: -1 });
    const model = await privilegedSvm(backend, centred(problem.webFeatures, mean), targets, {
      text,
      cost: this.options.cost,
      textPenalty: this.options.textPenalty,
      positiveWeight: this.options.positiveWeight,
      interceptScale: 0.1,
      maxSweeps: 60,
      signal,
    });
    return uncentred(model, mean);
  }
}

export const svmPlusSpec: MethodSpec<typeof svmPlusParameters> = {
  name: 'svm-plus',
  title: 'SVM+',
  citation:
    'Vapnik and Vashist, A new learning paradigm: learning using privileged information, Neural Networks 2009; solver after Li, Dai, Tan, Xu and Van Gool, Fast algorithms for linear and kernel SVM+, CVPR 2016',
  uses: ['web', 'text'],
  setting: 'standard',
  parameters: svmPlusParameters,
  create: (options) => new SvmPlus(options),
};
