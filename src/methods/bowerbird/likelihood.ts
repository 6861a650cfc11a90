/** How sharply scores decide and how sure they may be: what makes known labels most likely. */
import type { Matrix } from '../../linalg/index.js';
import { leastOnLogScale } from '../../numerics/index.js';
import { doubtAfter, type Sureness } from '../../problem/index.js';

/** Scores of pictures, n×C, and what they show. */
export interface Judged {
  readonly scores: Matrix<Float64Array>;
  readonly labels: ArrayLike<number>;
}

/** argmax over s of Σ log softmax(s · scores)[label]; the sum is concave in s, so that a golden section finds it. */
export function likeliestFactor(sets: readonly Judged[], low: number, high: number): number {
  const loss = (factor: number) => {
    let total = 0;
    for (const { scores, labels } of sets)
      for (let i = 0; i < scores.rows; i++) total -= logChance(scores.row(i), labels[i], factor);
    return total;
  };
  return leastOnLogScale(loss, low, high, 0.01);
}

export interface Calibrated extends Sureness {
  /** Of the labels, mean logarithm for each picture. */
  readonly likelihood: number;
}

const factors = Array.from({ length: 41 }, (_, k) => 0.04 * 2 ** (k / 7));
const doubts = [0, 0.003, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3];

/**
 * The factor and doubt on a grid under which it is likeliest that just these answers are right. A factor far from 1 and a
 * large doubt have to be worth some pictures, and nobody can be surer than the number of pictures allows that this was
 * learnt from.
 */
export function likeliestSureness(sets: readonly Judged[]): Calibrated {
  const seen = sets.reduce((sum, { labels }) => sum + labels.length, 0);
  const least = doubtAfter(seen);
  let best = { factor: 0.5, doubt: least, likelihood: Number.NEGATIVE_INFINITY };
  if (seen === 0) return best;
  let most = Number.NEGATIVE_INFINITY;
  for (const factor of factors) {
    const chances = sets.flatMap((set) => answerChances(set, factor));
    for (const doubt of doubts) {
      let total = 10 * Math.log(1 - doubt) - 2 * Math.log(factor) ** 2;
      const given = Math.max(least, doubt);
      for (const { answer, right, categories } of chances) {
        const sure = Math.min((1 - given) * answer + given / categories, 1 - 1e-12);
        total += Math.log(right ? sure : 1 - sure);
      }
      if (total <= most) continue;
      most = total;
      const label = chances.reduce(
        (sum, each) => sum + Math.log((1 - given) * each.label + given / each.categories),
        0,
      );
      best = { factor, doubt: given, likelihood: label / seen };
    }
  }
  return best;
}

/** Chances of the best answer and of the label. */
function answerChances({ scores, labels }: Judged, factor: number) {
  return Array.from({ length: scores.rows }, (_, i) => {
    const row = scores.row(i);
    const largest = largestOf(row);
    const sum = sumOfExponentials(row, largest, factor);
    const away = row[labels[i]] - largest;
    return { answer: 1 / sum, label: Math.exp(factor * away) / sum, right: away === 0, categories: row.length };
  });
}

/** By how much the best score of each picture exceeds the second. */
export function leadsOf(scores: Matrix<Float64Array>): Float64Array {
  return Float64Array.from({ length: scores.rows }, (_, i) => {
    let [first, second] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of scores.row(i)) {
      if (value > first) [first, second] = [value, first];
      else if (value > second) second = value;
    }
    return first - second;
  });
}

/** The lead of the picture at the end of the first quarter; 0 where there is none. */
export function firstQuartile(leads: Float64Array): number {
  return leads.slice().sort()[Math.floor(leads.length / 4)] ?? 0;
}

/** log softmax(factor · scores)[label] */
function logChance(scores: Float64Array, label: number, factor: number): number {
  const largest = largestOf(scores);
  return factor * (scores[label] - largest) - Math.log(sumOfExponentials(scores, largest, factor));
}

function largestOf(row: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < row.length; c++) if (row[c] > largest) largest = row[c];
  return largest;
}

/** Terms below this are lost in the rounding of a sum that is at least 1. */
const lostBelow = -60;

/** Σ exp(factor · (row − largest)) */
function sumOfExponentials(row: Float64Array, largest: number, factor: number): number {
  let sum = 0;
  for (let c = 0; c < row.length; c++) {
    const exponent = factor * (row[c] - largest);
    if (exponent > lostBelow) sum += Math.exp(exponent);
  }
  return sum;
}
