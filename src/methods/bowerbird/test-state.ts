/** The test pictures' side of the estimate: assignments, shares, variance and shift. */
import { MemoryError } from '../../errors.js';
import { type Dtype, Matrix, type RowLeaders, visitRows } from '../../linalg/index.js';
import { roomOn, rowDots } from '../../numerics/index.js';
import { Candidates } from './candidates.js';
import type { Placed } from './ground.js';
import { answerWeights, holdAnswers, holdLeaders } from './known.js';
import type { Neighbours } from './neighbours.js';
import { equalShares, learnShares, type ShareModel, type StatedShares, shareOffsets, shareTerms } from './shares.js';
import type { BowerbirdSolver } from './solver.js';
import type { ShiftedSums } from './sums.js';
import { axpy, dotOf, productsWith, shrunken, timesVector, weightedSum } from './vectors.js';

/** The test pictures and what is known of them. */
export interface TestSide {
  readonly pictures: Placed;
  readonly neighbours?: Neighbours;
  readonly neighbourWeight: number;
  readonly shares: StatedShares;
  /** w_j: what each picture counts for, which is less where it may show no listed category. @default 1 */
  readonly listed?: Float64Array;
  /** What people said the pictures show, and as how many pictures a named one counts among its neighbours. */
  readonly known?: Int32Array;
  readonly answerWeight: number;
  /** Variance of a test picture about its category's mean, to start from. */
  readonly variance: number;
}

/** Pictures that are summed up in their own precision, which may be single. */
export const shortSum = 4096;
/** Scores above which a folder is a large one. */
const manyScores = 2 ** 20;
/** Of a step that lowers the objective. */
const mostHalvings = 10;

/** What a GPU has no more room for is undefined. */
function unlessMemoryEnds(make: () => Matrix): Matrix | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof MemoryError) return undefined;
    throw error;
  }
}

export class TestState {
  readonly side: TestSide;
  readonly solver: BowerbirdSolver;
  readonly candidates: Candidates;
  /** q, nt×candidates, and the scores it comes from, without neighbours and shares; in the pictures' precision. */
  assignments: Matrix;
  readonly scores: Matrix;
  /** Scores and what the neighbours say. Without neighbours, or room for both, the scores themselves, which are made anew when wanted. */
  readonly #evidence: Matrix;
  /** The answers by which neighbours spoke last, and whether what they said has been added to the scores themselves. */
  #spoken: Matrix | undefined;
  #heard = false;
  /** Room for what is summed up or gone back to: while answers change, the last ones. */
  #scratch: Matrix;
  /** Room for the sums of the pictures by candidate, and whether it holds those of the present assignments. */
  #sums: Matrix | undefined;
  #summed = false;
  offsets: Float64Array;
  /** Number of pictures of each candidate, by weight. */
  counts: Float64Array;
  shareModel: ShareModel;
  /** δ */
  shift: Float64Array;
  variance: number;
  /** Share of the sharpness that scores have for now. */
  heat = 1;
  readonly #weights: Float64Array;
  /** The same among neighbours, where named pictures count for more. */
  readonly #voices: Float64Array;
  readonly #strangerShare: number;

  constructor(solver: BowerbirdSolver, side: TestSide) {
    this.solver = solver;
    this.side = side;
    const { rows } = side.pictures.rows;
    this.candidates = new Candidates(solver);
    const { dtype } = side.pictures.rows;
    const matrix = () => roomOn(solver.ground.backend, rows, this.candidates.count, dtype);
    this.assignments = matrix();
    this.scores = matrix();
    this.#scratch = matrix();
    this.#evidence = (side.neighbours && unlessMemoryEnds(matrix)) ?? this.scores;
    this.offsets = new Float64Array(this.candidates.count);
    this.counts = new Float64Array(this.candidates.count);
    this.shareModel = equalShares;
    this.shift = new Float64Array(solver.ground.dimension);
    this.variance = side.variance;
    this.#weights = side.listed ?? new Float64Array(rows).fill(1);
    this.#voices = answerWeights(this.#weights, side.known, side.answerWeight);
    this.#strangerShare = 1 - this.#weights.reduce((sum, weight) => sum + weight, 0) / rows;
    this.score();
    this.#hear();
    this.#combine();
  }

  /** Gives back what a GPU holds of this state, which is then of no more use. */
  release(): void {
    const own = [this.assignments, this.scores, this.#evidence, this.#scratch, this.#sums];
    for (const matrix of new Set(own)) if (matrix) this.solver.ground.backend.release(matrix);
    this.#sums = undefined;
  }

  /** Whether a round takes its time. */
  get large(): boolean {
    return this.scores.rows * this.scores.cols > manyScores;
  }

  /** Scores with all that speaks for them, of pictures [from, to): the logarithms of q up to a constant of each row. */
  decisions(from = 0, to: number = this.scores.rows): Matrix<Float64Array> {
    const result = this.#decided().view(from, to).copy('float64');
    const { rows, cols, data } = result;
    for (let j = 0, at = 0; j < rows; j++) for (let c = 0; c < cols; c++, at++) data[at] += this.offsets[c];
    holdAnswers(this.side.known?.subarray(from, to), undefined, result);
    return result;
  }

  /** The candidate that each picture is decided for, and by how much the decision leads: no table of decisions is made. */
  answers(): RowLeaders {
    const evidence = this.#decided();
    const { rows, cols } = evidence;
    const found = { columns: new Int32Array(rows), leads: new Float64Array(rows) };
    this.solver.ground.backend.leadersOfRows(found, evidence, this.offsets);
    holdLeaders(this.side.known, found, cols);
    return found;
  }

  /** Goes on from where another estimate of the same folder came to rest. */
  goOnFrom(other: TestState): void {
    this.shift = other.shift;
    this.variance = other.variance;
    this.shareModel = other.shareModel;
    this.offsets = other.offsets.slice();
    if (other !== this) this.solver.ground.backend.copy(this.assignments, other.assignments);
    this.#summed = false;
    holdAnswers(this.side.known, this.assignments);
    this.#count();
  }

  /** β l_jc, l the Gaussian log density at f_c μ_c + δ up to the part that all candidates share. */
  score(): void {
    const { backend, dimension: d } = this.solver.ground;
    const { rows, squaredLengths } = this.side.pictures;
    const { scores, shift } = this;
    const means = this.candidates.means(rows.dtype);
    const along = new Float64Array(rows.rows);
    const shiftLength = dotOf(shift, shift);
    visitRows(rows, (block, start) => {
      productsWith(backend, block, means, scores.view(start, start + block.rows));
      if (shiftLength > 0) along.set(timesVector(backend, block, shift), start);
    });
    backend.release(means);
    // ‖x_j − δ − f_c μ_c‖² = lengths[j] − 2 products_jc + squares[c].
    const lengths = squaredLengths.map((length, j) => length - 2 * along[j] + shiftLength);
    const squares = this.candidates.squaresBeside(shift);
    const sharpness = this.solver.options.sharpness * this.heat;
    // One for all, so that scores are linear in the pictures.
    const variances = new Float64Array(this.candidates.count).fill(this.scale);
    const factors = variances.map((variance) => -sharpness / (2 * variance));
    const constants = variances.map((variance) => (-sharpness * d * Math.log(variance)) / 2);
    backend.scoreRows(scores, { lengths, squares, factors, constants });
    this.#heard = false;
  }

  /** The evidence from the scores and what neighbours say. */
  #hear(): void {
    const { neighbours, neighbourWeight } = this.side;
    const there = this.#evidence === this.scores;
    if (!there) this.solver.ground.backend.copy(this.#evidence, this.scores);
    if (!this.#spoken || !neighbours) return;
    neighbours.add(this.#evidence, neighbourWeight, this.#spoken, this.#voices);
    this.#heard = there;
  }

  /** The evidence of the last answers. */
  #decided(): Matrix {
    if (this.#evidence === this.scores && !this.#heard) this.#hear();
    return this.#evidence;
  }

  /** The scores without what neighbours say. */
  #unheard(): Matrix {
    if (this.#heard) this.score();
    return this.scores;
  }

  /** One variance left in all listed means. */
  get #meanVariance(): number {
    const { meanVariances, categories } = this.solver;
    let sum = 0;
    for (const value of meanVariances) sum += value;
    return sum / categories;
  }

  /** v of test pictures about the means of the candidates. */
  get scale(): number {
    return this.variance + this.#meanVariance;
  }

  /** What the test pictures say of the means. */
  sums(): ShiftedSums {
    const { categories: count } = this.solver;
    return {
      sums: this.#sumsByCandidate().view(0, count),
      totals: this.counts.subarray(0, count),
      weight: 1 / this.scale,
      shift: this.shift,
      // While f_c is told from the means, they are not told from it: the two would chase each other.
      ...(this.solver.held && { stretch: this.candidates.stretches }),
    };
  }

  /** Σ_j w_j q_jc x_j, once for the same assignments. */
  #sumsByCandidate(): Matrix {
    const { backend } = this.solver.ground;
    const { rows } = this.side.pictures;
    this.#sums ??= roomOn(backend, this.candidates.count, rows.cols, 'float64');
    const total = this.#sums;
    if (this.#summed) return total;
    const weights = rows.dtype === 'float64' ? this.#weights : Float32Array.from(this.#weights);
    // Sums in single precision are short, and added up in double.
    const room = (dtype: Dtype) => roomOn(backend, this.candidates.count, rows.cols, dtype);
    const part = rows.dtype === 'float64' ? undefined : room(rows.dtype);
    const wide = part && rows.rows > Math.min(shortSum, rows.atOnce ?? shortSum) ? room('float64') : undefined;
    const see = (pictures: Matrix, start: number) => {
      const end = start + pictures.rows;
      const weighted = this.#scratch.view(start, end);
      backend.copy(weighted, this.assignments.view(start, end));
      backend.scaleRows(weighted, weights.subarray(start, end));
      backend.gemm(part ?? total, weighted, pictures, { transposeA: true, beta: part || start === 0 ? 0 : 1 });
      if (part) backend.copy(start === 0 ? total : wide!, part);
      if (part && start > 0) backend.axpby(total, 1, wide!, 1);
    };
    visitRows(rows, see, shortSum);
    this.#summed = true;
    for (const matrix of [part, wide]) if (matrix) backend.release(matrix);
    return total;
  }

  /** Assignments from scores, neighbours and shares; while the folder is being described, its shares are learnt too. */
  assign(learning: boolean): number {
    const { backend } = this.solver.ground;
    this.candidates.follow(() => this.#sumsByCandidate(), this.counts);
    this.#summed = false;
    this.score();
    const start = learning ? 0 : this.terms();
    this.#spoken = this.assignments;
    this.#hear();
    const before = { assignments: this.assignments, counts: this.counts.slice() };
    const swap = () => {
      [this.assignments, this.#scratch] = [this.#scratch, this.assignments];
    };
    swap();
    if (learning) {
      this.#combine();
      for (let step = 0; step < 3; step++) {
        this.shareModel = this.#shares();
        const wanted = this.#offsetsAt(this.counts);
        for (let c = 0; c < wanted.length; c++) this.offsets[c] += 0.5 * (wanted[c] - this.offsets[c]);
        this.#combine();
      }
    } else {
      // A step along the way to the maximizer of the linearized objective, halved until it does not lower the objective.
      this.offsets = this.#offsetsAt(this.counts);
      this.#combine();
      for (let halvings = 0; halvings < mostHalvings && this.terms() < start; halvings++) {
        backend.axpby(this.assignments, 0.5, before.assignments, 0.5);
        this.counts = this.counts.map((count, c) => (count + before.counts[c]) / 2);
      }
      if (this.terms() < start) {
        swap();
        this.counts = before.counts;
        return 0;
      }
    }
    return backend.sumOfDifferences(this.assignments, before.assignments) / this.assignments.rows;
  }

  /** q and the counts from the evidence and what the shares say. */
  #combine(): void {
    const { backend } = this.solver.ground;
    backend.softmaxRows(this.assignments, this.#evidence, this.offsets, this.#weights, this.counts);
    if (!this.side.known) return;
    holdAnswers(this.side.known, this.assignments);
    this.#count();
  }

  #shares(): ShareModel {
    return this.side.shares === 'unknown' ? learnShares(this.counts, this.#strangerShare) : equalShares;
  }

  #offsetsAt(counts: Float64Array): Float64Array {
    const { shares } = this.side;
    if (typeof shares !== 'string') return shares.map((share) => Math.log(Math.max(share, 1e-12)));
    return shareOffsets(counts, this.shareModel);
  }

  #count(): void {
    this.counts = this.#columnSums(this.#weights);
  }

  /** Of the assignments. */
  #columnSums(weights: Float64Array): Float64Array {
    const { rows, cols, dtype } = this.assignments;
    const starts = Int32Array.from({ length: Math.ceil(rows / shortSum) + 1 }, (_, k) => Math.min(rows, k * shortSum));
    const parts = Matrix.zeros(starts.length - 1, cols, dtype);
    this.solver.ground.backend.segmentSums(parts, this.assignments, weights, starts);
    const sums = new Float64Array(cols);
    for (let k = 0; k < parts.rows; k++) axpy(sums, 1, parts.row(k));
    return sums;
  }

  /** The variance of test pictures about the means they are assigned to, half way from the last one. */
  updateVariance(): void {
    const { backend, dimension: d, known } = this.solver.ground;
    const { means, squares, categories: count } = this.solver;
    const { shift, candidates } = this;
    const { stretches } = candidates;
    // Σ w q ‖x − δ − f μ‖² = Σ w q ‖x‖² + N ‖δ‖² − 2 Σ_c s_c·(δ + f_c μ_c) + Σ_c N_c (f_c² ‖μ_c‖² + 2 f_c μ_c·δ), s_c the sums of the pictures.
    const sums = this.#sumsByCandidate().view(0, count);
    const own = rowDots(backend, sums, means);
    const shiftLength = dotOf(shift, shift);
    const along = (rows: Matrix) => (shiftLength > 0 ? timesVector(backend, rows, shift) : new Float64Array(count));
    const [sumsAlong, meansAlong] = [along(sums), along(means)];
    let [apart, assigned] = [this.#squaresOfListed(), 0];
    for (let c = 0; c < count; c++) {
      const [factor, pictures] = [stretches[c], this.counts[c]];
      const beside = sumsAlong[c] - pictures * factor * meansAlong[c];
      apart += pictures * (shiftLength + factor ** 2 * squares[c]) - 2 * (factor * own[c] + beside);
      assigned += pictures;
    }
    // As much as ten pictures of the known categories speak before any other.
    const residual = 10 * d * this.side.variance + apart + assigned * d * this.#meanVariance;
    const weight = 10 + assigned;
    this.variance = Math.max(0.5 * this.variance + (0.5 * residual) / (weight * d), 1e-3 * known.within);
  }

  /** Σ_j w_j ‖x_j‖² Σ_c q_jc over the listed categories c. */
  #squaresOfListed(): number {
    const { squaredLengths } = this.side.pictures;
    const weighted = this.#weights.map((weight, j) => weight * squaredLengths[j]);
    const sums = this.solver.ground.generalized
      ? this.#columnSums(weighted).subarray(0, this.solver.categories)
      : weighted;
    return sums.reduce((sum, value) => sum + value, 0);
  }

  /**
   * δ: mean difference of the test pictures from the means learnt without them, less what chance explains. Shares of
   * concentration α hold about (Cα + 1)/(α + 1) categories; the fewer, the less can a shift be told from a category.
   */
  updateShift(alone: BowerbirdSolver): void {
    const { dimension: d, known, generalized, backend } = this.solver.ground;
    const count = this.solver.categories;
    if (generalized) return;
    const { rows } = this.side.pictures;
    const difference = new Float64Array(d);
    let total = 0;
    for (let c = 0; c < count; c++) total += this.counts[c];
    // The chances of a picture add up to 1, so that the categories' sums are together that of the pictures.
    visitRows(rows, (block, start) => {
      const sum = Matrix.zeros(1, d, rows.dtype);
      const weights = this.#weights.subarray(start, start + block.rows);
      backend.segmentSums(sum, block, weights, Int32Array.of(0, block.rows));
      axpy(difference, 1 / total, sum.row(0));
    });
    const { concentration } = this.shareModel;
    let chance = (known.between * (concentration + 1)) / (count * concentration + 1);
    const shares = this.counts.slice(0, count).map((number) => number / total);
    axpy(difference, -1, weightedSum(backend, alone.means, shares));
    for (let c = 0; c < count; c++)
      chance += shares[c] ** 2 * (alone.meanVariances[c] + this.variance / Math.max(this.counts[c], 1e-3));
    this.shift = shrunken(difference, chance);
  }

  /** The test pictures' part of the objective. */
  terms(): number {
    const { neighbours, neighbourWeight, shares } = this.side;
    let total = this.solver.ground.backend.energyOfRows(this.assignments, this.#unheard(), this.#weights);
    if (neighbours) total += (neighbourWeight / 2) * neighbours.agreement(this.assignments, this.#voices);
    total -= (this.solver.options.sharpness * this.candidates.awayFromLabelled()) / (2 * this.scale);
    if (typeof shares === 'string') return total + shareTerms(this.counts, this.shareModel);
    for (let c = 0; c < shares.length; c++) total += this.counts[c] * Math.log(Math.max(shares[c], 1e-12));
    return total;
  }
}
