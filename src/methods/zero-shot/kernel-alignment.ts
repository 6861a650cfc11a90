/**
 * The objective of zero-shot kernel learning on a batch (see zsk.ts) and its gradient by the projection. With p = W'x and
 * e_c = ∂objective/∂k(p, s_c), distances give ∂/∂p = Σ_c 2 e_c k'(‖p − s_c‖²)(p − s_c), products Σ_c e_c k'(p's_c) s_c.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import { squaredLengths } from '../../numerics/index.js';

export const kernelNames = ['gaussian', 'cauchy', 'polynomial'] as const;
export type KernelName = (typeof kernelNames)[number];

export interface AlignmentSettings {
  readonly kernel: KernelName;
  readonly width: number;
  readonly balance: number;
  readonly incoherence: number;
}

/**
 * Products p's (n×C) become kernels, and where `slopes` is given it receives their derivatives by ‖p − s‖² (by p's for
 * the polynomial kernel).
 */
export function kernelValues(
  products: Matrix<Float64Array>,
  projected: Matrix<Float64Array>,
  vectors: Matrix<Float64Array>,
  kernel: KernelName,
  width: number,
  slopes?: Matrix<Float64Array>,
): void {
  const lengths = squaredLengths(vectors);
  const own = squaredLengths(projected);
  for (let i = 0; i < products.rows; i++) {
    const values = products.row(i);
    const out = slopes?.row(i);
    for (let c = 0; c < values.length; c++) {
      let slope: number;
      if (kernel === 'polynomial') {
        slope = 2 * (values[c] + 1);
        values[c] = (values[c] + 1) ** 2;
      } else {
        const distance = Math.max(0, own[i] - 2 * values[c] + lengths[c]);
        if (kernel === 'gaussian') {
          values[c] = Math.exp(-distance / (2 * width * width));
          slope = -values[c] / (2 * width * width);
        } else {
          values[c] = 1 / (1 + distance / (width * width));
          slope = -(values[c] ** 2) / (width * width);
        }
      }
      if (out) out[c] = slope;
    }
  }
}

export class KernelAlignment {
  readonly #backend: Backend;
  readonly #settings: AlignmentSettings;
  readonly #vectors: Matrix<Float64Array>;
  readonly #projected: Matrix<Float64Array>;
  readonly #values: Matrix<Float64Array>;
  readonly #slopes: Matrix<Float64Array>;
  readonly #back: Matrix<Float64Array>;
  readonly #coherence: Matrix<Float64Array>;

  /** Batches have at most `size` pictures; `vectors` are the learnt categories'. */
  constructor(
    backend: Backend,
    scratch: Scratch,
    vectors: Matrix<Float64Array>,
    size: number,
    settings: AlignmentSettings,
  ) {
    const [categories, r] = [vectors.rows, vectors.cols];
    this.#backend = backend;
    this.#settings = settings;
    this.#vectors = scratch.copy(vectors);
    this.#projected = scratch.matrix(size, r);
    this.#values = scratch.matrix(size, categories);
    this.#slopes = scratch.matrix(size, categories);
    this.#back = scratch.matrix(size, r);
    this.#coherence = scratch.matrix(r, r);
  }

  /** Writes the gradient by W' (r×d) and returns the objective. */
  differentiate(
    gradient: Matrix<Float64Array>,
    projection: Matrix<Float64Array>,
    pictures: Matrix<Float64Array>,
    labels: Int32Array,
  ): number {
    const { kernel, width, balance } = this.#settings;
    const backend = this.#backend;
    const n = pictures.rows;
    const projected = this.#projected.view(0, n);
    const values = this.#values.view(0, n);
    const slopes = this.#slopes.view(0, n);
    const back = this.#back.view(0, n);
    backend.gemm(projected, pictures, projection, { transposeB: true });
    backend.gemm(values, projected, this.#vectors, { transposeB: true });
    kernelValues(values, projected, this.#vectors, kernel, width, slopes);

    const wrong = balance / (this.#vectors.rows - 1);
    let objective = 0;
    const sums = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const [k, e] = [values.row(i), slopes.row(i)];
      for (let c = 0; c < k.length; c++) {
        const weight = (c === labels[i] ? -1 : wrong) / n;
        objective += weight * k[c];
        e[c] *= weight;
        sums[i] += e[c];
      }
    }
    if (kernel === 'polynomial') backend.gemm(back, slopes, this.#vectors);
    else {
      for (let i = 0; i < n; i++) {
        const [out, p] = [back.row(i), projected.row(i)];
        for (let j = 0; j < p.length; j++) out[j] = 2 * sums[i] * p[j];
      }
      backend.gemm(back, slopes, this.#vectors, { alpha: -2, beta: 1 });
    }
    backend.gemm(gradient, back, pictures, { transposeA: true });
    return objective + this.#addIncoherence(gradient, projection);
  }

  /** β/r ‖W'W − I‖² with gradient 4β/r (W'W − I)W'. */
  #addIncoherence(gradient: Matrix<Float64Array>, projection: Matrix<Float64Array>): number {
    const weight = this.#settings.incoherence / projection.rows;
    if (weight === 0) return 0;
    const coherence = this.#coherence;
    this.#backend.syrk(coherence, projection);
    this.#backend.addDiagonal(coherence, -1);
    this.#backend.gemm(gradient, coherence, projection, { alpha: 4 * weight, beta: 1 });
    return weight * this.#backend.dot(coherence, coherence);
  }
}
