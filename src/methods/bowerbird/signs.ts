/**
 * What strangers in a folder are told by. Seen by itself, a picture is judged by how well the listed categories explain it,
 * how well the known others do, and how clearly one of them stands out; in company, by the same of its neighbours: strangers
 * of one kind resemble each other, and their common look is close to no listed category. Spaces differ, and means made of
 * few or wrong web pictures explain nothing well: so signs are measured by those of the trusted web pictures, each left out
 * of the mean that it helped to make, since these are no strangers.
 */
import type { Matrix } from '../../linalg/index.js';
import { logSumExp, rowDots } from '../../numerics/index.js';
import type { Placed } from './ground.js';
import type { Neighbours } from './neighbours.js';
import type { BowerbirdSolver } from './solver.js';
import { axpy, dotOf, productsWith, timesVector } from './vectors.js';

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

/** Reads the signs of pictures as a solver's means, which must not change meanwhile, explain them. */
export class SignReader {
  readonly #solver: BowerbirdSolver;
  readonly #variance: number;
  /** How close trusted web pictures come to their own category, which some do more than others. */
  readonly #closeness: Float64Array;
  readonly #web: Shifted;

  constructor(solver: BowerbirdSolver, variance: number) {
    this.#solver = solver;
    this.#variance = variance;
    this.#web = webProducts(solver);
    this.#closeness = usualCloseness(solver, this.#web);
  }

  /** n rows of signs, own and of the neighbours. */
  read(pictures: Placed, neighbours: Neighbours, yardstick: Yardstick): Float64Array[] {
    const n = pictures.rows.rows;
    const products = plainProducts(this.#solver, pictures);
    const { columns, nearest } = this.#own(products);
    inUnits(columns, yardstick);
    const k = neighbours.count;
    const around = aroundSigns.map((sign) => neighbours.means(columns[sign]));
    const common = commonLook(pictures, neighbours, products.listed, this.#solver);
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

  /** That of the trusted web pictures; undefined where they are too few. */
  yardstick(): Yardstick | undefined {
    const { trust, ground } = this.#solver;
    const total = trust.reduce((sum, value) => sum + value, 0);
    if (total < leastTrusted) return undefined;
    const { columns } = this.#own(this.#web, ground.webLabels);
    const means = columns.map((column) => column.reduce((sum, value, i) => sum + trust[i] * value, 0) / total);
    const spreads = columns.map((column, sign) =>
      Math.sqrt(column.reduce((sum, value, i) => sum + trust[i] * (value - means[sign]) ** 2, 0) / total + 1e-12),
    );
    return { means, spreads };
  }

  /**
   * Each picture's own signs and its nearest listed category.
   * @param labels of web pictures, which helped to make their category's mean and are left out of it
   */
  #own({ listed, known, squares }: Shifted, labels?: Int32Array): { columns: Float64Array[]; nearest: Int32Array } {
    const { ground, means, meanVariances, options } = this.#solver;
    const { backend, known: others, dimension: d } = ground;
    const left = meanVariances.reduce((sum, value) => sum + value, 0) / meanVariances.length;
    const variance = this.#variance;
    const density = (distance: number, spread: number) =>
      (-options.sharpness * (distance / spread + d * Math.log(spread))) / 2;
    const [lengths, knownLengths] = [means, others.means].map((matrix) => rowDots(backend, matrix, matrix));
    const [roots, knownRoots] = [lengths, knownLengths].map((values) => values.map(rootOf));
    const n = squares.length;
    const columns = Array.from({ length: ownSigns }, () => new Float64Array(n));
    const [cosine, knownCosine, ratio, alone, length, tight, margin] = columns;
    const nearest = new Int32Array(n);
    const densities = new Float64Array(means.rows);
    const terms = new Float64Array(others.means.rows + 1);
    for (let j = 0; j < n; j++) {
      const norm = Math.sqrt(squares[j]) || 1;
      const own = listed.row(j);
      cosine[j] = Number.NEGATIVE_INFINITY;
      let [first, second] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let c = 0; c < own.length; c++) {
        let [product, square, root] = [own[c], lengths[c], roots[c]];
        if (c === labels?.[j]) {
          // μ without x, whose part of μ is w: (μ − w x) / (1 − w).
          const rest = this.#solver.restWithout(j);
          const part = 1 - rest;
          square = (square - 2 * part * product + part * part * squares[j]) / rest ** 2;
          product = (product - part * squares[j]) / rest;
          root = rootOf(square);
        }
        const near = product / root / norm;
        if (near > cosine[j]) {
          cosine[j] = near;
          nearest[j] = c;
        }
        densities[c] = density(Math.max(0, squares[j] - 2 * product + square), variance + left);
        if (densities[c] > first) [first, second] = [densities[c], first];
        else if (densities[c] > second) second = densities[c];
      }
      const other = known.row(j);
      knownCosine[j] = Number.NEGATIVE_INFINITY;
      for (let k = 0; k < other.length; k++) {
        knownCosine[j] = Math.max(knownCosine[j], other[k] / knownRoots[k] / norm);
        const distance = Math.max(0, squares[j] - 2 * other[k] + knownLengths[k]);
        terms[k] = density(distance, variance + others.within / others.counts[k]) - Math.log(other.length);
      }
      terms[other.length] = density(squares[j], variance + others.between);
      const together = logSumExp(densities);
      ratio[j] = together - Math.log(densities.length) - logSumExp(terms);
      alone[j] = together - terms[other.length];
      length[j] = Math.log(squares[j] / d + 1e-12);
      tight[j] = cosine[j] - this.#closeness[nearest[j]];
      margin[j] = own.length > 1 ? first - second : 0;
    }
    return { columns, nearest };
  }
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

/** Products of pictures, measured from a shift, with the listed and the known means, and their squared lengths. */
interface Shifted {
  readonly listed: Matrix;
  readonly known: Matrix;
  readonly squares: Float64Array;
}

function plainProducts({ ground, means }: BowerbirdSolver, { rows, squaredLengths }: Placed): Shifted {
  const { backend, known } = ground;
  return {
    listed: productsWith(backend, rows, means),
    known: productsWith(backend, rows, known.means),
    squares: squaredLengths,
  };
}

/** Those of the web pictures, measured from their own shift. */
function webProducts({ ground, means, webShift: shift }: BowerbirdSolver): Shifted {
  const { backend, known, web, webToKnown } = ground;
  const less = (products: Matrix, matrix: Matrix<Float64Array>) => {
    const along = Float64Array.from({ length: matrix.rows }, (_, c) => dotOf(matrix.row(c), shift));
    for (let i = 0; i < products.rows; i++) {
      const row = products.row(i);
      for (let c = 0; c < row.length; c++) row[c] -= along[c];
    }
    return products;
  };
  const along = timesVector(backend, web.rows, shift);
  const length = dotOf(shift, shift);
  return {
    listed: less(productsWith(backend, web.rows, means), means),
    known: less(webToKnown.copy(webToKnown.dtype), known.means),
    squares: web.squaredLengths.map((square, i) => Math.max(0, square - 2 * along[i] + length)),
  };
}

/** Mean cosines of trusted web pictures with their own category's mean; 0.3 as if seen five times before. */
function usualCloseness({ ground, means, trust }: BowerbirdSolver, { listed, squares }: Shifted): Float64Array {
  const roots = rowDots(ground.backend, means, means).map(rootOf);
  const closeness = new Float64Array(means.rows).fill(0.3 * 5);
  const weights = new Float64Array(means.rows).fill(5);
  ground.webLabels.forEach((label, i) => {
    closeness[label] += (trust[i] * listed.at(i, label)) / roots[label] / rootOf(squares[i]);
    weights[label] += trust[i];
  });
  return closeness.map((sum, c) => sum / weights[c]);
}

/**
 * Largest cosine of a listed category with the mean direction of a picture's neighbours, over that mean's length.
 * @param products of the pictures with the means
 */
function commonLook(
  { rows, squaredLengths }: Placed,
  neighbours: Neighbours,
  products: Matrix,
  { ground: { backend }, means }: BowerbirdSolver,
): Float64Array {
  const k = neighbours.count;
  const roots = rowDots(backend, means, means).map(rootOf);
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
    for (let c = 0; c < cosines.length; c++) most = Math.max(most, cosines[c] / roots[c]);
    return most / Math.max(dotOf(mean, mean), 1e-12);
  });
}

const rootOf = (square: number): number => Math.sqrt(Math.max(square, 1e-12));
