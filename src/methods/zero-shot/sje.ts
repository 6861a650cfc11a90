/**
 * SJE (Akata, Reed, Walter, Lee and Schiele, "Evaluation of output embeddings for fine-grained image classification",
 * CVPR 2015): the structured hinge max over categories c of [c ≠ y] + x'V s_c − x'V s_y. Mini-batches instead of single
 * pictures, and a step that falls to zero; s are directions around the mean category.
 */
import type { MethodSpec } from '../spec.js';
import { RankingMethod, type RankingParameters } from './ranking.js';

export class Sje extends RankingMethod {
  readonly name = 'sje';

  constructor({ learningRate = 15, epochs = 10 }: RankingParameters = {}, seed = 1) {
    super('sje', { learningRate, epochs }, seed);
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

export const sjeSpec: MethodSpec = {
  name: 'sje',
  title: 'SJE',
  citation:
    'Akata, Reed, Walter, Lee and Schiele, Evaluation of output embeddings for fine-grained image classification, CVPR 2015',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters: {
    learningRate: { description: 'first step', default: 15, range: { kind: 'log', low: 3, high: 50 } },
    epochs: { description: 'passes over the auxiliary pictures', default: 10 },
  },
  create: (parameters, seed) => new Sje(parameters as RankingParameters, seed),
};
