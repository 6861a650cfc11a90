/**
 * NEIL (Chen, Shrivastava and Gupta, "NEIL: extracting visual knowledge from web data", ICCV 2013), the multi-instance
 * view of web pictures: a category's pictures fall into visual sub-categories, some of which are noise. In every round the
 * pictures of each category that are still trusted are clustered; every cluster k trains an LDA detector
 * w_k = (Σ + shrinkage)⁻¹ (μ_k − μ) (Hariharan, Malik and Ramanan 2012, as in NEIL); clusters whose detector does not fire
 * on the rest of their category more than on other categories are dropped; the remaining detectors re-rank all
 * pictures of their category, each scored by the best detector trained without it, and the top ones are trusted in the next
 * round. The trusted pictures of the last round train a linear regressor, as for `lr`.
 * What is left out, and why: NEIL mines relations between its objects, scenes and attributes ("a car has wheels", "X looks
 * like Y") from where detectors fire together in scenes with several objects, and re-ranks detections by them; here every picture
 * is one vector for one category, nothing fires together, and of its relations only "looks like" could be had. It
 * localizes objects with boxes and grows its data by ever new searches; there are neither boxes nor searches here. The
 * paper that this table follows names NEIL for its multi-instance learning alone.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { Random } from '../../linalg/index.js';
import {
  centred,
  columnMeans,
  kMeans,
  type LinearModel,
  labelTargets,
  ridgeRegression,
  type Scratch,
  withScratch,
} from '../../numerics/index.js';
import { changed, integers, linear, log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import type { FitOptions, Problem } from '../../problem/index.js';
import { rowsByCategory, selectIntegers, selectRows } from '../../problem/index.js';
import { LinearMethod } from '../blocks/linear-method.js';
import { ridgeParameter } from '../blocks/ridge-parameter.js';
import { requireWeb } from '../blocks/web-problem.js';
import type { MethodSpec } from '../spec.js';

const parameters = {
  clusters: whole('visual sub-categories per category', 10, { range: integers(2, 14) }),
  keptClusters: number('share of clusters that survive a round', 0.7, { above: 0, most: 1, range: linear(0.3, 1) }),
  keptPictures: number('share of pictures trusted after re-ranking', 0.8, { above: 0, most: 1, range: linear(0.4, 1) }),
  rounds: whole('rounds of clustering, training and re-ranking', 2, { range: integers(1, 4) }),
  shrinkage: number('share of the mean variance added to the covariance of the detectors', 3, {
    above: 0,
    range: log(0.03, 30),
  }),
  ridge: changed(ridgeParameter, { description: 'penalty on the squared weights of the regressor' }),
};

export class Neil extends LinearMethod {
  readonly options: OptionsOf<typeof parameters>;
  readonly seed: number;
  /** Rows of the web pictures that were trusted in the end, ascending. */
  trusted_: Int32Array | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    super();
    this.options = resolveParameters('neil', parameters, given);
    this.seed = seed;
  }

  protected override async learn(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<LinearModel> {
    requireWeb(problem, 'neil');
    const { webFeatures, webLabels, testNames } = problem;
    const categories = rowsByCategory(webLabels, testNames.length);
    await withScratch(backend, async (scratch) => {
      const detectors = new Detectors(backend, scratch, webFeatures, this.options.shrinkage);
      let trusted = categories;
      for (let round = 0; round < this.options.rounds; round++) {
        signal?.throwIfAborted();
        trusted = this.#round(detectors, categories, trusted, new Random(this.seed, round), signal);
        onProgress?.({ done: round + 1, total: this.options.rounds });
      }
      this.trusted_ = Int32Array.from(trusted.flat()).sort();
    });
    const rows = this.trusted_!;
    const targets = labelTargets(selectIntegers(webLabels, rows), testNames.length);
    return ridgeRegression(backend, selectRows(webFeatures, rows), targets, { ridge: this.options.ridge });
  }

  #round(
    detectors: Detectors,
    categories: readonly number[][],
    trusted: readonly number[][],
    random: Random,
    signal: AbortSignal | undefined,
  ): number[][] {
    const clusters = trusted.map((rows) => {
      // Every category draws the same numbers, so that their order does not matter.
      const clustering = detectors.cluster(rows, this.options.clusters, Random.restore(random.state), signal);
      return rowsByCategory(clustering, Math.max(...clustering) + 1).map((members) => members.map((i) => rows[i]));
    });
    const scores = detectors.train(clusters.flat());
    let first = 0;
    return clusters.map((own, c) => {
      const numbers = own.map((_, k) => first + k);
      first += own.length;
      const strengths = own.map((members, k) => strength(scores, numbers[k], members, categories[c]));
      const kept = best(strengths, Math.max(1, Math.round(this.options.keptClusters * own.length)));
      const ranks = categories[c].map((row) => {
        const others = kept.filter((k) => !own[k].includes(row));
        return Math.max(...(others.length > 0 ? others : kept).map((k) => scores.at(row, numbers[k])));
      });
      const count = Math.max(1, Math.round(this.options.keptPictures * ranks.length));
      return best(ranks, count).map((i) => categories[c][i]);
    });
  }
}

/** LDA detectors over one set of pictures; the covariance is factored once. */
class Detectors {
  readonly #backend: Backend;
  readonly #scratch: Scratch;
  readonly #features: Matrix<Float64Array>;
  readonly #factor: Matrix<Float64Array>;

  constructor(backend: Backend, scratch: Scratch, features: Matrix, shrinkage: number) {
    this.#backend = backend;
    this.#scratch = scratch;
    this.#features = scratch.copy(centred(features, columnMeans(features)));
    const d = features.cols;
    this.#factor = scratch.matrix(d, d);
    backend.syrk(this.#factor, this.#features, { transpose: true, alpha: 1 / features.rows });
    let trace = 0;
    for (let j = 0; j < d; j++) trace += this.#factor.at(j, j);
    backend.addDiagonal(this.#factor, (shrinkage * trace) / d + Number.MIN_VALUE);
    backend.cholesky(this.#factor);
  }

  cluster(rows: readonly number[], clusters: number, random: Random, signal?: AbortSignal): Int32Array {
    return kMeans(this.#backend, selectRows(this.#features, rows), clusters, random, { signal }).assignments;
  }

  /** n×K: what the detector of each cluster says of each picture. */
  train(clusters: readonly (readonly number[])[]): Matrix<Float64Array> {
    const detectors = this.#scratch.matrix(clusters.length, this.#features.cols);
    clusters.forEach((members, k) => {
      detectors.row(k).set(columnMeans(selectRows(this.#features, members)));
    });
    this.#backend.choleskySolve(this.#factor, detectors, 'rows');
    const scores = this.#scratch.matrix(this.#features.rows, clusters.length);
    this.#backend.gemm(scores, this.#features, detectors, { transposeB: true });
    return scores.copy('float64');
  }
}

/** How far the detector's mean on the category's other pictures lies above its mean elsewhere, in deviations. */
function strength(scores: Matrix, detector: number, members: readonly number[], category: readonly number[]): number {
  const inside = new Set(members);
  const own = new Set(category);
  let [ownSum, ownCount, sum, squares, count] = [0, 0, 0, 0, 0];
  for (let i = 0; i < scores.rows; i++) {
    const value = scores.at(i, detector);
    if (own.has(i)) {
      if (inside.has(i)) continue;
      ownSum += value;
      ownCount++;
    } else {
      sum += value;
      squares += value * value;
      count++;
    }
  }
  if (ownCount === 0 || count === 0) return 0;
  const deviation = Math.sqrt(Math.max(squares / count - (sum / count) ** 2, Number.MIN_VALUE));
  return (ownSum / ownCount - sum / count) / deviation;
}

/** Places of the `count` largest values. */
function best(values: readonly number[], count: number): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[b] - values[a] || a - b);
  return order.slice(0, count);
}

export const neilSpec: MethodSpec<typeof parameters> = {
  name: 'neil',
  title: 'NEIL',
  citation: 'Chen, Shrivastava and Gupta, NEIL: extracting visual knowledge from web data, ICCV 2013',
  uses: ['web'],
  setting: 'standard',
  parameters,
  create: (options, seed) => new Neil(options, seed),
};
