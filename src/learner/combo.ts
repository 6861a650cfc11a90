/**
 * The paper's `combo`: the mean of the semantic vectors that the web-only and the zero-shot special case predict, each with
 * parameters of its own. Another share than ½ serves where one part knows much less than the other.
 */
import type { Matrix } from '../linalg/index.js';
import { number, oneOf, resolveParameters } from '../parameters.js';
import type { Problem } from '../problem/index.js';
import { type FitDetails, type LinearDecision, type Method, notFitted, rowMaxima } from '../problem/index.js';
import { distances } from './nearest.js';
import type { LearnerOptions } from './options.js';
import {
  type LearnerFitOptions,
  type LearnerModel,
  linearDecision,
  PaperLearner,
  traceDetails,
} from './paper-learner.js';
import type { IterationRecord } from './trace.js';

export const comboShare = number('share of the zero-shot part in the mean; ½ as published', 0.5, {
  least: 0,
  most: 1,
  // With the parts themselves early among them, a search never ends below the better one.
  range: oneOf([0, 1, 0.25, 0.75, 0.5]),
});

/** Fits one of the two parts, or gives one with the same options that was fitted to the same problem before. */
export type FitPart = (part: PaperLearner, problem: Problem, options: LearnerFitOptions) => Promise<PaperLearner>;

export class Combo implements Method {
  web: PaperLearner;
  zeroShot: PaperLearner;
  /** Mean semantic vectors of the test pictures, nt×m. */
  semantics_!: Matrix<Float64Array>;
  webWeights_!: Float64Array;
  /** Other pictures go through the mean of the two maps. */
  model_!: LearnerModel;
  trace_: IterationRecord[] = [];
  converged_ = false;
  warnings_: string[] = [];

  /** Of the zero-shot part in the mean. */
  readonly share: number;
  readonly #fitPart: FitPart;

  constructor(
    web: Partial<LearnerOptions> = {},
    zeroShot: Partial<LearnerOptions> = web,
    share = comboShare.default,
    fitPart: FitPart = (part, problem, options) => part.fit(problem, options),
  ) {
    resolveParameters('combo', { share: comboShare }, { share });
    this.web = new PaperLearner({ ...web, special: 'paper-wsl' });
    this.zeroShot = new PaperLearner({ ...zeroShot, special: 'paper-zsl' });
    this.share = share;
    this.#fitPart = fitPart;
  }

  async fit(problem: Problem, options: Omit<LearnerFitOptions, 'checkpoint'>): Promise<this> {
    this.web = await this.#fitPart(this.web, problem, options);
    this.zeroShot = await this.#fitPart(this.zeroShot, problem, options);
    this.semantics_ = this.#mean(problem.testFeatures);
    this.webWeights_ = this.web.webWeights_;
    this.model_ = { ...this.web.model_, map: mean(this.web.model_.map, this.zeroShot.model_.map, this.share) };
    this.trace_ = [...this.web.trace_, ...this.zeroShot.trace_];
    this.converged_ = this.web.converged_ && this.zeroShot.converged_;
    this.warnings_ = [
      ...this.web.warnings_.map((warning) => `web-only part: ${warning}`),
      ...this.zeroShot.warnings_.map((warning) => `zero-shot part: ${warning}`),
    ];
    return this;
  }

  #mean(features: Matrix): Matrix<Float64Array> {
    return mean(this.web.semanticsOf(features), this.zeroShot.semanticsOf(features), this.share);
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.model_) throw notFitted();
    const { candidates, metric } = this.model_;
    const result = distances(this.#mean(features), candidates, metric);
    for (let i = 0; i < result.data.length; i++) result.data[i] = -result.data[i];
    return result;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  webWeights(): Float64Array | undefined {
    return this.web.webWeights();
  }

  linear(): LinearDecision {
    return linearDecision(this.model_);
  }

  details(): FitDetails {
    return { ...traceDetails(this), semantics: { pictures: this.semantics_, categories: this.model_.candidates } };
  }
}

function mean(a: Matrix<Float64Array>, b: Matrix<Float64Array>, share: number): Matrix<Float64Array> {
  const result = a.copy('float64');
  for (let i = 0; i < result.data.length; i++) result.data[i] = (1 - share) * result.data[i] + share * b.data[i];
  return result;
}
