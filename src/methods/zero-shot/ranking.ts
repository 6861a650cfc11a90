/**
 * Bilinear scores x'Vs learnt by stochastic gradient descent on a ranking loss, the frame of SJE, ALE and DeViSE. All
 * pictures of a category share its vector, so every gradient is a combination of the learnt category vectors and
 * V = U'S (U one row of d numbers a category, S the vectors): the scores of a batch are X U' K with K = SS', and a step
 * is U ← U − η E'X, E the derivative of the batch's mean loss by its scores. The path is that of descent on V itself.
 */
import type { Matrix } from '../../linalg/index.js';
import { Random } from '../../linalg/index.js';
import type { LinearModel } from '../../numerics/index.js';
import { directions, miniBatches, uncentred, usualBatchSize, withScratch } from '../../numerics/index.js';
import { log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { gatherAuxiliary } from './auxiliary.js';

export const rankingParameters = {
  learningRate: number('first step', 15, { above: 0, range: log(3, 50) }),
  epochs: whole('passes over the auxiliary pictures', 10),
};

export abstract class RankingMethod<
  Parameters extends typeof rankingParameters = typeof rankingParameters,
> extends LinearMethod {
  readonly name: string;
  readonly options: OptionsOf<Parameters>;
  readonly seed: number;

  constructor(name: string, parameters: Parameters, given: Partial<OptionsOf<Parameters>>, seed: number) {
    super();
    this.name = name;
    this.options = resolveParameters(name, parameters, given);
    this.seed = seed;
  }

  /** Loss of one picture and, into `slopes` (zeros before), its derivative by the scores of all categories. */
  abstract rank(slopes: Float64Array, scores: Float64Array, label: number): number;

  protected override learn(problem: Problem, options: FitOptions): Promise<LinearModel> {
    const { backend } = options;
    return withScratch(backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, this.name);
      const { learnt, candidates } = directions(data.classVectors, data.candidates);
      const [n, d, categories] = [data.features.rows, data.features.cols, learnt.rows];
      const similarities = scratch.matrix(categories, categories);
      backend.syrk(similarities, learnt);

      const size = usualBatchSize(n);
      const u = scratch.matrix(categories, d);
      const batchFeatures = scratch.matrix(size, d);
      const projected = scratch.matrix(size, categories);
      const batchScores = scratch.matrix(size, categories);
      const batchSlopes = scratch.matrix(size, categories);
      for await (const { rows, step } of miniBatches(n, new Random(this.seed), {
        ...options,
        epochs: this.options.epochs,
      })) {
        rows.forEach((row, k) => {
          batchFeatures.row(k).set(data.features.row(row));
        });
        const [x, z, scores, slopes] = [batchFeatures, projected, batchScores, batchSlopes].map((matrix) =>
          matrix.view(0, rows.length),
        );
        backend.gemm(z, x, u, { transposeB: true });
        backend.gemm(scores, z, similarities);
        slopes.fill(0);
        rows.forEach((row, k) => {
          this.rank(slopes.row(k), scores.row(k), data.labels[row]);
        });
        const alpha = (-this.options.learningRate * step) / rows.length;
        backend.gemm(u, slopes, x, { transposeA: true, alpha, beta: 1 });
      }
      return uncentred(bilinearModel(u, learnt, candidates, options), data.mean);
    });
  }
}

/** Weights V s_c = U' S s_c of every candidate. */
export function bilinearModel(u: Matrix, learnt: Matrix, candidates: Matrix, { backend }: FitOptions): LinearModel {
  const mixture = backend.matrix(candidates.rows, learnt.rows);
  const weights = backend.matrix(candidates.rows, u.cols);
  backend.gemm(mixture, candidates, learnt, { transposeB: true });
  backend.gemm(weights, mixture, u);
  const model = { weights: weights.copy('float64'), intercepts: new Float64Array(candidates.rows) };
  backend.release(mixture);
  backend.release(weights);
  return model;
}
