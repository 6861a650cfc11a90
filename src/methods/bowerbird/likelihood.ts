/** How sharply scores decide and how sure they may be: what makes known labels most likely. */
import { Matrix } from '../../linalg/index.js';
import { leastOnLogScale } from '../../numerics/index.js';
import { doubtAfter, type Sureness } from '../../problem/index.js';

/** Scores of pictures, n×C, and what they show. */
export interface Judged {
  readonly scores: Matrix<Float64Array>;
  readonly labels: ArrayLike<number>;
}

/** argmax over s of Σ log softmax(s · scores)[label]; the sum is concave in s, so that a golden section finds it. */
export function likeliestFactor(sets: readonly Judged[], low: number, high: number): number {
  const led = sets.map(({ scores, labels }) => ({ scores, labels, leaders: largestOfRows(scores) }));
  const loss = (factor: number) => {
    let total = 0;
    for (const { scores, labels, leaders } of led)
      for (let i = 0; i < scores.rows; i++) {
        const row = scores.row(i);
        total -= factor * (row[labels[i]] - leaders[i]) - Math.log(sumOfExponentials(row, leaders[i], factor));
      }
    return total;
  };
  return leastOnLogScale(loss, low, high, 0.01);
}

export interface Calibrated extends Sureness {
  /** Of the labels, mean logarithm for each picture. */
  readonly likelihood: number;
}

/** Each is twice the one so many places before. */
const toTwice = 7;
const factors = Array.from({ length: 41 }, (_, k) => 0.04 * 2 ** (k / toTwice));
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
  const leaders = sets.map(({ scores }) => largestOfRows(scores));
  const aways = sets.map(({ scores, labels }, s) => leaders[s].map((leader, i) => scores.at(i, labels[i]) - leader));
  const away = Float64Array.from(aways.flatMap((each) => [...each]));
  const even = Float64Array.from(sets.flatMap(({ scores }) => new Array<number>(scores.rows).fill(1 / scores.cols)));
  const sums = sumsAtFactors(sets, leaders, seen);
  const chances = new Float64Array(seen);
  for (const [f, factor] of factors.entries()) {
    const sum = sums.row(f);
    for (const doubt of doubts) {
      const given = Math.max(least, doubt);
      chancesOfAnswers(chances, sum, away, even, given);
      const total = 10 * Math.log(1 - doubt) - 2 * Math.log(factor) ** 2 + sumOfLogarithms(chances);
      if (total <= most) continue;
      most = total;
      const ofLabels = away.map((below, k) => ((1 - given) * Math.exp(factor * below)) / sum[k] + given * even[k]);
      best = { factor, doubt: given, likelihood: sumOfLogarithms(ofLabels) / seen };
    }
  }
  return best;
}

/** How likely it is that each answer is as right or wrong as it is. */
function chancesOfAnswers(
  chances: Float64Array,
  sums: Float64Array,
  away: Float64Array,
  even: Float64Array,
  doubt: number,
): void {
  for (let k = 0; k < chances.length; k++) {
    const sure = Math.min((1 - doubt) / sums[k] + doubt * even[k], 1 - 1e-12);
    chances[k] = away[k] === 0 ? sure : 1 - sure;
  }
}

/** Σ_c exp(factor · (score − largest)) of all pictures, a row for each factor; exponentials at twice a factor are squares. */
function sumsAtFactors(sets: readonly Judged[], leaders: readonly Float64Array[], pictures: number) {
  const sums = Matrix.zeros(factors.length, pictures);
  let at = 0;
  sets.forEach(({ scores }, s) => {
    const powers = new Float64Array(scores.cols);
    for (let i = 0; i < scores.rows; i++, at++)
      for (let first = 0; first < toTwice; first++) {
        exponentials(powers, scores.row(i), leaders[s][i], factors[first]);
        for (let f = first; f < factors.length; f += toTwice) sums.set(f, at, sumAndSquare(powers));
      }
  });
  return sums;
}

function exponentials(powers: Float64Array, row: Float64Array, largest: number, factor: number): void {
  for (let c = 0; c < row.length; c++) powers[c] = Math.exp(factor * (row[c] - largest));
}

/** The sum of these numbers, which become their squares. */
function sumAndSquare(powers: Float64Array): number {
  let sum = 0;
  for (let c = 0; c < powers.length; c++) {
    sum += powers[c];
    powers[c] *= powers[c];
  }
  return sum;
}

/** Chances whose product is far from vanishing: none is much below 1e-12. */
const multiplied = 16;

/** Σ log chances */
function sumOfLogarithms(chances: Float64Array): number {
  let total = 0;
  for (let k = 0; k < chances.length; ) {
    let product = 1;
    for (const end = Math.min(chances.length, k + multiplied); k < end; k++) product *= chances[k];
    total += Math.log(product);
  }
  return total;
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

function largestOfRows(scores: Matrix<Float64Array>): Float64Array {
  return Float64Array.from({ length: scores.rows }, (_, i) => {
    const row = scores.row(i);
    let largest = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < row.length; c++) if (row[c] > largest) largest = row[c];
    return largest;
  });
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
