/**
 * What strangers in a folder are told by. Seen by itself, a picture is judged by how well the candidates explain it, how well
 * the known categories do, which may be candidates too, and how clearly one of them stands out; in company, by the same of its neighbours: strangers
 * of one kind resemble each other, their common look is close to no listed category, and no trusted web picture is near (reach.ts). Spaces differ, and means made of
 * few or wrong web pictures explain nothing well: so signs are measured by those of the trusted web pictures, each left out
 * of the mean that it helped to make, since these are no strangers.
 */
import { type Backend, Matrix, type PeakScores, type RowBlocks, type RowPeaks, visitRows } from '../../linalg/index.js';
import { logSumExp, roomOn, rowDots } from '../../numerics/index.js';
import type { Ground, Placed } from './ground.js';
import type { Neighbours } from './neighbours.js';
import { reachOf } from './reach.js';
import type { BowerbirdSolver } from './solver.js';
import { dotOf, productsOn, productsWith, roomForPeaks, timesVector } from './vectors.js';

/** Means and standard deviations of a picture's own signs among pictures that show what is listed. */
export interface Yardstick {
  readonly means: readonly number[];
  readonly spreads: readonly number[];
}

/** Trusted web pictures below which they measure nothing. */
const leastTrusted = 5;

/** Signs that a picture has by itself, and those of them that are looked at in its neighbours too. */
const ownSigns = 7;
const aroundSigns = [0, 1, 2, 3, 5];
/** Web pictures whose signs are looked at together, and those that are enough to measure by. */
const webBlock = 4096;
const enoughWeb = 5000;
/** Columns of neighbours' sums that are held at a time, of which a GPU has room for more, and numbers of those that have to be read. */
const lookColumnsOf = ({ device }: Backend): number => (device === 'cuda' ? 2048 : 256);
const lookNumbers = 2 ** 26;

/** Reads the signs of pictures as a solver's means, which must not change meanwhile, explain them. */
export class SignReader {
  readonly #solver: BowerbirdSolver;
  readonly #variance: number;
  /** Of the candidates. */
  readonly #means: Matrix;
  /** How close pictures of each candidate come to its mean, which some do more than others. */
  readonly #closeness: Float64Array;

  constructor(solver: BowerbirdSolver, variance: number) {
    this.#solver = solver;
    this.#variance = variance;
    this.#means = solver.candidateMeans();
    const known = solver.ground.generalized ? knownCloseness(solver.ground, variance) : [];
    this.#closeness = Float64Array.of(...usualCloseness(solver), ...known);
  }

  /**
   * n rows of signs, own and of the neighbours.
   * @param walking where walks among web pictures end (reach.ts) is the last of them, unless known categories are candidates,
   * which web pictures do not show
   */
  read(pictures: Placed, neighbours: Neighbours, yardstick: Yardstick, walking = false): Matrix<Float64Array> {
    const n = pictures.rows.rows;
    const products = plainProducts(this.#solver, this.#means, pictures);
    const { columns, nearest } = this.#own(products);
    inUnits(columns, yardstick);
    const k = neighbours.count;
    const around = aroundSigns.map((sign) => neighbours.means(columns[sign]));
    const common = commonLook(pictures, neighbours, products.listed, this.#means, this.#solver.ground);
    const { backend, generalized } = this.#solver.ground;
    backend.release(products.listed);
    if (!generalized) backend.release(products.known);
    const reach = walking && !generalized ? reachOf(this.#solver, pictures, neighbours) : undefined;
    const signs = [...columns, ...around];
    const width = signs.length + (reach ? 5 : 4);
    const all = new Float64Array(n * width);
    for (let j = 0; j < n; j++) {
      let [sum, same] = [0, 0];
      for (let place = 0; place < k; place++) {
        sum += neighbours.cosines[j * k + place];
        if (nearest[neighbours.nearest[j * k + place]] === nearest[j]) same++;
      }
      let at = j * width;
      for (const sign of signs) all[at++] = sign[j];
      all[at++] = sum / Math.max(1, k);
      all[at++] = neighbours.cosines[j * k] ?? 0;
      all[at++] = same / Math.max(1, k);
      all[at++] = common[j];
      if (reach) all[at] = reach[j];
    }
    return new Matrix(all, n, width);
  }

  /** That of the trusted web pictures, of very many only every k-th; undefined where they are too few. */
  yardstick(): Yardstick | undefined {
    const { trust, ground } = this.#solver;
    const step = Math.max(1, Math.floor(trust.length / enoughWeb));
    const chosen = Int32Array.from({ length: Math.ceil(trust.length / step) }, (_, k) => k * step);
    const weights = Float64Array.from(chosen, (row) => trust[row]);
    const total = weights.reduce((sum, value) => sum + value, 0);
    if (total < leastTrusted) return undefined;
    const columns = Array.from({ length: ownSigns }, () => new Float64Array(chosen.length));
    ground.web.visit((rows, start) => {
      const first = Math.ceil(start / step);
      const here = chosen.subarray(first, Math.ceil((start + rows.rows) / step));
      if (here.length === 0) return;
      const own = this.#own(
        webProducts(this.#solver, this.#means, rows.everyRow(here[0] - start, step), here, step),
        here,
      );
      for (const [sign, column] of own.columns.entries()) columns[sign].set(column, first);
    }, step * webBlock);
    const means = columns.map((column) => column.reduce((sum, value, i) => sum + weights[i] * value, 0) / total);
    const spreads = columns.map((column, sign) =>
      Math.sqrt(column.reduce((sum, value, i) => sum + weights[i] * (value - means[sign]) ** 2, 0) / total + 1e-12),
    );
    return { means, spreads };
  }

  /**
   * Each picture's own signs and its nearest candidate.
   * @param web where these are web pictures, which helped to make their category's mean and are left out of it: their numbers
   */
  #own({ listed, known, squares }: Shifted, web?: Int32Array): { columns: Float64Array[]; nearest: Int32Array } {
    const { ground, meanVariances, options, categories } = this.#solver;
    const means = this.#means;
    const { backend, known: others, dimension: d } = ground;
    const left = meanVariances.reduce((sum, value) => sum + value, 0) / meanVariances.length;
    const variance = this.#variance;
    // Log densities of distances, linear in them.
    const slopeOf = (spread: number) => -options.sharpness / (2 * spread);
    const levelOf = (spread: number) => (-options.sharpness * d * Math.log(spread)) / 2;
    const [slope, level] = [slopeOf(variance + left), levelOf(variance + left)];
    const [farSlope, farLevel] = [slopeOf(variance + others.between), levelOf(variance + others.between)];
    const spreads = others.counts.map((count) => variance + others.within / count);
    const knownSlopes = spreads.map(slopeOf);
    const knownLevels = spreads.map((spread) => levelOf(spread) - Math.log(spreads.length));
    const [lengths, knownLengths] = [means, others.means].map((matrix) => rowDots(backend, matrix, matrix));
    const [roots, knownRoots] = [lengths, knownLengths].map((values) => values.map(rootOf));
    const n = squares.length;
    const toListed = peaksOf(backend, listed, {
      ...{ lengths: squares, squares: lengths, inverses: roots.map((root) => 1 / root) },
      factors: lengths.map((_, c) => (c < categories ? slope : knownSlopes[c - categories])),
      constants: lengths.map((_, c) => (c < categories ? level : levelOf(spreads[c - categories]))),
      ...(web && this.#leftOut(listed, lengths, squares, web)),
    });
    const toKnown = peaksOf(backend, known, {
      ...{ lengths: squares, squares: knownLengths, inverses: knownRoots.map((root) => 1 / root) },
      ...{ factors: knownSlopes, constants: knownLevels },
    });
    const columns = Array.from({ length: ownSigns }, () => new Float64Array(n));
    const [cosine, knownCosine, ratio, alone, length, tight, margin] = columns;
    const { nearest } = toListed;
    const terms = new Float64Array(2);
    for (let j = 0; j < n; j++) {
      const norm = Math.sqrt(squares[j]) || 1;
      const unexplained = farSlope * squares[j] + farLevel;
      terms[0] = toKnown.logSums[j];
      terms[1] = unexplained;
      cosine[j] = toListed.closest[j] / norm;
      knownCosine[j] = toKnown.closest[j] / norm;
      ratio[j] = toListed.logSums[j] - Math.log(listed.cols) - logSumExp(terms);
      alone[j] = toListed.logSums[j] - unexplained;
      length[j] = Math.log(squares[j] / d + 1e-12);
      tight[j] = cosine[j] - this.#closeness[nearest[j]];
      margin[j] = listed.cols > 1 ? toListed.largest[j] - toListed.second[j] : 0;
    }
    return { columns, nearest };
  }

  /** What web pictures find at their own category's mean μ without them: (μ − w x) / (1 − w), w their part of it. */
  #leftOut(listed: Matrix, lengths: Float64Array, squares: Float64Array, web: Int32Array) {
    const labels = Int32Array.from(web, (row) => this.#solver.ground.webLabels[row]);
    const own = new Float64Array(3 * web.length);
    const products = Float64Array.from(labels, (label, j) => listed.at(j, label));
    products.forEach((product, j) => {
      const rest = this.#solver.restWithout(web[j]);
      const part = 1 - rest;
      const square = (lengths[labels[j]] - 2 * part * product + part * part * squares[j]) / rest ** 2;
      own.set([(product - part * squares[j]) / rest, square, 1 / rootOf(square)], 3 * j);
    });
    return { labels, own };
  }
}

function peaksOf(backend: Backend, products: Matrix, scores: PeakScores): RowPeaks {
  const found = roomForPeaks(products.rows);
  backend.peaksOfRows(found, products, scores);
  return found;
}

function inUnits(columns: readonly Float64Array[], { means, spreads }: Yardstick): void {
  columns.forEach((column, sign) => {
    for (let j = 0; j < column.length; j++) column[j] = (column[j] - means[sign]) / spreads[sign];
  });
}

export function meanYardstick(yardsticks: readonly Yardstick[]): Yardstick {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const signs = Array.from({ length: ownSigns }, (_, sign) => sign);
  if (yardsticks.length === 0) return { means: signs.map(() => 0), spreads: signs.map(() => 1) };
  return {
    means: signs.map((sign) => mean(yardsticks.map(({ means }) => means[sign]))),
    spreads: signs.map((sign) => mean(yardsticks.map(({ spreads }) => spreads[sign]))),
  };
}

/** Products of pictures, measured from a shift, with the candidates' and the known means, and their squared lengths. */
interface Shifted {
  readonly listed: Matrix;
  readonly known: Matrix;
  readonly squares: Float64Array;
}

function plainProducts(
  { ground: { backend, known, generalized }, categories }: BowerbirdSolver,
  means: Matrix,
  { rows, squaredLengths }: Placed,
): Shifted {
  const listed = productsOn(backend, rows, means);
  return {
    listed,
    known: generalized ? columnsFrom(listed, categories) : productsOn(backend, rows, known.means),
    squares: squaredLengths,
  };
}

const columnsFrom = (matrix: Matrix, first: number): Matrix => matrix.view(0, matrix.rows, first, matrix.cols);

/** Those of web pictures of these numbers, which are so many apart, measured from their own shift. */
function webProducts(
  { ground, categories, webShift: shift }: BowerbirdSolver,
  means: Matrix,
  rows: Matrix,
  numbers: Int32Array,
  step: number,
): Shifted {
  const { backend, known, web, webToKnown, generalized } = ground;
  const less = (products: Matrix, matrix: Matrix) => {
    const along = timesVector(backend, matrix, shift);
    for (let i = 0; i < products.rows; i++) {
      const row = products.row(i);
      for (let c = 0; c < row.length; c++) row[c] -= along[c];
    }
    return products;
  };
  const along = timesVector(backend, rows, shift);
  const length = dotOf(shift, shift);
  const listed = less(productsWith(backend, rows, means), means);
  const knownProducts = () => {
    const toKnown = webToKnown
      ? Matrix.zeros(numbers.length, webToKnown.cols, webToKnown.dtype)
      : productsWith(backend, rows, known.means);
    if (webToKnown) backend.copy(toKnown, webToKnown.view(numbers[0], numbers.at(-1)! + 1).everyRow(0, step));
    return less(toKnown, known.means);
  };
  return {
    listed,
    known: generalized ? columnsFrom(listed, categories) : knownProducts(),
    squares: Float64Array.from(numbers, (row, i) => Math.max(0, web.squaredLengths[row] - 2 * along[i] + length)),
  };
}

/** Mean cosines of trusted web pictures with their own category's mean; 0.3 as if seen five times before. */
function usualCloseness({ ground, means, trust, webShift: shift }: BowerbirdSolver): Float64Array {
  const { web } = ground;
  const { along, own } = web.along(shift, means);
  const length = dotOf(shift, shift);
  const alongMeans = timesVector(ground.backend, means, shift);
  const roots = rowDots(ground.backend, means, means).map(rootOf);
  const closeness = new Float64Array(means.rows).fill(0.3 * 5);
  const weights = new Float64Array(means.rows).fill(5);
  ground.webLabels.forEach((label, i) => {
    const square = Math.max(0, web.squaredLengths[i] - 2 * along[i] + length);
    closeness[label] += (trust[i] * (own[i] - alongMeans[label])) / roots[label] / rootOf(square);
    weights[label] += trust[i];
  });
  return closeness.map((sum, c) => sum / weights[c]);
}

/** The same of pictures of known categories, as their means and the variance of pictures about these let expect. */
function knownCloseness({ known, dimension }: Ground, variance: number): Float64Array {
  return known.squares.map((square, c) => {
    const own = Math.max(0, square - (dimension * known.within) / known.counts[c]);
    return own / rootOf(square) / rootOf(own + dimension * variance);
  });
}

/**
 * Largest cosine of a candidate with the mean direction of a picture's neighbours, over that mean's length.
 * @param products of the pictures with the means
 */
function commonLook(
  { rows, squaredLengths }: Placed,
  neighbours: Neighbours,
  products: Matrix,
  means: Matrix,
  { backend }: Ground,
): Float64Array {
  const { count, nearest } = neighbours;
  const n = rows.rows;
  const inverses = rowDots(backend, means, means).map((square) => 1 / rootOf(square));
  const shares = squaredLengths.map((square) => 1 / (count * (Math.sqrt(square) || 1)));
  const values = new Float64Array(nearest.length);
  for (let place = 0; place < values.length; place++) values[place] = shares[nearest[place]];
  const sparse = { starts: Int32Array.from({ length: n + 1 }, (_, j) => j * count), columns: nearest, values };
  const most = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
  const lengths = new Float64Array(n);
  const lookColumns = lookColumnsOf(backend);
  const mostColumns =
    rows instanceof Matrix ? lookColumns : Math.max(1, Math.min(lookColumns, Math.floor(lookNumbers / n)));
  const room = roomOn(backend, 1, n * Math.min(mostColumns, Math.max(products.cols, rows.cols)), rows.dtype);
  /** Means over neighbours of some columns at a time, row after row. */
  const visit = (source: RowBlocks, see: (sums: Matrix, column: number, end: number) => void) => {
    for (let column = 0; column < source.cols; column += mostColumns) {
      const end = Math.min(source.cols, column + mostColumns);
      const width = end - column;
      const sums = room
        .view(0, 1, 0, n * width)
        .reshaped(n, width)
        .fill(0);
      backend.addSparse(sums, sparse, columnsOf(source, column, end));
      see(sums, column, end);
    }
  };
  visit(products, (sums, column, end) => {
    const none = new Float64Array(end - column);
    const scores = { lengths, squares: none, factors: none, constants: none, inverses: inverses.subarray(column, end) };
    const { closest } = peaksOf(backend, sums, scores);
    for (let j = 0; j < n; j++) most[j] = Math.max(most[j], closest[j]);
  });
  visit(rows, (sums) => {
    const squares = rows.dtype === 'float64' ? new Float64Array(n) : new Float32Array(n);
    backend.rowDots(squares, sums, sums);
    for (let j = 0; j < n; j++) lengths[j] += squares[j];
  });
  backend.release(room);
  return most.map((value, j) => value / Math.max(lengths[j], 1e-12));
}

/** Some columns of all rows. */
function columnsOf(rows: RowBlocks, from: number, to: number): Matrix {
  if (rows instanceof Matrix) return rows.view(0, rows.rows, from, to);
  const columns = Matrix.zeros(rows.rows, to - from, rows.dtype);
  visitRows(rows, (block, start) => {
    columns.view(start, start + block.rows).copyFrom(block.view(0, block.rows, from, to));
  });
  return columns;
}

const rootOf = (square: number): number => Math.sqrt(Math.max(square, 1e-12));
