/**
 * The joint estimate. Unknown are the means μ_c of the listed categories, which web pictures show what their label says
 * (θ_i), and what the test pictures show (q_j). Everything is measured in the whitened space, per dimension.
 *
 * Means: prior N(m_c, λC) from words and known categories; trusted web pictures lie at μ_c + γ, test pictures at f_c μ_c + δ,
 * where f_c gives a mean that little is known of the length which the prior took from it (test-state.ts).
 * Web pictures: one labelled c shows c, another listed category, a known one, or one nobody listed; Student-t densities,
 * since edited pictures lie far out in the right direction.
 * Test pictures: q_jc ∝ exp(β l_jc + what the neighbours say + what the shares say), with weight w_j ≤ 1 for pictures that
 * may show no listed category.
 *
 * First some rounds settle the quantities that describe the folder: the shifts γ and δ of the two kinds of pictures from
 * the auxiliary ones, their variances, the share of wrong web pictures, the spread of the shares. These are then held, and
 * each further round raises one objective (`objective`) until the answers rest.
 */
import { type Backend, Matrix, type RealArray } from '../../linalg/index.js';
import { logSumExp, roomOn, rowDots } from '../../numerics/index.js';
import { stackRows } from '../../problem/index.js';
import { Densities } from './densities.js';
import type { Ground } from './ground.js';
import { posteriorCovariance, priorFactor } from './posterior.js';
import { type PriorSums, priorSums, sumsAbout, sumsOfNamed } from './sums.js';
import type { TestState } from './test-state.js';
import { copyOn, dotOf, entropy, inPrecision, productsWith, shrunken, timesVector, weightedSum } from './vectors.js';
import type { Sums } from './web-pictures.js';

/** Share of wrong pictures among those that a search finds, before any is seen. */
const usualWrongShare = 0.35;
/** Rounds over the web pictures alone, and the mean change of belief at which they end. */
const mostWebRounds = 12;
export const webRest = 2e-3;
/** Products of web pictures with the means from which on a look at all takes its time. */
const manyProducts = 2 ** 20;
/** Those that are held at a time: a GPU wants more to do at once, and so do many threads. */
const productsAtOnce = ({ device, threads }: Backend): number =>
  device === 'cuda' ? 2 ** 26 : 2 ** 20 * Math.max(1, Math.floor(threads / 2));

export interface SolverOptions {
  /** β: how sharply distances decide; pictures are correlated, so that densities overstate. */
  sharpness: number;
  /** Degrees of freedom of the web pictures' densities, per dimension. */
  tails: number;
  /** Evidence that a web picture is right, x, counts as slope · x + intercept: learnt in rehearsal. */
  evidence: Evidence;
  /** Factor of the log odds by which web pictures count in the means: low, a first mistake does not make itself true. */
  caution: number;
}

/** Distances decide less sharply, but web pictures are judged as before. */
export function softened(options: SolverOptions, factor: number): SolverOptions {
  const { sharpness, evidence } = options;
  return { ...options, sharpness: factor * sharpness, evidence: { ...evidence, slope: evidence.slope / factor } };
}

/** How far what speaks for a web picture is believed. */
export interface Evidence {
  readonly slope: number;
  readonly intercept: number;
  /** Of the log likelihood ratio of its words. */
  readonly text: number;
}

export class BowerbirdSolver {
  readonly ground: Ground;
  readonly options: SolverOptions;
  readonly categories: number;
  /** Ct×d, where the backend computes: learning changes them in place. */
  readonly means: Matrix;
  /** Variance left in each mean, per dimension. */
  readonly meanVariances: Float64Array;
  /** θ: chance that each web picture shows what it is said to. */
  readonly trust: Float64Array;
  /** The same with the caution that the means are learnt with. */
  readonly belief: Float64Array;
  /** γ */
  webShift: Float64Array;
  webVariance: number;
  wrongShare = usualWrongShare;
  /** Weights of the web pictures in the means: belief times nearness, over the variance. */
  readonly #weights: Float64Array;
  /** Sums of the web pictures by them, until they change. */
  #weighted: Sums | undefined;
  /** What speaks against each web picture's label, and its words: held once the folder is described. */
  #against: Float64Array;
  /** What to add to a picture's density at its own category's mean, which it helped to make, to leave it out of that mean. */
  #leftOut: Float64Array;
  #words: Float64Array | undefined;
  readonly #densities: Densities;
  #shared: PriorSums | undefined;
  /** ‖μ_c‖², until the means change. */
  #squares: Float64Array | undefined;
  #held = false;

  constructor(ground: Ground, options: SolverOptions) {
    this.ground = ground;
    this.options = options;
    const { backend, prior, web, webKnown, known, dimension } = ground;
    this.categories = prior.means.rows;
    this.means = copyOn(backend, prior.means);
    this.meanVariances = new Float64Array(this.categories);
    this.#densities = new Densities(dimension, options);
    this.trust = Float64Array.from({ length: web.count }, (_, i) => saidTrust(webKnown?.[i]) ?? 0.6);
    this.webShift = new Float64Array(dimension);
    this.webVariance = known.within;
    this.belief = this.trust.slice();
    this.#weights = this.belief.map((belief) => belief / this.webVariance);
    this.#against = new Float64Array(web.count);
    this.#leftOut = new Float64Array(web.count);
  }

  /** What the web pictures and words alone say: the answer for a picture that comes by itself. */
  learnFromWeb(): void {
    for (let round = 0; round < mostWebRounds; round++) {
      this.shiftWeb();
      this.updateMeans();
      const change = this.#judgeWeb(round > 0);
      if (round > 0 && change < webRest) break;
    }
    this.updateMeans();
  }

  /** A copy that can go its own way, under other options if need be. */
  fork(options = this.options, ground = this.ground): BowerbirdSolver {
    const copy = new BowerbirdSolver(ground, options);
    ground.backend.copy(copy.means, this.means);
    copy.meanVariances.set(this.meanVariances);
    copy.trust.set(this.trust);
    copy.belief.set(this.belief);
    copy.webShift = this.webShift;
    copy.webVariance = this.webVariance;
    copy.wrongShare = this.wrongShare;
    copy.#weights.set(this.#weights);
    copy.#leftOut.set(this.#leftOut);
    if (ground === this.ground) copy.#shared = this.#shared;
    return copy;
  }

  /** γ: mean difference of the categories' web means from what words expect, less what chance explains of it. */
  shiftWeb(): void {
    const { backend, web, webLabels, known, dimension } = this.ground;
    if (webLabels.length === 0) return;
    // Where pictures have to be read, what the means need is summed up on the way.
    const [believed, weighted] = web.sumsBy(web.resident ? [this.belief] : [this.belief, this.#weights]);
    if (weighted) this.#keepWeighted(weighted);
    const { sums, totals: precisions } = believed;
    const present = [...precisions.keys()].filter((c) => precisions[c] > 1e-6);
    const count = present.length;
    if (count === 0) this.webShift = new Float64Array(dimension);
    else {
      const shared = this.#sharedBy(present);
      const weights = precisions.map((precision) => (precision > 1e-6 ? 1 / precision : 0));
      const difference = inPrecision(backend, sums, { dtype: 'float64' }, (wide) =>
        weightedSum(backend, wide, weights),
      );
      let chance = (known.between * shared.covariance) / count ** 2;
      for (const c of present) chance += this.webVariance / precisions[c] / count ** 2;
      for (let j = 0; j < dimension; j++) difference[j] = (difference[j] - shared.means[j]) / count;
      this.webShift = shrunken(difference, chance);
    }
    backend.release(sums);
  }

  #keepWeighted(weighted: Sums | undefined): void {
    if (this.#weighted) this.ground.backend.release(this.#weighted.sums);
    this.#weighted = weighted;
  }

  /** Sums over these categories, which are the same ones again and again. */
  #sharedBy(categories: readonly number[]): PriorSums {
    if (!this.#shared || !same(this.#shared.categories, categories))
      this.#shared = priorSums(this.ground.backend, this.ground.prior, categories);
    return this.#shared;
  }

  /** The exact posterior of the means given belief and, from the second phase on, the test pictures. */
  updateMeans(test?: TestState): void {
    const { backend, prior, web, named, known } = this.ground;
    this.#weighted ??= web.sumsBy([this.#weights])[0];
    const fromWeb = { ...this.#weighted, shift: this.webShift };
    const others = test ? test.sums() : named && sumsOfNamed(named, this.categories, known.within);
    const { sums, totals } = sumsAbout(backend, prior.means, others ? [fromWeb, others] : [fromWeb]);
    const posterior = posteriorCovariance(backend, prior.covariance, known.between, totals);
    backend.copy(this.means, prior.means);
    backend.gemm(this.means, posterior.covariance, sums, { beta: 1 });
    this.#squares = undefined;
    for (const matrix of [posterior.covariance, sums]) backend.release(matrix);
    if (!this.#held) this.meanVariances.set(posterior.variances);
  }

  /** Means of all candidates as they are before the folder is looked at, the known ones after the listed; nobody may write to them. */
  candidateMeans(): Matrix {
    const { generalized, known } = this.ground;
    return generalized ? stackRows(this.means, known.means) : this.means;
  }

  /** What a picture by itself may show beside them: known categories or, where these are candidates, something of the middle. */
  otherMeans(): Matrix {
    const { generalized, known, dimension } = this.ground;
    return generalized ? Matrix.zeros(1, dimension) : known.means;
  }

  /** ‖μ_c‖² */
  get squares(): Float64Array {
    this.#squares ??= rowDots(this.ground.backend, this.means, this.means);
    return this.#squares;
  }

  /** From now on only means, trust and assignments change. */
  hold(): void {
    this.#held = true;
  }

  get held(): boolean {
    return this.#held;
  }

  /** Whether a look at all web pictures takes its time. */
  get manyWeb(): boolean {
    return this.ground.web.count * this.categories > manyProducts;
  }

  /** Returns the mean change of belief. */
  judgeWeb(): number {
    return this.#judgeWeb(true);
  }

  #judgeWeb(withText: boolean): number {
    this.#keepWeighted(undefined);
    const { webLabels, webKnown, dimension: d, text } = this.ground;
    if (webLabels.length === 0) return 0;
    const { evidence, caution } = this.options;
    const own = this.#held ? this.#distancesToOwn() : this.#weighAgainst();
    if (!this.#held && withText && evidence.text > 0) this.#words = text?.logRatios(this.belief);
    const densities = this.#ownDensities(own);
    if (!this.#held) this.#leaveOut(own, densities);
    const prior = Math.log((1 - this.wrongShare) / this.wrongShare);
    let [residual, believed, judged, judgedRight, change] = [0, 0, 0, 0, 0];
    for (let i = 0; i < webLabels.length; i++) {
      const left = this.meanVariances[webLabels[i]];
      const variance = this.webVariance + left;
      const seen = evidence.slope * (densities[i] + this.#leftOut[i] - this.#against[i]) + evidence.intercept;
      const odds = seen + prior + evidence.text * (this.#words?.[i] ?? 0);
      const said = saidTrust(webKnown?.[i]);
      const before = this.belief[i];
      const trust = said ?? 1 / (1 + Math.exp(-odds));
      const belief = said ?? (caution === 1 ? trust : 1 / (1 + Math.exp(-caution * odds)));
      this.trust[i] = trust;
      this.belief[i] = belief;
      change += Math.abs(belief - before);
      const nearness = this.#densities.nearness(own[i], variance);
      this.#weights[i] = (belief * nearness) / variance;
      residual += belief * nearness * (own[i] + d * left);
      believed += belief;
      if (said === undefined) {
        judged++;
        judgedRight += trust;
      }
    }
    change /= webLabels.length;
    if (this.#held) return change;
    if (believed > 0) this.webVariance = 0.5 * this.webVariance + (0.5 * residual) / (believed * d);
    // As if half as many pictures again had been seen, of which the usual share is wrong.
    if (judged > 0) this.wrongShare = (judged - judgedRight + usualWrongShare * 0.5 * judged) / (1.5 * judged);
    return change;
  }

  /** ‖x − γ‖² of web pictures x from the first one on, given x·γ. */
  #shiftedLengths(along: RealArray, first = 0): Float64Array {
    const { squaredLengths } = this.ground.web;
    const shiftLength = dotOf(this.webShift, this.webShift);
    const lengths = new Float64Array(along.length);
    for (let i = 0; i < along.length; i++) lengths[i] = squaredLengths[first + i] - 2 * along[i] + shiftLength;
    return lengths;
  }

  /** ‖μ‖² + 2 γ·μ of rows μ, given ‖μ‖²: ‖x − γ − μ‖² = ‖x − γ‖² − 2 x·μ + this. */
  #shiftedSquares(rows: Matrix, squares: Float64Array): Float64Array {
    const along = timesVector(this.ground.backend, rows, this.webShift);
    return squares.map((square, c) => square + 2 * along[c]);
  }

  /** ‖x − γ − μ‖² of each web picture from its own category's mean. */
  #distancesToOwn(): Float64Array {
    const { web, webLabels } = this.ground;
    const { along, own: products } = web.along(this.webShift, this.means);
    const lengths = this.#shiftedLengths(along);
    const squares = this.#shiftedSquares(this.means, this.squares);
    for (let i = 0; i < products.length; i++)
      products[i] = Math.max(0, lengths[i] - 2 * products[i] + squares[webLabels[i]]);
    return products;
  }

  /** The same, and on the way what speaks for anything else: another listed category, a known one, one nobody listed. */
  #weighAgainst(): Float64Array {
    const { backend, web, webLabels, webToKnown, known } = this.ground;
    const n = webLabels.length;
    const lengths = new Float64Array(n);
    const [listedSquares, knownSquares] = [
      this.#shiftedSquares(this.means, this.squares),
      this.#shiftedSquares(known.means, known.squares),
    ];
    const listed = this.#densities.mixture(listedSquares, this.#ownVariances());
    const others = this.#densities.mixture(
      knownSquares,
      knownSquares.map(() => this.webVariance),
    );
    const [own, toListed, toKnown] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    const step = Math.min(n, Math.max(256, Math.floor(productsAtOnce(backend) / this.categories)));
    const [means, products] = [
      roomOn(backend, this.categories, this.means.cols, web.dtype),
      roomOn(backend, step, this.categories, web.dtype),
    ];
    backend.copy(means, this.means);
    web.visit((rows, start) => {
      const end = start + rows.rows;
      const part = (values: Float64Array) => values.subarray(start, end);
      part(lengths).set(this.#shiftedLengths(timesVector(backend, rows, this.webShift), start));
      const block = products.view(0, rows.rows);
      backend.gemm(block, rows, means, { transposeB: true });
      const labels = webLabels.subarray(start, end);
      backend.logPowerSums(part(toListed), block, { ...listed, lengths: part(lengths), labels }, part(own));
      const far = webToKnown?.view(start, end) ?? productsWith(backend, rows, known.means);
      backend.logPowerSums(part(toKnown), far, { ...others, lengths: part(lengths) });
    }, step);
    for (const matrix of [means, products]) backend.release(matrix);
    // Each of the three kinds is as likely beforehand, and so is each category of a kind.
    const terms = new Float64Array(3);
    const [logListed, logKnown, logUnlisted] = [3 * this.categories, 3 * known.means.rows, 3].map(Math.log);
    const far = this.webVariance + known.between;
    const logFar = Math.log(far);
    for (let i = 0; i < n; i++) {
      terms[0] = toListed[i] - logListed;
      terms[1] = toKnown[i] - logKnown;
      terms[2] = this.#densities.at(Math.max(0, lengths[i]), far, logFar) - logUnlisted;
      this.#against[i] = logSumExp(terms);
    }
    return own;
  }

  /** Variances of web pictures about the means of the listed categories. */
  #ownVariances(): Float64Array {
    return this.meanVariances.map((left) => this.webVariance + left);
  }

  /** Densities of web pictures at the means of their own categories, given the distances from them. */
  #ownDensities(own: Float64Array): Float64Array {
    const { webLabels } = this.ground;
    const variances = this.#ownVariances();
    const logarithms = variances.map(Math.log);
    const densities = new Float64Array(own.length);
    for (let i = 0; i < own.length; i++)
      densities[i] = this.#densities.at(own[i], variances[webLabels[i]], logarithms[webLabels[i]]);
    return densities;
  }

  /**
   * A mean of precision p without a picture of weight w is further from it by p / (p − w) and known by p − w. The means
   * are those that the present weights gave.
   */
  #leaveOut(own: Float64Array, densities: Float64Array): void {
    const { webLabels } = this.ground;
    for (let i = 0; i < own.length; i++) {
      const left = this.meanVariances[webLabels[i]];
      const rest = this.restWithout(i);
      this.#leftOut[i] = this.#densities.at(own[i] / rest ** 2, this.webVariance + left / rest) - densities[i];
    }
  }

  /** What is left of the precision of a category's mean without the web picture i, over that with it. */
  restWithout(i: number): number {
    return Math.max(0.1, 1 - this.#weights[i] * this.meanVariances[this.ground.webLabels[i]]);
  }

  /** What speaks for each web picture without the prior, its look and its words: what a rehearsal calibrates. */
  webEvidence(): { looks: Float64Array; words?: Float64Array } {
    const { text } = this.ground;
    const own = this.#weighAgainst();
    const densities = this.#ownDensities(own);
    this.#leaveOut(own, densities);
    const looks = densities.map((density, i) => density + this.#leftOut[i] - this.#against[i]);
    return { looks, ...(text && { words: text.logRatios(this.belief) }) };
  }

  /** The web pictures' and the prior's part of the objective. */
  webTerms(): number {
    const { backend, prior, known, webLabels, webKnown } = this.ground;
    const { evidence, sharpness, caution } = this.options;
    const densities = this.#ownDensities(this.#distancesToOwn());
    const odds = Math.log((1 - this.wrongShare) / this.wrongShare);
    let total = 0;
    for (let i = 0; i < webLabels.length; i++) {
      const theta = this.belief[i];
      const rest = theta * (evidence.intercept + odds + evidence.text * (this.#words?.[i] ?? 0));
      const unsure = saidTrust(webKnown?.[i]) === undefined ? entropy(theta) + entropy(1 - theta) : 0;
      total +=
        theta * (densities[i] + this.#leftOut[i] - this.#against[i]) + (rest + unsure / caution) / evidence.slope;
    }
    // −β/2 (μ − m)'(λC)⁻¹(μ − m) = −β/2λ ‖L⁻¹(μ − m)‖², C = L L', all dimensions together.
    const away = copyOn(backend, this.means);
    backend.axpby(away, -1, prior.means, 1);
    backend.choleskySolve(priorFactor(backend, prior.covariance), away, 'columns', 'half');
    const square = backend.dot(away, away);
    backend.release(away);
    return total - (sharpness * square) / (2 * known.between);
  }
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, k) => value === b[k]);

/** θ of a web picture that a person looked at. */
function saidTrust(said: number | undefined): number | undefined {
  return said ? (said > 0 ? 1 : 0) : undefined;
}
