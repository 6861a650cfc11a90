/**
 * ESZSL (Romera-Paredes and Torr, "An embarrassingly simple approach to zero-shot learning", ICML 2015): the bilinear
 * score x'Vs that minimizes ‖X'VS − Y‖² with Frobenius penalties on both of its sides has the closed form
 * V = (XX' + γI)⁻¹ X Y S' (SS' + λI)⁻¹, pictures and categories as columns. Pictures are taken less their mean, so that
 * targets of ±1 and of 0/1 give the same V up to scale; S are directions around the mean category.
 */
import type { LinearModel } from '../../numerics/index.js';
import { directions, uncentred, withScratch } from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import type { MethodSpec } from '../spec.js';
import { categorySums, gatherAuxiliary, pictureProducts } from './auxiliary.js';

const parameters = {
  gamma: number('penalty on the visual side', 2, { above: 0, range: log(0.1, 30) }),
  lambda: number('penalty on the semantic side', 1, { above: 0, range: log(0.1, 10) }),
};

export class Eszsl extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super();
    this.options = resolveParameters('eszsl', parameters, given);
  }

  protected override learn(problem: Problem, { backend }: FitOptions): Promise<LinearModel> {
    return withScratch(backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'eszsl');
      const { learnt, candidates } = directions(data.classVectors, data.candidates);
      const [d, m] = [data.features.cols, learnt.cols];

      const visual = scratch.copy(pictureProducts(scratch, data));
      backend.addDiagonal(visual, this.options.gamma);
      backend.cholesky(visual);
      const semantic = scratch.matrix(m, m);
      backend.syrk(semantic, learnt, { transpose: true });
      backend.addDiagonal(semantic, this.options.lambda);
      backend.cholesky(semantic);

      // Row c of the weights is V s_c: only as many columns of V as there are candidates are ever formed.
      const right = scratch.copy(candidates);
      backend.choleskySolve(semantic, right, 'rows');
      const mixture = scratch.matrix(candidates.rows, learnt.rows);
      backend.gemm(mixture, right, learnt, { transposeB: true });
      const weights = scratch.matrix(candidates.rows, d);
      backend.gemm(weights, mixture, categorySums(data));
      backend.choleskySolve(visual, weights, 'rows');
      const model = { weights: weights.copy('float64'), intercepts: new Float64Array(candidates.rows) };
      return uncentred(model, data.mean);
    });
  }
}

export const eszslSpec: MethodSpec<typeof parameters> = {
  name: 'eszsl',
  title: 'ESZSL',
  citation: 'Romera-Paredes and Torr, An embarrassingly simple approach to zero-shot learning, ICML 2015',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options) => new Eszsl(options),
};
