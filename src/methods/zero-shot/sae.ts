/**
 * SAE (Kodirov, Xiang and Gong, "Semantic autoencoder for zero-shot learning", CVPR 2017): a linear encoder W from
 * pictures to category vectors whose transpose decodes, min ‖X − W'S‖² + λ‖WX − S‖² (columns are pictures, S their
 * categories' vectors), that is the Sylvester equation (SS')W + W(λXX') = (1 + λ)SX'. With SS' = PαP' and XX' = QβQ' it
 * is solved entry by entry: (P'WQ)_kj = (1 + λ)(P'SX'Q)_kj / (α_k + λβ_j). A picture belongs to the category whose vector
 * has the smallest angle to Wx ("semantic"), or whose decoded vector W's has the smallest angle to x ("visual").
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { linearDecisions, type Scratch, unitRows, withScratch } from '../../numerics/index.js';
import { choice, log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { type AuxiliaryData, categorySums, gatherAuxiliary, pictureProducts } from './auxiliary.js';

const spaces = ['semantic', 'visual'] as const;

const parameters = {
  lambda: number('weight of encoding against decoding', 0.2, { above: 0, range: log(1e-2, 1e2) }),
  space: choice('where pictures and categories are compared', 'visual', spaces, 'searched'),
};

export class Sae implements Method {
  readonly options: OptionsOf<typeof parameters>;
  /** W, m×d. */
  encoder_: Matrix<Float64Array> | undefined;
  #candidates: Matrix<Float64Array> | undefined;
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    this.options = resolveParameters('sae', parameters, given);
  }

  async fit(problem: Problem, { backend, signal }: FitOptions): Promise<this> {
    signal?.throwIfAborted();
    this.encoder_ = undefined;
    await withScratch(backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'sae', { centre: false });
      const vectors = unitRows(data.classVectors);
      this.encoder_ = solveSylvester(backend, scratch, data, vectors, this.options.lambda);
      const candidates = unitRows(data.candidates);
      if (this.options.space === 'visual') {
        const decoded = Matrix.zeros(candidates.rows, this.encoder_.cols);
        backend.gemm(decoded, candidates, this.encoder_);
        this.#candidates = unitRows(decoded);
      } else this.#candidates = candidates;
    });
    this.#backend = backend;
    return this;
  }

  /** Cosines of the angles between pictures and categories. */
  decisionValues(features: Matrix): Matrix {
    if (!this.encoder_ || !this.#candidates || !this.#backend) throw notFitted();
    const intercepts = new Float64Array(Math.max(this.encoder_.rows, this.#candidates.rows));
    const queries =
      this.options.space === 'visual'
        ? features
        : linearDecisions(this.#backend, { weights: this.encoder_, intercepts }, features);
    return linearDecisions(this.#backend, { weights: this.#candidates, intercepts }, unitRows(queries));
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

function solveSylvester(
  backend: Backend,
  scratch: Scratch,
  data: AuxiliaryData,
  vectors: Matrix<Float64Array>,
  lambda: number,
): Matrix<Float64Array> {
  const [d, m] = [data.features.cols, vectors.cols];
  // Row k of P and Q is an eigenvector here. SS' = Σ_c n_c s_c s_c' and SX' need the sums of each category only.
  const { q, beta } = data.prepared('spectrum of auxiliary pictures', [], () => {
    const vectors = pictureProducts(scratch, data).copy('float64');
    const values = new Float64Array(d);
    backend.eigh(values, vectors);
    return { q: vectors, beta: values };
  });
  const p = scratch.matrix(m, m);
  const alpha = new Float64Array(m);
  const weighted = scratch.copy(vectors);
  backend.scaleRows(weighted, Float64Array.from(data.counts, Math.sqrt));
  backend.syrk(p, weighted, { transpose: true });
  backend.eigh(alpha, p);

  const turnedVectors = scratch.matrix(vectors.rows, m);
  backend.gemm(turnedVectors, vectors, p, { transposeB: true });
  const turnedSums = scratch.matrix(vectors.rows, d);
  backend.gemm(turnedSums, categorySums(data), q, { transposeB: true });
  const turned = scratch.matrix(m, d);
  backend.gemm(turned, turnedVectors, turnedSums, { transposeA: true, alpha: 1 + lambda });
  // Where both eigenvalues vanish so does the right side, but for rounding: the solution of least norm is zero there.
  const negligible = 1e-12 * (alpha[m - 1] + lambda * beta[d - 1]);
  for (let k = 0; k < m; k++) {
    const row = turned.row(k);
    for (let j = 0; j < d; j++) {
      const denominator = alpha[k] + lambda * beta[j];
      row[j] = denominator > negligible ? row[j] / denominator : 0;
    }
  }
  const half = scratch.matrix(m, d);
  backend.gemm(half, p, turned, { transposeA: true });
  const encoder = Matrix.zeros(m, d);
  backend.gemm(encoder, half, q);
  return encoder;
}

export const saeSpec: MethodSpec<typeof parameters> = {
  name: 'sae',
  title: 'SAE',
  citation: 'Kodirov, Xiang and Gong, Semantic autoencoder for zero-shot learning, CVPR 2017',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options) => new Sae(options),
};
