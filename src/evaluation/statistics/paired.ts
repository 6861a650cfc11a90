/** Tests of whether two methods differ on the same pictures: McNemar's, and a permutation test by flipping signs. */
import { ArgumentError } from '../../errors.js';
import { Random } from '../../linalg/index.js';

export interface McNemar {
  /** Pictures only the first, and only the second method got right. */
  wins: number;
  losses: number;
  /** Two-sided p value. */
  p: number;
}

/** Below this many differing pictures the binomial distribution is summed exactly. */
const exactBelow = 50;

/**
 * McNemar's test (1947): of the pictures that exactly one of two methods got right, half should fall to each. Exact
 * binomial for small counts, else χ² = (|w − l| − 1)²/(w + l) with one degree of freedom (Edwards' correction).
 */
export function mcnemar(first: ArrayLike<boolean>, second: ArrayLike<boolean>): McNemar {
  requireSameLength(first.length, second.length);
  let wins = 0;
  let losses = 0;
  for (let i = 0; i < first.length; i++) {
    if (first[i] && !second[i]) wins++;
    if (!first[i] && second[i]) losses++;
  }
  return { wins, losses, p: mcnemarP(wins, losses) };
}

export function mcnemarP(wins: number, losses: number): number {
  const n = wins + losses;
  if (n === 0) return 1;
  if (n < exactBelow) return exactBinomial(Math.min(wins, losses), n);
  const distance = Math.max(0, Math.abs(wins - losses) - 1);
  return chiSquareTail((distance * distance) / n);
}

/** P(|K − n/2| ≥ |k − n/2|) for K ~ Binomial(n, ½), k ≤ n/2. */
function exactBinomial(k: number, n: number): number {
  let term = 0.5 ** n;
  let sum = 0;
  for (let i = 0; i <= k; i++) {
    sum += term;
    term *= (n - i) / (i + 1);
  }
  return Math.min(1, 2 * sum);
}

/** P(χ²₁ > x) = erfc(√(x/2)). */
function chiSquareTail(x: number): number {
  return complementaryError(Math.sqrt(x / 2));
}

/**
 * erfc(x) for x ≥ 0: the power series 2/√π e^(−x²) Σ 2ⁿx^(2n+1)/(2n+1)!! for small x, the continued fraction of Laplace
 * (Abramowitz and Stegun 7.1.6 and 7.1.14) for larger x; both to about 1e-14.
 */
function complementaryError(x: number): number {
  const factor = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (x < 2.5) {
    let term = x;
    let sum = x;
    for (let n = 1; term > 1e-17 * sum; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return 1 - 2 * factor * sum;
  }
  let fraction = x;
  for (let k = 120; k >= 1; k--) fraction = x + k / 2 / fraction;
  return factor / fraction;
}

export interface PermutationOptions {
  seed: number;
  /** Random sign patterns; all 2ⁿ are tried where they are fewer. @default 2000 */
  permutations?: number;
}

/**
 * Two-sided p value of Σ dᵢ under random signs of the differences dᵢ between two methods' values per picture. With random
 * patterns p = (1 + hits)/(1 + patterns), which is never zero.
 */
export function permutationTest(differences: ArrayLike<number>, options: PermutationOptions): number {
  const { seed, permutations = 2000 } = options;
  const nonzero = Array.from(differences).filter((value) => value !== 0);
  if (nonzero.length === 0) return 1;
  const observed = Math.abs(nonzero.reduce((sum, value) => sum + value, 0));
  // Sums of the same numbers in another order differ in the last bits.
  const threshold = observed - 1e-9 * nonzero.reduce((sum, value) => sum + Math.abs(value), 0);
  const patterns = 2 ** nonzero.length;
  let hits = 0;
  if (patterns <= permutations) {
    for (let pattern = 0; pattern < patterns; pattern++) {
      let sum = 0;
      nonzero.forEach((value, i) => {
        sum += (pattern >> i) & 1 ? value : -value;
      });
      if (Math.abs(sum) >= threshold) hits++;
    }
    return hits / patterns;
  }
  for (let k = 0; k < permutations; k++) {
    const random = new Random(seed, k);
    let sum = 0;
    for (let start = 0; start < nonzero.length; start += 32) {
      let signs = random.uint32();
      const end = Math.min(nonzero.length, start + 32);
      for (let i = start; i < end; i++) {
        sum += signs & 1 ? nonzero[i] : -nonzero[i];
        signs >>>= 1;
      }
    }
    if (Math.abs(sum) >= threshold) hits++;
  }
  return (1 + hits) / (1 + permutations);
}

function requireSameLength(a: number, b: number): void {
  if (a !== b) throw new ArgumentError(`the methods answered ${a} and ${b} pictures; they must be the same ones`);
}
