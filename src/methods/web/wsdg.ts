/**
 * WSDG (Niu, Li and Xu, "Visual recognition by learning from web data: a weakly supervised domain generalization
 * approach", CVPR 2015). Each category's web pictures are divided into bags, and in every bag a share `selected` is taken
 * to be right; all web pictures are divided into latent domains that differ as much as can be (latent-domains.ts). One
 * classifier per category and domain is learnt by a multi-class machine with a margin for the mean of the selected pictures
 * of each bag; which pictures those are is relaxed to a mixture of kernels, to which the selection that violates the
 * relaxed problem most is added until none does (objective and optimizer: bag-machine.ts). A picture is classified by
 * max_m w_{c,m}'x. What differs from the original: a picture belongs to one latent domain outright, where the original has
 * chances; the most violating selection is found by linearization, a local optimum; bags are dealt out at random, by
 * content. Features are less the mean of the web pictures.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix, Random } from '../../linalg/index.js';
import {
  centred,
  columnMeans,
  contentOrder,
  type LinearModel,
  linearDecisions,
  transposedModel,
  uncentred,
} from '../../numerics/index.js';
import { integers, linear, log, number, type OptionsOf, oneOf, resolveParameters, whole } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import {
  type FitOptions,
  type LinearDecision,
  type Method,
  notFitted,
  rowMaxima,
  rowsByCategory,
} from '../../problem/index.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';
import { type Bag, BagMachine } from './bag-machine.js';
import { latentDomains } from './latent-domains.js';

export const wsdgParameters = {
  bagSize: whole('pictures in a bag', 10, { range: integers(2, 12) }),
  selected: number('share of each bag that is taken to be right', 0.9, { above: 0, most: 1, range: linear(0.3, 1) }),
  domains: whole('latent domains', 1, { range: oneOf([1, 2, 3]) }),
  cost: number('price of slack', 30, { above: 0, range: log(1e-2, 1e2) }),
  selections: whole('selections that are mixed at most', 4),
};

export class Wsdg implements Method {
  readonly options: OptionsOf<typeof wsdgParameters>;
  readonly seed: number;
  /** The bags the web pictures were dealt into. */
  bags_: readonly Bag[] | undefined;
  /** Latent domain of each web picture. */
  domains_: Int32Array | undefined;
  /** The relaxed objective after every selection that was added. */
  objectives_: number[] | undefined;
  /** Classifier of category c and domain m in row c · M + m. */
  model_: LinearModel | undefined;
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof wsdgParameters>> = {}, seed = 1) {
    this.options = resolveParameters('wsdg', wsdgParameters, given);
    this.seed = seed;
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    const { backend, signal, onProgress } = options;
    signal?.throwIfAborted();
    const privileged = this.privileged(problem);
    this.model_ = undefined;
    const { webLabels, webFeatures, testNames } = problem;
    const mean = columnMeans(webFeatures);
    const features = centred(webFeatures, mean);
    const categories = rowsByCategory(webLabels, testNames.length);
    const bags = this.#deal(features, webLabels);
    const domains = latentDomains(backend, features, categories, this.options.domains);
    const { selected, cost, domains: domainCount } = this.options;
    const machine = new BagMachine(backend, {
      ...{ features, bags, domains, domainCount, categories: testNames.length, selected, cost },
      ...privileged,
    });
    const share = (rows: readonly number[]) => Math.max(1, Math.round(selected * rows.length));
    let selection: Uint8Array | undefined = likeTheirBag(features, bags, share);
    const objectives: number[] = [];
    while (selection && objectives.length < this.options.selections) {
      machine.add(selection);
      await machine.solve({ signal });
      objectives.push(machine.dual());
      onProgress?.({ done: objectives.length, total: this.options.selections });
      selection = machine.violating(share);
    }
    this.bags_ = bags;
    this.domains_ = domains;
    this.objectives_ = objectives;
    const { weights } = machine;
    this.model_ = uncentred({ weights, intercepts: new Float64Array(weights.rows) }, mean);
    this.#backend = backend;
    return this;
  }

  /** What the machine is told besides; checks the problem. */
  protected privileged(problem: Problem): { text?: Matrix<Float64Array>; textPenalty?: number } {
    requireWeb(problem, 'wsdg');
    return {};
  }

  /** Bags of about the same size, the same whatever the order of pictures and categories. */
  #deal(features: Matrix, labels: Int32Array): Bag[] {
    const order = contentOrder(features, labels);
    const byCategory = new Map<number, number[]>();
    for (const row of order) byCategory.set(labels[row], [...(byCategory.get(labels[row]) ?? []), row]);
    return [...byCategory].flatMap(([category, rows]) => {
      const count = Math.max(1, Math.round(rows.length / this.options.bagSize));
      const bags = Array.from({ length: count }, (): number[] => []);
      new Random(this.seed).permutation(rows.length).forEach((position, k) => {
        bags[k % count].push(rows[position]);
      });
      return bags.map((own) => ({ category, rows: own }));
    });
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

  /** The largest of several domains' values is not linear. */
  linear(): LinearDecision | undefined {
    return this.model_ && this.options.domains === 1 ? transposedModel(this.model_) : undefined;
  }
}

/** The first selection: the pictures of each bag that are most like the mean of their category. */
function likeTheirBag(
  features: Matrix<Float64Array>,
  bags: readonly Bag[],
  share: (rows: readonly number[]) => number,
): Uint8Array {
  const means = new Map<number, Float64Array>();
  for (const { category, rows } of bags) {
    const mean = means.get(category) ?? new Float64Array(features.cols);
    means.set(category, mean);
    for (const row of rows) for (let j = 0; j < mean.length; j++) mean[j] += features.at(row, j);
  }
  const selection = new Uint8Array(features.rows);
  for (const { category, rows } of bags) {
    const mean = means.get(category)!;
    const likeness = (row: number) => features.row(row).reduce((sum, value, j) => sum + value * mean[j], 0);
    const best = rows.map((row) => ({ row, value: likeness(row) })).sort((a, b) => b.value - a.value);
    for (const { row } of best.slice(0, share(rows))) selection[row] = 1;
  }
  return selection;
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
