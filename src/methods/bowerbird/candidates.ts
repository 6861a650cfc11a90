/** What test pictures are compared with: the listed categories and, where these are candidates, the known ones after them. */
import { type ArrayOf, type Dtype, Matrix } from '../../linalg/index.js';
import { rowDots } from '../../numerics/index.js';
import { stackRows } from '../../problem/index.js';
import type { BowerbirdSolver } from './solver.js';
import { dotOf, inPrecision } from './vectors.js';

/** A direction of which next to nothing is known is not made a long one. */
const mostStretch = 4;

export const candidatesOf = ({ categories, ground }: BowerbirdSolver): number =>
  categories + (ground.generalized ? ground.known.means.rows : 0);

export class Candidates {
  readonly count: number;
  /** f_c of the listed categories. */
  stretches!: Float64Array;
  readonly #solver: BowerbirdSolver;
  /** Means of the known categories, where these are candidates: their labelled pictures are as many test pictures. */
  #known: Matrix<Float64Array> | undefined;

  constructor(solver: BowerbirdSolver) {
    this.#solver = solver;
    this.count = candidatesOf(solver);
    if (solver.ground.generalized) this.#known = solver.ground.known.means;
    this.stretch();
  }

  /**
   * f_c: a mean is expected to be as long as √(‖μ_c‖² + d · variance left in it), but the estimate is ‖μ_c‖. Shorter than
   * others because less is known of it, it would be near to every picture, and far from those of its own.
   */
  stretch(): void {
    const { squares, meanVariances, ground } = this.#solver;
    const stretched = (square: number, c: number) =>
      square > 0 ? Math.sqrt(1 + (ground.dimension * meanVariances[c]) / square) : 1;
    this.stretches = squares.map((square, c) => Math.min(mostStretch, stretched(square, c)));
  }

  /** f_c μ_c of the listed categories. */
  listedMeans<D extends Dtype = 'float64'>(dtype?: D): Matrix<ArrayOf<D>> {
    const { means } = this.#solver;
    const result = Matrix.zeros(means.rows, means.cols, dtype);
    for (let c = 0; c < means.rows; c++) {
      const [to, from, factor] = [result.row(c), means.row(c), this.stretches[c]];
      for (let j = 0; j < to.length; j++) to[j] = factor * from[j];
    }
    return result;
  }

  /** f_c μ_c and the means of known categories. */
  means(): Matrix<Float64Array> {
    const listed = this.listedMeans();
    return this.#known ? (stackRows(listed, this.#known) as Matrix<Float64Array>) : listed;
  }

  /** The same, to be multiplied with pictures. */
  meansLike(pictures: { readonly dtype: Dtype }): Matrix {
    return this.#known ? inPrecision(this.means(), pictures) : this.listedMeans(pictures.dtype);
  }

  /** ‖m‖² + 2 m·δ of each of these means m: ‖x − δ − m‖² = ‖x − δ‖² − 2 x·m + this. */
  squaresBeside(shift: Float64Array): Float64Array {
    const { means, squares: listed, ground } = this.#solver;
    const shifted = dotOf(shift, shift) > 0;
    const twiceAlong = (row: Float64Array) => (shifted ? 2 * dotOf(row, shift) : 0);
    const squares = new Float64Array(this.count);
    this.stretches.forEach((factor, c) => {
      squares[c] = factor * (factor * listed[c] + twiceAlong(means.row(c)));
    });
    const known = this.#known;
    if (known)
      squares.set(
        rowDots(ground.backend, known, known).map((square, c) => square + twiceAlong(known.row(c))),
        means.rows,
      );
    return squares;
  }

  /**
   * Known means from labelled pictures and test pictures, all of which count alike.
   * @param sumsOf sums of the test pictures by candidate
   * @param counts their numbers
   */
  follow(sumsOf: () => Matrix, counts: Float64Array): void {
    if (!this.#known) return;
    const { categories, ground } = this.#solver;
    const sums = sumsOf().view(categories, this.count);
    this.#known = ground.known.means.copy('float64');
    for (let c = 0; c < sums.rows; c++) {
      const [mean, sum] = [this.#known.row(c), sums.row(c)];
      const [labelled, assigned] = [ground.known.counts[c], counts[categories + c]];
      for (let k = 0; k < mean.length; k++) mean[k] = (labelled * mean[k] + sum[k]) / (labelled + assigned);
    }
  }

  /** Σ_c n_c ‖μ_c − m_c‖² of known categories that are candidates, m_c the mean of their n_c labelled pictures. */
  awayFromLabelled(): number {
    const { means, counts } = this.#solver.ground.known;
    let total = 0;
    for (let c = 0; c < (this.#known?.rows ?? 0); c++) {
      const [now, before] = [this.#known!.row(c), means.row(c)];
      let square = 0;
      for (let k = 0; k < now.length; k++) square += (now[k] - before[k]) ** 2;
      total += counts[c] * square;
    }
    return total;
  }
}
