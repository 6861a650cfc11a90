/** What test pictures are compared with: the listed categories and, where these are candidates, the known ones after them. */
import type { Dtype, Matrix } from '../../linalg/index.js';
import { roomOn, rowDots } from '../../numerics/index.js';
import type { BowerbirdSolver } from './solver.js';
import { copyOn, dotOf, timesVector } from './vectors.js';

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
    if (solver.ground.generalized) this.#known = solver.ground.known.means.copy('float64');
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

  /** f_c μ_c and the means of known categories, where the backend computes; given back by whoever asked for them. */
  means(dtype: Dtype = 'float64'): Matrix {
    const { means, ground, categories } = this.#solver;
    const { backend } = ground;
    const wide = roomOn(backend, this.count, means.cols, 'float64');
    const listed = wide.view(0, categories);
    backend.copy(listed, means);
    backend.scaleRows(listed, this.stretches);
    if (this.#known) backend.copy(wide.view(categories, this.count), this.#known);
    if (dtype === 'float64') return wide;
    const result = copyOn(backend, wide, dtype);
    backend.release(wide);
    return result;
  }

  /** ‖m‖² + 2 m·δ of each of these means m: ‖x − δ − m‖² = ‖x − δ‖² − 2 x·m + this. */
  squaresBeside(shift: Float64Array): Float64Array {
    const { means, squares: listed, ground, categories } = this.#solver;
    const shifted = dotOf(shift, shift) > 0;
    const along = (rows: Matrix) => (shifted ? timesVector(ground.backend, rows, shift) : new Float64Array(rows.rows));
    const squares = new Float64Array(this.count);
    const alongListed = along(means);
    this.stretches.forEach((factor, c) => {
      squares[c] = factor * (factor * listed[c] + 2 * alongListed[c]);
    });
    const known = this.#known;
    if (!known) return squares;
    const alongKnown = along(known);
    squares.set(
      rowDots(ground.backend, known, known).map((square, c) => square + 2 * alongKnown[c]),
      categories,
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
    const sums = sumsOf().view(categories, this.count).copy('float64');
    this.#known = ground.known.means.copy('float64');
    for (let c = 0; c < sums.rows; c++) {
      const [mean, sum] = [this.#known.row(c), sums.row(c)];
      const [labelled, assigned] = [ground.known.counts[c], counts[categories + c]];
      for (let k = 0; k < mean.length; k++) mean[k] = (labelled * mean[k] + sum[k]) / (labelled + assigned);
    }
  }

  /** Σ_c n_c ‖μ_c − m_c‖² of known categories that are candidates, m_c the mean of their n_c labelled pictures. */
  awayFromLabelled(): number {
    if (!this.#known) return 0;
    const { counts } = this.#solver.ground.known;
    const means = this.#solver.ground.known.means.copy('float64');
    let total = 0;
    for (let c = 0; c < this.#known.rows; c++) {
      const [now, before] = [this.#known.row(c), means.row(c)];
      let square = 0;
      for (let k = 0; k < now.length; k++) square += (now[k] - before[k]) ** 2;
      total += counts[c] * square;
    }
    return total;
  }
}
