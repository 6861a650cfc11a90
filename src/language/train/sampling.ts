/**
 * The tables that training draws from: negative words with probability proportional to count^0.75 (alias method, Walker
 * 1977), the chance of keeping a frequent word, and σ with its logarithm.
 */

/**
 * Column k of the table keeps word k with probability threshold / 2³², else gives `alias`; columns are drawn uniformly.
 * Built by Vose's two work lists, so that the probabilities are exact up to the 32 bits of the thresholds.
 */
export function fillAliasTable(table: Uint32Array, weights: Float64Array): void {
  const size = weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const scaled = weights.map((weight) => (weight / total) * size);
  const small: number[] = [];
  const large: number[] = [];
  for (let k = size - 1; k >= 0; k--) (scaled[k] < 1 ? small : large).push(k);
  while (small.length > 0 && large.length > 0) {
    const poor = small.pop()!;
    const rich = large.pop()!;
    table[2 * poor] = Math.min(2 ** 32 - 1, Math.round(scaled[poor] * 2 ** 32));
    table[2 * poor + 1] = rich;
    scaled[rich] -= 1 - scaled[poor];
    (scaled[rich] < 1 ? small : large).push(rich);
  }
  // What is left is 1 up to rounding; a column is its own alias, so the threshold does not matter.
  for (const k of [...small, ...large]) table.set([2 ** 32 - 1, k], 2 * k);
}

/**
 * Subsampling of frequent words (Mikolov et al. 2013, as their program does it): a word of relative frequency f is kept
 * with probability min(1, √(t/f) + t/f); t = 0 keeps all. 2³² − 1 means always.
 */
export function fillKeepThresholds(thresholds: Uint32Array, counts: Float64Array, t: number): void {
  const total = counts.reduce((sum, count) => sum + count, 0);
  for (let k = 0; k < counts.length; k++) {
    const ratio = t / (counts[k] / total);
    const kept = t > 0 ? Math.sqrt(ratio) + ratio : 1;
    thresholds[k] = kept >= 1 ? 2 ** 32 - 1 : Math.floor(kept * 2 ** 32);
  }
}

/** Must agree with RANGE and STEPS of assembly/words/word2vec.ts. */
const range = 10;
const steps = 64;
export const sigmoidCells = 2 * range * steps + 1;

/** σ(t) and log(1 + e^−t) for t from −10 to 10; linear interpolation between them is exact to 3·10⁻⁶. */
export function fillSigmoidTable(table: Float32Array): void {
  for (let k = 0; k < sigmoidCells; k++) {
    const t = k / steps - range;
    table[2 * k] = 1 / (1 + Math.exp(-t));
    table[2 * k + 1] = Math.log1p(Math.exp(-t));
  }
}
