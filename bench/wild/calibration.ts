/** Whether stated chances hold: the expected calibration error, and what chance alone makes of it. */
import { logGamma } from '../../src/numerics/index.js';

const bins = 15;

/** Sums over bins of equal width; bins of several measurements add up. */
export interface Calibration {
  readonly counts: number[];
  readonly stated: number[];
  readonly true: number[];
}

export function calibration(stated: ArrayLike<number>, holds: ArrayLike<boolean>): Calibration {
  const empty = () => new Array<number>(bins).fill(0);
  const result = { counts: empty(), stated: empty(), true: empty() };
  for (let i = 0; i < stated.length; i++) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(stated[i] * bins)));
    result.counts[bin]++;
    result.stated[bin] += stated[i];
    if (holds[i]) result.true[bin]++;
  }
  return result;
}

/** Measurements taken together. */
export function pooled(parts: readonly Calibration[]): Calibration {
  const sums = (key: keyof Calibration) =>
    Array.from({ length: bins }, (_, bin) => parts.reduce((sum, part) => sum + (part[key][bin] ?? 0), 0));
  return { counts: sums('counts'), stated: sums('stated'), true: sums('true') };
}

/** Σ_bins |stated − true| / n */
export function calibrationError({ counts, stated, true: held }: Calibration): number {
  return overBins(counts, (bin) => Math.abs(stated[bin] - held[bin]));
}

/**
 * The mean of that error if every chance held exactly. Of the n answers of a bin, whose chances are taken for their mean p, a
 * binomial number X is then true, and with m = ⌊np⌋ + 1
 *
 *   E|X − np| = 2 m (n choose m) p^m (1 − p)^(n − m + 1)      (de Moivre)
 *
 * Chances that differ within a bin spread X less (Hoeffding 1956), so that this is the most, by a few percent of it in the outermost bins.
 */
export function calibratedError({ counts, stated }: Calibration): number {
  return overBins(counts, (bin) => meanDeviation(counts[bin], stated[bin] / counts[bin]));
}

function meanDeviation(n: number, p: number): number {
  if (p <= 0 || p >= 1) return 0;
  const m = Math.min(n, Math.floor(n * p) + 1);
  const choices = logGamma(n + 1) - logGamma(m + 1) - logGamma(n - m + 1);
  return 2 * m * Math.exp(choices + m * Math.log(p) + (n - m + 1) * Math.log1p(-p));
}

function overBins(counts: readonly number[], deviation: (bin: number) => number): number {
  let [error, total] = [0, 0];
  counts.forEach((count, bin) => {
    if (count === 0) return;
    error += deviation(bin);
    total += count;
  });
  return error / total;
}
