/**
 * The paper's combination of a web method and a zero-shot method: the average of their decision values. One
 * gives logits or margins, the other log densities, so each is first put on one scale, (v − mean)/deviation over all values
 * that it gives to the test pictures of the fit; other pictures are answered on the same scale. The paper's average has
 * equal shares; another share serves where one part knows much less than the other.
 */
import type { Matrix } from '../../linalg/index.js';
import { type Scale, scaleOf, standardized } from '../../numerics/index.js';
import { number, type OptionsOf, oneOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/index.js';

export const averagedParameters = {
  share: number('share of the zero-shot part in the average; ½ as published', 0.5, {
    least: 0,
    most: 1,
    // With the parts themselves early among them, a search never ends below the better one.
    range: oneOf([0, 1, 0.25, 0.75, 0.5]),
  }),
};

export class AveragedDecisions implements Method {
  readonly first: Method;
  readonly second: Method;
  readonly options: OptionsOf<typeof averagedParameters>;
  /** Of the decision values of both parts. */
  scales_: readonly [Scale, Scale] | undefined;

  constructor(first: Method, second: Method, given: Partial<OptionsOf<typeof averagedParameters>> = {}) {
    this.options = resolveParameters('average', averagedParameters, given);
    this.first = first;
    this.second = second;
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    this.scales_ = undefined;
    await this.first.fit(problem, options);
    await this.second.fit(problem, options);
    const scale = (part: Method) => scaleOf(part.decisionValues(problem.testFeatures));
    this.scales_ = [scale(this.first), scale(this.second)];
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.scales_) throw notFitted();
    const { share } = this.options;
    const values = standardized(this.first.decisionValues(features), this.scales_[0]);
    const others = standardized(this.second.decisionValues(features), this.scales_[1]);
    for (let k = 0; k < values.data.length; k++) values.data[k] = (1 - share) * values.data[k] + share * others.data[k];
    return values;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}
