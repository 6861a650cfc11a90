/**
 * WSDG with privileged information (Niu, Li and Xu, CVPR 2015): as WSDG, but the slack of a classifier's positives is a
 * function of their text, ξᵢ = w̃_{c,m}'x̃ᵢ + b̃, as in SVM+ (blocks/privileged-svm.ts). Text is needed in training only.
 */
import type { Matrix } from '../../linalg/index.js';
import type { LinearModel } from '../../numerics/index.js';
import { privilegedSvm } from '../../numerics/index.js';
import { type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { requireText, requireWeb, unitText } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';
import { svmPlusParameters } from './svm-plus.js';
import { Wsdg, wsdgParameters } from './wsdg.js';

const parameters = { ...wsdgParameters, textPenalty: svmPlusParameters.textPenalty };

export class WsdgPi extends Wsdg {
  readonly textPenalty: number;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    const { textPenalty, ...shared } = resolveParameters('wsdg-pi', parameters, given);
    super(shared, seed);
    this.textPenalty = textPenalty;
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
      cost: this.options.cost,
      positiveWeight: this.options.positiveWeight,
      textPenalty: this.textPenalty,
      interceptScale: 0.1,
      tolerance: 0.05,
      maxSweeps: 40,
      signal,
    });
  }
}

export const wsdgPiSpec: MethodSpec<typeof parameters> = {
  name: 'wsdg-pi',
  title: 'WSDG_PI',
  citation:
    'Niu, Li and Xu, Visual recognition by learning from web data: a weakly supervised domain generalization approach, CVPR 2015',
  uses: ['web', 'text'],
  setting: 'standard',
  parameters,
  create: (options, seed) => new WsdgPi(options, seed),
};
