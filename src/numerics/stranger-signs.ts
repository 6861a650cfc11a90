/**
 * What a picture's scores say of whether it shows a candidate at all: log Σ exp over the candidates, the best of them less
 * the second, log Σ exp over known others, and the best candidate.
 */
import { logSumExp } from './softmax.js';

export function strangerSigns(candidates: ArrayLike<number>, others: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(candidates).sort();
  const best = sorted[sorted.length - 1];
  const second = sorted[sorted.length - 2] ?? best;
  return Float64Array.of(logSumExp(sorted), best - second, logSumExp(Float64Array.from(others)), best);
}
