/**
 * The joint estimate. Unknown are the means μ_c of the test categories, which web pictures show what their label says,
 * and what the test pictures show; each round answers one given the others.
 *
 * Means: prior from the words, N(m_c, λ C); observations: trusted web pictures x_i with variance σ² and test pictures
 * x_j with variance τ², each in proportion to its responsibility. Gaussian, so the posterior mean and its variance ν
 * are exact.
 * Web pictures: a picture labelled c shows c, another test category, a known auxiliary category, or a category nobody
 * listed (N(0, σ² + λ)); the θ_i are posteriors of the first, from Student-t densities, since edited pictures lie far
 * out in the right direction, and from the words beside the picture. Where a person vouched for one, θ_i = 1.
 * Test pictures: q_j ∝ exp(β ‖…‖ terms + what the neighbours say + balance), the last keeping categories from taking
 * up the pictures of others.
 * Variances and the share of wrong pictures are re-estimated in every round.
 */
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { labelTargets } from '../blocks/linear-model.js';
import { timesTransposed } from '../blocks/products.js';
import type { Neighbours } from './neighbours.js';
import { type PictureSpace, type Pictures, rowDots } from './space.js';
import type { TextEvidence } from './texts.js';
import type { WordPrior } from './words.js';

export interface AlternationInput {
  backend: Backend;
  space: PictureSpace;
  prior: WordPrior;
  web: Pictures;
  webLabels: Int32Array;
  /** 1 for web pictures known to show what their label says. */
  webVouched?: Uint8Array;
  test: Pictures;
  /** Auxiliary categories are candidates too. */
  generalized: boolean;
  /** β */
  sharpness: number;
  /** Degrees of freedom of the web pictures' densities, per dimension. */
  tails: number;
  neighbours?: Neighbours;
  neighbourWeight: number;
  balance: number;
  text?: TextEvidence;
  textWeight: number;
}

export class Alternation {
  /** Means of the test categories and their images under S⁻¹, Ct×d. */
  means: Matrix<Float64Array>;
  solvedMeans: Matrix<Float64Array>;
  /** Chance that each web picture shows what it is said to. */
  readonly trust: Float64Array;
  /** Posteriors and scores of the test pictures, nt×candidates. */
  readonly assignments: Matrix<Float64Array>;
  readonly scores: Matrix<Float64Array>;
  /** Added to the scores of each candidate. */
  readonly offsets: Float64Array;
  webVariance = 1;
  testVariance = 1;
  wrongShare = 0.3;
  /** Posterior variance of the means, per dimension, of all categories on average. */
  meanVariance = 0;
  readonly #input: AlternationInput;
  readonly #categories: number;
  readonly #candidates: number;
  /** Weights of the web pictures in the means: trust times nearness. */
  readonly #weights: Float64Array;
  readonly #auxiliaryLengths: Float64Array;
  #round = 0;

  constructor(input: AlternationInput) {
    this.#input = input;
    const { prior, space, web, test } = input;
    this.#categories = prior.means.rows;
    this.#candidates = this.#categories + (input.generalized ? space.means.rows : 0);
    this.means = prior.means;
    this.solvedMeans = prior.means;
    this.trust = Float64Array.from({ length: web.rows.rows }, (_, i) => (input.webVouched?.[i] ? 1 : 0.6));
    this.#weights = this.trust.slice();
    this.assignments = Matrix.zeros(test.rows.rows, this.#candidates);
    this.scores = Matrix.zeros(test.rows.rows, this.#candidates);
    this.offsets = new Float64Array(this.#candidates);
    this.#auxiliaryLengths = rowDots(input.backend, space.means, space.solvedMeans);
  }

  /** One round; returns the mean change of the test pictures' posteriors. */
  round(): number {
    const before = this.assignments.data.slice();
    this.#updateMeans();
    this.#assignTest();
    this.#judgeWeb();
    this.#round++;
    let change = 0;
    for (let i = 0; i < before.length; i++) change += Math.abs(this.assignments.data[i] - before[i]);
    return change / this.assignments.rows;
  }

  /** The score of a candidate without offsets and neighbours is linear: β (x·S⁻¹μ_c − ½‖μ_c‖²)/(τ² + ν). */
  scale(): number {
    return this.#input.sharpness / (this.testVariance + this.meanVariance);
  }

  /** ‖μ_c‖² of every candidate. */
  lengths(): Float64Array {
    const own = rowDots(this.#input.backend, this.means, this.solvedMeans);
    return this.#candidates > own.length ? Float64Array.from([...own, ...this.#auxiliaryLengths]) : own;
  }

  #updateMeans(): void {
    const { backend, prior, web, webLabels, test, space } = this.#input;
    const count = this.#categories;
    const sums = Matrix.zeros(count, space.dimension);
    const precisions = new Float64Array(count);
    if (webLabels.length > 0) {
      const memberships = labelTargets(webLabels, count);
      for (let i = 0; i < webLabels.length; i++) {
        const weight = this.#weights[i] / this.webVariance;
        memberships.set(i, webLabels[i], weight);
        precisions[webLabels[i]] += weight;
      }
      backend.gemm(sums, memberships, web.rows, { transposeA: true });
    }
    if (this.#round > 0) {
      const assigned = this.assignments.view(0, this.assignments.rows, 0, count);
      for (let j = 0; j < assigned.rows; j++) {
        const row = assigned.row(j);
        for (let c = 0; c < count; c++) precisions[c] += row[c] / this.testVariance;
      }
      backend.gemm(sums, assigned, test.rows, { transposeA: true, alpha: 1 / this.testVariance, beta: 1 });
    }
    const posterior = posteriorCovariance(backend, prior.covariance, space.between, precisions);
    for (let c = 0; c < count; c++) {
      const [row, expected] = [sums.row(c), prior.means.row(c)];
      for (let j = 0; j < row.length; j++) row[j] -= precisions[c] * expected[j];
    }
    this.means = prior.means.copy('float64');
    backend.gemm(this.means, posterior, sums, { beta: 1 });
    this.solvedMeans = space.solve(this.means);
    this.meanVariance = 0;
    for (let c = 0; c < count; c++) this.meanVariance += posterior.at(c, c) / count;
  }

  #assignTest(): void {
    const { test, neighbours, neighbourWeight, balance, space } = this.#input;
    const { scores, assignments } = this;
    const distances = this.#distances(test, this.#candidates > this.#categories);
    const factor = -this.scale() / 2;
    for (let j = 0; j < scores.rows; j++) {
      const [row, from] = [scores.row(j), distances.row(j)];
      for (let c = 0; c < row.length; c++) row[c] = factor * from[c];
    }
    if (neighbours && this.#round > 0) neighbours.add(scores, neighbourWeight, assignments);
    this.offsets.fill(0);
    posteriors(assignments, scores, this.offsets);
    for (let step = 0; balance > 0 && step < 10; step++) {
      const shares = columnShares(assignments);
      for (let c = 0; c < shares.length; c++)
        this.offsets[c] -= 0.5 * balance * Math.log(shares[c] * this.#candidates + 1e-6);
      posteriors(assignments, scores, this.offsets);
    }
    let residual = 0;
    for (let j = 0; j < distances.rows; j++) {
      const [weights, from] = [assignments.row(j), distances.row(j)];
      for (let c = 0; c < from.length; c++) residual += weights[c] * (from[c] + space.dimension * this.meanVariance);
    }
    this.testVariance = 0.5 * this.testVariance + (0.5 * residual) / (distances.rows * space.dimension);
  }

  #judgeWeb(): void {
    const { web, webLabels, webVouched, space, sharpness, text, textWeight } = this.#input;
    if (webLabels.length === 0) return;
    const d = space.dimension;
    const freedom = this.#input.tails * d;
    const density = (distance: number, variance: number) =>
      (-sharpness * (d * Math.log(variance) + (freedom + d) * Math.log1p(distance / variance / freedom))) / 2;
    const distances = this.#distances(web, true);
    const known = this.#auxiliaryLengths.length;
    const shownVariance = this.webVariance + this.meanVariance;
    const third = this.wrongShare / 3;
    const words = this.#round > 0 ? text?.logRatios(this.trust) : undefined;
    let [residual, trusted] = [0, 0];
    // The share of wrong pictures is that of those nobody vouched for.
    let [judged, judgedRight] = [0, 0];
    for (let i = 0; i < webLabels.length; i++) {
      const from = distances.row(i);
      const label = webLabels[i];
      const alternatives = new Float64Array(from.length + 1);
      for (let c = 0; c < this.#categories; c++)
        alternatives[c] =
          c === label ? Number.NEGATIVE_INFINITY : density(from[c], shownVariance) + Math.log(third / this.#categories);
      for (let c = this.#categories; c < from.length; c++)
        alternatives[c] = density(from[c], this.webVariance) + Math.log(third / known);
      alternatives[from.length] = density(web.squaredLengths[i], this.webVariance + space.between) + Math.log(third);
      const odds =
        density(from[label], shownVariance) +
        Math.log(1 - this.wrongShare) -
        logSumExp(alternatives) +
        textWeight * (words?.[i] ?? 0);
      const vouched = webVouched?.[i] === 1;
      this.trust[i] = vouched ? 1 : 1 / (1 + Math.exp(-odds));
      const nearness = (freedom + d) / (freedom + from[label] / shownVariance);
      this.#weights[i] = this.trust[i] * nearness;
      residual += this.#weights[i] * (from[label] + d * this.meanVariance);
      trusted += this.trust[i];
      if (!vouched) {
        judged++;
        judgedRight += this.trust[i];
      }
    }
    if (trusted > 0) this.webVariance = 0.5 * this.webVariance + (0.5 * residual) / (trusted * d);
    if (judged > 0) this.wrongShare = Math.min(0.9, Math.max(0.05, 1 - judgedRight / judged));
  }

  /** ‖x − μ_c‖² for test categories, then for auxiliary ones where asked for. */
  #distances(pictures: Pictures, withAuxiliary: boolean): Matrix<Float64Array> {
    const { backend, space } = this.#input;
    const { rows, squaredLengths } = pictures;
    const count = this.#categories;
    const result = Matrix.zeros(rows.rows, count + (withAuxiliary ? space.means.rows : 0));
    const own = timesTransposed(backend, rows, this.solvedMeans);
    const other = withAuxiliary ? timesTransposed(backend, rows, space.solvedMeans) : undefined;
    const lengths = rowDots(backend, this.means, this.solvedMeans);
    for (let i = 0; i < result.rows; i++) {
      const row = result.row(i);
      for (let c = 0; c < count; c++) row[c] = Math.max(0, squaredLengths[i] - 2 * own.at(i, c) + lengths[c]);
      for (let c = count; c < row.length; c++)
        row[c] = Math.max(0, squaredLengths[i] - 2 * other!.at(i, c - count) + this.#auxiliaryLengths[c - count]);
    }
    return result;
  }
}

/**
 * (K⁻¹ + P)⁻¹ with K = λC and P = diag(p), as K − (P^½ K)' (I + P^½ K P^½)⁻¹ (P^½ K). Nothing is divided by a precision or
 * an eigenvalue, so a singular C and a precision of nothing (a category without pictures) are served too.
 */
export function posteriorCovariance(
  backend: Backend,
  covariance: Matrix<Float64Array>,
  between: number,
  precisions: Float64Array,
): Matrix<Float64Array> {
  const count = precisions.length;
  const roots = precisions.map(Math.sqrt);
  const result = Matrix.zeros(count, count);
  backend.axpby(result, between, covariance, 0);
  const seen = result.copy('float64');
  backend.scaleRows(seen, roots);
  const system = Matrix.zeros(count, count);
  for (let c = 0; c < count; c++)
    for (let k = 0; k < count; k++) system.set(c, k, (c === k ? 1 : 0) + seen.at(c, k) * roots[k]);
  const solved = seen.copy('float64');
  backend.cholesky(system);
  backend.choleskySolve(system, solved, 'columns');
  backend.gemm(result, seen, solved, { transposeA: true, alpha: -1, beta: 1 });
  return result;
}

function logSumExp(values: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > largest) largest = value;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - largest);
  return largest + Math.log(sum);
}

/** Row by row, target ← softmax(scores + offsets). */
function posteriors(target: Matrix<Float64Array>, scores: Matrix<Float64Array>, offsets: Float64Array): void {
  for (let i = 0; i < scores.rows; i++) {
    const [to, from] = [target.row(i), scores.row(i)];
    let largest = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < from.length; c++) largest = Math.max(largest, from[c] + offsets[c]);
    let sum = 0;
    for (let c = 0; c < from.length; c++) sum += to[c] = Math.exp(from[c] + offsets[c] - largest);
    for (let c = 0; c < from.length; c++) to[c] /= sum;
  }
}

function columnShares(matrix: Matrix<Float64Array>): Float64Array {
  const shares = new Float64Array(matrix.cols);
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let c = 0; c < row.length; c++) shares[c] += row[c] / matrix.rows;
  }
  return shares;
}
