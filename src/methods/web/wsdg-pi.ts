/**
 * WSDG with privileged information (Niu, Li and Xu, CVPR 2015): as WSDG, but the slack of a classifier's positives is a
 * function of their text, ξᵢ = w̃_{c,m}'x̃ᵢ + b̃, as in SVM+ (blocks/privileged-svm.ts). Text is needed in training only.
 */
import type { Matrix } from '../../linalg/matrix.js';
import type { FitOptions } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import type { LinearModel } from '../blocks/linear-model.js';
import { positive } from '../blocks/parameters.js';
import { privilegedSvm } from '../blocks/privileged-svm.js';
import { requireText, requireWeb, unitText } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';
import { Wsdg, type WsdgParameters, wsdgParameters } from './wsdg.js';

export interface WsdgPiParameters extends WsdgParameters {
  textPenalty?: number;
}

export class WsdgPi extends Wsdg {
  readonly textPenalty: number;

  constructor({ textPenalty = 0.1, ...parameters }: WsdgPiParameters = {}, seed = 1) {
    super(parameters, seed, 'wsdg-pi');
    this.textPenalty = positive('wsdg-pi', 'textPenalty', textPenalty);
  }

  protected override require(problem: Problem): void {
    requireWeb(problem, 'wsdg-pi');
    requireText(problem, 'wsdg-pi');
  }

  protected override async train(
    problem: Problem,
    features: Matrix,
    targets: Matrix<Float64Array>,
    { backend, signal }: FitOptions,
  ): Promise<LinearModel> {
    return privilegedSvm(backend, features, targets, {
      text: unitText(problem, 'wsdg-pi'),
      cost: this.cost,
      positiveWeight: this.positiveWeight,
      textPenalty: this.textPenalty,
      interceptScale: 0.1,
      tolerance: 0.05,
      maxSweeps: 40,
      signal,
    });
  }
}

export const wsdgPiSpec: MethodSpec = {
  name: 'wsdg-pi',
  title: 'WSDG_PI',
  citation:
    'Niu, Li and Xu, Visual recognition by learning from web data: a weakly supervised domain generalization approach, CVPR 2015',
  uses: ['web', 'text'],
  setting: 'standard',
  parameters: {
    ...wsdgParameters,
    textPenalty: {
      description: 'penalty on the slack function; towards 0 the text can excuse any picture',
      default: 0.1,
      range: { kind: 'log', low: 1e-3, high: 1e1 },
    },
  },
  create: (parameters, seed) => new WsdgPi(parameters as WsdgPiParameters, seed),
};
