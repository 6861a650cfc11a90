/**
 * WSDG with privileged information (Niu, Li and Xu, CVPR 2015): as WSDG, but the slack of a bag is a function of the mean text
 * of its selected pictures, ξ_l = w̃_{Y(l)}'t_l ≥ 0, as in SVM+ (bag-machine.ts). Text is needed in training only; it enters as
 * term frequencies of unit length with a constant behind them.
 */
import { Matrix } from '../../linalg/index.js';
import { changed, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { requireWeb, unitText } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';
import { svmPlusParameters } from './svm-plus.js';
import { Wsdg, wsdgParameters } from './wsdg.js';

const parameters = { ...wsdgParameters, textPenalty: changed(svmPlusParameters.textPenalty, { default: 0.1 }) };

export class WsdgPi extends Wsdg {
  readonly textPenalty: number;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    const { textPenalty, ...shared } = resolveParameters('wsdg-pi', parameters, given);
    super(shared, seed);
    this.textPenalty = textPenalty;
  }

  protected override privileged(problem: Problem): { text: Matrix<Float64Array>; textPenalty: number } {
    requireWeb(problem, 'wsdg-pi');
    const words = unitText(problem, 'wsdg-pi');
    const text = Matrix.zeros(words.rows, words.cols + 1);
    text.view(0, words.rows, 0, words.cols).copyFrom(words);
    for (let i = 0; i < text.rows; i++) text.set(i, words.cols, 1);
    return { text, textPenalty: this.textPenalty };
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
