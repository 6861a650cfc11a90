/**
 * The smooth part of Li's objective (see li.ts) for given labels, as a function of the visual map W or of the label
 * embedding M: Σᵢ weightᵢ Σ_{c ≠ y} max(0, 1 + f_c − f_y)² with f_c = x'W'm_c, every category competing with the label.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';

export interface EmbeddingPenalties {
  /** On ‖W‖²/2. */
  readonly decay: number;
  /** On ‖M − M₀‖²/2. */
  readonly drift: number;
}

export class LabelEmbedding {
  /** Of every picture, into the rows of the embedding; the caller changes them. */
  readonly labels: Int32Array;
  readonly weights: Float64Array;
  /** W, r×d. */
  readonly map: Matrix<Float64Array>;
  /** M, C×r. */
  readonly embedding: Matrix<Float64Array>;
  /** f, n×C, of the map and embedding last evaluated; holds derivatives after `differentiate…`. */
  readonly scores: Matrix<Float64Array>;
  readonly #backend: Backend;
  readonly #pictures: Matrix<Float64Array>;
  readonly #first: Matrix<Float64Array>;
  readonly #penalties: EmbeddingPenalties;
  readonly #latent: Matrix<Float64Array>;
  /** The W that `latent` is of; at first there is none. */
  readonly #projected: Float64Array;
  /** The M that `scores` are of, with that W; none where they are derivatives. */
  readonly #scored: Float64Array;
  readonly #back: Matrix<Float64Array>;
  readonly #mapGradient: Matrix<Float64Array>;
  readonly #embeddingGradient: Matrix<Float64Array>;

  /** Starts at W = 0 and M = M₀ (`first`, C×r). */
  constructor(
    backend: Backend,
    scratch: Scratch,
    pictures: Matrix<Float64Array>,
    first: Matrix<Float64Array>,
    penalties: EmbeddingPenalties,
  ) {
    const [n, d, categories, r] = [pictures.rows, pictures.cols, first.rows, first.cols];
    this.#backend = backend;
    this.#pictures = pictures;
    this.#first = first;
    this.#penalties = penalties;
    this.labels = new Int32Array(n);
    this.weights = new Float64Array(n);
    this.map = scratch.matrix(r, d);
    this.embedding = scratch.copy(first);
    this.scores = scratch.matrix(n, categories);
    this.#latent = scratch.matrix(n, r);
    this.#projected = new Float64Array(r * d).fill(Number.NaN);
    this.#scored = new Float64Array(categories * r).fill(Number.NaN);
    this.#back = scratch.matrix(n, r);
    this.#mapGradient = scratch.matrix(r, d);
    this.#embeddingGradient = scratch.matrix(categories, r);
  }

  /** Scores of the present W and M; found again only where one of them is another, or where scores became derivatives. */
  refreshScores(): Matrix<Float64Array> {
    this.#project();
    const { data } = this.embedding;
    if (this.#scored.every((value, k) => value === data[k])) return this.scores;
    this.#backend.gemm(this.scores, this.#latent, this.embedding, { transposeB: true });
    this.#scored.set(data.subarray(0, this.#scored.length));
    return this.scores;
  }

  /** W x of every picture, n×r, at the present W. */
  get latent(): Matrix<Float64Array> {
    this.#project();
    return this.#latent;
  }

  /** The whole objective at the present W, M and labels. */
  value(): number {
    this.refreshScores();
    return this.#loss() + this.#mapPenalty() + this.#embeddingPenalty();
  }

  /** Objective, and unless that is above `bound` gradient, by W at `point` (row by row); M stays. */
  differentiateMap(point: Float64Array, gradient: Float64Array, bound = Number.POSITIVE_INFINITY): number {
    this.map.data.set(point);
    this.refreshScores();
    const value = this.#differentiateLoss() + this.#mapPenalty() + this.#embeddingPenalty();
    if (value > bound) return value;
    this.#backend.gemm(this.#back, this.scores, this.embedding);
    this.#backend.copy(this.#mapGradient, this.map);
    this.#backend.gemm(this.#mapGradient, this.#back, this.#pictures, {
      transposeA: true,
      beta: this.#penalties.decay,
    });
    gradient.set(this.#mapGradient.data.subarray(0, point.length));
    return value;
  }

  /** Objective and gradient by M at `point`; W stays. */
  differentiateEmbedding(point: Float64Array, gradient: Float64Array): number {
    this.embedding.data.set(point);
    this.refreshScores();
    const loss = this.#differentiateLoss();
    this.#backend.gemm(this.#embeddingGradient, this.scores, this.#latent, { transposeA: true });
    this.#backend.axpby(this.#embeddingGradient, this.#penalties.drift, this.embedding, 1);
    this.#backend.axpby(this.#embeddingGradient, -this.#penalties.drift, this.#first, 1);
    gradient.set(this.#embeddingGradient.data.subarray(0, point.length));
    return loss + this.#mapPenalty() + this.#embeddingPenalty();
  }

  /** W x, unless it is there already: between two searches for W it is asked for again and again. */
  #project(): void {
    const { data } = this.map;
    if (this.#projected.every((value, k) => value === data[k])) return;
    this.#backend.gemm(this.#latent, this.#pictures, this.map, { transposeB: true });
    this.#projected.set(data.subarray(0, this.#projected.length));
    this.#scored.fill(Number.NaN);
  }

  #loss(): number {
    const { scores, labels, weights } = this;
    let total = 0;
    for (let i = 0; i < scores.rows; i++) {
      const from = i * scores.stride;
      total = addHinges(scores.data, from, from + scores.cols, from + labels[i], weights[i], total);
    }
    return total;
  }

  /** The same, and scores become the derivatives of the loss by them. */
  #differentiateLoss(): number {
    const { scores, labels, weights } = this;
    this.#scored.fill(Number.NaN);
    let total = 0;
    for (let i = 0; i < scores.rows; i++) {
      const from = i * scores.stride;
      total = differentiateHinges(scores.data, from, from + scores.cols, from + labels[i], weights[i], total);
    }
    return total;
  }

  #mapPenalty(): number {
    return (this.#penalties.decay / 2) * this.#backend.dot(this.map, this.map);
  }

  #embeddingPenalty(): number {
    const { embedding } = this;
    let squares = 0;
    for (let c = 0; c < embedding.rows; c++) {
      const [now, before] = [embedding.row(c), this.#first.row(c)];
      for (let k = 0; k < now.length; k++) squares += (now[k] - before[k]) ** 2;
    }
    return (this.#penalties.drift / 2) * squares;
  }
}

/** `total` and weight Σ_{c ≠ y} max(0, 1 + f_c − f_y)², with f from place `from` to `to` and f_y at `own`. */
function addHinges(scores: Float64Array, from: number, to: number, own: number, weight: number, total: number): number {
  const best = scores[own];
  for (let at = from; at < to; at++) {
    const slack = 1 + scores[at] - best;
    if (slack > 0 && at !== own) total += weight * slack * slack;
  }
  return total;
}

/** The same, and scores become its derivatives. */
function differentiateHinges(
  scores: Float64Array,
  from: number,
  to: number,
  own: number,
  weight: number,
  total: number,
): number {
  const best = scores[own];
  const twice = 2 * weight;
  let sum = 0;
  for (let at = from; at < to; at++) {
    const slack = 1 + scores[at] - best;
    if (slack > 0 && at !== own) {
      total += weight * slack * slack;
      sum += slack;
      scores[at] = twice * slack;
    } else scores[at] = 0;
  }
  scores[own] = -twice * sum;
  return total;
}

/** Σ_{c ≠ y} max(0, 1 + f_c − f_y)² of a picture for every label y from 0 to `choices` − 1. */
export function labelCosts(scores: Float64Array, choices: number): Float64Array {
  const costs = new Float64Array(choices);
  for (let y = 0; y < choices; y++) {
    // The label's own term, max(0, 1)², is taken off at the start.
    let cost = -1;
    for (let c = 0; c < scores.length; c++) {
      const slack = 1 + scores[c] - scores[y];
      if (slack > 0) cost += slack * slack;
    }
    costs[y] = cost;
  }
  return costs;
}
