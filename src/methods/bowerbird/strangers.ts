/**
 * Which pictures show no candidate. What their signs (signs.ts; for a picture without company, its linear scores) say
 * together is learnt in rehearsal, where strangers are known; the share of strangers is then estimated in the folder itself
 * (Saerens et al. 2002, for two classes).
 */
import { Matrix } from '../../linalg/index.js';
import { rowDots, strangerSigns } from '../../numerics/index.js';
import { stackRows, unanswered } from '../../problem/index.js';
import type { Placed } from './ground.js';
import { knownOdd, knownOdds } from './known.js';
import { column, fitLogistic, type Logistic, logisticValues } from './logistic.js';
import type { Neighbours } from './neighbours.js';
import type { Yardstick } from './signs.js';
import type { BowerbirdSolver } from './solver.js';
import { entropy, logOdds, productsWith } from './vectors.js';

/** Fewer pictures than these are no company. */
export const leastCompany = 20;
/** Signs of a picture by itself. */
const lonelySigns = 4;

/** β (x·μ − ½‖μ‖²)/v of candidates and others. */
function linearScores(
  solver: BowerbirdSolver,
  pictures: Placed,
  variance: number,
): { candidates: Matrix<Float64Array>; others: Matrix<Float64Array> } {
  const { backend } = solver.ground;
  const scale = solver.options.sharpness / variance;
  const scores = (means: Matrix) => {
    const result = productsWith(backend, pictures.rows, means).copy('float64');
    const squares = rowDots(backend, means, means);
    for (let i = 0; i < result.rows; i++) {
      const row = result.row(i);
      for (let c = 0; c < row.length; c++) row[c] = scale * (row[c] - squares[c] / 2);
    }
    return result;
  };
  return { candidates: scores(solver.candidateMeans()), others: scores(solver.otherMeans()) };
}

/** Signs of pictures, a row for each. */
export type Signs = Matrix<Float64Array>;

/** What each picture's linear scores say: an exported classifier knows no more. */
export function lonelyRows(solver: BowerbirdSolver, pictures: Placed, variance: number): Signs {
  const { candidates, others } = linearScores(solver, pictures, variance);
  const signs = Matrix.zeros(candidates.rows, lonelySigns);
  for (let j = 0; j < signs.rows; j++) signs.row(j).set(strangerSigns(candidates.row(j), others.row(j)));
  return signs;
}

/** A detector: log odds of being a stranger, and those of strangers in the rehearsals it was taught with. */
export interface Detector {
  readonly own: Logistic;
  /** Of a picture's own value and the mean value of its neighbours. */
  readonly around?: Logistic;
  readonly prior: number;
  /** Log likelihood ratio that few strangers of its rehearsals exceed. */
  readonly beyond: number;
  /**
   * What a share of strangers adds to the ratios, given its log odds. Of one picture by itself that is those log odds; but
   * the more strangers there are, the more of a picture's neighbours look strange, so that these have said part of it.
   */
  readonly ofShare: Logistic;
}

const wholeOdds: Logistic = { weights: Float64Array.of(1), intercept: 0 };

/** What rehearsals taught. */
export interface StrangerModel {
  /** Of the signs of folders (signs.ts) but for the last one. */
  readonly company: Detector;
  /** Of all of them. Where walks end is what rehearsals foretell only in folders like theirs (`walkingDetector`). */
  readonly walking?: Detector;
  /** The same for folders in which few of the listed categories occur: there neighbours say something else. */
  readonly few: Detector;
  /** Of `lonelyRows`, for pictures that come by themselves. */
  readonly lonely: Detector;
  /** For signs of folders whose own web pictures are too few to measure by. */
  readonly yardstick: Yardstick;
}

/** Pictures of one rehearsal: features, 1 for strangers, neighbours. */
export interface Seen {
  readonly rows: Signs;
  readonly strange: Float64Array;
  readonly neighbours?: Neighbours;
}

/** @param thinned the same with other shares of strangers, by which it is learnt what a share adds */
export function teachDetector(rehearsals: readonly Seen[], thinned: readonly Seen[] = []): Detector {
  const strange = rehearsals.flatMap((seen) => [...seen.strange]);
  const share = strange.reduce((sum, value) => sum + value, 0) / strange.length;
  const together = (all: readonly Signs[]) => all.reduce((above, below) => stackRows(above, below) as Signs);
  const own = fitLogistic(together(rehearsals.map(({ rows }) => rows)), strange, ridge);
  const pairs = rehearsals.flatMap(({ rows, neighbours }) =>
    neighbours ? [withNeighbours(own, rows, neighbours)] : [],
  );
  const detector = {
    own,
    ...(pairs.length === rehearsals.length && { around: fitLogistic(together(pairs), strange, ridge) }),
    prior: logOdds(share),
  };
  const ratiosOf = ({ rows, neighbours }: Seen) => strangerRatios(detector, rows, neighbours);
  const ratios = rehearsals.flatMap((seen) => [...ratiosOf(seen)]);
  const ofStrangers = ratios.filter((_, j) => strange[j] > 0.5).sort((a, b) => a - b);
  return {
    ...detector,
    beyond: ofStrangers[Math.floor(withinRehearsals * (ofStrangers.length - 1))],
    ofShare: thinned.length > 0 ? whatSharesAdd([...rehearsals, ...thinned], ratiosOf) : wholeOdds,
  };
}

/** The part of the log odds of the shares, and the constant, under which it is likeliest that these pictures are strangers. */
function whatSharesAdd(rehearsals: readonly Seen[], ratiosOf: (seen: Seen) => Float64Array): Logistic {
  const mixed = rehearsals.filter(({ strange }) => strange.includes(0) && strange.includes(1));
  if (mixed.length === 0) return wholeOdds;
  const odds = mixed.flatMap(({ strange }) => {
    const share = strange.reduce((sum, value) => sum + value, 0) / strange.length;
    return new Array<number>(strange.length).fill(logOdds(share));
  });
  const { weights, intercept } = fitLogistic(
    column(odds),
    mixed.flatMap(({ strange }) => [...strange]),
    ridge,
    mixed.flatMap((seen) => [...ratiosOf(seen)]),
  );
  return { weights: weights.map((part) => Math.min(1, Math.max(0, part))), intercept };
}

const ridge = 5;
/** Part of the rehearsed strangers that another is compared with. */
const withinRehearsals = 0.95;

/** What each picture's own signs say, and those of its neighbours. */
function withNeighbours(own: Logistic, rows: Signs, neighbours: Neighbours, known?: Int32Array): Signs {
  const values = logisticValues(own, rows);
  const others = neighbours.means(knownOdds(values, known));
  const pairs = new Float64Array(2 * values.length);
  for (let j = 0; j < values.length; j++) {
    pairs[2 * j] = values[j];
    pairs[2 * j + 1] = others[j];
  }
  return new Matrix(pairs, values.length, 2);
}

/** Log likelihood ratios for being a stranger; what people said of pictures counts with their neighbours. */
export function strangerRatios(
  detector: Omit<Detector, 'beyond' | 'ofShare'>,
  rows: Signs,
  neighbours?: Neighbours,
  known?: Int32Array,
): Float64Array {
  const { own, around, prior } = detector;
  const values =
    around && neighbours
      ? logisticValues(around, withNeighbours(own, rows, neighbours, known))
      : logisticValues(own, rows);
  return values.map((value) => value - prior);
}

/**
 * Parts of the listed categories that seem to occur, between which the detector for few of them gains and loses its weight:
 * above, all occur; below, hardly any does, and one listed category is not told from strangers of one kind.
 */
const whereFewOccur = [0.45, 0.55, 0.67, 0.77];

/** Share of the web pictures that must be believed before it matters where walks among them end. */
const mostlyRight = 0.5;

/** That of all signs, where it holds: given how many pictures each listed category seems to have, and the share of the web pictures that are believed. */
export function walkingDetector(
  { walking }: StrangerModel,
  counts: Float64Array,
  believed: number,
): Detector | undefined {
  return occurringPart(counts) >= whereFewOccur[3] && believed >= mostlyRight ? walking : undefined;
}

/**
 * Log likelihood ratios of the pictures of a folder, given how many pictures each listed category seems to have. The detector
 * for few categories may only add suspicion: strangers of one kind make a folder look like one of few categories, too.
 */
export function ratiosInCompany(
  { company, few }: StrangerModel,
  rows: Signs,
  neighbours: Neighbours,
  counts: Float64Array,
  known?: Int32Array,
): Float64Array {
  const part = occurringPart(counts);
  const [from, full, still, to] = whereFewOccur;
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
 * Strangers of a kind that rehearsals do not have (a camera trap's empty frames) say nothing of how often pictures are
 * strangers that look like listed ones: so pictures beyond what rehearsals have seen are left out when it is estimated how
 * suspect the others are.
 * @param beyond the ratio from which on a picture is stranger than rehearsed ones
 */
export function strangersAmong(
  ratios: Float64Array,
  reluctance: Reluctance,
  known?: Int32Array,
  { beyond = Number.POSITIVE_INFINITY, ofShare = wholeOdds }: Partial<Pick<Detector, 'beyond' | 'ofShare'>> = {},
): Strangers {
  const isUsual = (_: number, j: number) => ratios[j] <= beyond;
  const all = oddsInFolder(ratios, reluctance, ofShare, known);
  const usual = ratios.every(isUsual)
    ? all
    : oddsInFolder(ratios.filter(isUsual), reluctance, ofShare, known?.filter(isUsual));
  const chancesAt = (least: number) => {
    const [odds, farOdds] = [Math.max(usual, least), Math.max(all, usual, least)];
    return chancesOf(ratios, (ratio) => (ratio > beyond ? farOdds : odds), known);
  };
  const unlisted = chancesAt(Number.NEGATIVE_INFINITY);
  const doubted = chancesAt(logOdds(doubtedShare)).map((chance) => 1 - chance);
  const most = Float64Array.from(doubted).sort()[Math.floor(undoubted * (doubted.length - 1))];
  const weights = doubted.map((weight) => Math.min(1, weight / Math.max(most, leastFull)));
  const sum = unlisted.reduce((total, chance) => total + chance, 0);
  return { unlisted, share: shareOf(sum, ratios.length, reluctance), weights };
}

/**
 * What is added to the ratios of a folder. With less than all of the log odds of a share hardly any folder would be without
 * strangers. So whether it has some is judged as if all were added; the more pictures that makes strangers, the more it
 * counts what shares were seen to add.
 */
function oddsInFolder(ratios: Float64Array, reluctance: Reluctance, ofShare: Logistic, known?: Int32Array): number {
  const claimed = shareOfStrangers(ratios, reluctance, wholeOdds, known);
  if (ofShare === wholeOdds) return logOdds(claimed);
  const count = (claimed - leastShare) * ratios.length;
  const part = count / (count + Math.max(1, reluctance.pictures));
  const share = shareOfStrangers(ratios, reluctance, ofShare, known);
  return part * addedBy(ofShare, share) + (1 - part) * logOdds(claimed);
}

const addedBy = ({ weights, intercept }: Logistic, share: number): number => weights[0] * logOdds(share) + intercept;

const leastShare = 0.001;
const mostShare = 0.95;

/** The share that so many strangers among n pictures make. */
function shareOf(strangers: number, n: number, { pictures, part }: Reluctance): number {
  return Math.min(mostShare, Math.max(leastShare, strangers / Math.max(1, (1 + part) * n + pictures)));
}

/** The share that the chances make under what it adds to the ratios. */
function shareOfStrangers(ratios: Float64Array, reluctance: Reluctance, ofShare: Logistic, known?: Int32Array): number {
  // exp(−log odds) but for what the share adds; what people said of pictures does not depend on it.
  const isUnsaid = (_: number, j: number) => !known || known[j] === unanswered;
  const against = ratios.filter(isUnsaid).map((ratio) => Math.exp(-ratio));
  let said = 0;
  for (const answer of known ?? []) if (answer !== unanswered) said += 1 / (1 + Math.exp(-knownOdd(0, answer)));
  // At first sight it is small.
  let share = 0.2;
  for (let step = 0; step < 100; step++) {
    const factor = Math.exp(-addedBy(ofShare, share));
    let sum = said;
    for (let k = 0; k < against.length; k++) sum += 1 / (1 + against[k] * factor);
    const next = shareOf(sum, ratios.length, reluctance);
    if (Math.abs(next - share) < 1e-6) break;
    share = next;
  }
  return share;
}

function chancesOf(ratios: Float64Array, oddsOf: (ratio: number) => number, known?: Int32Array): Float64Array {
  const odds = ratios.map((ratio) => ratio + oddsOf(ratio));
  return knownOdds(odds, known).map((value) => 1 / (1 + Math.exp(-value)));
}
