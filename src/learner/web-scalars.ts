/**
 * The numbers kept for every web picture, in grouped order, and the arithmetic on them. `HostWebScalars` does it in this
 * process, `DeviceWebScalars` with kernels on a GPU; what a formula means is said in web-state.ts, where it is used.
 */
import { Matrix } from '../linalg/index.js';
import type { ThetaProblem, WebProducts } from './theta/problem.js';
import { solveProjectedGradient } from './theta/projected-gradient.js';
import { solveSmo } from './theta/smo.js';
import type { Grouping } from './web-features.js';

/** What a fit goes on from; a row of n each. */
export interface ScalarRows {
  theta: Matrix;
  /** αᵢ, the multiplier's part along the residual. */
  along: Matrix;
  /** ‖bᵢ‖² */
  residual: Matrix;
  /** rᵢ · bᵢ */
  cross: Matrix;
  /** ‖rᵢ‖² */
  multiplier: Matrix;
}

export interface WeightOptions {
  mu: number;
  /** λ3/nw² */
  coupling: number;
  /** λ3/(nw nt), the factor of the products with the test sum. */
  pull: number;
  bound: number;
  /** σ² of the centred features, or more. */
  spectralBound: number;
  /** X X': the pairwise solver is used. */
  gram?: Matrix;
}

export interface Summary {
  /** Σ‖eᵢ‖ */
  errorNorm: number;
  thetaMinimum: number;
  thetaMaximum: number;
  thetaDeviation: number;
}

export interface WebScalars {
  readonly scalars: ScalarRows;
  /** sᵢ of the current iteration. */
  readonly shrink: Matrix;
  /** xᵢ·δ put in by the caller, bᵢ·δ after `beginMove`. */
  readonly dotMove: Matrix;
  /** rᵢ·δ: the part along bᵢ after `beginMove`, the rest to be added by the caller before `endMove`. */
  readonly multiplierDotMove: Matrix;
  /** Xw'θ for the current weights, a row of d. */
  readonly weightedSum: Matrix;
  /** Filled by `columnResiduals`. */
  readonly norms: Matrix;

  /** ‖bᵢ‖² from ‖xᵢ‖² (in `residual`), xᵢ·p (in `dotMove`) and ‖p‖² of each category. */
  start(prototypeNorms: Matrix): void;
  shrinkErrors(lambda4: number, mu: number): void;
  /**
   * Coefficients of the dictionary update; those of a category are sums over its pictures, that on the system being
   * μΣθ² + γn.
   */
  dictionaryCoefficients(
    mu: number,
    gamma: number,
  ): Record<'onPicture' | 'onHistory' | 'onPrototype' | 'onSystem', Matrix>;
  beginMove(oldDotMove: Matrix): void;
  endMove(moveNorms: Matrix): void;
  /** Finds the next weights from the current ones; they become current with `updateMultipliers`. */
  solveWeights(products: WebProducts, options: WeightOptions): Promise<number>;
  /** Norms of the columns of E − (X − DA)Θ for the next weights: the largest and where it is. */
  columnResiduals(mu: number): { largest: number; worst: number };
  /** Those columns as onResidual b + onHistory (r − α b) + onNewest δ. */
  columnCoefficients(mu: number): { onResidual: Matrix; onHistory: Matrix; onNewest: Matrix };
  /** R update; factors of the multipliers' parts along past moves, and what is added along the newest. */
  updateMultipliers(mu: number): { onHistory: Matrix; onNewest: Matrix };
  summary(): Summary;
  release(): void;
}

export class HostWebScalars implements WebScalars {
  readonly scalars: Record<keyof ScalarRows, Matrix<Float64Array>>;
  readonly shrink: Matrix<Float64Array>;
  readonly dotMove: Matrix<Float64Array>;
  readonly multiplierDotMove: Matrix<Float64Array>;
  readonly weightedSum: Matrix<Float64Array>;
  readonly norms: Matrix<Float64Array>;
  readonly #grouping: Grouping;
  readonly #attraction: Float64Array;
  readonly #onHistory: Matrix<Float64Array>;
  readonly #coefficients: Matrix<Float64Array>;
  readonly #newTheta: Float64Array;
  #moveNorms: Float64Array;
  #errorNorm = 0;

  /** `attraction`: the products xᵢ · Σⱼ xtⱼ with the test pictures. */
  constructor(grouping: Grouping, dimension: number, attraction: Float64Array) {
    const rows = () => Matrix.zeros(1, grouping.labels.length);
    this.#grouping = grouping;
    this.#attraction = attraction;
    this.scalars = { theta: rows().fill(1), along: rows(), residual: rows(), cross: rows(), multiplier: rows() };
    this.shrink = rows();
    this.dotMove = rows();
    this.multiplierDotMove = rows();
    this.norms = rows();
    this.#onHistory = rows();
    this.#coefficients = rows();
    this.#newTheta = new Float64Array(grouping.labels.length);
    this.weightedSum = Matrix.zeros(1, dimension);
    this.#moveNorms = new Float64Array(this.#categories);
  }

  get #categories(): number {
    return this.#grouping.starts.length - 1;
  }

  start(prototypeNorms: Matrix): void {
    const { labels } = this.#grouping;
    const residual = this.scalars.residual.data;
    const [dots, norms] = [this.dotMove.data, prototypeNorms.data];
    for (let i = 0; i < residual.length; i++) residual[i] = Math.max(0, residual[i] - 2 * dots[i] + norms[labels[i]]);
  }

  shrinkErrors(lambda4: number, mu: number): void {
    const { theta, residual, cross, multiplier } = arraysOf(this.scalars);
    const shrink = this.shrink.data;
    this.#errorNorm = 0;
    for (let i = 0; i < theta.length; i++) {
      const t = theta[i];
      const length = Math.sqrt(Math.max(0, t * t * residual[i] - (2 * t * cross[i]) / mu + multiplier[i] / (mu * mu)));
      shrink[i] = length * mu > lambda4 ? 1 - lambda4 / (mu * length) : 0;
      this.#errorNorm += shrink[i] * length;
    }
  }

  dictionaryCoefficients(mu: number, gamma: number) {
    const { theta, along } = arraysOf(this.scalars);
    const { labels, starts } = this.#grouping;
    const [onPicture, onHistory, shrink] = [this.#coefficients.data, this.#onHistory.data, this.shrink.data];
    const [onPrototype, onSystem] = [Matrix.zeros(1, this.#categories), Matrix.zeros(1, this.#categories)];
    for (let i = 0; i < theta.length; i++) {
      const rest = 1 - shrink[i];
      onPicture[i] = theta[i] * rest * (mu * theta[i] - along[i]);
      onPrototype.data[labels[i]] += theta[i] * (mu * theta[i] * shrink[i] + rest * along[i]);
      onSystem.data[labels[i]] += theta[i] * theta[i];
      onHistory[i] = -theta[i] * rest;
    }
    for (let c = 0; c < this.#categories; c++)
      onSystem.data[c] = mu * onSystem.data[c] + gamma * (starts[c + 1] - starts[c]);
    return { onPicture: this.#coefficients, onHistory: this.#onHistory, onPrototype, onSystem };
  }

  beginMove(oldDotMove: Matrix): void {
    const { labels } = this.#grouping;
    const along = this.scalars.along.data;
    const [dotMove, multiplierDotMove, old] = [this.dotMove.data, this.multiplierDotMove.data, oldDotMove.data];
    for (let i = 0; i < along.length; i++) {
      dotMove[i] -= old[labels[i]];
      multiplierDotMove[i] = along[i] * dotMove[i];
    }
  }

  endMove(moveNorms: Matrix): void {
    const { labels } = this.#grouping;
    const { residual, cross } = arraysOf(this.scalars);
    const [dotMove, multiplierDotMove] = [this.dotMove.data, this.multiplierDotMove.data];
    this.#moveNorms = Float64Array.from(moveNorms.row(0));
    for (let i = 0; i < residual.length; i++) {
      residual[i] = Math.max(0, residual[i] - 2 * dotMove[i] + this.#moveNorms[labels[i]]);
      cross[i] -= multiplierDotMove[i];
    }
  }

  async solveWeights(products: WebProducts, options: WeightOptions): Promise<number> {
    const { mu, pull, gram } = options;
    const { theta, residual, cross } = arraysOf(this.scalars);
    const { labels } = this.#grouping;
    const n = theta.length;
    const curvature = new Float64Array(n);
    const linear = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      // b_new·b_old = ‖b_new‖² + b_new·δ and b_new·δ = b_old·δ − ‖δ‖².
      const oldDotNew = residual[i] + this.dotMove.data[i] - this.#moveNorms[labels[i]];
      const errorDotResidual = this.shrink.data[i] * (theta[i] * oldDotNew - cross[i] / mu);
      curvature[i] = mu * residual[i];
      linear[i] = mu * errorDotResidual + cross[i] + pull * this.#attraction[i];
    }
    const problem: ThetaProblem = { curvature, linear, coupling: options.coupling, bound: options.bound };
    const weightedSum = this.weightedSum.data;
    this.#newTheta.set(theta);
    if (!gram) return solveProjectedGradient(this.#newTheta, weightedSum, problem, products, options);
    const steps = solveSmo(this.#newTheta, problem, gram);
    await products.transposedTimes(weightedSum, this.#newTheta);
    return steps;
  }

  columnResiduals(mu: number) {
    const norms = this.norms.data;
    const multiplier = this.scalars.multiplier.data;
    let worst = 0;
    for (let i = 0; i < norms.length; i++) {
      const { s, mixed, added } = this.#step(i, mu);
      norms[i] = Math.sqrt(Math.max(0, s * s * multiplier[i] - 2 * s * mixed + added)) / mu;
      if (norms[i] > norms[worst] || Number.isNaN(norms[i])) worst = i;
    }
    return { largest: norms[worst], worst };
  }

  columnCoefficients(mu: number) {
    const n = this.norms.cols;
    const [onResidual, onHistory, onNewest] = [Matrix.zeros(1, n), Matrix.zeros(1, n), Matrix.zeros(1, n)];
    const along = this.scalars.along.data;
    for (let i = 0; i < n; i++) {
      const { s, c1, c2 } = this.#step(i, mu);
      onResidual.data[i] = (c1 - s * along[i]) / mu;
      onHistory.data[i] = -s / mu;
      onNewest.data[i] = c2 / mu;
    }
    return { onResidual, onHistory, onNewest };
  }

  updateMultipliers(mu: number) {
    const { theta, along, residual, cross, multiplier } = arraysOf(this.scalars);
    const { labels } = this.#grouping;
    const [onHistory, onNewest] = [this.#onHistory.data, this.#coefficients.data];
    for (let i = 0; i < theta.length; i++) {
      const { s, c1, c2, mixed, added } = this.#step(i, mu);
      const rest = 1 - s;
      multiplier[i] = Math.max(0, rest * rest * multiplier[i] + 2 * rest * mixed + added);
      cross[i] = rest * cross[i] + c1 * residual[i] + c2 * (this.dotMove.data[i] - this.#moveNorms[labels[i]]);
      along[i] = rest * along[i] + c1;
      onHistory[i] = rest;
      onNewest[i] = c2;
      theta[i] = this.#newTheta[i];
    }
    return { onHistory: this.#onHistory, onNewest: this.#coefficients };
  }

  /** Coefficients of r ← (1 − s) r + c1 b + c2 δ, with r·(c1 b + c2 δ) and ‖c1 b + c2 δ‖². */
  #step(i: number, mu: number) {
    const { theta, residual, cross } = this.scalars;
    const s = this.shrink.data[i];
    const c1 = mu * (s * theta.data[i] - this.#newTheta[i]);
    const c2 = mu * s * theta.data[i];
    const moveNorm = this.#moveNorms[this.#grouping.labels[i]];
    const newDotMove = this.dotMove.data[i] - moveNorm;
    const added = c1 * c1 * residual.data[i] + c2 * c2 * moveNorm + 2 * c1 * c2 * newDotMove;
    return { s, c1, c2, mixed: c1 * cross.data[i] + c2 * this.multiplierDotMove.data[i], added };
  }

  summary(): Summary {
    const theta = this.scalars.theta.data;
    let [low, high, sum, squares] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
    for (const value of theta) {
      low = Math.min(low, value);
      high = Math.max(high, value);
      sum += value;
      squares += value * value;
    }
    return summaryOf(theta.length, this.#errorNorm, low, high, sum, squares);
  }

  release(): void {}
}

export function summaryOf(
  n: number,
  errorNorm: number,
  low: number,
  high: number,
  sum: number,
  squares: number,
): Summary {
  const variance = squares / n - (sum / n) ** 2;
  return { errorNorm, thetaMinimum: low, thetaMaximum: high, thetaDeviation: Math.sqrt(Math.max(0, variance)) };
}

function arraysOf<Name extends string>(rows: Record<Name, Matrix<Float64Array>>): Record<Name, Float64Array> {
  const arrays = {} as Record<Name, Float64Array>;
  for (const name in rows) arrays[name] = rows[name].data;
  return arrays;
}
