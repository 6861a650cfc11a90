/**
 * Correlation alignment (Sun, Feng and Saenko, "Return of frustratingly easy domain adaptation", AAAI 2016): web pictures are
 * whitened with their own covariance and coloured with that of the test pictures, x ← (C_t + λI)^½ (C_s + λI)^−½ x, then train
 * the classifier, which sees test pictures as they are. The original takes λ = 1 for features of unit variance; here λ is
 * `regularisation` times the mean variance of a feature, which is the same for such features and right for others.
 * Both domains are less their means, as z-scored ones are.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { centred, columnMeans, Scratch } from '../../numerics/index.js';
import { log, number, type OptionsOf } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import type { MethodSpec } from '../spec.js';
import { type Adaptation, AdaptedRegression } from './adapted-regression.js';

const parameters = {
  regularisation: number('what is added to the covariances, in mean variances of a feature', 1, {
    above: 0,
    range: log(1e-2, 1e2),
  }),
  ridge: ridgeParameter,
};

export class CorrelationAlignment extends AdaptedRegression<typeof parameters> {
  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('coral', parameters, given);
  }

  protected override async adapt(problem: Problem, { backend }: FitOptions): Promise<Adaptation> {
    return alignCorrelations(backend, problem.webFeatures, problem.testFeatures, this.options.regularisation);
  }
}

/** The source with the covariance of the target. */
export function alignCorrelations(
  backend: Backend,
  source: Matrix,
  target: Matrix,
  regularisation: number,
): Adaptation & { source: Matrix<Float64Array> } {
  const scratch = new Scratch(backend);
  try {
    const d = source.cols;
    const mean = columnMeans(target);
    const from = scratch.copy(centred(source, columnMeans(source)));
    const [sourceCovariance, targetCovariance] = [scratch.matrix(d, d), scratch.matrix(d, d)];
    backend.syrk(sourceCovariance, from, { transpose: true, alpha: 1 / Math.max(1, source.rows - 1) });
    backend.syrk(targetCovariance, scratch.copy(centred(target, mean)), {
      transpose: true,
      alpha: 1 / Math.max(1, target.rows - 1),
    });
    let variance = Number.MIN_VALUE;
    for (let j = 0; j < d; j++) variance += (sourceCovariance.at(j, j) + targetCovariance.at(j, j)) / (2 * d);
    const lambda = regularisation * variance;
    const whitening = symmetricPower(backend, scratch, sourceCovariance, lambda, -0.5);
    const colouring = symmetricPower(backend, scratch, targetCovariance, lambda, 0.5);
    const whitened = scratch.matrix(source.rows, d);
    backend.gemm(whitened, from, whitening);
    backend.gemm(from, whitened, colouring);
    return { source: from.copy('float64'), mean };
  } finally {
    scratch.release();
  }
}

/** (A + λI)^exponent for a symmetric positive semidefinite A, which is overwritten. */
function symmetricPower(
  backend: Backend,
  scratch: Scratch,
  matrix: Matrix<Float64Array>,
  lambda: number,
  exponent: number,
): Matrix<Float64Array> {
  const values = new Float64Array(matrix.rows);
  backend.eigh(values, matrix);
  backend.scaleRows(
    matrix,
    values.map((value) => (Math.max(0, value) + lambda) ** (exponent / 2)),
  );
  const power = scratch.matrix(matrix.rows, matrix.rows);
  backend.syrk(power, matrix, { transpose: true });
  return power;
}

export const coralSpec: MethodSpec<typeof parameters> = {
  name: 'coral',
  title: 'CORAL',
  citation: 'Sun, Feng and Saenko, Return of frustratingly easy domain adaptation, AAAI 2016',
  uses: ['web', 'test'],
  setting: 'standard',
  parameters,
  create: (options) => new CorrelationAlignment(options),
};
