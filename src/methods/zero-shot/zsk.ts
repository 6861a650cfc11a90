/**
 * ZSK, zero-shot kernel learning (Zhang and Koniusz, "Zero-shot kernel learning", CVPR 2018): pictures are projected
 * into the space of category vectors so that a kernel between the two aligns with the labels,
 * min over W of mean over pictures of [−k(W'x, s_y) + balance · mean over c ≠ y of k(W'x, s_c)] + β/r ‖W'W − I‖²,
 * the last term the soft constraint that the r columns of W be incoherent. Kernels: Gaussian exp(−‖p − s‖²/2σ²), Cauchy
 * 1/(1 + ‖p − s‖²/σ²), polynomial (p's + 1)². Mini-batch descent with momentum. The s are directions around the mean
 * category, in coordinates of the r dimensions that auxiliary categories span: nothing can be learnt about the others.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix, Random } from '../../linalg/index.js';
import {
  centred,
  directions,
  linearDecisions,
  miniBatches,
  squaredLengths,
  uncentred,
  unitRows,
  withScratch,
} from '../../numerics/index.js';
import { choice, log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { gatherAuxiliary } from './auxiliary.js';
import { KernelAlignment, kernelNames, kernelValues } from './kernel-alignment.js';
import { spanCoordinates } from './span-coordinates.js';

const parameters = {
  kernel: choice('kernel between projected pictures and category vectors', 'gaussian', kernelNames, 'searched'),
  width: number('width of the Gaussian and the Cauchy kernel', 1, { above: 0, range: log(0.3, 2) }),
  balance: number('weight of wrong categories', 1, { least: 0, range: log(0.3, 3) }),
  incoherence: number('weight of the constraint on the projection', 0.01, { least: 0, range: log(1e-3, 0.3) }),
  learningRate: number('first step', 3, { above: 0, range: log(1, 20) }),
  epochs: whole('passes over the auxiliary pictures', 12),
};

export class Zsk implements Method {
  readonly options: OptionsOf<typeof parameters>;
  readonly seed: number;
  /** W', r×d. */
  projection_: Matrix<Float64Array> | undefined;
  #mean: Float64Array | undefined;
  #candidates: Matrix<Float64Array> | undefined;
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    this.options = resolveParameters('zsk', parameters, given);
    this.seed = seed;
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    const { backend, signal } = options;
    signal?.throwIfAborted();
    this.projection_ = undefined;
    await withScratch(backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'zsk');
      const pictures = data.prepared('auxiliary pictures of unit length', [], () => unitRows(data.features));
      const around = directions(data.classVectors, data.candidates);
      const { learnt, others } = spanCoordinates(backend, around.learnt, around.candidates);
      const [n, d, r] = [pictures.rows, pictures.cols, learnt.cols];

      const random = new Random(this.seed);
      const projection = scratch.matrix(r, d);
      projection.data.set(random.fork(0).normalArray(r * d));
      for (let k = 0; k < projection.data.length; k++) projection.data[k] /= Math.sqrt(d);
      const velocity = scratch.matrix(r, d);
      const gradient = scratch.matrix(r, d);
      const size = Math.max(1, Math.min(256, Math.floor(n / 40)));
      const batch = scratch.matrix(size, d);
      const alignment = new KernelAlignment(backend, scratch, learnt, size, this.options);
      for await (const { rows, step } of miniBatches(n, random, { ...options, epochs: this.options.epochs, size })) {
        rows.forEach((row, k) => {
          batch.row(k).set(pictures.row(row));
        });
        const labels = rows.map((row) => data.labels[row]);
        alignment.differentiate(gradient, projection, batch.view(0, rows.length), labels);
        backend.axpby(velocity, -this.options.learningRate * step, gradient, momentum);
        const length = Math.sqrt(backend.dot(velocity, velocity));
        const longest = longestStep * Math.sqrt(r);
        if (length > longest) backend.axpby(velocity, 0, velocity, longest / length);
        backend.axpby(projection, 1, velocity, 1);
      }
      this.projection_ = projection.copy('float64');
      this.#mean = data.mean;
      this.#candidates = unitRows(others);
    });
    this.#backend = backend;
    return this;
  }

  /** Kernels between projected pictures and candidates. */
  decisionValues(features: Matrix): Matrix {
    if (!this.projection_ || !this.#mean || !this.#candidates || !this.#backend) throw notFitted();
    const projection = { weights: this.projection_, intercepts: new Float64Array(this.projection_.rows) };
    const projected = linearDecisions(this.#backend, uncentred(projection, this.#mean), features);
    // The pictures of the fit were scaled to length one after centring.
    const lengths = squaredLengths(centred(features, this.#mean)).map(Math.sqrt);
    for (let i = 0; i < projected.rows; i++) {
      const row = projected.row(i);
      for (let j = 0; j < row.length; j++) row[j] /= lengths[i] || 1;
    }
    const values = Matrix.zeros(features.rows, this.#candidates.rows);
    this.#backend.gemm(values, projected, this.#candidates, { transposeB: true });
    kernelValues(values, projected, this.#candidates, this.options.kernel, this.options.width);
    return values;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

const momentum = 0.9;
/** Against the size of an orthonormal W: the constraint is of fourth degree, and one long step would set off the next. */
const longestStep = 0.25;

export const zskSpec: MethodSpec<typeof parameters> = {
  name: 'zsk',
  title: 'Zhang-Koniusz',
  citation: 'Zhang and Koniusz, Zero-shot kernel learning, CVPR 2018',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options, seed) => new Zsk(options, seed),
};
