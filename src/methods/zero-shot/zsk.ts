/**
 * ZSK, zero-shot kernel learning (Zhang and Koniusz, "Zero-shot kernel learning", CVPR 2018): pictures are projected
 * into the space of category vectors so that a kernel between the two aligns with the labels,
 * min over W of mean over pictures of [−k(W'x, s_y) + balance · mean over c ≠ y of k(W'x, s_c)] + β/r ‖W'W − I‖²,
 * the last term the soft constraint that the r columns of W be incoherent. Kernels: Gaussian exp(−‖p − s‖²/2σ²), Cauchy
 * 1/(1 + ‖p − s‖²/σ²), polynomial (p's + 1)². Mini-batch descent with momentum. The s are directions around the mean
 * category, in coordinates of the r dimensions that auxiliary categories span: nothing can be learnt about the others.
 */
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { Random } from '../../linalg/random.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { centred, uncentred } from '../blocks/centring.js';
import { squaredLengths } from '../blocks/distances.js';
import { linearDecisions } from '../blocks/linear-model.js';
import { miniBatches } from '../blocks/mini-batches.js';
import { choice, nonNegative, positive, wholeNumber } from '../blocks/parameters.js';
import { directions, unitRows } from '../blocks/semantics.js';
import { withWorkspace } from '../blocks/workspace.js';
import type { MethodSpec } from '../spec.js';
import { gatherAuxiliary } from './auxiliary.js';
import { KernelAlignment, type KernelName, kernelNames, kernelValues } from './kernel-alignment.js';
import { spanCoordinates } from './span-coordinates.js';

export interface ZskParameters {
  kernel?: KernelName;
  width?: number;
  balance?: number;
  incoherence?: number;
  learningRate?: number;
  epochs?: number;
}

export class Zsk implements Method {
  readonly kernel: KernelName;
  readonly width: number;
  readonly balance: number;
  readonly incoherence: number;
  readonly learningRate: number;
  readonly epochs: number;
  readonly seed: number;
  /** W', r×d. */
  projection_: Matrix<Float64Array> | undefined;
  #mean: Float64Array | undefined;
  #candidates: Matrix<Float64Array> | undefined;
  #backend: Backend | undefined;

  constructor(parameters: ZskParameters = {}, seed = 1) {
    const {
      kernel = 'gaussian',
      width = 1,
      balance = 1,
      incoherence = 0.01,
      learningRate = 3,
      epochs = 12,
    } = parameters;
    this.kernel = choice('zsk', 'kernel', kernel, kernelNames);
    this.width = positive('zsk', 'width', width);
    this.balance = nonNegative('zsk', 'balance', balance);
    this.incoherence = nonNegative('zsk', 'incoherence', incoherence);
    this.learningRate = positive('zsk', 'learningRate', learningRate);
    this.epochs = wholeNumber('zsk', 'epochs', epochs);
    this.seed = seed;
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    const { backend, signal } = options;
    signal?.throwIfAborted();
    this.projection_ = undefined;
    await withWorkspace(backend, async (workspace) => {
      const data = gatherAuxiliary(workspace, problem, 'zsk');
      const pictures = unitRows(data.features);
      const around = directions(data.classVectors, data.candidates);
      const { learnt, others } = spanCoordinates(backend, around.learnt, around.candidates);
      const [n, d, r] = [pictures.rows, pictures.cols, learnt.cols];

      const random = new Random(this.seed);
      const projection = workspace.matrix(r, d);
      projection.data.set(random.fork(0).normalArray(r * d));
      for (let k = 0; k < projection.data.length; k++) projection.data[k] /= Math.sqrt(d);
      const velocity = workspace.matrix(r, d);
      const gradient = workspace.matrix(r, d);
      const size = Math.max(1, Math.min(256, Math.floor(n / 40)));
      const batch = workspace.matrix(size, d);
      const alignment = new KernelAlignment(backend, workspace, learnt, size, this);
      for await (const { rows, step } of miniBatches(n, random, { ...options, epochs: this.epochs, size })) {
        rows.forEach((row, k) => {
          batch.row(k).set(pictures.row(row));
        });
        const labels = rows.map((row) => data.labels[row]);
        alignment.differentiate(gradient, projection, batch.view(0, rows.length), labels);
        backend.axpby(velocity, -this.learningRate * step, gradient, momentum);
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
    kernelValues(values, projected, this.#candidates, this.kernel, this.width);
    return values;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

const momentum = 0.9;
/** Against the size of an orthonormal W: the constraint is of fourth degree, and one long step would set off the next. */
const longestStep = 0.25;

export const zskSpec: MethodSpec = {
  name: 'zsk',
  title: 'Zhang-Koniusz',
  citation: 'Zhang and Koniusz, Zero-shot kernel learning, CVPR 2018',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters: {
    kernel: {
      description: 'kernel between projected pictures and category vectors',
      default: 'gaussian',
      range: { kind: 'choice', values: kernelNames },
    },
    width: {
      description: 'width of the Gaussian and the Cauchy kernel',
      default: 1,
      range: { kind: 'log', low: 0.3, high: 2 },
    },
    balance: { description: 'weight of wrong categories', default: 1, range: { kind: 'log', low: 0.3, high: 3 } },
    incoherence: {
      description: 'weight of the constraint on the projection',
      default: 0.01,
      range: { kind: 'log', low: 1e-3, high: 0.3 },
    },
    learningRate: { description: 'first step', default: 3, range: { kind: 'log', low: 1, high: 20 } },
    epochs: { description: 'passes over the auxiliary pictures', default: 12 },
  },
  create: (parameters, seed) => new Zsk(parameters as ZskParameters, seed),
};
