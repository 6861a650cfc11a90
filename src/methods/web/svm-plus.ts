/**
 * SVM+ (Vapnik and Vashist, "A new learning paradigm: learning using privileged information", Neural Networks 2009) on
 * web pictures with their titles and tags: one machine per category against the rest, whose positives may be
 * misclassified by w̃'x̃ᵢ + b̃, a linear function of the text alone. Problem and solver are in blocks/privileged-svm.ts.
 * Negatives keep ordinary slacks: their words describe other categories, and under one slack function for both sides the
 * category's own name would come to mean "hard to classify". Text enters as term frequencies of unit length, features less
 * the mean of the web pictures.
 */
import type { FitOptions } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { centred, columnMeans, uncentred } from '../blocks/centring.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { type LinearModel, labelTargets } from '../blocks/linear-model.js';
import { positive } from '../blocks/parameters.js';
import { privilegedSvm } from '../blocks/privileged-svm.js';
import { requireWeb, unitText } from '../blocks/web-problem.js';
import type { MethodSpec, ParameterSpec } from '../spec.js';

export interface SvmPlusParameters {
  cost?: number;
  textPenalty?: number;
  positiveWeight?: number;
}

export class SvmPlus extends LinearMethod {
  readonly cost: number;
  readonly textPenalty: number;
  readonly positiveWeight: number;

  constructor({ cost = 0.4, textPenalty = 0.1, positiveWeight = 3 }: SvmPlusParameters = {}) {
    super();
    this.cost = positive('svm-plus', 'cost', cost);
    this.textPenalty = positive('svm-plus', 'textPenalty', textPenalty);
    this.positiveWeight = positive('svm-plus', 'positiveWeight', positiveWeight);
  }

  protected override async learn(problem: Problem, { backend, signal }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'svm-plus');
    const text = unitText(problem, 'svm-plus');
    const mean = columnMeans(problem.webFeatures);
    const targets = labelTargets(problem.webLabels, problem.testNames.length, { absent: -1 });
    const model = await privilegedSvm(backend, centred(problem.webFeatures, mean), targets, {
      text,
      cost: this.cost,
      textPenalty: this.textPenalty,
      positiveWeight: this.positiveWeight,
      interceptScale: 0.1,
      maxSweeps: 60,
      signal,
    });
    return uncentred(model, mean);
  }
}

export const svmPlusParameters: Readonly<Record<keyof SvmPlusParameters, ParameterSpec>> = {
  cost: {
    description: 'price of squared slack',
    default: 0.4,
    range: { kind: 'log', low: 1e-2, high: 1e1 },
  },
  textPenalty: {
    description: 'penalty on the slack function; towards 0 the text can excuse any picture',
    default: 0.1,
    range: { kind: 'log', low: 1e-3, high: 1e1 },
  },
  positiveWeight: {
    description: 'how much more the slack of a positive costs than that of a negative',
    default: 3,
    range: { kind: 'log', low: 1, high: 10 },
  },
};

export const svmPlusSpec: MethodSpec = {
  name: 'svm-plus',
  title: 'SVM+',
  citation:
    'Vapnik and Vashist, A new learning paradigm: learning using privileged information, Neural Networks 2009; solver after Li, Dai, Tan, Xu and Van Gool, Fast algorithms for linear and kernel SVM+, CVPR 2016',
  uses: ['web', 'text'],
  setting: 'standard',
  parameters: svmPlusParameters,
  create: (parameters) => new SvmPlus(parameters as SvmPlusParameters),
};
