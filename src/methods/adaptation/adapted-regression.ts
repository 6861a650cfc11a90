/**
 * What the domain-adaptation methods share: web pictures (the source) are moved, or both domains are mapped, so that they
 * agree with the test pictures (the target), which enter without labels; then the classifier is that of `lr`, a ridge
 * regression from the adapted web pictures to one-hot labels, read back as a linear function of plain features.
 */
import type { Backend } from '../../linalg/backend.js';
import type { Matrix } from '../../linalg/matrix.js';
import type { FitOptions } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { uncentred } from '../blocks/centring.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { type LinearModel, labelTargets } from '../blocks/linear-model.js';
import { ridgeRegression } from '../blocks/ridge.js';
import { requireWeb } from '../blocks/web-problem.js';
import { Workspace } from '../blocks/workspace.js';

export interface Adaptation {
  /** Adapted web pictures, n×k. */
  readonly source: Matrix<Float64Array>;
  /** A target picture x becomes map · (x − mean). */
  readonly mean: Float64Array;
  /** k×d. @default the identity */
  readonly map?: Matrix<Float64Array>;
}

export abstract class AdaptedRegression extends LinearMethod {
  abstract readonly name: string;
  abstract readonly options: { readonly ridge: number };

  protected abstract adapt(problem: Problem, options: FitOptions): Promise<Adaptation>;

  protected override async learn(problem: Problem, options: FitOptions): Promise<LinearModel> {
    requireWeb(problem, this.name);
    const { source, mean, map } = await this.adapt(problem, options);
    options.signal?.throwIfAborted();
    const targets = labelTargets(problem.webLabels, problem.testNames.length);
    const model = ridgeRegression(options.backend, source, targets, { ridge: this.options.ridge });
    return uncentred(map ? afterMap(options.backend, model, map) : model, mean);
  }
}

/** The model of x whose decision values are those of `model` for map · x. */
function afterMap(backend: Backend, model: LinearModel, map: Matrix<Float64Array>): LinearModel {
  const workspace = new Workspace(backend);
  try {
    const weights = workspace.matrix(model.weights.rows, map.cols);
    backend.gemm(weights, model.weights, map);
    return { weights: weights.copy('float64'), intercepts: model.intercepts };
  } finally {
    workspace.release();
  }
}
