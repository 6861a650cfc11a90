/**
 * ALE (Akata, Perronnin, Harchaoui and Schmid, "Label-embedding for image classification", TPAMI 2016): the weighted
 * approximate ranking loss (β_r / r) Σ_c max(0, 1 + x'V s_c − x'V s_y) over wrong categories, r the number of those that
 * violate the margin and β_r = Σ_{k ≤ r} 1/k, so that the top of the ranking counts most. The paper estimates r by
 * drawing categories until one violates; here all categories of a mini-batch are scored, and r is exact.
 */
import type { OptionsOf } from '../../parameters.js';
import type { MethodSpec } from '../spec.js';
import { RankingMethod, rankingParameters } from './ranking.js';

export class Ale extends RankingMethod {
  constructor(given: Partial<OptionsOf<typeof rankingParameters>> = {}, seed = 1) {
    super('ale', rankingParameters, given, seed);
  }

  rank(slopes: Float64Array, scores: Float64Array, label: number): number {
    let total = 0;
    let violating = 0;
    for (let c = 0; c < scores.length; c++) {
      const violation = 1 + scores[c] - scores[label];
      if (c === label || violation <= 0) continue;
      total += violation;
      violating++;
      slopes[c] = 1;
    }
    if (violating === 0) return 0;
    let weight = 0;
    for (let k = 1; k <= violating; k++) weight += 1 / k / violating;
    for (let c = 0; c < slopes.length; c++) slopes[c] *= weight;
    slopes[label] = -weight * violating;
    return weight * total;
  }
}

export const aleSpec: MethodSpec<typeof rankingParameters> = {
  name: 'ale',
  title: 'ALE',
  citation: 'Akata, Perronnin, Harchaoui and Schmid, Label-embedding for image classification, TPAMI 2016',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters: rankingParameters,
  create: (options, seed) => new Ale(options, seed),
};
