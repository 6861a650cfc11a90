/** The test pictures' side of the estimate: assignments, shares, variance and shift. */
import { Matrix } from '../../linalg/index.js';
import type { Placed } from './ground.js';
import { answerWeights, holdAnswers } from './known.js';
import type { Neighbours } from './neighbours.js';
import { equalShares, learnShares, type ShareModel, type StatedShares, shareOffsets, shareTerms } from './shares.js';
import type { BowerbirdSolver } from './solver.js';
import { axpy, distances, entropy, shiftedRows, shrunken, softmaxRows } from './vectors.js';

/** The test pictures and what is known of them. */
export interface TestSide {
  readonly pictures: Placed;
  readonly neighbours?: Neighbours;
  readonly neighbourWeight: number;
  /** Known categories are candidates too. */
  readonly generalized: boolean;
  readonly shares: StatedShares;
  /** w_j: chance that each picture shows a listed category. @default 1 */
  readonly listed?: Float64Array;
  /** What people said the pictures show, and as how many pictures a named one counts among its neighbours. */
  readonly known?: Int32Array;
  readonly answerWeight: number;
  /** Variance of a test picture about its category's mean, to start from. */
  readonly variance: number;
}

export class TestState {
  readonly side: TestSide;
  readonly solver: BowerbirdSolver;
  readonly candidates: number;
  /** q, nt×candidates, and the scores it comes from, without neighbours and shares. */
  readonly assignments: Matrix<Float64Array>;
  readonly scores: Matrix<Float64Array>;
  /** Scores with all that speaks for them: the logarithms of q up to a constant of each row. */
  readonly decisions: Matrix<Float64Array>;
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
    this.candidates = solver.categories + (side.generalized ? solver.ground.known.means.rows : 0);
    this.assignments = Matrix.zeros(rows, this.candidates);
    this.scores = Matrix.zeros(rows, this.candidates);
    this.decisions = Matrix.zeros(rows, this.candidates);
    this.offsets = new Float64Array(this.candidates);
    this.counts = new Float64Array(this.candidates);
    this.shareModel = equalShares;
    this.shift = new Float64Array(solver.ground.dimension);
    this.variance = side.variance;
    this.#weights = side.listed ?? new Float64Array(rows).fill(1);
    this.#voices = answerWeights(this.#weights, side.known, side.answerWeight);
    this.#strangerShare = 1 - this.#weights.reduce((sum, weight) => sum + weight, 0) / rows;
    this.score();
    softmaxRows(this.assignments, this.scores);
    holdAnswers(side.known, this.assignments);
    this.#count();
  }

  /** Goes on from where another estimate of the same folder came to rest. */
  goOnFrom(other: TestState): void {
    this.shift = other.shift;
    this.variance = other.variance;
    this.shareModel = other.shareModel;
    this.offsets = other.offsets.slice();
    this.assignments.data.set(other.assignments.data);
    holdAnswers(this.side.known, this.assignments);
    this.#count();
  }

  /** β l_jc, l the Gaussian log density at μ_c + δ up to the part that all candidates share. */
  score(): void {
    const { backend, known, dimension: d } = this.solver.ground;
    const sharpness = this.solver.options.sharpness * this.heat;
    const listed = distances(backend, this.side.pictures, shiftedRows(this.solver.means, this.shift));
    const others = this.side.generalized
      ? distances(backend, this.side.pictures, shiftedRows(known.means, this.shift))
      : undefined;
    const count = this.solver.categories;
    const variance = (c: number) => this.variance + this.#meanVariance(c);
    const variances = Float64Array.from({ length: this.candidates }, (_, c) => variance(c));
    const constants = variances.map((v) => d * Math.log(v));
    for (let j = 0; j < this.scores.rows; j++) {
      const [row, near] = [this.scores.row(j), listed.row(j)];
      for (let c = 0; c < count; c++) row[c] = (-sharpness * (near[c] / variances[c] + constants[c])) / 2;
      if (!others) continue;
      const far = others.row(j);
      for (let k = 0; k < far.length; k++)
        row[count + k] = (-sharpness * (far[k] / variances[count + k] + constants[count + k])) / 2;
    }
  }

  /** One variance left in all listed means, so that scores are linear in the pictures. */
  #meanVariance(c: number): number {
    const { meanVariances, ground, categories } = this.solver;
    if (c >= categories) return ground.known.within / ground.known.counts[c - categories];
    let sum = 0;
    for (const value of meanVariances) sum += value;
    return sum / categories;
  }

  /** v of the listed categories. */
  get scale(): number {
    return this.variance + this.#meanVariance(0);
  }

  /** Adds the test pictures' sums and precisions to those of the means. */
  addTo(sums: Matrix<Float64Array>, precisions: Float64Array): void {
    const { backend } = this.solver.ground;
    const count = this.solver.categories;
    const weighted = Matrix.zeros(this.assignments.rows, count);
    const scale = 1 / this.scale;
    const totals = new Float64Array(count);
    for (let j = 0; j < weighted.rows; j++) {
      const [to, from] = [weighted.row(j), this.assignments.row(j)];
      for (let c = 0; c < count; c++) {
        to[c] = from[c] * this.#weights[j] * scale;
        totals[c] += to[c];
      }
    }
    backend.gemm(sums, weighted, this.side.pictures.rows, { transposeA: true, beta: 1 });
    for (let c = 0; c < count; c++) {
      axpy(sums.row(c), -totals[c], this.shift);
      precisions[c] += totals[c];
    }
  }

  /** Assignments from scores, neighbours and shares; while the folder is being described, its shares are learnt too. */
  assign(learning: boolean): number {
    const { neighbours, neighbourWeight } = this.side;
    this.score();
    const before = this.assignments.copy('float64');
    const evidence = this.scores.copy('float64');
    neighbours?.add(evidence, neighbourWeight, this.#weighted(before, this.#voices));
    if (learning) {
      this.#combine(evidence);
      for (let step = 0; step < 3; step++) {
        this.shareModel = this.#shares();
        const wanted = this.#offsetsAt(this.counts);
        for (let c = 0; c < wanted.length; c++) this.offsets[c] += 0.5 * (wanted[c] - this.offsets[c]);
        this.#combine(evidence);
      }
    } else {
      // A step along the way to the maximizer of the linearized objective, halved until it does not lower the objective.
      const start = this.terms();
      const wanted = this.#offsetsAt(this.counts);
      this.offsets = wanted;
      this.#combine(evidence);
      const target = this.assignments.copy('float64');
      for (let length = 1; length > 1e-3 && this.terms() < start; ) {
        length /= 2;
        for (let k = 0; k < target.data.length; k++)
          this.assignments.data[k] = before.data[k] + length * (target.data[k] - before.data[k]);
        this.#count();
      }
      if (this.terms() < start) {
        this.assignments.data.set(before.data);
        this.#count();
      }
    }
    let change = 0;
    for (let k = 0; k < before.data.length; k++) change += Math.abs(before.data[k] - this.assignments.data[k]);
    return change / before.rows;
  }

  #combine(evidence: Matrix<Float64Array>): void {
    for (let j = 0; j < evidence.rows; j++) {
      const [to, from] = [this.decisions.row(j), evidence.row(j)];
      for (let c = 0; c < to.length; c++) to[c] = from[c] + this.offsets[c];
    }
    softmaxRows(this.assignments, this.decisions);
    holdAnswers(this.side.known, this.assignments, this.decisions);
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

  #weighted(assignments: Matrix<Float64Array>, weights = this.#weights): Matrix<Float64Array> {
    const result = assignments.copy('float64');
    for (let j = 0; j < result.rows; j++) {
      const row = result.row(j);
      for (let c = 0; c < row.length; c++) row[c] *= weights[j];
    }
    return result;
  }

  #count(): void {
    this.counts.fill(0);
    for (let j = 0; j < this.assignments.rows; j++) {
      const row = this.assignments.row(j);
      for (let c = 0; c < row.length; c++) this.counts[c] += row[c] * this.#weights[j];
    }
  }

  /** The variance of test pictures about the means they are assigned to, half way from the last one. */
  updateVariance(): void {
    const { backend, dimension: d, known } = this.solver.ground;
    const listed = distances(backend, this.side.pictures, shiftedRows(this.solver.means, this.shift));
    const count = this.solver.categories;
    const left = this.#meanVariance(0);
    // As much as ten pictures of the known categories speak before any other.
    let [residual, weight] = [10 * d * this.side.variance, 10];
    for (let j = 0; j < listed.rows; j++) {
      const [q, from] = [this.assignments.row(j), listed.row(j)];
      for (let c = 0; c < count; c++) {
        residual += this.#weights[j] * q[c] * (from[c] + d * left);
        weight += this.#weights[j] * q[c];
      }
    }
    this.variance = Math.max(0.5 * this.variance + (0.5 * residual) / (weight * d), 1e-3 * known.within);
  }

  /**
   * δ: mean difference of the test pictures from the means learnt without them, less what chance explains. Shares of
   * concentration α hold about (Cα + 1)/(α + 1) categories; the fewer, the less can a shift be told from a category.
   */
  updateShift(alone: BowerbirdSolver): void {
    const { dimension: d, known, backend } = this.solver.ground;
    const count = this.solver.categories;
    if (this.side.generalized || this.counts.length !== count) return;
    const sums = Matrix.zeros(count, d);
    const weighted = this.#weighted(this.assignments);
    backend.gemm(sums, weighted, this.side.pictures.rows, { transposeA: true });
    let total = 0;
    for (let c = 0; c < count; c++) total += this.counts[c];
    const difference = new Float64Array(d);
    const { concentration } = this.shareModel;
    let chance = (known.between * (concentration + 1)) / (count * concentration + 1);
    for (let c = 0; c < count; c++) {
      const share = this.counts[c] / total;
      const [row, mean] = [sums.row(c), alone.means.row(c)];
      for (let k = 0; k < d; k++) difference[k] += row[k] / total - share * mean[k];
      chance += share ** 2 * (alone.meanVariances[c] + this.variance / Math.max(this.counts[c], 1e-3));
    }
    this.shift = shrunken(difference, chance);
  }

  /** The test pictures' part of the objective. */
  terms(): number {
    const { neighbours, neighbourWeight, shares } = this.side;
    let total = 0;
    for (let j = 0; j < this.scores.rows; j++) {
      const [q, score] = [this.assignments.row(j), this.scores.row(j)];
      let own = 0;
      for (let c = 0; c < q.length; c++) own += q[c] * score[c] + entropy(q[c]);
      total += this.#weights[j] * own;
    }
    if (neighbours)
      total += (neighbourWeight / 2) * neighbours.agreement(this.#weighted(this.assignments, this.#voices));
    if (typeof shares === 'string') return total + shareTerms(this.counts, this.shareModel);
    for (let c = 0; c < shares.length; c++) total += this.counts[c] * Math.log(Math.max(shares[c], 1e-12));
    return total;
  }
}
