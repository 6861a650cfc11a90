/**
 * SynC (Changpinyo, Chao, Gong and Sha, "Synthesized classifiers for zero-shot learning", CVPR 2016): the classifier of
 * a category is a mixture of phantom classifiers, w_c = Σ_r s_cr v_r with s_cr ∝ exp(−‖a_c − b_r‖²/σ²), learnt by
 * one-versus-other squared hinges, min Σ_c Σᵢ max(0, 1 ∓ w_c'xᵢ)² + decay/2 Σ_c ‖w_c‖². One phantom stands at each
 * auxiliary category (b_r = a_r, the paper's choice). S is then square, the w_c of auxiliary categories are free, each
 * hinge is minimized by itself, and v = S⁻¹ w gives the classifiers of the candidates.
 */
import { Matrix } from '../../linalg/index.js';
import {
  directions,
  type LinearModel,
  labelTargets,
  SquaredHingeLoss,
  softmaxInPlace,
  trainMachines,
  withScratch,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import type { MethodSpec } from '../spec.js';
import { gatherAuxiliary, pictureProducts } from './auxiliary.js';

const parameters = {
  decay: number('penalty on the squared weights', 10, { above: 0, range: log(1, 100) }),
  sigma: number('width of the similarity between categories', 1.5, { above: 0, range: log(0.7, 3) }),
  tolerance: number('fall of the gradient at which learning stops', 3e-3, { above: 0 }),
};

export type SyncOptions = OptionsOf<typeof parameters>;

export class Sync extends LinearMethod {
  readonly options: SyncOptions;
  /** Phantom classifiers, one row each, in the order of the category vectors' content. */
  phantoms_: Matrix<Float64Array> | undefined;

  constructor(given: Partial<SyncOptions> = {}) {
    super();
    this.options = resolveParameters('sync', parameters, given);
  }

  protected override learn(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<LinearModel> {
    this.phantoms_ = undefined;
    return withScratch(backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'sync', { centre: false });
      const { learnt, candidates } = directions(data.classVectors, data.candidates);
      const own = Int32Array.from({ length: learnt.rows }, (_, c) => c);
      const loss = new SquaredHingeLoss(data.labels, labelTargets(own, learnt.rows));
      const weights = await trainMachines(backend, data.features, loss, {
        decay: this.options.decay,
        tolerance: this.options.tolerance,
        products: pictureProducts(scratch, data, loss.typicalCurvature),
        signal,
        onIteration: (done) => onProgress?.({ done }),
      });

      const mixing = mixtureWeights(learnt, learnt, this.options.sigma);
      const system = scratch.matrix(learnt.rows, learnt.rows);
      backend.syrk(system, mixing, { transpose: true });
      // Wide kernels make S all but singular; this much keeps rounding noise out of the phantoms.
      backend.addDiagonal(system, 1e-10 * learnt.rows);
      backend.cholesky(system);
      const phantoms = scratch.matrix(learnt.rows, weights.cols);
      backend.gemm(phantoms, mixing, weights, { transposeA: true });
      backend.choleskySolve(system, phantoms, 'columns');
      this.phantoms_ = phantoms.copy('float64');

      const synthesized = Matrix.zeros(candidates.rows, weights.cols);
      backend.gemm(synthesized, mixtureWeights(candidates, learnt, this.options.sigma), phantoms);
      return { weights: synthesized, intercepts: new Float64Array(candidates.rows) };
    });
  }
}

/** s_cr ∝ exp(−‖a_c − b_r‖²/σ²), every row summing to one. */
export function mixtureWeights(vectors: Matrix, phantoms: Matrix, sigma: number): Matrix<Float64Array> {
  const result = Matrix.zeros(vectors.rows, phantoms.rows);
  for (let c = 0; c < vectors.rows; c++) {
    const [a, out] = [vectors.row(c), result.row(c)];
    for (let r = 0; r < phantoms.rows; r++) {
      const b = phantoms.row(r);
      for (let k = 0; k < a.length; k++) out[r] -= ((a[k] - b[k]) / sigma) ** 2;
    }
    softmaxInPlace(out);
  }
  return result;
}

export const syncSpec: MethodSpec<typeof parameters> = {
  name: 'sync',
  title: 'SynC',
  citation: 'Changpinyo, Chao, Gong and Sha, Synthesized classifiers for zero-shot learning, CVPR 2016',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options) => new Sync(options),
};
