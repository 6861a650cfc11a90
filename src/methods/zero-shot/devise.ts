/**
 * DeViSE (Frome, Corrado, Shlens, Bengio, Dean, Ranzato and Mikolov, "A deep visual-semantic embedding model", NIPS
 * 2013): the hinge rank loss Σ_c max(0, margin + x'V s_c − x'V s_y) over all wrong categories with unit vectors s and
 * the paper's margin of 0.1. Features are given, so the network below the embedding is not tuned; the paper's vectors
 * are of length one, ours are directions around the mean category.
 */
import { positive } from '../blocks/parameters.js';
import type { MethodSpec } from '../spec.js';
import { RankingMethod, type RankingParameters } from './ranking.js';

export interface DeviseParameters extends RankingParameters {
  margin?: number;
}

export class Devise extends RankingMethod {
  readonly name = 'devise';
  readonly margin: number;

  constructor({ learningRate = 0.1, epochs = 10, margin = 0.1 }: DeviseParameters = {}, seed = 1) {
    super('devise', { learningRate, epochs }, seed);
    this.margin = positive('devise', 'margin', margin);
  }

  rank(slopes: Float64Array, scores: Float64Array, label: number): number {
    let loss = 0;
    for (let c = 0; c < scores.length; c++) {
      const violation = this.margin + scores[c] - scores[label];
      if (c === label || violation <= 0) continue;
      loss += violation;
      slopes[c] = 1;
      slopes[label] -= 1;
    }
    return loss;
  }
}

export const deviseSpec: MethodSpec = {
  name: 'devise',
  title: 'DeViSE',
  citation:
    'Frome, Corrado, Shlens, Bengio, Dean, Ranzato and Mikolov, DeViSE: a deep visual-semantic embedding model, NIPS 2013',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters: {
    // With no other penalty, the margin only sets the scale that the learning rate is measured on.
    learningRate: { description: 'first step', default: 0.1, range: { kind: 'log', low: 0.01, high: 1 } },
    epochs: { description: 'passes over the auxiliary pictures', default: 10 },
    margin: { description: 'by how much the right category must win', default: 0.1 },
  },
  create: (parameters, seed) => new Devise(parameters as DeviseParameters, seed),
};
