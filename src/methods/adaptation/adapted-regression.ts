/**
 * What the domain-adaptation methods share: web pictures (the source) are moved, or both domains are mapped, so that they
 * agree with the test pictures (the target), which enter without labels; then the classifier is that of `lr`, a ridge
 * regression from the adapted web pictures to one-hot labels, read back as a linear function of plain features.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { type LinearModel, labelTargets, ridgeRegression, Scratch, uncentred } from '../../numerics/index.js';
import { type Declaration, type OptionsOf, type ParameterSpec, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { requireWeb } from '../blocks/web-problem.js';

export interface Adaptation {
  /** Adapted web pictures, n×k. */
  readonly source: Matrix<Float64Array>;
  /** A target picture x becomes map · (x − mean). */
  readonly mean: Float64Array;
  /** k×d. @default the identity */
  readonly map?: Matrix<Float64Array>;
}

type Declared = Declaration & { readonly ridge: ParameterSpec<number> };

export abstract class AdaptedRegression<Parameters extends Declared> extends LinearMethod {
  readonly name: string;
  readonly options: OptionsOf<Parameters>;

  constructor(name: string, parameters: Parameters, given: Partial<OptionsOf<Parameters>>) {
    super();
    this.name = name;
    this.options = resolveParameters(name, parameters, given);
  }

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
  const scratch = new Scratch(backend);
  try {
    const weights = scratch.matrix(model.weights.rows, map.cols);
    backend.gemm(weights, model.weights, map);
    return { weights: weights.copy('float64'), intercepts: model.intercepts };
  } finally {
    scratch.release();
  }
}
