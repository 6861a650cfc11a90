/**
 * SVM+ (Vapnik and Vashist, "A new learning paradigm: learning using privileged information", Neural Networks 2009) on
 * web pictures with their titles and tags: one machine per category against the rest, in which every picture may be
 * misclassified by w̃'x̃ᵢ + b̃ ≥ 0, a linear function of its text alone. Objective and solver (dual coordinate descent) are in
 * numerics/privileged-svm.ts. What differs from the original: intercepts lie inside the penalties; positives, of which
 * there are few, may cost more; and each sign has a slack function of its own, because a word that excuses a wrong positive
 * also stands in the text of the negatives it really shows. A search may choose the one function of 2009. Text enters as term frequencies of
 * unit length, features less the mean of the web pictures.
 */
import {
  centred,
  columnMeans,
  type LinearModel,
  labelTargets,
  privilegedSvm,
  uncentred,
} from '../../numerics/index.js';
import { choice, log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb, unitText } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

export const svmPlusParameters = {
  cost: number('price of slack', 0.3, { above: 0, range: log(1e-2, 1e2) }),
  textPenalty: number('penalty on the slack function; towards 0 the text can excuse any picture', 0.02, {
    above: 0,
    range: log(1e-3, 1e1),
  }),
  positiveWeight: number('how much more the slack of a positive costs than that of a negative', 30, {
    above: 0,
    range: log(1, 100),
  }),
  // Fewer than the optimum takes: a machine that stops early does better on validation categories.
  sweeps: whole('passes over the pictures at most', 300),
  functions: choice('slack functions of a machine', 'by-sign', ['by-sign', 'one'], 'searched'),
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
      ...this.options,
      interceptScale: 0.1,
      tolerance: 0.05,
      maxSweeps: this.options.sweeps,
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
