/** How well vectors agree with people's judgements of similarity: cosine, and Spearman's rank correlation ρ. */
import { ArgumentError } from '../errors.js';
import type { RealArray } from '../linalg/index.js';

export function cosine(x: RealArray, y: RealArray): number {
  let [xy, xx, yy] = [0, 0, 0];
  for (let k = 0; k < x.length; k++) {
    xy += x[k] * y[k];
    xx += x[k] * x[k];
    yy += y[k] * y[k];
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}

/** Pearson's correlation of the ranks; equal values share the mean of their ranks. NaN where one side is constant. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new ArgumentError(`spearman: ${a.length} values against ${b.length}`);
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (a.length - 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) ** 2;
    yy += (y[i] - mean) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

function ranks(values: readonly number[]): Float64Array {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const result = new Float64Array(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && values[order[end]] === values[order[start]]) end++;
    for (let k = start; k < end; k++) result[order[k]] = (start + end - 1) / 2;
    start = end;
  }
  return result;
}

export interface SimilarityPair {
  readonly words: readonly [string, string];
  readonly score: number;
}

export interface SimilarityResult {
  readonly spearman: number;
  /** Pairs both of whose words have a vector; the others are left out. */
  readonly pairs: number;
}

/** ρ between the cosines of the vectors and the judged scores. */
export function evaluateSimilarity(
  pairs: readonly SimilarityPair[],
  vectors: ReadonlyMap<string, Float32Array>,
): SimilarityResult {
  const cosines: number[] = [];
  const scores: number[] = [];
  for (const { words, score } of pairs) {
    const [x, y] = words.map((word) => vectors.get(word));
    if (!x || !y) continue;
    cosines.push(cosine(x, y));
    scores.push(score);
  }
  return { spearman: spearman(cosines, scores), pairs: cosines.length };
}
