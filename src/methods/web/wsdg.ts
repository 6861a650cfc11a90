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
import type { Backend } from '../../linalg/index.js';
import { Matrix, Random } from '../../linalg/index.js';
import {
  centred,
  columnMeans,
  kMeans,
  type LinearModel,
  linearDecisions,
  linearSvm,
  uncentred,
} from '../../numerics/index.js';
import { integers, linear, log, number, type OptionsOf, oneOf, resolveParameters, whole } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima, rowsByCategory, selectRows } from '../../problem/index.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';
import { latentDomains } from './latent-domains.js';

export const wsdgParameters = {
  bags: whole('bags per category', 4, { range: integers(1, 10) }),
  selected: number('share of each bag that is taken to be right', 0.8, { above: 0, most: 1, range: linear(0.4, 1) }),
  domains: whole('latent domains', 2, { range: oneOf([1, 2, 3]) }),
  cost: number('price of squared slack', 0.3, { above: 0, range: log(1e-2, 1e1) }),
  positiveWeight: number('how much more the slack of a positive costs than that of a negative', 5, {
    above: 0,
    range: log(1, 10),
  }),
  rounds: whole('rounds of training and selection', 3),
};

export class Wsdg implements Method {
  readonly options: OptionsOf<typeof wsdgParameters>;
  readonly seed: number;
  /** 1 for the web pictures that the classifiers were trained with. */
  selection_: Uint8Array | undefined;
  /** Latent domain of each web picture. */
  domains_: Int32Array | undefined;
  /** Classifier of category c and domain m in row c · M + m. */
  model_: LinearModel | undefined;
  #backend: Backend | undefined;
  #duals: Matrix<Float64Array> | undefined;

  constructor(given: Partial<OptionsOf<typeof wsdgParameters>> = {}, seed = 1) {
    this.options = resolveParameters('wsdg', wsdgParameters, given);
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
    const domains = latentDomains(backend, features, categories, this.options.domains);
    let selection = new Uint8Array(features.rows).fill(1);
    for (let round = 0; ; round++) {
      const targets = this.#targets(webLabels, domains, selection, testNames.length);
      const model = await this.train(problem, features, targets, options);
      this.selection_ = selection;
      this.model_ = uncentred(model, mean);
      onProgress?.({ done: round + 1, total: this.options.rounds });
      if (round + 1 === this.options.rounds) break;
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
      cost.data[k] = cost.data[k] > 0 ? this.options.cost * this.options.positiveWeight : this.options.cost;
    const options = { loss: 'squared-hinge', interceptScale: 0.1, tolerance: 0.05, maxSweeps: 40, signal } as const;
    const model = await linearSvm(backend, features, targets, { ...options, cost, start: this.#duals });
    this.#duals = model.duals;
    return model;
  }

  #cluster(backend: Backend, features: Matrix, rows: readonly number[], signal?: AbortSignal): number[][] {
    // Every category draws the same numbers, so that their order does not matter.
    const { assignments } = kMeans(backend, selectRows(features, rows), this.options.bags, new Random(this.seed), {
      signal,
    });
    const groups = rowsByCategory(assignments, Math.max(...assignments) + 1);
    return groups.filter(({ length }) => length > 0).map((members) => members.map((i) => rows[i]));
  }

  /** n×CM: other categories against; of the own ones only the picture's domain for, and only if it is selected. */
  #targets(labels: Int32Array, domains: Int32Array, selection: Uint8Array, categories: number): Matrix<Float64Array> {
    const targets = Matrix.zeros(labels.length, categories * this.options.domains).fill(-1);
    for (let i = 0; i < labels.length; i++)
      for (let m = 0; m < this.options.domains; m++)
        targets.set(i, labels[i] * this.options.domains + m, m === domains[i] && selection[i] ? 1 : 0);
    return targets;
  }

  /** The pictures of each bag that their own classifier values most. */
  #select(bags: readonly number[][], values: Matrix, labels: Int32Array, domains: Int32Array): Uint8Array<ArrayBuffer> {
    const selection = new Uint8Array(values.rows);
    const own = (row: number) => values.at(row, labels[row] * this.options.domains + domains[row]);
    for (const rows of bags) {
      const count = Math.max(1, Math.round(this.options.selected * rows.length));
      const best = [...rows].sort((a, b) => own(b) - own(a) || a - b).slice(0, count);
      for (const row of best) selection[row] = 1;
    }
    return selection;
  }

  /** The best of each category's classifiers. */
  decisionValues(features: Matrix): Matrix {
    if (!this.model_ || !this.#backend) throw notFitted();
    const values = linearDecisions(this.#backend, this.model_, features);
    const result = Matrix.zeros(values.rows, values.cols / this.options.domains);
    for (let i = 0; i < values.rows; i++)
      for (let c = 0; c < result.cols; c++)
        result.set(i, c, Math.max(...values.row(i).subarray(c * this.options.domains, (c + 1) * this.options.domains)));
    return result;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

export const wsdgSpec: MethodSpec<typeof wsdgParameters> = {
  name: 'wsdg',
  title: 'WSDG',
  citation:
    'Niu, Li and Xu, Visual recognition by learning from web data: a weakly supervised domain generalization approach, CVPR 2015',
  uses: ['web'],
  setting: 'standard',
  parameters: wsdgParameters,
  create: (options, seed) => new Wsdg(options, seed),
};
