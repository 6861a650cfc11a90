/**
 * Which pictures show no listed category. What their signs (signs.ts; for a picture without company, its linear scores) say
 * together is learnt in rehearsal, where strangers are known; the share of strangers is then estimated in the folder itself
 * (Saerens et al. 2002, for two classes).
 */
import type { Matrix } from '../../linalg/index.js';
import { rowDots, strangerSigns } from '../../numerics/index.js';
import type { Placed } from './ground.js';
import { knownOdd, knownOdds } from './known.js';
import { fitLogistic, type Logistic, logisticValue } from './logistic.js';
import type { Neighbours } from './neighbours.js';
import type { Yardstick } from './signs.js';
import type { BowerbirdSolver } from './solver.js';
import { entropy, logOdds, productsWith } from './vectors.js';

/** Fewer pictures than these are no company. */
export const leastCompany = 20;

/** β (x·μ − ½‖μ‖²)/v of listed and known categories, n×(Ct + Ca). */
function linearScores(
  solver: BowerbirdSolver,
  pictures: Placed,
  variance: number,
): { listed: Matrix<Float64Array>; known: Matrix<Float64Array> } {
  const { backend, known } = solver.ground;
  const scale = solver.options.sharpness / variance;
  const scores = (means: Matrix<Float64Array>) => {
    const result = productsWith(backend, pictures.rows, means).copy('float64');
    const squares = rowDots(backend, means, means);
    for (let i = 0; i < result.rows; i++) {
      const row = result.row(i);
      for (let c = 0; c < row.length; c++) row[c] = scale * (row[c] - squares[c] / 2);
    }
    return result;
  };
  return { listed: scores(solver.means), known: scores(known.means) };
}

/** What each picture's linear scores say: an exported classifier knows no more. */
export function lonelyRows(solver: BowerbirdSolver, pictures: Placed, variance: number): Float64Array[] {
  const { listed, known } = linearScores(solver, pictures, variance);
  return Array.from({ length: listed.rows }, (_, j) => strangerSigns(listed.row(j), known.row(j)));
}

/** A detector: log odds of being a stranger, and those of strangers in the rehearsals it was taught with. */
export interface Detector {
  readonly own: Logistic;
  /** Of a picture's own value and the mean value of its neighbours. */
  readonly around?: Logistic;
  readonly prior: number;
  /** Log likelihood ratio that few strangers of its rehearsals exceed. */
  readonly beyond: number;
}

/** What rehearsals taught. */
export interface StrangerModel {
  /** Of the signs of folders (signs.ts). */
  readonly company: Detector;
  /** The same for folders in which few of the listed categories occur: there neighbours say something else. */
  readonly few: Detector;
  /** Of `lonelyRows`, for pictures that come by themselves. */
  readonly lonely: Detector;
  /** For signs of folders whose own web pictures are too few to measure by. */
  readonly yardstick: Yardstick;
}

/** Pictures of one rehearsal: features, 1 for strangers, neighbours. */
export interface Seen {
  readonly rows: readonly Float64Array[];
  readonly strange: Float64Array;
  readonly neighbours?: Neighbours;
}

export function teachDetector(rehearsals: readonly Seen[]): Detector {
  const strange = rehearsals.flatMap((seen) => [...seen.strange]);
  const share = strange.reduce((sum, value) => sum + value, 0) / strange.length;
  const own = fitLogistic(
    rehearsals.flatMap((seen) => seen.rows),
    strange,
    ridge,
  );
  const pairs = rehearsals.flatMap(({ rows, neighbours }) => (neighbours ? withNeighbours(own, rows, neighbours) : []));
  const detector = {
    own,
    ...(pairs.length === strange.length && { around: fitLogistic(pairs, strange, ridge) }),
    prior: logOdds(share),
  };
  const ratios = rehearsals.flatMap(({ rows, neighbours }) => [...strangerRatios(detector, rows, neighbours)]);
  const ofStrangers = ratios.filter((_, j) => strange[j] > 0.5).sort((a, b) => a - b);
  return { ...detector, beyond: ofStrangers[Math.floor(withinRehearsals * (ofStrangers.length - 1))] };
}

const ridge = 5;
/** Part of the rehearsed strangers that another is compared with. */
const withinRehearsals = 0.95;

function withNeighbours(
  own: Logistic,
  rows: readonly Float64Array[],
  neighbours: Neighbours,
  known?: Int32Array,
): Float64Array[] {
  const values = Float64Array.from(rows, (row) => logisticValue(own, row));
  const others = neighbours.means(knownOdds(values, known));
  return Array.from(values, (value, j) => Float64Array.of(value, others[j]));
}

/** Log likelihood ratios for being a stranger; what people said of pictures counts with their neighbours. */
export function strangerRatios(
  detector: Omit<Detector, 'beyond'>,
  rows: readonly Float64Array[],
  neighbours?: Neighbours,
  known?: Int32Array,
): Float64Array {
  const { own, around, prior } = detector;
  const values =
    around && neighbours
      ? withNeighbours(own, rows, neighbours, known).map((pair) => logisticValue(around, pair))
      : rows.map((row) => logisticValue(own, row));
  return Float64Array.from(values, (value) => value - prior);
}

/**
 * Parts of the listed categories that seem to occur, between which the detector for few of them gains and loses its weight:
 * above, all occur; below, hardly any does, and one listed category is not told from strangers of one kind.
 */
const fewOccur = [0.45, 0.55, 0.67, 0.77];

/**
 * Log likelihood ratios of the pictures of a folder, given how many pictures each listed category seems to have. The detector
 * for few categories may only add suspicion: strangers of one kind make a folder look like one of few categories, too.
 */
export function ratiosInCompany(
  { company, few }: StrangerModel,
  rows: readonly Float64Array[],
  neighbours: Neighbours,
  counts: Float64Array,
  known?: Int32Array,
): Float64Array {
  const part = occurringPart(counts);
  const [from, full, still, to] = fewOccur;
  const weight = Math.max(0, Math.min(1, (part - from) / (full - from), (to - part) / (to - still)));
  const many = strangerRatios(company, rows, neighbours, known);
  if (weight === 0) return many;
  const other = strangerRatios(few, rows, neighbours, known);
  return many.map((ratio, j) => ratio + weight * Math.max(0, other[j] - ratio));
}

/** The effective number of categories, the exponential of the entropy of their shares, over that of all. */
export function occurringPart(counts: Float64Array): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Math.exp(counts.reduce((sum, count) => sum + entropy(count / total), 0)) / counts.length;
}

/** Listed pictures that are taken to have been seen before, beside a part of the folder: strangers must be worth a claim. */
export interface Reluctance {
  readonly pictures: number;
  readonly part: number;
}

/** More of it where a picture has no company to be judged by, and nothing to measure its signs by. */
export const reluctance: { readonly company: Reluctance; readonly lonely: Reluctance } = {
  company: { pictures: 5, part: 0.1 },
  lonely: { pictures: 3, part: 0.3 },
};

/** The strangers of a folder, as far as they can be told. */
export interface Strangers {
  /** Each picture's chance of being one, and their share of the folder. */
  readonly unlisted: Float64Array;
  readonly share: number;
  /**
   * What each picture counts for in the looks and the shares of the listed categories: its chance of being listed if half of
   * the folder were strangers, over that of the least doubted tenth. Strangers that are overlooked would draw those looks
   * to themselves, while little is lost with a listed picture that is doubted.
   */
  readonly weights: Float64Array;
}

/** Share of strangers with which pictures are weighed, and the part of the folder from which on they count in full. */
const doubtedShare = 0.5;
const undoubted = 0.9;
/** A folder of strangers alone has no picture that counts in full. */
const leastFull = 0.1;

/**
 * Their share is the one under which the folder is most likely. Strangers of a kind that rehearsals do not have (a camera
 * trap's empty frames) say nothing of how often pictures are strangers that look like listed ones: so pictures beyond what
 * rehearsals have seen are left out when the share is estimated by which the others are judged.
 * @param beyond the ratio from which on a picture is stranger than rehearsed ones
 */
export function strangersAmong(
  ratios: Float64Array,
  reluctance: Reluctance,
  known?: Int32Array,
  beyond = Number.POSITIVE_INFINITY,
): Strangers {
  const isUsual = (_: number, j: number) => ratios[j] <= beyond;
  const share = shareOfStrangers(ratios, reluctance, known);
  const usual = ratios.every(isUsual)
    ? share
    : shareOfStrangers(ratios.filter(isUsual), reluctance, known?.filter(isUsual));
  const chancesAt = (least: number) => {
    const [odds, farOdds] = [logOdds(Math.max(usual, least)), logOdds(Math.max(share, least))];
    return chancesOf(ratios, (ratio) => (ratio > beyond ? farOdds : odds), known);
  };
  const doubted = chancesAt(doubtedShare).map((chance) => 1 - chance);
  const most = Float64Array.from(doubted).sort()[Math.floor(undoubted * (doubted.length - 1))];
  const weights = doubted.map((weight) => Math.min(1, weight / Math.max(most, leastFull)));
  return { unlisted: chancesAt(0), share, weights };
}

function shareOfStrangers(ratios: Float64Array, { pictures, part }: Reluctance, known?: Int32Array): number {
  const most = Math.max(1, (1 + part) * ratios.length + pictures);
  // At first sight it is small.
  let share = 0.2;
  for (let step = 0; step < 100; step++) {
    const odds = logOdds(share);
    let sum = 0;
    for (let j = 0; j < ratios.length; j++) sum += 1 / (1 + Math.exp(-knownOdd(ratios[j] + odds, known?.[j])));
    const next = Math.min(0.95, Math.max(0.001, sum / most));
    if (Math.abs(next - share) < 1e-6) break;
    share = next;
  }
  return share;
}

function chancesOf(ratios: Float64Array, oddsOf: (ratio: number) => number, known?: Int32Array): Float64Array {
  const odds = ratios.map((ratio) => ratio + oddsOf(ratio));
  return knownOdds(odds, known).map((value) => 1 / (1 + Math.exp(-value)));
}
