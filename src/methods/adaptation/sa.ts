/**
 * Subspace alignment (Fernando, Habrard, Sebban and Tuytelaars, "Unsupervised visual domain adaptation using subspace
 * alignment", ICCV 2013): with the leading principal components P_s of the web and P_t of the test pictures, M = P_s'P_t is the
 * closest map of one basis to the other, min ‖P_s M − P_t‖; web pictures enter as x P_s M and test pictures as x P_t, each
 * less the mean of its domain.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { project, Scratch } from '../../numerics/index.js';
import { integers, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import type { MethodSpec } from '../spec.js';
import { type Adaptation, AdaptedRegression } from './adapted-regression.js';
import { leadingComponents } from './leading-components.js';

const parameters = {
  dimensions: whole('principal components of either domain', 200, { range: integers(20, 400) }),
  ridge: ridgeParameter,
};

export class SubspaceAlignment extends AdaptedRegression<typeof parameters> {
  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('sa', parameters, given);
  }

  protected override async adapt(problem: Problem, { backend }: FitOptions): Promise<Adaptation> {
    return alignSubspaces(backend, problem.webFeatures, problem.testFeatures, this.options.dimensions);
  }
}

/** Source and target in the coordinates of the target's principal components. */
export function alignSubspaces(
  backend: Backend,
  source: Matrix,
  target: Matrix,
  dimensions: number,
): Required<Adaptation> {
  const from = leadingComponents(backend, source, dimensions);
  const to = leadingComponents(backend, target, dimensions);
  const scratch = new Scratch(backend);
  try {
    const alignment = scratch.matrix(from.directions.rows, to.directions.rows);
    backend.gemm(alignment, scratch.copy(from.directions), scratch.copy(to.directions), { transposeB: true });
    const aligned = scratch.matrix(source.rows, to.directions.rows);
    backend.gemm(aligned, scratch.copy(project(backend, source, from.mean, from.directions)), alignment);
    return { source: aligned.copy('float64'), mean: to.mean, map: to.directions };
  } finally {
    scratch.release();
  }
}

export const saSpec: MethodSpec<typeof parameters> = {
  name: 'sa',
  title: 'SA',
  citation:
    'Fernando, Habrard, Sebban and Tuytelaars, Unsupervised visual domain adaptation using subspace alignment, ICCV 2013',
  uses: ['web', 'test'],
  setting: 'standard',
  parameters,
  create: (options) => new SubspaceAlignment(options),
};
