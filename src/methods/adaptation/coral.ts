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
import { preparedNow } from '../blocks/preparation.js';
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

/** A symmetric matrix by its eigenvectors, a row each. */
interface Spectrum {
  readonly values: Float64Array;
  readonly vectors: Matrix<Float64Array>;
  /** Of the pictures. */
  readonly mean: Float64Array;
  /** Mean variance of a feature. */
  readonly variance: number;
}

/** The source with the covariance of the target. */
export function alignCorrelations(
  backend: Backend,
  source: Matrix,
  target: Matrix,
  regularisation: number,
): Adaptation & { source: Matrix<Float64Array> } {
  const [own, other] = [source, target].map((pictures) => covarianceOf(backend, pictures));
  const lambda = regularisation * (Number.MIN_VALUE + (own.variance + other.variance) / 2);
  const scratch = new Scratch(backend);
  try {
    const from = scratch.copy(centred(source, own.mean));
    const whitening = symmetricPower(backend, scratch, own, lambda, -0.5);
    const colouring = symmetricPower(backend, scratch, other, lambda, 0.5);
    const whitened = scratch.matrix(source.rows, source.cols);
    backend.gemm(whitened, from, whitening);
    backend.gemm(from, whitened, colouring);
    return { source: from.copy('float64'), mean: other.mean };
  } finally {
    scratch.release();
  }
}

/** The covariance of pictures, taken apart; it depends on no parameter. */
function covarianceOf(backend: Backend, pictures: Matrix): Spectrum {
  return preparedNow('spectrum of the covariance', backend, [pictures], [], () => {
    const scratch = new Scratch(backend);
    try {
      const d = pictures.cols;
      const mean = columnMeans(pictures);
      const covariance = scratch.matrix(d, d);
      backend.syrk(covariance, scratch.copy(centred(pictures, mean)), {
        transpose: true,
        alpha: 1 / Math.max(1, pictures.rows - 1),
      });
      let variance = 0;
      for (let j = 0; j < d; j++) variance += covariance.at(j, j) / d;
      const values = new Float64Array(d);
      backend.eigh(values, covariance);
      return { values, vectors: covariance.copy('float64'), mean, variance };
    } finally {
      scratch.release();
    }
  });
}

/** (A + λI)^exponent for a symmetric positive semidefinite A. */
function symmetricPower(
  backend: Backend,
  scratch: Scratch,
  { values, vectors }: Spectrum,
  lambda: number,
  exponent: number,
): Matrix<Float64Array> {
  const scaled = scratch.copy(vectors);
  backend.scaleRows(
    scaled,
    values.map((value) => (Math.max(0, value) + lambda) ** (exponent / 2)),
  );
  const power = scratch.matrix(vectors.rows, vectors.rows);
  backend.syrk(power, scaled, { transpose: true });
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
