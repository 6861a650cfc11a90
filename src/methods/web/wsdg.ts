/**
 * WSDG (Niu, Li and Xu, "Visual recognition by learning from web data: a weakly supervised domain generalization
 * approach", CVPR 2015). Each category's web pictures are clustered into bags, and in every bag a share `selected` is taken
 * to be right; all web pictures are divided into latent domains that differ as much as can be (latent-domains.ts); one
 * classifier per category c and domain m tells the selected pictures of c in m from all pictures of other categories:
 * min over w and selections h of Σ_{c,m} [½ ‖w_{c,m}‖² + C Σ_{other categories} ℓ(−w_{c,m}'xᵢ)] + C p Σᵢ hᵢ ℓ(w_{c(i),m(i)}'xᵢ),
 * ℓ(z) = max(0, 1 − z)². For given w the best selection in a bag is its highest values, for given h each w is a support
 * vector machine; the two alternate and the objective never rises. A picture is classified by max_m w_{c,m}'x.
 * The original states the margins of a bag's mean picture in a multi-class machine and relaxes the selection to a convex
 * problem; margins of single pictures against the rest are used here because a few dozen pictures per category leave too
 * few bags to learn from. Features are less the mean of the web pictures.
 */
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { Random } from '../../linalg/random.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { selectRows } from '../../problem/rows.js';
import { rowsByCategory } from '../../problem/subset.js';
import { centred, columnMeans, uncentred } from '../blocks/centring.js';
import { kMeans } from '../blocks/k-means.js';
import { type LinearModel, linearDecisions } from '../blocks/linear-model.js';
import { linearSvm } from '../blocks/linear-svm.js';
import { positive, share, wholeNumber } from '../blocks/parameters.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec, ParameterSpec } from '../spec.js';
import { latentDomains } from './latent-domains.js';

export interface WsdgParameters {
  bags?: number;
  selected?: number;
  domains?: number;
  cost?: number;
  positiveWeight?: number;
  rounds?: number;
}

export class Wsdg implements Method {
  readonly bags: number;
  readonly selected: number;
  readonly domains: number;
  readonly cost: number;
  readonly positiveWeight: number;
  readonly rounds: number;
  readonly seed: number;
  /** 1 for the web pictures that the classifiers were trained with. */
  selection_: Uint8Array | undefined;
  /** Latent domain of each web picture. */
  domains_: Int32Array | undefined;
  /** Classifier of category c and domain m in row c · M + m. */
  model_: LinearModel | undefined;
  #backend: Backend | undefined;
  #duals: Matrix<Float64Array> | undefined;

  constructor(parameters: WsdgParameters = {}, seed = 1, name = 'wsdg') {
    const { bags = 4, selected = 0.8, domains = 2, cost = 0.3, positiveWeight = 5, rounds = 3 } = parameters;
    this.bags = wholeNumber(name, 'bags', bags);
    this.selected = share(name, 'selected', selected);
    this.domains = wholeNumber(name, 'domains', domains);
    this.cost = positive(name, 'cost', cost);
    this.positiveWeight = positive(name, 'positiveWeight', positiveWeight);
    this.rounds = wholeNumber(name, 'rounds', rounds);
    this.seed = seed;
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    const { backend, signal, onProgress } = options;
    signal?.throwIfAborted();
    this.require(problem);
    this.model_ = undefined;
    this.#duals = undefined;
    const { webLabels, webFeatures, testNames } = problem;
    const mean = columnMeans(webFeatures);
    const features = centred(webFeatures, mean);
    const categories = rowsByCategory(webLabels, testNames.length);
    const bags = categories.flatMap((rows) => this.#cluster(backend, features, rows, signal));
    const domains = latentDomains(backend, features, categories, this.domains);
    let selection = new Uint8Array(features.rows).fill(1);
    for (let round = 0; ; round++) {
      const targets = this.#targets(webLabels, domains, selection, testNames.length);
      const model = await this.train(problem, features, targets, options);
      this.selection_ = selection;
      this.model_ = uncentred(model, mean);
      onProgress?.({ done: round + 1, total: this.rounds });
      if (round + 1 === this.rounds) break;
      const next = this.#select(bags, linearDecisions(backend, model, features), webLabels, domains);
      if (next.every((value, i) => value === selection[i])) break;
      selection = next;
    }
    this.domains_ = domains;
    this.#backend = backend;
    this.#duals = undefined;
    return this;
  }

  protected require(problem: Problem): void {
    requireWeb(problem, 'wsdg');
  }

  /** All machines for a given selection. */
  protected async train(
    _problem: Problem,
    features: Matrix,
    targets: Matrix<Float64Array>,
    { backend, signal }: FitOptions,
  ): Promise<LinearModel> {
    const cost = targets.copy('float64');
    for (let k = 0; k < cost.data.length; k++)
      cost.data[k] = cost.data[k] > 0 ? this.cost * this.positiveWeight : this.cost;
    const options = { loss: 'squared-hinge', interceptScale: 0.1, tolerance: 0.05, maxSweeps: 40, signal } as const;
    const model = await linearSvm(backend, features, targets, { ...options, cost, start: this.#duals });
    this.#duals = model.duals;
    return model;
  }

  #cluster(backend: Backend, features: Matrix, rows: readonly number[], signal?: AbortSignal): number[][] {
    // Every category draws the same numbers, so that their order does not matter.
    const { assignments } = kMeans(backend, selectRows(features, rows), this.bags, new Random(this.seed), { signal });
    const groups = rowsByCategory(assignments, Math.max(...assignments) + 1);
    return groups.filter(({ length }) => length > 0).map((members) => members.map((i) => rows[i]));
  }

  /** n×CM: other categories against; of the own ones only the picture's domain for, and only if it is selected. */
  #targets(labels: Int32Array, domains: Int32Array, selection: Uint8Array, categories: number): Matrix<Float64Array> {
    const targets = Matrix.zeros(labels.length, categories * this.domains).fill(-1);
    for (let i = 0; i < labels.length; i++)
      for (let m = 0; m < this.domains; m++)
        targets.set(i, labels[i] * this.domains + m, m === domains[i] && selection[i] ? 1 : 0);
    return targets;
  }

  /** The pictures of each bag that their own classifier values most. */
  #select(bags: readonly number[][], values: Matrix, labels: Int32Array, domains: Int32Array): Uint8Array<ArrayBuffer> {
    const selection = new Uint8Array(values.rows);
    const own = (row: number) => values.at(row, labels[row] * this.domains + domains[row]);
    for (const rows of bags) {
      const count = Math.max(1, Math.round(this.selected * rows.length));
      const best = [...rows].sort((a, b) => own(b) - own(a) || a - b).slice(0, count);
      for (const row of best) selection[row] = 1;
    }
    return selection;
  }

  /** The best of each category's classifiers. */
  decisionValues(features: Matrix): Matrix {
    if (!this.model_ || !this.#backend) throw notFitted();
    const values = linearDecisions(this.#backend, this.model_, features);
    const result = Matrix.zeros(values.rows, values.cols / this.domains);
    for (let i = 0; i < values.rows; i++)
      for (let c = 0; c < result.cols; c++)
        result.set(i, c, Math.max(...values.row(i).subarray(c * this.domains, (c + 1) * this.domains)));
    return result;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

export const wsdgParameters: Readonly<Record<keyof WsdgParameters, ParameterSpec>> = {
  bags: { description: 'bags per category', default: 4, range: { kind: 'integer', low: 1, high: 10 } },
  selected: {
    description: 'share of each bag that is taken to be right',
    default: 0.8,
    range: { kind: 'linear', low: 0.4, high: 1 },
  },
  domains: { description: 'latent domains', default: 2, range: { kind: 'choice', values: [1, 2, 3] } },
  cost: { description: 'price of squared slack', default: 0.3, range: { kind: 'log', low: 1e-2, high: 1e1 } },
  positiveWeight: {
    description: 'how much more the slack of a positive costs than that of a negative',
    default: 5,
    range: { kind: 'log', low: 1, high: 10 },
  },
  rounds: { description: 'rounds of training and selection', default: 3 },
};

export const wsdgSpec: MethodSpec = {
  name: 'wsdg',
  title: 'WSDG',
  citation:
    'Niu, Li and Xu, Visual recognition by learning from web data: a weakly supervised domain generalization approach, CVPR 2015',
  uses: ['web'],
  setting: 'standard',
  parameters: wsdgParameters,
  create: (parameters, seed) => new Wsdg(parameters as WsdgParameters, seed),
};
