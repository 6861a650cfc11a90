/**
 * The joint estimate. Unknown are the means μ_c of the listed categories, which web pictures show what their label says
 * (θ_i), and what the test pictures show (q_j). Everything is measured in the whitened space, per dimension.
 *
 * Means: prior N(m_c, λC) from words and known categories; trusted web pictures lie at μ_c + γ, test pictures at μ_c + δ.
 * Web pictures: one labelled c shows c, another listed category, a known one, or one nobody listed; Student-t densities,
 * since edited pictures lie far out in the right direction.
 * Test pictures: q_jc ∝ exp(β l_jc + what the neighbours say + what the shares say), with weight w_j ≤ 1 for pictures that
 * may show no listed category.
 *
 * First some rounds settle the quantities that describe the folder: the shifts γ and δ of the two kinds of pictures from
 * the auxiliary ones, their variances, the share of wrong web pictures, the spread of the shares. These are then held, and
 * each further round raises one objective (`objective`) until the answers rest.
 */
import { Matrix } from '../../linalg/index.js';
import { rowDots, timesTransposed } from '../../numerics/index.js';
import type { Ground, Placed } from './ground.js';
import type { Neighbours } from './neighbours.js';
import { equalShares, learnShares, type ShareModel, type StatedShares, shareOffsets, shareTerms } from './shares.js';

/** Share of wrong pictures among those that a search finds, before any is seen. */
const usualWrongShare = 0.35;

export interface SolverOptions {
  /** β: how sharply distances decide; pictures are correlated, so that densities overstate. */
  sharpness: number;
  /** Degrees of freedom of the web pictures' densities, per dimension. */
  tails: number;
  textWeight: number;
  /** Evidence that a web picture is right, x, counts as slope · x + intercept: learnt in rehearsal. */
  evidence: { slope: number; intercept: number };
}

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
  /** Variance of a test picture about its category's mean, to start from. */
  readonly variance: number;
}

export class BowerbirdSolver {
  readonly ground: Ground;
  readonly options: SolverOptions;
  readonly categories: number;
  /** Ct×d */
  means: Matrix<Float64Array>;
  /** Variance left in each mean, per dimension. */
  readonly meanVariances: Float64Array;
  /** θ: chance that each web picture shows what it is said to. */
  readonly trust: Float64Array;
  /** γ */
  webShift: Float64Array;
  webVariance: number;
  wrongShare = usualWrongShare;
  /** Weights of the web pictures in the means: trust times nearness, over the variance. */
  readonly #weights: Float64Array;
  /** What speaks against each web picture's label, and its words: held once the folder is described. */
  #against: Float64Array;
  #words: Float64Array | undefined;
  #held = false;

  constructor(ground: Ground, options: SolverOptions) {
    this.ground = ground;
    this.options = options;
    const { prior, web, webVouched, known, dimension } = ground;
    this.categories = prior.means.rows;
    this.means = prior.means;
    this.meanVariances = new Float64Array(this.categories);
    this.trust = Float64Array.from({ length: web.rows.rows }, (_, i) => (webVouched?.[i] ? 1 : 0.6));
    this.webShift = new Float64Array(dimension);
    this.webVariance = known.within;
    this.#weights = this.trust.map((trust) => trust / this.webVariance);
    this.#against = new Float64Array(web.rows.rows);
  }

  /** What the web pictures and words alone say: the answer for a picture that comes by itself. */
  learnFromWeb(rounds = 12): void {
    for (let round = 0; round < rounds; round++) {
      this.shiftWeb();
      this.updateMeans();
      this.#judgeWeb(round > 0);
    }
    this.updateMeans();
  }

  /** A copy that can go its own way. */
  fork(): BowerbirdSolver {
    const copy = new BowerbirdSolver(this.ground, this.options);
    copy.means = this.means;
    copy.meanVariances.set(this.meanVariances);
    copy.trust.set(this.trust);
    copy.webShift = this.webShift;
    copy.webVariance = this.webVariance;
    copy.wrongShare = this.wrongShare;
    copy.#weights.set(this.#weights);
    return copy;
  }

  /** γ: mean difference of the categories' web means from what words expect, less what chance explains of it. */
  shiftWeb(): void {
    const { backend, web, webLabels, prior, known, dimension } = this.ground;
    if (webLabels.length === 0) return;
    const precisions = new Float64Array(this.categories);
    const memberships = Matrix.zeros(webLabels.length, this.categories);
    for (let i = 0; i < webLabels.length; i++) {
      memberships.set(i, webLabels[i], this.trust[i]);
      precisions[webLabels[i]] += this.trust[i];
    }
    const sums = Matrix.zeros(this.categories, dimension);
    backend.gemm(sums, memberships, web.rows, { transposeA: true });
    const present = [...precisions.keys()].filter((c) => precisions[c] > 1e-6);
    const difference = new Float64Array(dimension);
    let chance = 0;
    for (const c of present) {
      const [row, expected] = [sums.row(c), prior.means.row(c)];
      for (let j = 0; j < dimension; j++) difference[j] += (row[j] / precisions[c] - expected[j]) / present.length;
      chance += this.webVariance / precisions[c] / present.length ** 2;
      for (const k of present) chance += (known.between * prior.covariance.at(c, k)) / present.length ** 2;
    }
    this.webShift = shrunken(difference, chance);
  }

  /** The exact posterior of the means given trust and, from the second phase on, the test pictures. */
  updateMeans(test?: TestState): void {
    const { backend, prior, web, webLabels, known, dimension } = this.ground;
    const count = this.categories;
    const sums = Matrix.zeros(count, dimension);
    const precisions = new Float64Array(count);
    const shifts = new Float64Array(count);
    if (webLabels.length > 0) {
      const memberships = Matrix.zeros(webLabels.length, count);
      for (let i = 0; i < webLabels.length; i++) {
        memberships.set(i, webLabels[i], this.#weights[i]);
        precisions[webLabels[i]] += this.#weights[i];
      }
      backend.gemm(sums, memberships, web.rows, { transposeA: true });
      shifts.set(precisions);
    }
    for (let c = 0; c < count; c++) axpy(sums.row(c), -shifts[c], this.webShift);
    test?.addTo(sums, precisions);
    const posterior = posteriorCovariance(backend, prior.covariance, known.between, precisions);
    for (let c = 0; c < count; c++) axpy(sums.row(c), -precisions[c], prior.means.row(c));
    this.means = prior.means.copy('float64');
    backend.gemm(this.means, posterior, sums, { beta: 1 });
    if (!this.#held) for (let c = 0; c < count; c++) this.meanVariances[c] = posterior.at(c, c);
  }

  /** From now on only means, trust and assignments change. */
  hold(): void {
    this.#held = true;
  }

  #density(distance: number, variance: number): number {
    const d = this.ground.dimension;
    const freedom = this.options.tails * d;
    return (
      (-this.options.sharpness * (d * Math.log(variance) + (freedom + d) * Math.log1p(distance / variance / freedom))) /
      2
    );
  }

  judgeWeb(): void {
    this.#judgeWeb(true);
  }

  #judgeWeb(withText: boolean): void {
    const { webLabels, webVouched, dimension: d, text } = this.ground;
    if (webLabels.length === 0) return;
    const { tails, textWeight, evidence } = this.options;
    const freedom = tails * d;
    const own = this.#held ? this.#distancesToOwn() : this.#weighAgainst();
    if (!this.#held && withText && textWeight > 0) this.#words = text?.logRatios(this.trust);
    const prior = Math.log((1 - this.wrongShare) / this.wrongShare);
    let [residual, trusted, judged, judgedRight] = [0, 0, 0, 0];
    for (let i = 0; i < webLabels.length; i++) {
      const left = this.meanVariances[webLabels[i]];
      const variance = this.webVariance + left;
      const seen = evidence.slope * (this.#density(own[i], variance) - this.#against[i]) + evidence.intercept;
      const odds = seen + prior + textWeight * (this.#words?.[i] ?? 0);
      const vouched = webVouched?.[i] === 1;
      this.trust[i] = vouched ? 1 : 1 / (1 + Math.exp(-odds));
      const nearness = (freedom + d) / (freedom + own[i] / variance);
      this.#weights[i] = (this.trust[i] * nearness) / variance;
      residual += this.trust[i] * nearness * (own[i] + d * left);
      trusted += this.trust[i];
      if (!vouched) {
        judged++;
        judgedRight += this.trust[i];
      }
    }
    if (this.#held) return;
    if (trusted > 0) this.webVariance = 0.5 * this.webVariance + (0.5 * residual) / (trusted * d);
    // As if half as many pictures again had been seen, of which the usual share is wrong.
    if (judged > 0) this.wrongShare = (judged - judgedRight + usualWrongShare * 0.5 * judged) / (1.5 * judged);
  }

  /** ‖x − γ − μ‖² of each web picture from its own category's mean. */
  #distancesToOwn(): Float64Array {
    const { backend, web, webLabels } = this.ground;
    const shifted = shiftedRows(this.means, this.webShift);
    const products = timesTransposed(backend, web.rows, shifted);
    const lengths = rowDots(backend, shifted, shifted);
    return Float64Array.from(webLabels, (label, i) =>
      Math.max(0, web.squaredLengths[i] - 2 * products.at(i, label) + lengths[label]),
    );
  }

  /** The same, and on the way what speaks for anything else: another listed category, a known one, one nobody listed. */
  #weighAgainst(): Float64Array {
    const { backend, web, webLabels, known, dimension } = this.ground;
    const listed = distances(backend, web, shiftedRows(this.means, this.webShift));
    const others = this.#distancesToKnown();
    const origin = Matrix.zeros(1, dimension);
    origin.row(0).set(this.webShift);
    const nothing = distances(backend, web, origin);
    const own = new Float64Array(webLabels.length);
    const terms = new Float64Array(this.categories + known.means.rows + 1);
    for (let i = 0; i < webLabels.length; i++) {
      const [toListed, toKnown] = [listed.row(i), others.row(i)];
      own[i] = toListed[webLabels[i]];
      for (let c = 0; c < this.categories; c++)
        terms[c] =
          c === webLabels[i]
            ? Number.NEGATIVE_INFINITY
            : this.#density(toListed[c], this.webVariance + this.meanVariances[c]) - Math.log(3 * this.categories);
      for (let k = 0; k < toKnown.length; k++)
        terms[this.categories + k] = this.#density(toKnown[k], this.webVariance) - Math.log(3 * toKnown.length);
      terms[terms.length - 1] = this.#density(nothing.at(i, 0), this.webVariance + known.between) - Math.log(3);
      this.#against[i] = logSumExp(terms);
    }
    return own;
  }

  /** ‖x − γ − m‖² of the web pictures from all known means m; products that do not change are kept with the ground. */
  #distancesToKnown(): Matrix<Float64Array> {
    const { backend, web, known, webKnown } = this.ground;
    const shift = Matrix.zeros(1, this.ground.dimension);
    shift.row(0).set(this.webShift);
    const shifted = shiftedRows(known.means, this.webShift);
    const lengths = rowDots(backend, shifted, shifted);
    const along = timesTransposed(backend, web.rows, shift);
    const result = webKnown.copy('float64');
    for (let i = 0; i < result.rows; i++) {
      const row = result.row(i);
      const own = web.squaredLengths[i] - 2 * along.at(i, 0);
      for (let k = 0; k < row.length; k++) row[k] = Math.max(0, own - 2 * row[k] + lengths[k]);
    }
    return result;
  }

  /** How likely each web picture's evidence is for itself, without the prior: what a rehearsal calibrates. */
  webEvidence(): Float64Array {
    const own = this.#weighAgainst();
    const { webLabels } = this.ground;
    return own.map(
      (distance, i) => this.#density(distance, this.webVariance + this.meanVariances[webLabels[i]]) - this.#against[i],
    );
  }

  /** The web pictures' and the prior's part of the objective. */
  webTerms(): number {
    const { backend, prior, known, webLabels, webVouched } = this.ground;
    const { evidence, textWeight, sharpness } = this.options;
    const own = this.#distancesToOwn();
    const odds = Math.log((1 - this.wrongShare) / this.wrongShare);
    let total = 0;
    for (let i = 0; i < webLabels.length; i++) {
      const variance = this.webVariance + this.meanVariances[webLabels[i]];
      const theta = this.trust[i];
      const rest = theta * (evidence.intercept + odds + textWeight * (this.#words?.[i] ?? 0));
      const unsure = webVouched?.[i] === 1 ? 0 : entropy(theta) + entropy(1 - theta);
      total += theta * (this.#density(own[i], variance) - this.#against[i]) + (rest + unsure) / evidence.slope;
    }
    // −β/2 (μ − m)'(λC)⁻¹(μ − m), all dimensions together.
    const away = this.means.copy('float64');
    backend.axpby(away, -1, prior.means, 1);
    const solved = away.copy('float64');
    const system = prior.covariance.copy('float64');
    for (let c = 0; c < system.rows; c++) system.set(c, c, system.at(c, c) * (1 + 1e-9) + 1e-12);
    backend.cholesky(system);
    backend.choleskySolve(system, solved, 'columns');
    return total - (sharpness * backend.dot(away, solved)) / (2 * known.between);
  }
}

/** The test pictures' side of the estimate. */
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
  readonly #weights: Float64Array;

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
    this.score();
    softmaxRows(this.assignments, this.scores);
    this.#count();
  }

  /** β l_jc, l the Gaussian log density at μ_c + δ up to the part that all candidates share. */
  score(): void {
    const { backend, known, dimension: d } = this.solver.ground;
    const { sharpness } = this.solver.options;
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
    neighbours?.add(evidence, neighbourWeight, this.#weighted(before));
    if (learning) {
      this.#combine(evidence);
      for (let step = 0; step < 3; step++) {
        this.shareModel = this.#shares();
        const wanted = this.#offsetsAt(this.counts);
        for (let c = 0; c < wanted.length; c++) this.offsets[c] += 0.5 * (wanted[c] - this.offsets[c]);
        this.#combine(evidence);
      }
    } else {
      // A step along the way to the maximizer of the linearised objective, halved until it does not lower the objective.
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
    this.#count();
  }

  #shares(): ShareModel {
    return this.side.shares === 'unknown' ? learnShares(this.counts) : equalShares;
  }

  #offsetsAt(counts: Float64Array): Float64Array {
    const { shares } = this.side;
    if (typeof shares !== 'string') return shares.map((share) => Math.log(Math.max(share, 1e-12)));
    return shareOffsets(counts, this.shareModel);
  }

  #weighted(assignments: Matrix<Float64Array>): Matrix<Float64Array> {
    const result = assignments.copy('float64');
    for (let j = 0; j < result.rows; j++) {
      const row = result.row(j);
      for (let c = 0; c < row.length; c++) row[c] *= this.#weights[j];
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
    if (neighbours) total += (neighbourWeight / 2) * neighbours.agreement(this.#weighted(this.assignments));
    if (typeof shares === 'string') return total + shareTerms(this.counts, this.shareModel);
    for (let c = 0; c < shares.length; c++) total += this.counts[c] * Math.log(Math.max(shares[c], 1e-12));
    return total;
  }
}

/** Rows plus a vector. */
function shiftedRows(rows: Matrix<Float64Array>, shift: Float64Array): Matrix<Float64Array> {
  const result = rows.copy('float64');
  for (let c = 0; c < result.rows; c++) axpy(result.row(c), 1, shift);
  return result;
}

/** n×C squared distances. */
export function distances(
  backend: Ground['backend'],
  pictures: Placed,
  means: Matrix<Float64Array>,
): Matrix<Float64Array> {
  const result = timesTransposed(backend, pictures.rows, means);
  const lengths = rowDots(backend, means, means);
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    for (let c = 0; c < row.length; c++) row[c] = Math.max(0, pictures.squaredLengths[i] - 2 * row[c] + lengths[c]);
  }
  return result;
}

/** A mean difference less what chance explains of its square. */
function shrunken(difference: Float64Array, chance: number): Float64Array {
  let squares = 0;
  for (const value of difference) squares += value * value;
  const real = Math.max(0, squares / difference.length - chance);
  const factor = real > 0 ? real / (real + chance) : 0;
  return difference.map((value) => value * factor);
}

/** ((λC)⁻¹ + P)⁻¹ = λC − λC P^½ (I + P^½ λC P^½)⁻¹ P^½ λC, P = diag(p): never divides by a precision. */
export function posteriorCovariance(
  backend: Ground['backend'],
  covariance: Matrix<Float64Array>,
  between: number,
  precisions: Float64Array,
): Matrix<Float64Array> {
  const count = precisions.length;
  const roots = precisions.map(Math.sqrt);
  const prior = covariance.copy('float64');
  for (let k = 0; k < prior.data.length; k++) prior.data[k] *= between;
  const system = Matrix.zeros(count, count);
  const scaled = Matrix.zeros(count, count);
  for (let c = 0; c < count; c++) {
    const [to, row, from] = [system.row(c), scaled.row(c), prior.row(c)];
    for (let k = 0; k < count; k++) {
      row[k] = roots[c] * from[k];
      to[k] = row[k] * roots[k];
    }
    to[c] += 1;
  }
  backend.cholesky(system);
  const solved = scaled.copy('float64');
  backend.choleskySolve(system, solved, 'columns');
  backend.gemm(prior, scaled, solved, { transposeA: true, alpha: -1, beta: 1 });
  return prior;
}

function axpy(target: Float64Array, factor: number, source: Float64Array): void {
  if (factor !== 0) for (let j = 0; j < target.length; j++) target[j] += factor * source[j];
}

const entropy = (p: number): number => (p > 1e-300 ? -p * Math.log(p) : 0);

export function logSumExp(values: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > largest) largest = value;
  if (largest === Number.NEGATIVE_INFINITY) return largest;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - largest);
  return largest + Math.log(sum);
}

/** Row by row, target ← softmax(scores). */
export function softmaxRows(target: Matrix<Float64Array>, scores: Matrix<Float64Array>): void {
  for (let i = 0; i < scores.rows; i++) {
    const [to, from] = [target.row(i), scores.row(i)];
    let largest = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < from.length; c++) largest = Math.max(largest, from[c]);
    let sum = 0;
    for (let c = 0; c < from.length; c++) sum += to[c] = Math.exp(from[c] - largest);
    for (let c = 0; c < from.length; c++) to[c] /= sum;
  }
}
