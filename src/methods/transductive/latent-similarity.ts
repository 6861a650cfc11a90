/**
 * Latent similarity embedding (Zhang and Saligrama, "Zero-shot learning via joint latent similarity embedding", CVPR
 * 2016): picture and category meet in a latent space of few dimensions, f(x, s) = (Ax)'(Bs) + b, and match or do not:
 * min mean over pictures of [ℓ(f(x, s_y)) + balance · mean over c ≠ y of ℓ(−f(x, s_c))] + decay/2 (‖A‖² + ‖B‖²),
 * ℓ(z) = max(0, 1 − z)². Starts at the best bilinear least-squares fit cut to that many dimensions; preconditioned L-BFGS.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import { labelTargets, minimize } from '../../numerics/index.js';

export interface LatentSimilarity {
  /** A, r×d. */
  readonly visual: Matrix<Float64Array>;
  /** B, r×q. */
  readonly semantic: Matrix<Float64Array>;
  readonly bias: number;
}

export interface LatentSettings {
  readonly dimensions: number;
  readonly decay: number;
  readonly balance: number;
  readonly iterations: number;
}

export interface LatentOptions extends LatentSettings {
  /** X'X/n of the pictures, where it is known already. */
  products?: Matrix<Float64Array>;
  signal?: AbortSignal;
  onIteration?: (iteration: number) => void;
}

/** Pictures n×d, labels into the rows of `vectors` C×q. */
export async function learnSimilarity(
  backend: Backend,
  scratch: Scratch,
  pictures: Matrix<Float64Array>,
  labels: Int32Array,
  vectors: Matrix<Float64Array>,
  { dimensions, decay, balance, iterations, products, signal, onIteration }: LatentOptions,
): Promise<LatentSimilarity> {
  const objective = new SimilarityObjective(backend, scratch, pictures, labels, vectors, { decay, balance });
  const visualFactor = factor(backend, scratch, pictures, decay, products);
  const semanticFactor = factor(backend, scratch, vectors, decay);
  const start = leastSquaresStart(backend, pictures, labels, vectors, visualFactor, semanticFactor, dimensions);
  const [r, d, q] = [start.visual.rows, pictures.cols, vectors.cols];
  const point = new Float64Array(r * (d + q) + 1);
  point.set(start.visual.data);
  point.set(start.semantic.data, r * d);
  const rows = scratch.matrix(r, d);
  const semanticRows = scratch.matrix(r, q);
  const precondition = (vector: Float64Array) => {
    rows.data.set(vector.subarray(0, r * d));
    backend.choleskySolve(visualFactor, rows, 'rows');
    vector.set(rows.data.subarray(0, r * d));
    semanticRows.data.set(vector.subarray(r * d, r * (d + q)));
    backend.choleskySolve(semanticFactor, semanticRows, 'rows');
    vector.set(semanticRows.data.subarray(0, r * q), r * d);
  };
  await minimize((at, gradient, bound) => objective.differentiate(at, gradient, r, bound), point, {
    maxIterations: iterations,
    precondition,
    signal,
    onIteration,
  });
  return {
    visual: new Matrix(point.slice(0, r * d), r, d),
    semantic: new Matrix(point.slice(r * d, r * (d + q)), r, q),
    bias: point[r * (d + q)],
  };
}

type Storage = Record<
  'a' | 'b' | 'gradientA' | 'gradientB' | 'latent' | 'embedded' | 'backLatent' | 'backEmbedded',
  Matrix<Float64Array>
>;

export class SimilarityObjective {
  readonly #backend: Backend;
  readonly #scratch: Scratch;
  readonly #pictures: Matrix<Float64Array>;
  readonly #labels: Int32Array;
  readonly #vectors: Matrix<Float64Array>;
  readonly #scores: Matrix<Float64Array>;
  readonly #settings: { decay: number; balance: number };
  #storage: Storage | undefined;

  constructor(
    backend: Backend,
    scratch: Scratch,
    pictures: Matrix<Float64Array>,
    labels: Int32Array,
    vectors: Matrix<Float64Array>,
    settings: { decay: number; balance: number },
  ) {
    this.#backend = backend;
    this.#scratch = scratch;
    this.#pictures = pictures;
    this.#labels = labels;
    this.#vectors = vectors;
    this.#scores = scratch.matrix(pictures.rows, vectors.rows);
    this.#settings = settings;
  }

  /** Value, and unless that is above `bound` gradient, at A, B (row by row) and b, with r latent dimensions. */
  differentiate(point: Float64Array, gradient: Float64Array, r: number, bound = Number.POSITIVE_INFINITY): number {
    const backend = this.#backend;
    const [d, q] = [this.#pictures.cols, this.#vectors.cols];
    const { a, b, gradientA, gradientB, latent, embedded, backLatent, backEmbedded } = this.#storageFor(r);
    a.data.set(point.subarray(0, r * d));
    b.data.set(point.subarray(r * d, r * (d + q)));
    backend.gemm(latent, this.#pictures, a, { transposeB: true });
    backend.gemm(embedded, this.#vectors, b, { transposeB: true });
    backend.gemm(this.#scores, latent, embedded, { transposeB: true });
    const { loss, slope } = this.#hinges(point[r * (d + q)]);
    let squares = 0;
    for (let k = 0; k < r * (d + q); k++) squares += point[k] * point[k];
    const value = loss + (this.#settings.decay / 2) * squares;
    if (value > bound) return value;
    // dA = (E SB')'X and dB = (E'XA')'S with E = dLoss/dF.
    backend.gemm(backLatent, this.#scores, embedded);
    backend.gemm(gradientA, backLatent, this.#pictures, { transposeA: true });
    backend.gemm(backEmbedded, this.#scores, latent, { transposeA: true });
    backend.gemm(gradientB, backEmbedded, this.#vectors, { transposeA: true });
    gradient.set(gradientA.data.subarray(0, r * d));
    gradient.set(gradientB.data.subarray(0, r * q), r * d);
    for (let k = 0; k < r * (d + q); k++) gradient[k] += this.#settings.decay * point[k];
    gradient[r * (d + q)] = slope;
    return value;
  }

  /** Replaces scores (without b) by dLoss/dF; gives the loss and its derivative by b. */
  #hinges(bias: number): { loss: number; slope: number } {
    const [n, categories] = [this.#scores.rows, this.#scores.cols];
    const wrong = this.#settings.balance / (categories - 1);
    let loss = 0;
    let slope = 0;
    for (let i = 0; i < n; i++) {
      const row = this.#scores.row(i);
      const label = this.#labels[i];
      for (let c = 0; c < categories; c++) {
        const sign = c === label ? 1 : -1;
        const weight = (c === label ? 1 : wrong) / n;
        const slack = Math.max(0, 1 - sign * (row[c] + bias));
        loss += weight * slack * slack;
        row[c] = -2 * weight * sign * slack;
        slope += row[c];
      }
    }
    return { loss, slope };
  }

  #storageFor(r: number): Storage {
    if (this.#storage?.a.rows === r) return this.#storage;
    const [n, d, q, categories] = [this.#pictures.rows, this.#pictures.cols, this.#vectors.cols, this.#vectors.rows];
    this.#storage = {
      a: this.#scratch.matrix(r, d),
      b: this.#scratch.matrix(r, q),
      gradientA: this.#scratch.matrix(r, d),
      gradientB: this.#scratch.matrix(r, q),
      latent: this.#scratch.matrix(n, r),
      embedded: this.#scratch.matrix(categories, r),
      backLatent: this.#scratch.matrix(n, r),
      backEmbedded: this.#scratch.matrix(categories, r),
    };
    return this.#storage;
  }
}

/** Cholesky factor of X'X/n + decay I: about the curvature of the loss. */
function factor(
  backend: Backend,
  scratch: Scratch,
  rows: Matrix<Float64Array>,
  decay: number,
  products?: Matrix<Float64Array>,
) {
  const system = products ? scratch.copy(products) : scratch.matrix(rows.cols, rows.cols);
  if (!products) backend.syrk(system, rows, { transpose: true, alpha: 1 / rows.rows });
  backend.addDiagonal(system, decay);
  backend.cholesky(system);
  return system;
}

/** V = (X'X/n + decay I)⁻¹ X'YS (S'S/C + decay I)⁻¹ cut to its leading singular values, half of each on either side. */
function leastSquaresStart(
  backend: Backend,
  pictures: Matrix<Float64Array>,
  labels: Int32Array,
  vectors: Matrix<Float64Array>,
  visualFactor: Matrix<Float64Array>,
  semanticFactor: Matrix<Float64Array>,
  dimensions: number,
): { visual: Matrix<Float64Array>; semantic: Matrix<Float64Array> } {
  const [n, categories, d, q] = [pictures.rows, vectors.rows, pictures.cols, vectors.cols];
  const sums = Matrix.zeros(categories, d);
  backend.gemm(sums, labelTargets(labels, categories, { present: 2 / n }), pictures, { transposeA: true });
  const right = vectors.copy('float64');
  backend.choleskySolve(semanticFactor, right, 'rows');
  const v = Matrix.zeros(q, d);
  backend.gemm(v, right, sums, { transposeA: true, alpha: 1 / categories });
  backend.choleskySolve(visualFactor, v, 'rows');
  const basis = Matrix.zeros(q, q);
  const values = new Float64Array(q);
  backend.syrk(basis, v);
  backend.eigh(values, basis);
  const r = Math.min(dimensions, q);
  const leading = basis.view(q - r, q).copy('float64');
  const visual = Matrix.zeros(r, d);
  backend.gemm(visual, leading, v);
  for (let k = 0; k < r; k++) {
    // Singular value σ = √value: the visual side σ^-½ q'V has length σ^½, the semantic side σ^½ q' too.
    const root = Math.max(values[q - r + k], 1e-12 * values[q - 1], Number.MIN_VALUE) ** 0.25;
    const [a, b] = [visual.row(k), leading.row(k)];
    for (let j = 0; j < d; j++) a[j] /= root;
    for (let j = 0; j < q; j++) b[j] *= root;
  }
  return { visual, semantic: leading };
}
