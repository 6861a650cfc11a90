/**
 * Transfer component analysis (Pan, Tsang, Kwok and Yang, "Domain adaptation via transfer component analysis", IEEE Trans.
 * Neural Networks 2011): directions w of the kernel's feature space along which pictures vary much while the means of
 * web and test pictures stay close, the leading eigenvectors of (KLK + μI)⁻¹ KHK, with K the kernel over both
 * domains, H the centring and L = ee', e = 1/n on web and −1/n_t on test pictures; a picture becomes k(x)'W, W scaled so that
 * W'(KLK + μI)W = I.
 * The kernel is linear, K = XX' with X = UΣV', and an eigenvector of a non-zero eigenvalue is w = Uc, so with F = XVΣ
 * the problem shrinks to (vv' + μI)⁻¹ F'HF, v = F'e, of the order of the features; (vv' + μI)^−½ is known in closed form.
 * μ is in units of ‖F‖²/r, the mean square of a coordinate, so that it means the same for any scale of features, and
 * the embedding as a whole is scaled to the variance of the features, so that the ridge does.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { centred, columnMeans, mainDirections, project, Scratch } from '../../numerics/index.js';
import { changed, integers, log, number, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';
import { preparedNow } from '../blocks/preparation.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import type { MethodSpec } from '../spec.js';
import { type Adaptation, AdaptedRegression } from './adapted-regression.js';

const parameters = {
  dimensions: whole('transfer components', 200, { range: integers(20, 300) }),
  mu: number('how much variance counts against a small difference of means; towards 0 the means coincide', 1e-3, {
    above: 0,
    range: log(1e-5, 10),
  }),
  ridge: changed(ridgeParameter, { default: 0.05, range: log(1e-3, 1e1) }),
};

export class TransferComponentAnalysis extends AdaptedRegression<typeof parameters> {
  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('tca', parameters, given);
  }

  protected override async adapt(problem: Problem, { backend }: FitOptions): Promise<Adaptation> {
    return transferComponents(
      backend,
      problem.webFeatures,
      problem.testFeatures,
      this.options.dimensions,
      this.options.mu,
    );
  }
}

export interface TransferComponents extends Required<Adaptation> {
  /** Eigenvalues of (KLK + μI)⁻¹ KHK, descending. */
  readonly eigenvalues: Float64Array;
  /** μ as it stands in the matrix. */
  readonly mu: number;
}

/** What depends on no parameter: F'HF and what it is made of. */
interface Domains {
  /** Rows σ v', so that F = X scaled'. */
  readonly scaled: Matrix<Float64Array>;
  /** Squared singular values of the pictures of both domains. */
  readonly energies: Float64Array;
  readonly gap: Float64Array;
  /** F'HF, r×r. */
  readonly scatter: Matrix<Float64Array>;
  /** Sum of squares of the pictures about their mean. */
  readonly variation: number;
}

export function transferComponents(
  backend: Backend,
  source: Matrix,
  target: Matrix,
  dimensions: number,
  relativeMu: number,
): TransferComponents {
  const { energies, gap, ...domains } = preparedNow('domains of tca', backend, [source, target], [], () =>
    bothDomains(backend, source, target),
  );
  const r = energies.length;
  const origin = new Float64Array(source.cols);
  const scratch = new Scratch(backend);
  try {
    const mu = (relativeMu * energies.reduce((sum, energy) => sum + energy * energy, 0)) / r;
    const scatter = scratch.copy(domains.scatter);
    shrink(scatter, gap, mu);
    const values = new Float64Array(r);
    backend.eigh(values, scatter);
    const count = Math.min(dimensions, r);
    const leading = scratch.matrix(count, r);
    for (let k = 0; k < count; k++) {
      leading.row(k).set(scatter.row(r - 1 - k));
      applyRoot(leading.row(k), gap, mu);
    }
    const map = scratch.matrix(count, source.cols);
    backend.gemm(map, leading, scratch.copy(domains.scaled));
    const eigenvalues = Float64Array.from({ length: count }, (_, k) => values[r - 1 - k]);
    rescale(backend, map, domains.variation, eigenvalues);
    return {
      source: project(backend, source, origin, map),
      mean: origin,
      map: map.copy('float64'),
      eigenvalues,
      mu,
    };
  } finally {
    scratch.release();
  }
}

function bothDomains(backend: Backend, source: Matrix, target: Matrix): Domains {
  const both = stackRows(source.copy('float64'), target.copy('float64'));
  const { directions, energies } = mainDirections(backend, both);
  const scratch = new Scratch(backend);
  try {
    const scaled = scratch.copy(directions);
    backend.scaleRows(
      scaled,
      energies.map((energy) => Math.sqrt(energy)),
    );
    const f = project(backend, both, new Float64Array(source.cols), scaled);
    const scatter = scratch.matrix(energies.length, energies.length);
    backend.syrk(scatter, scratch.copy(centred(f, columnMeans(f))), { transpose: true });
    const plain = centred(both, columnMeans(both));
    return {
      ...{ scaled: scaled.copy('float64'), energies, gap: meanGap(f, source.rows) },
      ...{ scatter: scatter.copy('float64'), variation: backend.dot(plain, plain) },
    };
  } finally {
    scratch.release();
  }
}

/** v = F'e: the difference of the two domains' means. */
function meanGap(f: Matrix<Float64Array>, sourceRows: number): Float64Array {
  const [source, target] = [columnMeans(f.view(0, sourceRows)), columnMeans(f.view(sourceRows, f.rows))];
  return source.map((value, j) => value - target[j]);
}

/** y ← (vv' + μI)^−½ y = y/√μ + (1/√(‖v‖² + μ) − 1/√μ) v (v'y)/‖v‖². */
function applyRoot(y: Float64Array, v: Float64Array, mu: number): void {
  let [squares, along] = [0, 0];
  for (let j = 0; j < v.length; j++) {
    squares += v[j] * v[j];
    along += v[j] * y[j];
  }
  const plain = 1 / Math.sqrt(mu);
  const change = squares > 0 ? ((1 / Math.sqrt(squares + mu) - plain) * along) / squares : 0;
  for (let j = 0; j < v.length; j++) y[j] = plain * y[j] + change * v[j];
}

/** S ← (vv' + μI)^−½ S (vv' + μI)^−½ for a symmetric S. */
function shrink(matrix: Matrix<Float64Array>, v: Float64Array, mu: number): void {
  for (let pass = 0; pass < 2; pass++) {
    for (let i = 0; i < matrix.rows; i++) applyRoot(matrix.row(i), v, mu);
    transpose(matrix);
  }
}

function transpose(matrix: Matrix<Float64Array>): void {
  for (let i = 0; i < matrix.rows; i++)
    for (let j = 0; j < i; j++) {
      const value = matrix.at(i, j);
      matrix.set(i, j, matrix.at(j, i));
      matrix.set(j, i, value);
    }
}

/** W as it is scaled gives the embedding a scatter of Σ eigenvalues; as a whole it takes on that of the features. */
function rescale(backend: Backend, map: Matrix<Float64Array>, variation: number, eigenvalues: Float64Array): void {
  const embedding = eigenvalues.reduce((sum, value) => sum + value, 0);
  const factor = embedding > 0 ? Math.sqrt(variation / embedding) : 1;
  backend.scaleRows(map, new Float64Array(map.rows).fill(factor));
}

export const tcaSpec: MethodSpec<typeof parameters> = {
  name: 'tca',
  title: 'TCA',
  citation:
    'Pan, Tsang, Kwok and Yang, Domain adaptation via transfer component analysis, IEEE Trans. Neural Networks 2011',
  uses: ['web', 'test'],
  setting: 'standard',
  parameters,
  create: (options) => new TransferComponentAnalysis(options),
};
