/**
 * SJE (Akata, Reed, Walter, Lee and Schiele, "Evaluation of output embeddings for fine-grained image classification",
 * CVPR 2015): the structured hinge max over categories c of [c ≠ y] + x'V s_c − x'V s_y. Mini-batches instead of single
 * pictures, and a step that falls to zero; s are directions around the mean category.
 */
import type { OptionsOf } from '../../parameters.js';
import type { MethodSpec } from '../spec.js';
import { RankingMethod, rankingParameters } from './ranking.js';

export class Sje extends RankingMethod {
  constructor(given: Partial<OptionsOf<typeof rankingParameters>> = {}, seed = 1) {
    super('sje', rankingParameters, given, seed);
  }

  rank(slopes: Float64Array, scores: Float64Array, label: number): number {
    let worst = -1;
    let loss = 0;
    for (let c = 0; c < scores.length; c++) {
      const violation = 1 + scores[c] - scores[label];
      if (c !== label && violation > loss) [worst, loss] = [c, violation];
    }
    if (worst >= 0) {
      slopes[worst] = 1;
      slopes[label] = -1;
    }
    return loss;
  }
}

export const sjeSpec: MethodSpec<typeof rankingParameters> = {
  name: 'sje',
  title: 'SJE',
  citation:
    'Akata, Reed, Walter, Lee and Schiele, Evaluation of output embeddings for fine-grained image classification, CVPR 2015',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters: rankingParameters,
  create: (options, seed) => new Sje(options, seed),
};
