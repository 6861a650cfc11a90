/**
 * Subspace alignment (Fernando, Habrard, Sebban and Tuytelaars, "Unsupervised visual domain adaptation using subspace
 * alignment", ICCV 2013): with the leading principal components P_s of the web and P_t of the test pictures, M = P_s'P_t is the
 * closest map of one basis to the other, min ‖P_s M − P_t‖; web pictures enter as x P_s M and test pictures as x P_t, each
 * less the mean of its domain.
 */
import type { Backend } from '../../linalg/backend.js';
import type { Matrix } from '../../linalg/matrix.js';
import { integers, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { FitOptions } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { principalComponents, project } from '../blocks/pca.js';
import { ridgeParameter } from '../blocks/ridge.js';
import { Workspace } from '../blocks/workspace.js';
import type { MethodSpec } from '../spec.js';
import { type Adaptation, AdaptedRegression } from './adapted-regression.js';

const parameters = {
  dimensions: whole('principal components of either domain', 200, { range: integers(20, 400) }),
  ridge: ridgeParameter,
};

export class SubspaceAlignment extends AdaptedRegression {
  readonly name = 'sa';
  readonly options: OptionsOf<typeof parameters>;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters(this.name, parameters, given);
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
  const from = principalComponents(backend, source, dimensions);
  const to = principalComponents(backend, target, dimensions);
  const workspace = new Workspace(backend);
  try {
    const alignment = workspace.matrix(from.directions.rows, to.directions.rows);
    backend.gemm(alignment, workspace.copy(from.directions), workspace.copy(to.directions), { transposeB: true });
    const aligned = workspace.matrix(source.rows, to.directions.rows);
    backend.gemm(aligned, workspace.copy(project(backend, source, from.mean, from.directions)), alignment);
    return { source: aligned.copy('float64'), mean: to.mean, map: to.directions };
  } finally {
    workspace.release();
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
