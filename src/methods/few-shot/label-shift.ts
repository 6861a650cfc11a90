/**
 * Label-shift EM (Saerens, Latinne and Decaestecker, "Adjusting the outputs of a classifier to new a priori probabilities", Neural
 * Computation 2002) behind another method: where the base gives p(c | x) under the shares π⁰ of its training pictures, the shares π of the
 * test pictures maximize Σⱼ log Σ_c (π_c/π⁰_c) p(c | xⱼ). Rounds q_jc ∝ (π_c/π⁰_c) p(c | xⱼ), π = mean of q, which never lower it, until no share moves by
 * a millionth; the answers are q. Decision values of the base become probabilities by softmax(values/temperature), the temperature being the one
 * under which web labels held out of a fit are most likely (two folds), divided by `sharpening`. Whitened bases measure test pictures from the web
 * pictures' mean, since a folder of few categories is its own mean.
 */
import type { Matrix } from '../../linalg/index.js';
import { contentOrder, type LinearModel, labelCounts, labelTargets, softmaxRegression } from '../../numerics/index.js';
import { choice, log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import {
  type FitOptions,
  keepWeb,
  type LinearDecision,
  type Method,
  notFitted,
  rowMaxima,
  rowsByCategory,
  selectIntegers,
  selectRows,
} from '../../problem/index.js';
import { readLinearThrough } from '../blocks/linear-decision.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb } from '../blocks/web-problem.js';
import { createMethod, type MethodSpec } from '../spec.js';
import { lrSpec } from '../web/lr.js';
import { columnSums, softmaxRows } from './cosines.js';
import { ldaSpec } from './lda.js';
import { withOffsets } from './sinkhorn.js';
import { whitenedMeansSpec } from './whitened-means.js';

const bases = ['ridge', 'softmax', 'lda', 'whitened-means'] as const;

const parameters = {
  base: choice('method behind which shares are estimated', 'ridge', bases, 'searched'),
  penalty: number('penalty on the squared weights of ridge or softmax regression', 0.5, {
    above: 0,
    range: log(1e-2, 1e1),
  }),
  sharpening: number(
    'what the temperature is divided by: labels of web pictures are noisier than what pictures show',
    3,
    {
      above: 0,
      range: log(1, 10),
    },
  ),
};

class LabelShift implements Method {
  readonly options: OptionsOf<typeof parameters>;
  /** π, estimated for the test pictures. */
  shares_: Float64Array | undefined;
  temperature_: number | undefined;
  #base: Method | undefined;
  /** log π/π⁰ */
  #offsets = new Float64Array(0);

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    this.options = resolveParameters('label-shift', parameters, given);
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    requireWeb(problem, 'label-shift');
    this.#base = undefined;
    this.temperature_ = (await this.#temperature(problem, options)) / this.options.sharpening;
    const base = await this.#create().fit(problem, options);
    const counts = labelCounts(problem.webLabels, problem.testNames.length);
    const before = counts.map((count) => count / problem.webLabels.length);
    const posteriors = softmaxRows(divided(base.decisionValues(problem.testFeatures), this.temperature_));
    const { shares } = estimateShares(posteriors, before);
    this.shares_ = shares;
    this.#offsets = shares.map((share, c) => Math.log(Math.max(share, 1e-12) / before[c]));
    this.#base = base;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.#base || this.temperature_ === undefined) throw notFitted();
    return withOffsets(divided(this.#base.decisionValues(features), this.temperature_), this.#offsets);
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  linear(): LinearDecision | undefined {
    return this.#base && readLinearThrough(this.#base, (features) => this.decisionValues(features));
  }

  #create(): Method {
    if (this.options.base === 'ridge') return createMethod(lrSpec, { ridge: this.options.penalty });
    if (this.options.base === 'softmax') return new Softmax(this.options.penalty);
    return createMethod(this.options.base === 'lda' ? ldaSpec : whitenedMeansSpec, { origin: 'web' });
  }

  /** 1 where a category has a single web picture and none can be held out. */
  async #temperature(problem: Problem, options: FitOptions): Promise<number> {
    const fold = folds(problem);
    if (!fold) return 1;
    const parts: { values: Matrix<Float64Array>; labels: Int32Array }[] = [];
    for (const held of [0, 1]) {
      const outside = Int32Array.from(fold.keys()).filter((i) => fold[i] !== held);
      const inside = Int32Array.from(fold.keys()).filter((i) => fold[i] === held);
      const testFeatures = selectRows(problem.webFeatures, inside);
      const base = await this.#create().fit(
        { ...keepWeb(problem, outside), testFeatures, testLabels: undefined },
        options,
      );
      const values = base.decisionValues(testFeatures).copy('float64');
      parts.push({ values, labels: selectIntegers(problem.webLabels, inside) });
    }
    const likelihood = (temperature: number) =>
      parts.reduce((total, { values, labels }) => total + logLikelihood(values, labels, temperature), 0);
    const tried = Array.from({ length: 61 }, (_, k) => 10 ** (-3 + k / 15));
    return tried.reduce((best, next) => (likelihood(next) > likelihood(best) ? next : best));
  }
}

/** Which half each web picture belongs to, alternating within its category in an order of content. */
function folds({ webFeatures, webLabels, testNames }: Problem): Int32Array | undefined {
  const order = contentOrder(webFeatures, webLabels);
  const inOrder = rowsByCategory(
    Int32Array.from(order, (i) => webLabels[i]),
    testNames.length,
  );
  if (inOrder.some((rows) => rows.length < 2)) return undefined;
  const fold = new Int32Array(webLabels.length);
  for (const rows of inOrder)
    rows.forEach((position, k) => {
      fold[order[position]] = k % 2;
    });
  return fold;
}

function logLikelihood(values: Matrix<Float64Array>, labels: Int32Array, temperature: number): number {
  const posteriors = softmaxRows(divided(values, temperature));
  return labels.reduce((total, label, i) => total + Math.log(Math.max(posteriors.at(i, label), 1e-300)), 0);
}

function divided(values: Matrix, temperature: number): Matrix<Float64Array> {
  const result = values.copy('float64');
  for (let k = 0; k < result.data.length; k++) result.data[k] /= temperature;
  return result;
}

/** The shares π and the objective after every round. */
export function estimateShares(
  posteriors: Matrix<Float64Array>,
  before: Float64Array,
  maxRounds = 1000,
): { shares: Float64Array; objectives: number[] } {
  let shares = before.slice();
  const objectives: number[] = [];
  for (let round = 0; round < maxRounds; round++) {
    const q = posteriors.copy('float64');
    let objective = 0;
    for (let i = 0; i < q.rows; i++) {
      const row = q.row(i);
      let total = 0;
      for (let c = 0; c < row.length; c++) total += row[c] *= shares[c] / before[c];
      for (let c = 0; c < row.length; c++) row[c] /= total;
      objective += Math.log(total);
    }
    objectives.push(objective);
    const next = columnSums(q).map((sum) => sum / q.rows);
    const change = next.reduce((most, share, c) => Math.max(most, Math.abs(share - shares[c])), 0);
    shares = next;
    if (change < 1e-6) break;
  }
  return { shares, objectives };
}

/** Softmax regression on the web pictures. */
class Softmax extends LinearMethod {
  readonly decay: number;

  constructor(decay: number) {
    super();
    this.decay = decay;
  }

  protected override learn(problem: Problem, { backend, signal }: FitOptions): Promise<LinearModel> {
    const targets = labelTargets(problem.webLabels, problem.testNames.length);
    return softmaxRegression(backend, problem.webFeatures, targets, { decay: this.decay, signal });
  }
}

export const labelShiftSpec: MethodSpec<typeof parameters> = {
  name: 'label-shift',
  title: 'Label-shift EM',
  citation:
    'Saerens, Latinne and Decaestecker, Adjusting the outputs of a classifier to new a priori probabilities: a simple procedure, Neural Computation 2002',
  uses: ['web', 'auxiliary', 'test'],
  setting: 'standard',
  parameters,
  create: (options) => new LabelShift(options),
};
