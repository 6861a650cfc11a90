/** How sharply scores decide and how sure they may be: what makes known labels most likely. */
import { type Backend, Matrix } from '../../linalg/index.js';
import { leastOnLogScale } from '../../numerics/index.js';
import { doubtAfter, type Sureness } from '../../problem/index.js';
import { copyOn, roomForPeaks } from './vectors.js';

/** Scores of pictures, n×C, and what they show. */
export interface Judged {
  readonly scores: Matrix<Float64Array>;
  readonly labels: ArrayLike<number>;
}

/** argmax over s of Σ log softmax(s · scores)[label]; the sum is concave in s, so that a golden section finds it. */
export function likeliestFactor(backend: Backend, sets: readonly Judged[], low: number, high: number): number {
  const folders = sets.map(({ scores, labels }) => {
    const leaders = largestOfRows(scores);
    const columns = () => new Float64Array(scores.cols);
    return {
      scores: copyOn(backend, scores),
      below: leaders.reduce((sum, leader, i) => sum + leader - scores.at(i, labels[i]), 0),
      // Σ_c exp(s · (score − leader)) is what the peaks of "distances" 2 (leader − score) sum up to under the factor −s/2.
      peaks: {
        lengths: leaders.map((leader) => 2 * leader),
        squares: columns(),
        constants: columns(),
        inverses: columns(),
      },
      found: roomForPeaks(scores.rows),
    };
  });
  const loss = (factor: number) => {
    let total = 0;
    for (const { scores, below, peaks, found } of folders) {
      backend.peaksOfRows(found, scores, { ...peaks, factors: new Float64Array(scores.cols).fill(-factor / 2) });
      total += factor * below + found.logSums.reduce((sum, value) => sum + value, 0);
    }
    return total;
  };
  const best = leastOnLogScale(loss, low, high, 0.01);
  for (const { scores } of folders) backend.release(scores);
  return best;
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
