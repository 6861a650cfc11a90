/**
 * Which pictures show no listed category. Seen alone, a picture is judged by how well the listed categories explain it,
 * how well the known others do, and how clearly one of them stands out. In company, its neighbours are judged too:
 * strangers of one kind resemble each other, and their common look is close to no listed category. What these features
 * say together is learnt in rehearsal, where strangers are known; the share of strangers is then estimated in the folder
 * itself (Saerens et al. 2002, for two classes).
 */
import type { Matrix } from '../../linalg/index.js';
import { logSumExp, rowDots, strangerSigns, toUnitRows } from '../../numerics/index.js';
import type { Placed } from './ground.js';
import { knownOdds } from './known.js';
import { fitLogistic, type Logistic, logisticValue } from './logistic.js';
import type { Neighbours } from './neighbours.js';
import type { BowerbirdSolver } from './solver.js';
import { axpy, dotOf, entropy, inPrecision, productsWith, timesVector } from './vectors.js';

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

/** n rows of features; those of the neighbours only where there is company. */
export function strangerFeatures(
  solver: BowerbirdSolver,
  pictures: Placed,
  variance: number,
  neighbours: Neighbours,
): Float64Array[] {
  const { ground, means, meanVariances } = solver;
  const { backend, known, dimension: d } = ground;
  const beta = solver.options.sharpness;
  const { rows, squaredLengths } = pictures;
  const n = rows.rows;
  const left = meanVariances.reduce((sum, value) => sum + value, 0) / meanVariances.length;
  const density = (distance: number, spread: number) => (-beta * (distance / spread + d * Math.log(spread))) / 2;
  // Products with the means give both distances and cosines.
  const toListed = productsWith(backend, rows, means);
  const toKnown = productsWith(backend, rows, known.means);
  const [listedSquares, knownSquares] = [rowDots(backend, means, means), rowDots(backend, known.means, known.means)];
  const [listedLengths, knownLengths] = [listedSquares, knownSquares].map((squares) =>
    squares.map((square) => Math.sqrt(square) || 1),
  );
  const closeness = closenessToOwn(solver);
  const columns = Array.from({ length: 7 }, () => new Float64Array(n));
  const [cosine, knownCosine, ratio, alone, length, tight, margin] = columns;
  const nearest = new Int32Array(n);
  const listed = new Float64Array(means.rows);
  const terms = new Float64Array(known.means.rows + 1);
  for (let j = 0; j < n; j++) {
    const norm = Math.sqrt(squaredLengths[j]) || 1;
    const [own, other] = [toListed.row(j), toKnown.row(j)];
    let [first, second, closest] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let c = 0; c < listed.length; c++) {
      if (own[c] / listedLengths[c] > closest) {
        closest = own[c] / listedLengths[c];
        nearest[j] = c;
      }
      const value = density(Math.max(0, squaredLengths[j] - 2 * own[c] + listedSquares[c]), variance + left);
      listed[c] = value;
      if (value > first) [first, second] = [value, first];
      else if (value > second) second = value;
    }
    cosine[j] = closest / norm;
    let closestKnown = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < other.length; k++) {
      closestKnown = Math.max(closestKnown, other[k] / knownLengths[k]);
      const distance = Math.max(0, squaredLengths[j] - 2 * other[k] + knownSquares[k]);
      terms[k] = density(distance, variance + known.within / known.counts[k]) - Math.log(other.length);
    }
    knownCosine[j] = closestKnown / norm;
    terms[other.length] = density(squaredLengths[j], variance + known.between);
    const together = logSumExp(listed);
    ratio[j] = together - Math.log(listed.length) - logSumExp(terms);
    alone[j] = together - terms[other.length];
    length[j] = Math.log(squaredLengths[j] / d + 1e-12);
    tight[j] = cosine[j] - closeness[nearest[j]];
    margin[j] = first - (listed.length > 1 ? second : first);
  }
  const k = neighbours.count;
  const around = [cosine, knownCosine, ratio, alone, tight].map((column) => neighbours.means(column));
  const common = commonLook(pictures, neighbours, toListed, listedLengths);
  return Array.from({ length: n }, (_, j) => {
    let [sum, same] = [0, 0];
    for (let place = 0; place < k; place++) {
      sum += neighbours.cosines[j * k + place];
      if (nearest[neighbours.nearest[j * k + place]] === nearest[j]) same++;
    }
    return Float64Array.of(
      ...columns.map((column) => column[j]),
      ...around.map((column) => column[j]),
      ...[sum / Math.max(1, k), neighbours.cosines[j * k] ?? 0, same / Math.max(1, k), common[j]],
    );
  });
}

/** How close trusted web pictures come to their own category: some categories are tighter than others. */
function closenessToOwn({ ground, means, trust, webShift }: BowerbirdSolver): Float64Array {
  const { backend, web, webLabels, webStarts } = ground;
  const directions = toUnitRows(means.copy('float64'));
  const closeness = new Float64Array(means.rows).fill(0.3 * 5);
  const weights = new Float64Array(means.rows).fill(5);
  const cosines = new Float64Array(webLabels.length);
  backend.segmentDots(cosines, web.rows, inPrecision(directions, web.rows), webStarts);
  const along = Float64Array.from({ length: means.rows }, (_, c) => dotOf(directions.row(c), webShift));
  const shiftSquares = dotOf(webShift, webShift);
  const webShifts = timesVector(backend, web.rows, webShift);
  for (let i = 0; i < webLabels.length; i++) {
    const label = webLabels[i];
    const length = Math.sqrt(Math.max(web.squaredLengths[i] - 2 * webShifts[i] + shiftSquares, 1e-12));
    closeness[label] += (trust[i] * (cosines[i] - along[label])) / length;
    weights[label] += trust[i];
  }
  return closeness.map((sum, c) => sum / weights[c]);
}

/**
 * Largest cosine of a listed category with the mean direction of a picture's neighbours, over that mean's length.
 * @param products of the pictures with the means, and the lengths of those
 */
function commonLook(
  { rows, squaredLengths }: Placed,
  neighbours: Neighbours,
  products: Matrix,
  lengths: Float64Array,
): Float64Array {
  const k = neighbours.count;
  const mean = new Float64Array(rows.cols);
  const cosines = new Float64Array(products.cols);
  return Float64Array.from(squaredLengths, (_, j) => {
    mean.fill(0);
    cosines.fill(0);
    for (let place = 0; place < k; place++) {
      const other = neighbours.nearest[j * k + place];
      const factor = 1 / (k * (Math.sqrt(squaredLengths[other]) || 1));
      axpy(mean, factor, rows.row(other));
      axpy(cosines, factor, products.row(other));
    }
    let most = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < cosines.length; c++) most = Math.max(most, cosines[c] / lengths[c]);
    return most / Math.max(dotOf(mean, mean), 1e-12);
  });
}

/** A detector: log odds of being a stranger, and those of strangers in the rehearsals it was taught with. */
export interface Detector {
  readonly own: Logistic;
  /** Of a picture's own value and the mean value of its neighbours. */
  readonly around?: Logistic;
  readonly prior: number;
}

/** What rehearsals taught. */
export interface StrangerModel {
  /** Of `strangerFeatures`, for folders. */
  readonly company: Detector;
  /** The same for folders in which few of the listed categories occur: there neighbours say something else. */
  readonly few: Detector;
  /** Of `lonelyRows`, for pictures that come by themselves. */
  readonly lonely: Detector;
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
  return {
    own,
    ...(pairs.length === strange.length && { around: fitLogistic(pairs, strange, ridge) }),
    prior: Math.log(share / (1 - share)),
  };
}

const ridge = 5;

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
  detector: Detector,
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

/** Log likelihood ratios of the pictures of a folder, given how many pictures each listed category seems to have. */
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
  const many = weight < 1 ? strangerRatios(company, rows, neighbours, known) : undefined;
  const other = weight > 0 ? strangerRatios(few, rows, neighbours, known) : undefined;
  return Float64Array.from(rows, (_, j) => (1 - weight) * (many?.[j] ?? 0) + weight * (other?.[j] ?? 0));
}

/** The effective number of categories, the exponential of the entropy of their shares, over that of all. */
export function occurringPart(counts: Float64Array): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Math.exp(counts.reduce((sum, count) => sum + entropy(count / total), 0)) / counts.length;
}

/**
 * Chances of being a stranger and their share of the folder, which at first sight is small.
 * @param before listed pictures that are taken to have been seen before, beside three tenths of the folder: strangers must
 * be worth a claim
 */
export function strangerChances(
  ratios: Float64Array,
  before: number,
  known?: Int32Array,
): { chances: Float64Array; share: number } {
  let share = 0.2;
  const chances = new Float64Array(ratios.length);
  for (let step = 0; step < 100; step++) {
    const odds = Math.log(share / (1 - share));
    let sum = 0;
    for (let j = 0; j < ratios.length; j++) chances[j] = ratios[j] + odds;
    const said = knownOdds(chances, known);
    for (let j = 0; j < ratios.length; j++) sum += chances[j] = 1 / (1 + Math.exp(-said[j]));
    const next = Math.min(0.95, Math.max(0.001, sum / (1.3 * ratios.length + before)));
    if (Math.abs(next - share) < 1e-6) break;
    share = next;
  }
  return { chances, share };
}
