/**
 * Noise layer (Sukhbaatar, Bruna, Paluri, Bourdev and Fergus, "Training convolutional networks with noisy labels", ICLR
 * workshop 2015): the softmax p(y | x) passes through a learnt row-stochastic confusion matrix Q before it meets
 * the noisy label, and a penalty on the trace of Q makes it take up as much of the noise as it can:
 * min −Σᵢ log Σ_j p_j(xᵢ) Q[j, ỹᵢ] + decay/2 ‖W‖² + trace · (n/C) tr Q. As in the paper the softmax is trained
 * first with Q = I, then both together. Here the network is one linear layer on given features, found with Q by L-BFGS, and
 * Q = softmax(U) by rows, so that any share of a category's labels may be wrong. That categories are not exchanged, which
 * would leave the objective as it is, is left to the start, as in the original: Q begins near I. Predictions use p alone.
 */
import { Matrix } from '../../linalg/index.js';
import {
  type LinearModel,
  labelTargets,
  minimize,
  SoftmaxLayer,
  softmaxInPlace,
  softmaxRegression,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

/** Share of each row of Q on the diagonal when the joint training begins. */
const initialDiagonal = 0.9;

const parameters = {
  decay: number('penalty on the squared weights of the softmax', 0.2, { above: 0, range: log(1e-2, 1e1) }),
  trace: number('penalty on the trace of the confusion matrix, per picture of a category', 0.5, {
    least: 0,
    range: log(0.05, 1),
  }),
};

export class Sukhbaatar extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;
  /** Q, C×C: row j holds the chances that a picture of category j bears each label. */
  confusion_: Matrix<Float64Array> | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('sukhbaatar', parameters, given);
  }

  protected override async learn(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'sukhbaatar');
    const { webFeatures, webLabels, testNames } = problem;
    const categories = testNames.length;
    const start = await softmaxRegression(backend, webFeatures, labelTargets(webLabels, categories), {
      decay: this.options.decay,
      tolerance: 0.03,
      signal,
    });
    const layer = new SoftmaxLayer(backend, webFeatures, categories);
    try {
      const size = layer.parameterCount;
      const point = new Float64Array(size + categories ** 2);
      point.set(layer.startFrom(start));
      const sharpness = Math.log((initialDiagonal * (categories - 1)) / (1 - initialDiagonal));
      for (let j = 0; j < categories; j++) point[size + j * (categories + 1)] = sharpness;
      const objective = noiseObjective(layer, webLabels, this.options.decay, this.options.trace);
      await minimize(objective, point, {
        tolerance: 0.03,
        maxIterations: 100,
        precondition: layer.preconditioner(this.options.decay),
        signal,
        onIteration: (done) => onProgress?.({ done, total: 100 }),
      });
      this.confusion_ = confusionMatrix(point.subarray(size), categories);
      return layer.model(point);
    } finally {
      layer.release();
    }
  }
}

/** The objective of W, b and the free parameters of Q, in this order, with its gradient. */
export function noiseObjective(layer: SoftmaxLayer, labels: Int32Array, decay: number, trace: number) {
  const categories = layer.categories;
  const pull = (trace * labels.length) / categories;
  return (point: Float64Array, gradient: Float64Array): number => {
    const confusion = confusionMatrix(point.subarray(layer.parameterCount), categories);
    const confusionGradient = Matrix.zeros(categories, categories);
    const probabilities = layer.forward(point);
    let value = 0;
    for (let i = 0; i < labels.length; i++) {
      const p = probabilities.row(i);
      const label = labels[i];
      let chance = Number.MIN_VALUE;
      for (let j = 0; j < categories; j++) chance += p[j] * confusion.data[j * categories + label];
      value -= Math.log(chance);
      for (let j = 0; j < categories; j++) {
        const q = confusion.data[j * categories + label];
        confusionGradient.data[j * categories + label] -= p[j] / chance;
        p[j] *= 1 - q / chance;
      }
    }
    value += layer.penalty(point, decay);
    layer.backward(point, gradient, decay);
    for (let j = 0; j < categories; j++) {
      value += pull * confusion.at(j, j);
      confusionGradient.data[j * (categories + 1)] += pull;
      const [q, g] = [confusion.row(j), confusionGradient.row(j)];
      let mean = 0;
      for (let k = 0; k < categories; k++) mean += q[k] * g[k];
      for (let k = 0; k < categories; k++) gradient[layer.parameterCount + j * categories + k] = q[k] * (g[k] - mean);
    }
    return value;
  };
}

function confusionMatrix(parameters: Float64Array, categories: number): Matrix<Float64Array> {
  const confusion = new Matrix(parameters.slice(0, categories ** 2), categories, categories);
  for (let j = 0; j < categories; j++) softmaxInPlace(confusion.row(j));
  return confusion;
}

export const sukhbaatarSpec: MethodSpec<typeof parameters> = {
  name: 'sukhbaatar',
  title: 'Sukhbaatar et al.',
  citation:
    'Sukhbaatar, Bruna, Paluri, Bourdev and Fergus, Training convolutional networks with noisy labels, ICLR workshop 2015',
  uses: ['web'],
  setting: 'standard',
  parameters,
  create: (options) => new Sukhbaatar(options),
};
