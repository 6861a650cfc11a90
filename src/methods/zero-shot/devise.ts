/**
 * DeViSE (Frome, Corrado, Shlens, Bengio, Dean, Ranzato and Mikolov, "A deep visual-semantic embedding model", NIPS
 * 2013): the hinge rank loss Σ_c max(0, margin + x'V s_c − x'V s_y) over all wrong categories with unit vectors s and
 * the paper's margin of 0.1. Features are given, so the network below the embedding is not tuned; the paper's vectors
 * are of length one, ours are directions around the mean category.
 */
import { changed, log, number, type OptionsOf } from '../../parameters.js';
import type { MethodSpec } from '../spec.js';
import { RankingMethod, rankingParameters } from './ranking.js';

const parameters = {
  // With no other penalty, the margin only sets the scale that the learning rate is measured on.
  learningRate: changed(rankingParameters.learningRate, { default: 0.1, range: log(0.01, 1) }),
  epochs: rankingParameters.epochs,
  margin: number('by how much the right category must win', 0.1, { above: 0 }),
};

export class Devise extends RankingMethod<typeof parameters> {
  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    super('devise', parameters, given, seed);
  }

  rank(slopes: Float64Array, scores: Float64Array, label: number): number {
    let loss = 0;
    for (let c = 0; c < scores.length; c++) {
      const violation = this.options.margin + scores[c] - scores[label];
      if (c === label || violation <= 0) continue;
      loss += violation;
      slopes[c] = 1;
      slopes[label] -= 1;
    }
    return loss;
  }
}

export const deviseSpec: MethodSpec<typeof parameters> = {
  name: 'devise',
  title: 'DeViSE',
  citation:
    'Frome, Corrado, Shlens, Bengio, Dean, Ranzato and Mikolov, DeViSE: a deep visual-semantic embedding model, NIPS 2013',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options, seed) => new Devise(options, seed),
};
