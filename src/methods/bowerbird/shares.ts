/**
 * How the test pictures are shared out among the categories. The shares are drawn from a Dirichlet distribution of
 * concentration α, which is learnt from the counts N_c of the folder itself: large where all categories are about equally
 * frequent, near 0 where a few of them make up everything. Counts of assigned pictures are not exact: some categories
 * attract more pictures than they have. The logarithms of counts therefore vary by ψ'(α) + ε, of which only the first part
 * is spread of the shares; the rest, in the proportion ε / (ψ'(α) + ε), is taken back.
 *
 * Both parts are terms of the objective: log p(N | α) of the Dirichlet-multinomial, whose derivative is ψ(N_c + α), and
 * −g Σ (N_c + 1/ε) (log((N_c + 1/ε) / mean) − 1), which draws counts together where nothing says that shares differ; a
 * count of far fewer than 1/ε pictures says nothing of attraction.
 */
import { digamma, logGamma, trigamma } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';

/** ε: variance of the logarithm of a category's count that is no difference of shares. */
export const attraction = 0.1;
/** What strangers add to it for their share of the folder: they are taken for some listed category or other. */
const attractionOfStrangers = 1;

export interface ShareModel {
  /** α */
  readonly concentration: number;
  /** g */
  readonly evening: number;
  /** ε */
  readonly attraction: number;
}

/** Shares that a user has stated. */
export type StatedShares = 'equal' | 'unknown' | Float64Array;

/** What a problem states of the shares; numbers that are all the same say what the parameter `shares=equal` says. */
export function statedShares({ testShares }: Problem): StatedShares | undefined {
  return testShares?.every((share) => Math.abs(share - testShares[0]) < 1e-9) ? 'equal' : testShares;
}

/** The model that the counts themselves suggest. */
export function learnShares(counts: Float64Array, strangerShare = 0): ShareModel {
  const epsilon = attraction + attractionOfStrangers * strangerShare;
  // Beyond the concentration at which attraction alone explains the spread, it makes no difference how much larger it is.
  const enough = inverseTrigamma(epsilon + leastSpread / 2);
  const spread = trigamma(likeliestConcentration(counts, enough)) - epsilon;
  if (spread <= leastSpread) return { concentration: mostConcentration, evening: 1, attraction: epsilon };
  return { concentration: inverseTrigamma(spread), evening: epsilon / (epsilon + spread), attraction: epsilon };
}

/** Equal shares: nothing but the drawing together is left. */
export const equalShares: ShareModel = { concentration: 1e4, evening: 1, attraction };

/** ψ' that is no spread of the shares. */
const leastSpread = 1e-4;
const mostConcentration = 1e4;
const leastConcentration = 1e-3;

/** What to add to the scores of each category, given the counts: the derivative of the terms of the objective. */
export function shareOffsets(counts: Float64Array, model: ShareModel): Float64Array {
  const { concentration, evening } = model;
  const few = 1 / model.attraction;
  const { total, mean } = levels(counts, few);
  const all = digamma(total + counts.length * concentration);
  const result = new Float64Array(counts.length);
  for (let c = 0; c < counts.length; c++)
    result[c] =
      digamma(counts[c] + concentration) - all + Math.log(counts.length) - evening * Math.log((counts[c] + few) / mean);
  return result;
}

/** The terms of the objective; `counts` may have any total. */
export function shareTerms(counts: Float64Array, model: ShareModel): number {
  const { concentration, evening } = model;
  const few = 1 / model.attraction;
  const { total, mean } = levels(counts, few);
  const n = counts.length;
  let result = logGamma(n * concentration) - logGamma(total + n * concentration) + total * Math.log(n);
  for (let c = 0; c < n; c++) {
    const count = counts[c];
    result += logGamma(count + concentration) - logGamma(concentration);
    result -= evening * (count + few) * (Math.log((count + few) / mean) - 1);
  }
  return result;
}

function levels(counts: Float64Array, few = 0): { total: number; mean: number } {
  let total = 0;
  for (let c = 0; c < counts.length; c++) total += counts[c];
  return { total, mean: total / counts.length + few };
}

/**
 * Maximum likelihood by Minka's fixed point ("Estimating a Dirichlet distribution", 2000, equation 65). Each step is an
 * increasing function of α, so that the steps from 1 all go one way: one that is past `enough` stays there.
 */
export function likeliestConcentration(counts: Float64Array, enough = mostConcentration): number {
  const { total } = levels(counts);
  const n = counts.length;
  let alpha = 1;
  for (let step = 0; step < 200; step++) {
    const above = sumOfDigammas(counts, alpha) - n * digamma(alpha);
    const below = n * (digamma(total + n * alpha) - digamma(n * alpha));
    const next = Math.min(mostConcentration, Math.max(leastConcentration, (alpha * above) / Math.max(below, 1e-12)));
    if (Math.abs(next - alpha) < 1e-5 * alpha || next >= enough) return next;
    alpha = next;
  }
  return alpha;
}

function sumOfDigammas(counts: Float64Array, alpha: number): number {
  let sum = 0;
  for (let c = 0; c < counts.length; c++) sum += digamma(counts[c] + alpha);
  return sum;
}

/** The x with ψ'(x) = y: bisection in the logarithm, since ψ' falls steadily. */
export function inverseTrigamma(y: number): number {
  let [low, high] = [Math.log(leastConcentration), Math.log(mostConcentration)];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (trigamma(Math.exp(middle)) > y) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}
