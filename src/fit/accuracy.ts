/** How good predictions and weights are, where the truth is known: shares, curves and areas. */
import { ArgumentError } from '../errors.js';

/** Share of predictions that equal the label. */
export function accuracy(predicted: Int32Array, labels: Int32Array): number {
  requireSameLength(predicted.length, labels.length);
  let right = 0;
  for (let i = 0; i < labels.length; i++) if (predicted[i] === labels[i]) right++;
  return labels.length === 0 ? Number.NaN : right / labels.length;
}

/** Accuracy within each category; NaN for a category without pictures. */
export function categoryAccuracies(predicted: Int32Array, labels: Int32Array, categories: number): Float64Array {
  requireSameLength(predicted.length, labels.length);
  const right = new Float64Array(categories);
  const total = new Float64Array(categories);
  for (let i = 0; i < labels.length; i++) {
    total[labels[i]]++;
    if (predicted[i] === labels[i]) right[labels[i]]++;
  }
  return right.map((count, c) => count / total[c]);
}

/** Mean of the accuracies of the categories that have pictures. */
export function meanCategoryAccuracy(predicted: Int32Array, labels: Int32Array, categories: number): number {
  const known = [...categoryAccuracies(predicted, labels, categories)].filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** How often each category (rows) was taken for each candidate (columns). */
export function confusionMatrix(predicted: Int32Array, labels: Int32Array, categories: number): Int32Array[] {
  requireSameLength(predicted.length, labels.length);
  const counts = Array.from({ length: categories }, () => new Int32Array(categories));
  for (let i = 0; i < labels.length; i++) counts[labels[i]][predicted[i]]++;
  return counts;
}

/** Points (false positive rate, true positive rate) of the curve whose area `rocArea` gives, from (0, 0) to (1, 1). */
export function rocCurve(scores: ArrayLike<number>, positive: ArrayLike<boolean>): { x: number; y: number }[] {
  requireSameLength(scores.length, positive.length);
  const order = Array.from({ length: scores.length }, (_, i) => i).sort((i, j) => scores[j] - scores[i]);
  const positives = order.filter((i) => positive[i]).length;
  const negatives = order.length - positives;
  const points = [{ x: 0, y: 0 }];
  let [hits, alarms] = [0, 0];
  order.forEach((i, k) => {
    if (positive[i]) hits++;
    else alarms++;
    const tied = k + 1 < order.length && scores[order[k + 1]] === scores[i];
    if (!tied) points.push({ x: alarms / negatives, y: hits / positives });
  });
  return points;
}

/**
 * Area under the receiver operating characteristic: the chance that a positive scores above a negative, ties counting
 * half. NaN when one of the two kinds is missing.
 */
export function rocArea(scores: ArrayLike<number>, positive: ArrayLike<boolean>): number {
  requireSameLength(scores.length, positive.length);
  const order = Array.from({ length: scores.length }, (_, i) => i).sort((i, j) => scores[i] - scores[j]);
  let positives = 0;
  let rankSum = 0;
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && scores[order[end]] === scores[order[start]]) end++;
    const rank = (start + end + 1) / 2;
    for (let k = start; k < end; k++)
      if (positive[order[k]]) {
        positives++;
        rankSum += rank;
      }
    start = end;
  }
  const negatives = order.length - positives;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

function requireSameLength(a: number, b: number): void {
  if (a !== b) throw new ArgumentError(`${a} predictions or scores for ${b} pictures`);
}
