/**
 * The space in which few-shot methods compare pictures. Features are raised to a power (signs kept) and brought to unit length;
 * S is how pictures of one auxiliary category differ among themselves, plus a share of its mean eigenvalue on the diagonal; with
 * S = L L' a picture x becomes L⁻¹(x − centre). What varies within every known category then counts little between the unknown
 * ones. Means and covariances belong to the auxiliary pictures; the centre is the caller's choice.
 */
import { ProblemError } from '../../errors.js';
import type { Backend, Dtype, RealArray } from '../../linalg/index.js';
import { Matrix, poweredRows } from '../../linalg/index.js';
import { byLabel, columnMeans, roomOn, segmentsWithin, withScratch } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import { type Features, visitFeatures } from './feature-rows.js';
import { fingerprint, prepared, preparedNow } from './preparation.js';

export interface WhitenedSpaceOptions {
  /** Exponent of the features. */
  power: number;
  /** Added to the diagonal of S, as a share of its mean eigenvalue. */
  shrinkage: number;
}

interface Placed {
  readonly rows: Matrix<Float64Array>;
  readonly centre: Float64Array;
}

let spaces = 0;

export class WhitenedSpace {
  /** Means of the auxiliary categories, measured from the mean of the auxiliary pictures, Ca×d. */
  readonly auxiliaryMeans: Matrix<Float64Array>;
  readonly auxiliaryCounts: Float64Array;
  /** Mean of the auxiliary pictures, for `place`. */
  readonly auxiliaryCentre: Float64Array;
  /** Variance of an auxiliary picture about its category's mean, per dimension; below 1 by what the shrinkage adds. */
  readonly within: number;
  /** Exponent of the features. */
  readonly power: number;
  readonly backend: Backend;
  /** Tells spaces apart, for what is kept of pictures in each. */
  readonly #number = spaces++;
  readonly #fromAuxiliary = new WeakMap<Matrix, { fingerprint: string; rows: Matrix }>();
  /** (L⁻¹)', so that rows are whitened by one product. */
  readonly #map: Matrix<Float64Array>;

  private constructor(
    backend: Backend,
    power: number,
    map: Matrix<Float64Array>,
    means: Matrix<Float64Array>,
    counts: Float64Array,
    centre: Float64Array,
    within: number,
  ) {
    this.backend = backend;
    this.power = power;
    this.#map = map;
    this.auxiliaryMeans = means;
    this.auxiliaryCounts = counts;
    this.auxiliaryCentre = centre;
    this.within = within;
  }

  /**
   * @param problem pictures labelled −1 are left out
   * @param chosen auxiliary categories whose pictures make the space, in this order @default all
   * @param source the auxiliary features, where the problem does not have them
   */
  static async learn(
    problem: Problem,
    backend: Backend,
    options: WhitenedSpaceOptions,
    chosen?: readonly number[],
    source: Features = problem.auxiliaryFeatures,
  ): Promise<WhitenedSpace> {
    const { auxiliaryFeatures: features, auxiliaryLabels: labels } = problem;
    const { power, shrinkage } = options;
    // Under a name of its own, so that neither makes the other forgotten.
    const name = chosen ? 'whitened space of some categories' : 'whitened space';
    return prepared(name, backend, [features, labels], [power, shrinkage, ...(chosen ?? [])], () =>
      WhitenedSpace.#learn(problem, backend, options, chosen ?? [...problem.auxiliaryNames.keys()], source),
    );
  }

  static async #learn(
    { auxiliaryLabels, auxiliaryNames }: Problem,
    backend: Backend,
    options: WhitenedSpaceOptions,
    chosen: readonly number[],
    source: Features,
  ): Promise<WhitenedSpace> {
    const categories = chosen.length;
    const labelOf = new Int32Array(auxiliaryNames.length).fill(-1);
    chosen.forEach((category, label) => {
      labelOf[category] = label;
    });
    const labels = auxiliaryLabels.map((category) => labelOf[category] ?? -1);
    const sorted = byLabel(labels, categories);
    const pictures = sorted.order.length;
    const counts = Float64Array.from(chosen, (_, c) => sorted.starts[c + 1] - sorted.starts[c]);
    const degrees = pictures - categories;
    if (degrees < 1 || counts.includes(0))
      throw new ProblemError(
        'aux_labels',
        undefined,
        `${pictures} auxiliary pictures of ${categories} categories do not show how pictures of one category differ`,
        'Give pictures of every auxiliary category, and several of some.',
      );
    return withScratch(backend, async (scratch) => {
      // Σ x x' and the sums of the categories, block by block: S_w = Σ x x' − Σ_c n_c m_c m_c'.
      const d = source.cols;
      const scatter = scratch.matrix(d, d);
      const means = Matrix.zeros(categories, d);
      // The products of a block may be in single precision; what they add up to is in double.
      // A GPU is as quick in double, and would have to hand over every block.
      const dtype = backend.device === 'cuda' ? 'float64' : precisionFor(pictures, d);
      const products = dtype === 'float32' ? scratch.matrix(d, d, dtype) : undefined;
      let begun = false;
      const take = (features: Matrix, starts: Int32Array, order?: Int32Array, first = 0) =>
        backend.visitPowered(features, { power: options.power, dtype, order }, (rows, place) => {
          backend.syrk(products ?? scatter, rows, { transpose: true, beta: products || !begun ? 0 : 1 });
          begun = true;
          if (products) addSingle(scatter.data, products.data);
          const start = first + place;
          const here = segmentsWithin(starts, start, start + rows.rows);
          const sums = Matrix.zeros(here.starts.length - 1, d, dtype);
          backend.segmentSums(sums, rows, new Float64Array(rows.rows).fill(1), here.starts);
          for (let c = 0; c < sums.rows; c++) add(means.row(here.first + c), sums.row(c));
        });
      if (source instanceof Matrix) take(source, sorted.starts, sorted.order);
      else if (source.sequential) {
        const see = (block: Matrix, start: number) => {
          const { order, starts } = byLabel(labels.subarray(start, start + block.rows), categories);
          take(block, starts, order);
        };
        await visitFeatures(source, see, { backend });
      } else {
        // The same blocks as in memory, and so the same sums to the last bit.
        const see = (block: Matrix, start: number) => take(block, sorted.starts, undefined, start);
        await visitFeatures(source, see, { rows: sorted.order, together: poweredRows(d, dtype), backend });
      }
      let total = 0;
      for (let j = 0; j < d; j++) total += scatter.at(j, j);
      const centre = new Float64Array(d);
      for (let c = 0; c < categories; c++) add(centre, means.row(c));
      for (let j = 0; j < d; j++) centre[j] /= pictures;
      const weighted = means.copy('float64');
      backend.scaleRows(
        weighted,
        counts.map((count) => 1 / Math.sqrt(count)),
      );
      backend.syrk(scatter, weighted, { transpose: true, alpha: -1 / degrees, beta: 1 / degrees });
      backend.scaleRows(
        means,
        counts.map((count) => 1 / count),
      );
      subtract(means, centre);
      let trace = 0;
      for (let j = 0; j < d; j++) trace += scatter.at(j, j);
      // Of pictures that are all alike rounding leaves a little.
      if (!(trace > (1e-12 * total) / degrees))
        throw new ProblemError(
          'aux_features',
          undefined,
          `the ${pictures} auxiliary pictures do not differ within their categories`,
          'Give several different pictures of each auxiliary category.',
        );
      const added = (options.shrinkage * trace) / d;
      backend.addDiagonal(scatter, added);
      backend.cholesky(scatter);
      // S⁻¹L = (L⁻¹)'.
      const map = scratch.matrix(d, d);
      for (let i = 0; i < d; i++) map.row(i).set(scatter.row(i).subarray(0, i + 1));
      backend.choleskySolve(scatter, map, 'columns');
      // tr(S⁻¹ S_w) = d − κ tr(S⁻¹), and S⁻¹ is the product of the map with its transpose.
      const within = 1 - (added * backend.dot(map, map)) / d;
      const kept = map.copy('float64');
      const whitened = Matrix.zeros(means.rows, d);
      backend.gemm(whitened, means, kept);
      return new WhitenedSpace(backend, options.power, kept, whitened, counts, centre, within);
    });
  }

  /** Mean of pictures of one kind after power and length: where they may be measured from. */
  centreOf(features: Matrix): Float64Array {
    return this.#own(features).centre;
  }

  /** Whitened features, measured from `centre`. */
  place(features: Matrix, centre: Float64Array): Matrix<Float64Array> {
    const own = this.#own(features);
    const rows = own.rows.copy('float64');
    const difference = Matrix.zeros(1, rows.cols);
    for (let j = 0; j < rows.cols; j++) difference.set(0, j, centre[j] - own.centre[j]);
    subtract(rows, this.#whitened(difference).row(0));
    return rows;
  }

  /** Whitened features measured from the mean of the auxiliary pictures, in either precision; `order` names their rows. */
  placeRows(features: Matrix, dtype: Dtype, order?: Int32Array): Matrix {
    const [n, d] = [order?.length ?? features.rows, features.cols];
    const rows = roomOn(this.backend, n, d, dtype);
    const map = roomOn(this.backend, d, d, dtype);
    this.backend.copy(map, this.#map);
    const { power, auxiliaryCentre: centre } = this;
    this.backend.visitPowered(features, { power, dtype, centre, order }, (block, start) => {
      this.#timesMap(rows.view(start, start + block.rows), block, map);
    });
    this.backend.release(map);
    return rows;
  }

  /** The same, kept and handed out again, unless there are very many: nobody may write to them. */
  placeOnce(features: Matrix, dtype: Dtype, order?: Int32Array): Matrix {
    if (features.rows * features.cols > mostKept) return this.placeRows(features, dtype, order);
    const print = `${fingerprint(features)} ${dtype} ${order ? fingerprint(new Matrix(Float64Array.from(order), 1, order.length)) : ''}`;
    const known = this.#fromAuxiliary.get(features);
    if (known?.fingerprint === print) return known.rows;
    const rows = this.placeRows(features, dtype, order);
    this.#fromAuxiliary.set(features, { fingerprint: print, rows });
    return rows;
  }

  /** Whitened features less their mean; kept, since the same pictures are mostly placed again. */
  #own(features: Matrix): Placed {
    return preparedNow('whitened pictures', this.backend, [features], [this.#number], () => {
      const rows = this.powered(features);
      const centre = columnMeans(rows);
      subtract(rows, centre);
      return { rows: this.#whitened(rows), centre };
    });
  }

  /** A copy of vectors in the features' own space after power and length. */
  powered(vectors: Matrix): Matrix<Float64Array> {
    return powerAndLength(this.backend, vectors.copy('float64'), this.power);
  }

  /** For vectors w of this space: those u with w·(whitened x) = u·(x − centre), x after power and length. */
  pullBack(vectors: Matrix<Float64Array>): Matrix<Float64Array> {
    const result = Matrix.zeros(vectors.rows, vectors.cols);
    this.backend.gemm(result, vectors, this.#map, { transposeB: true });
    return result;
  }

  /** The reverse: for vectors u those w with w·(whitened x) = u·(x − centre), w = L'u, by substitution in L⁻ᵀ w = u. */
  carry(vectors: Matrix<Float64Array>): Matrix<Float64Array> {
    const result = vectors.copy('float64');
    for (let r = 0; r < result.rows; r++) {
      const row = result.row(r);
      for (let i = row.length - 1; i >= 0; i--) {
        const inverse = this.#map.row(i);
        let sum = row[i];
        for (let j = i + 1; j < row.length; j++) sum -= inverse[j] * row[j];
        row[i] = sum / inverse[i];
      }
    }
    return result;
  }

  #whitened(rows: Matrix<Float64Array>): Matrix<Float64Array> {
    const result = Matrix.zeros(rows.rows, rows.cols);
    this.#timesMap(result, rows, this.#map);
    return result;
  }

  /** Result ← rows · map, a stripe of columns at a time: below its diagonal the map is zero. */
  #timesMap(result: Matrix, rows: Matrix, map: Matrix): void {
    const d = map.rows;
    for (let column = 0; column < d; column += stripe) {
      const end = Math.min(d, column + stripe);
      this.backend.gemm(
        result.view(0, rows.rows, column, end),
        rows.view(0, rows.rows, 0, end),
        map.view(0, end, column, end),
      );
    }
  }
}

/** Elements of pictures beyond which looking whether they are still the same takes as long as to place them again. */
const mostKept = 2 ** 26;

/** Columns of the map that are multiplied together. */
const stripe = 256;

/** Elements from which on pictures are kept in single precision. */
const manyElements = 2 ** 20;

export const precisionFor = (rows: number, cols: number): Dtype => (rows * cols > manyElements ? 'float32' : 'float64');

/** Raises the features to a power, signs kept, and brings rows to unit length, in place. */
export function powerAndLength<M extends Matrix>(backend: Backend, features: M, power: number): M {
  backend.powerRows(features, power);
  return features;
}

/** The same from single precision: of whole matrices, so that a loop of its own is worth it. */
function addSingle(target: Float64Array, source: RealArray): void {
  for (let j = 0; j < target.length; j++) target[j] += source[j];
}

function add(target: RealArray, source: RealArray): void {
  for (let j = 0; j < target.length; j++) target[j] += source[j];
}

function subtract(matrix: Matrix, vector: Float64Array): void {
  const { data, rows, cols, stride } = matrix;
  for (let i = 0; i < rows; i++) for (let j = 0, at = i * stride; j < cols; j++, at++) data[at] -= vector[j];
}
