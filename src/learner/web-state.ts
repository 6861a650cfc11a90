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
import type { Backend, Dtype, Matrix } from '../linalg/index.js';
import { DeviceWebScalars } from './device-web-scalars.js';
import { MoveHistory } from './history.js';
import { download, lending } from './storage.js';
import { MemoryWeb, type Run, type WebFeatures } from './web-features.js';
import { HostWebScalars, type WebScalars, type WeightOptions } from './web-scalars.js';

export interface WebStateOptions {
  dtype: Dtype;
  /** The products xᵢ · Σⱼ xtⱼ with the test pictures. */
  attraction: Float64Array;
  /** Whether the weights are found by the pairwise solver, which works in this process only. */
  pairwise: boolean;
}

export class WebState {
  readonly features: WebFeatures;
  readonly pictures: WebScalars;
  /** Past moves of the prototypes and the multipliers' parts along them. */
  readonly history: MoveHistory;
  readonly prototypes: Matrix;

  readonly #backend: Backend;
  readonly #move: Matrix;
  /** A row of C each. */
  readonly #oldDotMove: Matrix;
  readonly #norms: Matrix;
  /** 0, 1, …, C: segments of one row. */
  readonly #eachCategory: Int32Array;

  constructor(backend: Backend, features: WebFeatures, options: WebStateOptions) {
    const { dtype, attraction, pairwise } = options;
    const { grouping, cols } = features;
    const categories = grouping.starts.length - 1;
    this.#backend = backend;
    this.features = features;
    this.pictures =
      backend.compile && features instanceof MemoryWeb && !pairwise
        ? new DeviceWebScalars(backend, grouping, cols, attraction)
        : new HostWebScalars(grouping, cols, attraction);
    this.#oldDotMove = backend.matrix(1, categories);
    this.#norms = backend.matrix(1, categories);
    this.#eachCategory = Int32Array.from({ length: categories + 1 }, (_, c) => c);
    this.history = new MoveHistory(backend, grouping.starts, cols, dtype);
    this.prototypes = backend.matrix(categories, cols, dtype);
    this.#move = backend.matrix(categories, cols, dtype);
  }

  /** Residuals to the first prototypes; R = 0. */
  async start(prototypes: Matrix): Promise<void> {
    const { pictures, features } = this;
    this.#backend.copy(this.prototypes, prototypes);
    await features.dotsWithCategory(pictures.dotMove, prototypes);
    await features.squaredNorms(pictures.scalars.residual);
    this.#backend.segmentDots(this.#norms, prototypes, prototypes, this.#eachCategory);
    pictures.start(this.#norms);
    await features.transposedTimes(pictures.weightedSum, pictures.scalars.theta);
  }

  /** E update. */
  shrinkErrors(lambda4: number, mu: number): void {
    this.pictures.shrinkErrors(lambda4, mu);
  }

  /**
   * S (C×d) ← class sums of θᵢ(μθᵢxᵢ − μeᵢ − rᵢ), the web images' part of the dictionary update. Returns μΣθ² + γn of
   * each category, their part of its system.
   */
  async dictionaryTerm(out: Matrix, mu: number, gamma: number): Promise<Matrix> {
    const { onPicture, onHistory, onPrototype, onSystem } = this.pictures.dictionaryCoefficients(mu, gamma);
    await this.features.sumsByCategory(out, onPicture);
    this.#backend.segmentSums(out, this.prototypes, onPrototype, this.#eachCategory, 1);
    this.history.addSums(out, onHistory);
    return onSystem;
  }

  /** The prototypes move to those of the new dictionary; residuals follow, multipliers stay. */
  async moveTo(prototypes: Matrix): Promise<void> {
    const { pictures } = this;
    const backend = this.#backend;
    backend.copy(this.#move, prototypes);
    backend.axpby(this.#move, -1, this.prototypes, 1);
    await this.features.dotsWithCategory(pictures.dotMove, this.#move);
    backend.segmentDots(this.#oldDotMove, this.prototypes, this.#move, this.#eachCategory);
    backend.segmentDots(this.#norms, this.#move, this.#move, this.#eachCategory);
    pictures.beginMove(this.#oldDotMove);
    this.history.addDots(pictures.multiplierDotMove, this.#move);
    pictures.endMove(this.#norms);
    backend.copy(this.prototypes, prototypes);
    // r = α b_old + … = α b_new + α δ + …
    this.history.append(this.#move, pictures.scalars.along);
  }

  /** The next weights; returns the solver's steps. */
  solveWeights(options: WeightOptions): Promise<number> {
    return this.pictures.solveWeights(this.features, options);
  }

  /**
   * R update; the next weights become the current ones. Returns the largest Euclidean norm of a column of
   * E − (X − DA)Θ and whether every entry of it is below ν.
   */
  async updateMultipliers(tolerance: number, mu: number): Promise<{ largest: number; below: boolean }> {
    const { largest, worst } = this.pictures.columnResiduals(mu);
    const below = await this.#residualBelow(tolerance, mu, largest, worst);
    const { onHistory, onNewest } = this.pictures.updateMultipliers(mu);
    this.history.scale(onHistory);
    this.history.addToNewest(onNewest);
    return { largest, below };
  }

  /** Writes out only the runs whose norms leave it open. */
  async #residualBelow(tolerance: number, mu: number, largest: number, worst: number): Promise<boolean> {
    if (largest >= tolerance * Math.sqrt(this.features.cols) * (1 + 1e-9)) return false;
    if (largest < tolerance) return true;
    const coefficients = this.pictures.columnCoefficients(mu);
    const below = async (run: Run) => (await this.#largestEntry(run, coefficients)) < tolerance;
    // One column usually settles it; only when it passes are all others looked at.
    if (!(await below({ category: this.features.grouping.labels[worst], start: worst, end: worst + 1 }))) return false;
    const norms = download(this.#backend, this.pictures.norms).data;
    const open = this.features
      .runs()
      .map((run) => ({ run, largest: norms.subarray(run.start, run.end).reduce((a, b) => Math.max(a, b), 0) }))
      .filter((each) => each.largest >= tolerance)
      .sort((a, b) => b.largest - a.largest);
    for (const { run } of open) if (!(await below(run))) return false;
    return true;
  }

  /** Largest entry of the columns of one run. */
  async #largestEntry(
    { category, start, end }: Run,
    coefficients: ReturnType<WebScalars['columnCoefficients']>,
  ): Promise<number> {
    const backend = this.#backend;
    const rows = await this.features.read(start, end);
    const part = (values: Matrix) => values.view(0, 1, start, end);
    return lending(backend, (lend) => {
      const columns = lend(rows.rows, rows.cols, rows.dtype);
      const onResidual = lend(rows.rows, 1, rows.dtype);
      backend.copy(onResidual, part(coefficients.onResidual).reshaped(rows.rows, 1));
      backend.copy(columns, rows);
      backend.scaleRows(columns, onResidual);
      backend.gemm(columns, onResidual, this.prototypes.view(category, category + 1), { alpha: -1, beta: 1 });
      this.history.addCombinations(columns, category, start, part(coefficients.onHistory), part(coefficients.onNewest));
      return backend.maxAbs(columns);
    });
  }

  /** rᵢ written out, for tests. */
  async multiplierOf(position: number): Promise<Float64Array> {
    const picture = (await this.features.read(position, position + 1)).row(0);
    const category = this.features.grouping.labels[position];
    const prototype = this.prototypes.row(category);
    const alpha = this.pictures.scalars.along.at(0, position);
    return lending(this.#backend, (lend) => {
      const combined = lend(1, picture.length, this.prototypes.dtype);
      this.history.addCombinations(combined, category, position, lend(1, 1).fill(1), lend(1, 1));
      return Float64Array.from(combined.row(0), (value, j) => value + alpha * (picture[j] - prototype[j]));
    });
  }

  release(): void {
    this.history.release();
    this.pictures.release();
    for (const matrix of [this.prototypes, this.#move, this.#oldDotMove, this.#norms]) this.#backend.release(matrix);
  }
}
