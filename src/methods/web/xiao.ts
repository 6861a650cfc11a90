/**
 * Latent noise types (Xiao, Xia, Yang, Huang and Wang, "Learning from massive noisy labeled data for image
 * classification", CVPR 2015). The label ỹ of a picture of category y is right (z = 0), any other category (z = 1) or a
 * category y is confused with (z = 2):
 * p(ỹ | x) = Σ_y Σ_z p(ỹ | y, z) p(y | x) p(z | x),  p(ỹ | y, 0) = [ỹ = y],  p(ỹ | y, 1) = [ỹ ≠ y]/(C − 1),  p(ỹ | y, 2) = K[y, ỹ].
 * EM: the E step gives the posterior of (y, z), the M step fits the softmax regressions p(y | x) and p(z | x) to it. The
 * original starts both networks and K from manually cleaned pictures; there are none here, so, as in the paper this
 * project follows, K comes from the semantic vectors, K[y, ỹ] ∝ exp(cos(a_y, a_ỹ)/temperature) for ỹ ≠ y, p(y | x)
 * starts at the noisy labels, and p(z | x) at an assumed share of noise, half of it confusing. Nothing labelled says how much
 * noise there is, and maximum likelihood would soon explain all of it away, so the assumed shares stay as a prior
 * Π p(z | x)^(firmness · share).
 */
import { Matrix } from '../../linalg/index.js';
import { type LinearModel, labelTargets, SoftmaxRegression, softmaxInPlace } from '../../numerics/index.js';
import { integers, linear, log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

const parameters = {
  decay: number('penalty on the squared weights of p(y | x)', 0.2, { above: 0, range: log(1e-2, 1e1) }),
  typeDecay: number('penalty on the squared weights of p(z | x)', 10, { above: 0 }),
  noise: number('share of wrong labels assumed at the start', 0.5, { above: 0, below: 1, range: linear(0.1, 0.9) }),
  firmness: number('how many pictures the assumed shares of noise types weigh, per picture', 1, {
    above: 0,
    range: log(0.1, 10),
  }),
  temperature: number('how sharply confusion falls with the angle between semantic vectors', 0.2, {
    above: 0,
    range: log(0.02, 1),
  }),
  rounds: whole('EM rounds', 5, { range: integers(2, 10) }),
};

export class Xiao extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;
  /** Posterior chances of the noise types (right, random, confusing) of every web picture, n×3. */
  noiseTypes_: Matrix<Float64Array> | undefined;
  /** Penalized log-likelihood before each round. */
  trace_: number[] = [];

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('xiao', parameters, given);
  }

  protected override async learn(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'xiao');
    const { webFeatures, webLabels, testSemantics } = problem;
    const categories = testSemantics.rows;
    const confusion = semanticConfusion(testSemantics, this.options.temperature);
    const prior = [1 - this.options.noise, this.options.noise / 2, this.options.noise / 2];
    const p = new SoftmaxRegression(backend, webFeatures, categories, this.options.decay);
    const z = new SoftmaxRegression(backend, webFeatures, 3, this.options.typeDecay, {
      weights: Matrix.zeros(3, webFeatures.cols),
      intercepts: Float64Array.from(prior, (value) => Math.log(value)),
    });
    try {
      await p.fit(labelTargets(webLabels, categories), { tolerance: 0.03, signal });
      this.trace_ = [];
      for (let round = 0; round < this.options.rounds; round++) {
        const types = z.probabilities();
        const found = posteriors(p.probabilities(), types, webLabels, confusion);
        this.trace_.push(found.logLikelihood + logPrior(types, prior, this.options.firmness) - p.penalty - z.penalty);
        this.noiseTypes_ = found.types;
        // A few steps towards the optimum of the M step are enough: every one of them raises the likelihood.
        const step = { tolerance: 0.03, maxIterations: 6, signal };
        await p.fit(found.categories, step);
        await z.fit(withPrior(found.types, prior, this.options.firmness), step);
        onProgress?.({ done: round + 1, total: this.options.rounds });
      }
      return p.model;
    } finally {
      p.release();
      z.release();
    }
  }
}

/** Σᵢ Σ_z firmness · prior_z · log p(z | xᵢ): what keeps the noise types near the assumed shares. */
function logPrior(types: Matrix, prior: readonly number[], firmness: number): number {
  let sum = 0;
  for (let i = 0; i < types.rows; i++)
    for (let type = 0; type < 3; type++) sum += firmness * prior[type] * Math.log(types.at(i, type));
  return sum;
}

/** The posterior with the prior's pseudo-counts, the target of p(z | x). */
function withPrior(types: Matrix<Float64Array>, prior: readonly number[], firmness: number): Matrix<Float64Array> {
  const targets = types.copy('float64');
  for (let i = 0; i < targets.rows; i++)
    for (let type = 0; type < 3; type++) targets.row(i)[type] += firmness * prior[type];
  return targets;
}

/** K: how likely each category is taken for each other one, by the angle between their semantic vectors. */
export function semanticConfusion(semantics: Matrix, temperature: number): Matrix<Float64Array> {
  const count = semantics.rows;
  const unit = semantics.copy('float64');
  for (let c = 0; c < count; c++) {
    const length = Math.hypot(...unit.row(c)) || 1;
    for (let j = 0; j < unit.cols; j++) unit.row(c)[j] /= length;
  }
  const confusion = Matrix.zeros(count, count);
  for (let c = 0; c < count; c++) {
    const row = confusion.row(c);
    for (let other = 0; other < count; other++) {
      let cosine = 0;
      for (let j = 0; j < unit.cols; j++) cosine += unit.at(c, j) * unit.at(other, j);
      row[other] = other === c ? Number.NEGATIVE_INFINITY : cosine / temperature;
    }
    softmaxInPlace(row);
  }
  return confusion;
}

/** The E step: marginals of the posterior p(y, z | ỹ, x) over categories (n×C) and noise types (n×3). */
export function posteriors(p: Matrix, z: Matrix, labels: Int32Array, confusion: Matrix) {
  const categoryCount = p.cols;
  const categories = Matrix.zeros(p.rows, categoryCount);
  const types = Matrix.zeros(p.rows, 3);
  let logLikelihood = 0;
  for (let i = 0; i < p.rows; i++) {
    const [out, outTypes] = [categories.row(i), types.row(i)];
    const label = labels[i];
    let total = Number.MIN_VALUE;
    for (let y = 0; y < categoryCount; y++) {
      const right = y === label ? p.at(i, y) * z.at(i, 0) : 0;
      const random = y === label ? 0 : (p.at(i, y) * z.at(i, 1)) / (categoryCount - 1);
      const confused = p.at(i, y) * z.at(i, 2) * confusion.at(y, label);
      out[y] = right + random + confused;
      outTypes[0] += right;
      outTypes[1] += random;
      outTypes[2] += confused;
      total += out[y];
    }
    for (let y = 0; y < categoryCount; y++) out[y] /= total;
    for (let type = 0; type < 3; type++) outTypes[type] /= total;
    logLikelihood += Math.log(total);
  }
  return { categories, types, logLikelihood };
}

export const xiaoSpec: MethodSpec<typeof parameters> = {
  name: 'xiao',
  title: 'Xiao et al.',
  citation:
    'Xiao, Xia, Yang, Huang and Wang, Learning from massive noisy labeled data for image classification, CVPR 2015',
  uses: ['web', 'semantics'],
  setting: 'standard',
  parameters,
  create: (options) => new Xiao(options),
};
