/**
 * Geodesic flow kernel (Gong, Shi, Sha and Grauman, "Geodesic flow kernel for unsupervised domain adaptation", CVPR
 * 2012): pictures are compared through all subspaces on the geodesic from the principal subspace of the web pictures to that
 * of the test pictures, G = ∫ Φ(t)Φ(t)' dt in closed form (geodesic.ts); `lr` on the inner products x'Gy is a ridge
 * regression on pictures mapped by the 2k vectors whose outer products make up G. Pictures are less the mean of their domain.
 * The dimension is the smallest k where the subspace disagreement D(k) = ½(sin α_k + sin β_k) reaches one, α_k and β_k the
 * largest angles between the k-dimensional subspace of both domains together and that of either one.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { centred, mainDirections, project, Scratch } from '../../numerics/index.js';
import { type OptionsOf, oneOf, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';
import { preparedNow } from '../blocks/preparation.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import type { MethodSpec } from '../spec.js';
import { type Adaptation, AdaptedRegression } from './adapted-regression.js';
import { flowMap, geodesic } from './geodesic.js';
import { leadingComponents } from './leading-components.js';

/** No more components are compared than this. */
const mostDimensions = 200;
/** A disagreement this near to one counts as one. */
const disagreed = 0.9999;

const parameters = {
  dimensions: whole('dimension of the subspaces; 0 takes it by subspace disagreement', 0, {
    least: 0,
    range: oneOf([0, 50, 100, 200, 300]),
  }),
  ridge: ridgeParameter,
};

export class GeodesicFlowKernel extends AdaptedRegression<typeof parameters> {
  /** The dimension that was used. */
  dimensions_: number | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('gfk', parameters, given);
  }

  protected override async adapt(problem: Problem, { backend }: FitOptions): Promise<Adaptation> {
    const flow = geodesicFlow(backend, problem.webFeatures, problem.testFeatures, this.options.dimensions);
    this.dimensions_ = flow.map.rows / 2;
    return flow;
  }
}

/** Source pictures and the map under which inner products are the kernel; `dimensions` 0 takes them by disagreement. */
export function geodesicFlow(
  backend: Backend,
  source: Matrix,
  target: Matrix,
  dimensions: number,
): Required<Adaptation> {
  // Whatever the ridge, there is one flow for each dimension.
  return preparedNow('geodesic flow', backend, [source, target], [dimensions], () =>
    newFlow(backend, source, target, dimensions),
  );
}

function newFlow(backend: Backend, source: Matrix, target: Matrix, dimensions: number): Required<Adaptation> {
  const most = dimensions || mostDimensions;
  const from = leadingComponents(backend, source, most);
  const to = leadingComponents(backend, target, most);
  const room = Math.min(from.directions.rows, to.directions.rows);
  let k = room;
  if (dimensions === 0) {
    const both = stackRows(centred(source, from.mean), centred(target, to.mean));
    const shared = mainDirections(backend, both, room).directions;
    k = chooseDimension(backend, from.directions, to.directions, shared);
  }
  const map = flowMap(geodesic(backend, from.directions.view(0, k), to.directions.view(0, k)));
  return { source: project(backend, source, from.mean, map), mean: to.mean, map };
}

/** The first k where the disagreement reaches one, or where it is largest. */
function chooseDimension(backend: Backend, first: Matrix, second: Matrix, shared: Matrix): number {
  let [best, most] = [1, 0];
  const scratch = new Scratch(backend);
  try {
    const products = [first, second].map((directions) => {
      const product = scratch.matrix(directions.rows, shared.rows);
      backend.gemm(product, scratch.copy(directions), scratch.copy(shared), { transposeB: true });
      return product;
    });
    const limit = Math.min(...products.map(({ rows }) => rows), shared.rows, Math.max(1, first.cols >> 1));
    for (let k = 1; k <= limit; k++) {
      const disagreement = products.reduce(
        (sum, product) => sum + largestSine(backend, product.view(0, k, 0, k)) / 2,
        0,
      );
      if (disagreement > most) [best, most] = [k, disagreement];
      if (most >= disagreed) break;
    }
  } finally {
    scratch.release();
  }
  return best;
}

/** sin of the largest angle between two subspaces, given the inner products of their bases. */
function largestSine(backend: Backend, products: Matrix<Float64Array>): number {
  const scratch = new Scratch(backend);
  try {
    const gram = scratch.matrix(products.rows, products.rows);
    backend.syrk(gram, scratch.copy(products));
    const squares = new Float64Array(products.rows);
    backend.eigh(squares, gram);
    return Math.sqrt(Math.max(0, 1 - Math.max(0, squares[0])));
  } finally {
    scratch.release();
  }
}

export const gfkSpec: MethodSpec<typeof parameters> = {
  name: 'gfk',
  title: 'GFK',
  citation: 'Gong, Shi, Sha and Grauman, Geodesic flow kernel for unsupervised domain adaptation, CVPR 2012',
  uses: ['web', 'test'],
  setting: 'standard',
  parameters,
  create: (options) => new GeodesicFlowKernel(options),
};
