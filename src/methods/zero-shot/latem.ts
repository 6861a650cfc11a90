/**
 * LatEm (Xian, Akata, Sharma, Nguyen, Hein and Schiele, "Latent embeddings for zero-shot classification", CVPR 2016):
 * several bilinear maps, the best of which scores a pair, F(x, s) = max_i x'V_i s; hinge max(0, 1 + F(x, s_c) − F(x, s_y))
 * on random wrong categories c, each side moving only the map it chose; maps that too few pictures choose are pruned
 * while learning. Ours draws several wrong categories for each picture of a mini-batch, which leaves the expected step as
 * it is and spares epochs. As V_i = U_i'S (see ranking.ts), maps are held as U_i.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { Random } from '../../linalg/index.js';
import {
  directions,
  type LinearModel,
  linearDecisions,
  miniBatches,
  type Scratch,
  uncentred,
  usualBatchSize,
  withScratch,
} from '../../numerics/index.js';
import { log, number, type OptionsOf, oneOf, resolveParameters, whole } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import { type FitOptions, type Method, notFitted, rowMaxima } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { type AuxiliaryData, gatherAuxiliary } from './auxiliary.js';
import { bilinearModel } from './ranking.js';

const parameters = {
  maps: whole('maps to begin with', 4, { range: oneOf([2, 4, 6]) }),
  learningRate: number('first step', 150, { above: 0, range: log(50, 500) }),
  leastShare: number('share of the pictures that must choose a map for it to stay', 0.3, {
    least: 0,
    range: log(0.1, 0.5),
  }),
  spread: number('size of the random maps that learning starts from', 0.3, { above: 0, range: log(0.03, 1) }),
  epochs: whole('passes over the auxiliary pictures', 10),
  wrongCategories: whole('wrong categories drawn for a picture in each epoch', 16),
};

export class Latem implements Method {
  readonly options: OptionsOf<typeof parameters>;
  readonly seed: number;
  /** One linear model for each map that was left. */
  models_: LinearModel[] = [];
  #backend: Backend | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    this.options = resolveParameters('latem', parameters, given);
    this.seed = seed;
  }

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    this.models_ = [];
    await withScratch(options.backend, async (scratch) => {
      const data = gatherAuxiliary(scratch, problem, 'latem');
      const { learnt, candidates } = directions(data.classVectors, data.candidates);
      const maps = await this.#descend(scratch, data, learnt, options);
      this.models_ = maps.map((u) => uncentred(bilinearModel(u, learnt, candidates, options), data.mean));
    });
    this.#backend = options.backend;
    return this;
  }

  async #descend(
    scratch: Scratch,
    { features, labels }: AuxiliaryData,
    learnt: Matrix<Float64Array>,
    options: FitOptions,
  ): Promise<Matrix<Float64Array>[]> {
    const { backend } = options;
    const [n, d, categories] = [features.rows, features.cols, learnt.rows];
    const similarities = scratch.matrix(categories, categories);
    backend.syrk(similarities, learnt);
    const random = new Random(this.seed);
    let maps = Array.from({ length: this.options.maps }, (_, i) => {
      const u = scratch.matrix(categories, d);
      const noise = random.fork(i).normalArray(categories * d);
      for (let k = 0; k < noise.length; k++) u.data[k] = (noise[k] * this.options.spread) / Math.sqrt(categories);
      return u;
    });

    const size = usualBatchSize(n);
    const batch = scratch.matrix(size, d);
    const projected = scratch.matrix(size, categories);
    const scores = maps.map(() => scratch.matrix(size, categories));
    const slopes = maps.map(() => scratch.matrix(size, categories));
    const draws = random.fork(this.options.maps);
    let chosen = new Float64Array(maps.length);
    for await (const { rows, step, epoch, last } of miniBatches(n, random, {
      ...options,
      epochs: this.options.epochs,
    })) {
      rows.forEach((row, k) => {
        batch.row(k).set(features.row(row));
      });
      const x = batch.view(0, rows.length);
      const z = projected.view(0, rows.length);
      const [s, e] = [scores, slopes].map((list) => list.map((matrix) => matrix.view(0, rows.length)));
      maps.forEach((u, i) => {
        backend.gemm(z, x, u, { transposeB: true });
        backend.gemm(s[i], z, similarities);
        e[i].fill(0);
      });
      rows.forEach((row, k) => {
        const wrong = Array.from(
          { length: this.options.wrongCategories },
          () => (labels[row] + 1 + draws.integer(categories - 1)) % categories,
        );
        const rowSlopes = maps.map((_, i) => e[i].row(k));
        const rowScores = maps.map((_, i) => s[i].row(k));
        latentHinge(rowSlopes, rowScores, labels[row], wrong);
        chosen[bestMap(rowScores, labels[row])]++;
      });
      const alpha = (-this.options.learningRate * step) / rows.length;
      maps.forEach((u, i) => {
        backend.gemm(u, e[i], x, { transposeA: true, alpha, beta: 1 });
      });
      if (!last) continue;
      // Maps need a while to take sides; after the first half the ones that are left should be learnt out.
      const prunes = epoch > 0 && epoch % 2 === 1 && epoch < this.options.epochs / 2;
      if (prunes) maps = survivors(maps, chosen, this.options.leastShare * n);
      chosen = new Float64Array(maps.length);
    }
    return maps;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.#backend || this.models_.length === 0) throw notFitted();
    const [first, ...others] = this.models_.map((model) => linearDecisions(this.#backend!, model, features));
    for (const other of others)
      for (let k = 0; k < first.data.length; k++) first.data[k] = Math.max(first.data[k], other.data[k]);
    return first;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

/**
 * The mean over `wrong` of max(0, 1 + F(x, s_c) − F(x, s_y)) and its derivative by the scores of every map (added to
 * `slopes`), each a row over the categories.
 */
export function latentHinge(slopes: Float64Array[], scores: Float64Array[], label: number, wrong: number[]): number {
  const own = bestMap(scores, label);
  let loss = 0;
  for (const category of wrong) {
    const other = bestMap(scores, category);
    const violation = 1 + scores[other][category] - scores[own][label];
    if (violation <= 0) continue;
    loss += violation / wrong.length;
    slopes[other][category] += 1 / wrong.length;
    slopes[own][label] -= 1 / wrong.length;
  }
  return loss;
}

function bestMap(scores: readonly Float64Array[], category: number): number {
  let best = 0;
  for (let i = 1; i < scores.length; i++) if (scores[i][category] > scores[best][category]) best = i;
  return best;
}

/** Maps that at least `least` pictures chose for their own category; the most chosen one always stays. */
function survivors<T>(maps: T[], chosen: Float64Array, least: number): T[] {
  const most = Math.max(...chosen);
  return maps.filter((_, i) => chosen[i] >= Math.min(least, most));
}

export const latemSpec: MethodSpec<typeof parameters> = {
  name: 'latem',
  title: 'LatEm',
  citation: 'Xian, Akata, Sharma, Nguyen, Hein and Schiele, Latent embeddings for zero-shot classification, CVPR 2016',
  uses: ['auxiliary', 'semantics'],
  setting: 'both',
  parameters,
  create: (options, seed) => new Latem(options, seed),
};
