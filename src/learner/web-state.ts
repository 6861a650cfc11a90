/**
 * The web images' part of the iteration: errors E, multipliers R and weights θ, without storing E or R.
 *
 * With the residual bᵢ = xᵢ − P[c(i)] to the category's prototype, qᵢ = θᵢbᵢ − rᵢ/μ and eᵢ = sᵢqᵢ,
 * sᵢ = max(0, 1 − λ4/(μ‖qᵢ‖)). When the prototypes move by δ, bᵢ becomes bᵢ − δ and the multiplier update reads
 *     rᵢ ← (1 − sᵢ) rᵢ + μ(sᵢθᵢ − θᵢ') bᵢ + μ sᵢθᵢ δ        (bᵢ, θᵢ' new; θᵢ old),
 * so every rᵢ is a combination αᵢ bᵢ + Σₖ βᵢₖ δₖ[c(i)] of the picture's residual and the category's past moves. A few
 * numbers a picture replace a d-vector, and one iteration reads the features twice: once for weighted category sums,
 * once for the products with δ. In exact arithmetic every iterate is that of the printed algorithm.
 */
import type { Backend } from '../linalg/backend.js';
import { type Dtype, Matrix } from '../linalg/matrix.js';
import { MoveHistory } from './history.js';
import type { Run, WebFeatures } from './web-features.js';

/** Numbers kept for every picture, in grouped order. */
export interface PictureScalars {
  theta: Float64Array;
  /** αᵢ, the multiplier's part along the residual. */
  along: Float64Array;
  /** ‖bᵢ‖² */
  residual: Float64Array;
  /** rᵢ · bᵢ */
  cross: Float64Array;
  /** ‖rᵢ‖² */
  multiplier: Float64Array;
}

export class WebState {
  readonly features: WebFeatures;
  readonly scalars: PictureScalars;
  /** Past moves of the prototypes and the multipliers' parts along them. */
  readonly history: MoveHistory;
  readonly prototypes: Matrix;
  /** sᵢ of the current iteration. */
  readonly shrink: Float64Array;
  /** ‖eᵢ‖ summed, for the objective. */
  errorNorm = 0;

  readonly #backend: Backend;
  readonly #move: Matrix;
  readonly #residualDotMove: Float64Array;
  readonly #multiplierDotMove: Float64Array;
  readonly #moveNorm: Float64Array;
  /** 0, 1, …, C: segments of one row. */
  readonly #eachCategory: Int32Array;

  constructor(backend: Backend, features: WebFeatures, categories: number, dtype: Dtype) {
    const n = features.rows;
    const zeros = () => new Float64Array(n);
    this.#backend = backend;
    this.features = features;
    this.scalars = { theta: zeros().fill(1), along: zeros(), residual: zeros(), cross: zeros(), multiplier: zeros() };
    this.shrink = zeros();
    this.#residualDotMove = zeros();
    this.#multiplierDotMove = zeros();
    this.#moveNorm = new Float64Array(categories);
    this.#eachCategory = Int32Array.from({ length: categories + 1 }, (_, c) => c);
    this.history = new MoveHistory(backend, features.grouping.starts, features.cols, dtype);
    this.prototypes = backend.matrix(categories, features.cols, dtype);
    this.#move = backend.matrix(categories, features.cols, dtype);
  }

  /** Residuals to the first prototypes; R = 0. */
  async start(prototypes: Matrix): Promise<void> {
    const { residual } = this.scalars;
    const { labels } = this.features.grouping;
    this.#backend.copy(this.prototypes, prototypes);
    const dots = new Float64Array(residual.length);
    await this.features.dotsWithCategory(dots, prototypes);
    await this.features.squaredNorms(residual);
    const norms = this.#rowDots(prototypes, prototypes);
    for (let i = 0; i < residual.length; i++) residual[i] = Math.max(0, residual[i] - 2 * dots[i] + norms[labels[i]]);
  }

  /** E update: fills `shrink`. */
  shrinkErrors(lambda4: number, mu: number): void {
    const { theta, residual, cross, multiplier } = this.scalars;
    this.errorNorm = 0;
    for (let i = 0; i < theta.length; i++) {
      const t = theta[i];
      const length = Math.sqrt(Math.max(0, t * t * residual[i] - (2 * t * cross[i]) / mu + multiplier[i] / (mu * mu)));
      this.shrink[i] = length * mu > lambda4 ? 1 - lambda4 / (mu * length) : 0;
      this.errorNorm += this.shrink[i] * length;
    }
  }

  /** S (C×d) ← class sums of θᵢ(μθᵢxᵢ − μeᵢ − rᵢ), the web images' part of the dictionary update. */
  async dictionaryTerm(out: Matrix, mu: number): Promise<void> {
    const { theta, along } = this.scalars;
    const { labels } = this.features.grouping;
    const n = theta.length;
    const categories = this.prototypes.rows;
    const onPicture = new Float64Array(n);
    const kept = new Float64Array(n);
    const onPrototype = new Float64Array(categories);
    for (let i = 0; i < n; i++) {
      const rest = 1 - this.shrink[i];
      onPicture[i] = theta[i] * rest * (mu * theta[i] - along[i]);
      onPrototype[labels[i]] += theta[i] * (mu * theta[i] * this.shrink[i] + rest * along[i]);
      kept[i] = -theta[i] * rest;
    }
    await this.features.sumsByCategory(out, onPicture);
    this.#backend.segmentSums(out, this.prototypes, onPrototype, this.#eachCategory, 1);
    this.history.addSums(out, kept);
  }

  /** Σ over each category of θᵢ². */
  squaredWeights(): Float64Array {
    const { labels } = this.features.grouping;
    const sums = new Float64Array(this.prototypes.rows);
    this.scalars.theta.forEach((t, i) => {
      sums[labels[i]] += t * t;
    });
    return sums;
  }

  /** The prototypes move to those of the new dictionary; residuals follow, multipliers stay. */
  async moveTo(prototypes: Matrix): Promise<void> {
    const { residual, cross, along } = this.scalars;
    const { labels } = this.features.grouping;
    this.#backend.copy(this.#move, prototypes);
    this.#backend.axpby(this.#move, -1, this.prototypes, 1);
    await this.features.dotsWithCategory(this.#residualDotMove, this.#move);
    const onOld = this.#rowDots(this.prototypes, this.#move);
    this.#moveNorm.set(this.#rowDots(this.#move, this.#move));
    const multiplierDotMove = this.#multiplierDotMove;
    for (let i = 0; i < residual.length; i++) {
      this.#residualDotMove[i] -= onOld[labels[i]];
      multiplierDotMove[i] = along[i] * this.#residualDotMove[i];
    }
    this.history.addDots(multiplierDotMove, this.#move);
    for (let i = 0; i < residual.length; i++) {
      residual[i] = Math.max(0, residual[i] - 2 * this.#residualDotMove[i] + this.#moveNorm[labels[i]]);
      cross[i] -= multiplierDotMove[i];
    }
    this.#backend.copy(this.prototypes, prototypes);
    // r = α b_old + … = α b_new + α δ + …
    this.history.append(this.#move, along);
  }

  /** Curvature μ‖bᵢ‖² and linear part μ bᵢ·eᵢ + rᵢ·bᵢ of the weights' problem (without the mean discrepancy). */
  weightTerms(curvature: Float64Array, linear: Float64Array, mu: number): void {
    const { theta, residual, cross } = this.scalars;
    const { labels } = this.features.grouping;
    for (let i = 0; i < theta.length; i++) {
      // b_new·b_old = ‖b_new‖² + b_new·δ and b_new·δ = b_old·δ − ‖δ‖².
      const oldDotNew = residual[i] + this.#residualDotMove[i] - this.#moveNorm[labels[i]];
      const errorDotResidual = this.shrink[i] * (theta[i] * oldDotNew - cross[i] / mu);
      curvature[i] = mu * residual[i];
      linear[i] = mu * errorDotResidual + cross[i];
    }
  }

  /**
   * Euclidean norms of the columns of E − (X − DA)Θ for the new weights, and the largest of them. To be asked before
   * `updateMultipliers`.
   */
  columnResiduals(newTheta: Float64Array, mu: number): { norms: Float64Array; largest: number } {
    const norms = new Float64Array(newTheta.length);
    let largest = 0;
    for (let i = 0; i < norms.length; i++) {
      const { s, mixed, added } = this.#step(i, newTheta[i], mu);
      norms[i] = Math.sqrt(Math.max(0, s * s * this.scalars.multiplier[i] - 2 * s * mixed + added)) / mu;
      largest = Math.max(largest, norms[i]);
    }
    return { norms, largest };
  }

  /** Whether every entry of E − (X − DA)Θ is below ν; writes out only the runs whose norms leave it open. */
  async residualBelow(tolerance: number, newTheta: Float64Array, mu: number, norms: Float64Array): Promise<boolean> {
    const certain = tolerance * Math.sqrt(this.features.cols) * (1 + 1e-9);
    if (norms.some((norm) => norm >= certain)) return false;
    const worst = norms.reduce((best, norm, i) => (norm > norms[best] ? i : best), 0);
    if (norms[worst] < tolerance) return true;
    // One column usually settles it; only when it passes are all others looked at.
    const alone = { category: this.features.grouping.labels[worst], start: worst, end: worst + 1 };
    if (!((await this.#largestEntry(alone, newTheta, mu)) < tolerance)) return false;
    const open = this.features
      .runs()
      .map((run) => ({ run, largest: norms.subarray(run.start, run.end).reduce((a, b) => Math.max(a, b), 0) }))
      .filter(({ largest }) => largest >= tolerance)
      .sort((a, b) => b.largest - a.largest);
    for (const { run } of open) if (!((await this.#largestEntry(run, newTheta, mu)) < tolerance)) return false;
    return true;
  }

  /** Largest entry of the columns (c1 b + c2 δ − s r)/μ of one run, with r = α b + Σ βₖδₖ. */
  async #largestEntry({ category, start, end }: Run, newTheta: Float64Array, mu: number): Promise<number> {
    const backend = this.#backend;
    const rows = await this.features.read(start, end);
    const columns = backend.matrix(rows.rows, rows.cols, rows.dtype);
    const onResidual = Matrix.zeros(rows.rows, 1, rows.dtype);
    const factors = new Float64Array(rows.rows);
    const onNewest = new Float64Array(rows.rows);
    for (let i = 0; i < rows.rows; i++) {
      const { s, c1, c2 } = this.#step(start + i, newTheta[start + i], mu);
      onResidual.set(i, 0, (c1 - s * this.scalars.along[start + i]) / mu);
      factors[i] = -s / mu;
      onNewest[i] = c2 / mu;
    }
    backend.copy(columns, rows);
    backend.scaleRows(columns, onResidual.data);
    backend.gemm(columns, onResidual, this.prototypes.view(category, category + 1), { alpha: -1, beta: 1 });
    this.history.addCombinations(columns, category, start, factors, onNewest);
    const largest = backend.maxAbs(columns);
    backend.release(columns);
    return largest;
  }

  /** R update; the new weights become the current ones. */
  updateMultipliers(newTheta: Float64Array, mu: number): void {
    const { theta, along, residual, cross, multiplier } = this.scalars;
    const { labels } = this.features.grouping;
    const onNewest = new Float64Array(theta.length);
    this.history.scale(this.shrink.map((s) => 1 - s));
    for (let i = 0; i < theta.length; i++) {
      const { s, c1, c2, mixed, added } = this.#step(i, newTheta[i], mu);
      const rest = 1 - s;
      multiplier[i] = Math.max(0, rest * rest * multiplier[i] + 2 * rest * mixed + added);
      cross[i] = rest * cross[i] + c1 * residual[i] + c2 * (this.#residualDotMove[i] - this.#moveNorm[labels[i]]);
      along[i] = rest * along[i] + c1;
      onNewest[i] = c2;
      theta[i] = newTheta[i];
    }
    this.history.addToNewest(onNewest);
  }

  /** Coefficients of r ← (1 − s) r + c1 b + c2 δ, with r·(c1 b + c2 δ) and ‖c1 b + c2 δ‖². */
  #step(i: number, newTheta: number, mu: number) {
    const { theta, residual, cross } = this.scalars;
    const s = this.shrink[i];
    const c1 = mu * (s * theta[i] - newTheta);
    const c2 = mu * s * theta[i];
    const moveNorm = this.#moveNorm[this.features.grouping.labels[i]];
    const newDotMove = this.#residualDotMove[i] - moveNorm;
    const added = c1 * c1 * residual[i] + c2 * c2 * moveNorm + 2 * c1 * c2 * newDotMove;
    return { s, c1, c2, mixed: c1 * cross[i] + c2 * this.#multiplierDotMove[i], added };
  }

  /** rᵢ written out, for tests. */
  async multiplierOf(position: number): Promise<Float64Array> {
    const picture = (await this.features.read(position, position + 1)).row(0);
    const category = this.features.grouping.labels[position];
    const prototype = this.prototypes.row(category);
    const alpha = this.scalars.along[position];
    const result = Matrix.zeros(1, picture.length);
    for (let j = 0; j < picture.length; j++) result.data[j] = alpha * (picture[j] - prototype[j]);
    const combined = Matrix.zeros(1, picture.length, this.prototypes.dtype);
    this.history.addCombinations(combined, category, position, Float64Array.of(1), Float64Array.of(0));
    for (let j = 0; j < picture.length; j++) result.data[j] += combined.data[j];
    return result.data;
  }

  release(): void {
    this.history.release();
    this.#backend.release(this.prototypes);
    this.#backend.release(this.#move);
  }

  #rowDots(a: Matrix, b: Matrix): Float64Array {
    const out = a.dtype === 'float64' ? new Float64Array(a.rows) : new Float32Array(a.rows);
    this.#backend.rowDots(out, a, b);
    return new Float64Array(out);
  }
}
