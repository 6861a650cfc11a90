/**
 * Zhang and Saligrama, "Zero-shot recognition via structured prediction", ECCV 2016: a latent similarity f(x, s) between
 * pictures and categories is learnt from auxiliary pictures (latent-similarity.ts), then adapted to the test pictures as
 * a whole. With z the picture's place in the latent space, whitened by the spread of auxiliary pictures around their
 * category, the test categories' places θ_c and labels are the maximum a posteriori of a Gaussian model,
 * max over θ, σ² of Σᵢ log Σ_c exp(weight · f(xᵢ, s_c)) N(zᵢ; θ_c, σ²I) + Σ_c log N(θ_c; μ_c, σ²/strength I),
 * μ_c the place that a ridge regression from auxiliary categories foretells (em.ts). The structure of the test pictures
 * enters through its start: they are clustered, and clusters are matched with categories one to one. As in the authors'
 * embedding, a test category is described on the source side by the mixture of auxiliary categories nearest to its vector,
 * min over π ≥ 0, Σπ = 1 of ‖s_c − Σ_y π_y s_y‖² (mixtures.ts): its embedding and its place are the mixtures of theirs. What
 * differs from the original: one joint similarity without the dictionary of the target side; places are regressed with
 * a ridge where `source` is linear, which a search may choose.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix, Random } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import {
  assignWithinCapacity,
  fitMixture,
  jointDensities,
  kMeans,
  labelSums,
  labelTargets,
  type Mixture,
  ridgeRegression,
  times,
  timesTransposed,
} from '../../numerics/index.js';
import { choice, integers, log, number, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { pictureProducts } from '../zero-shot/auxiliary.js';
import { spanCoordinates } from '../zero-shot/span-coordinates.js';
import { type LatentSimilarity, learnSimilarity } from './latent-similarity.js';
import { mixtures } from './mixtures.js';
import { type TransductiveAnswer, type TransductiveData, TransductiveMethod } from './transductive-method.js';

const parameters = {
  dimensions: whole('dimensions of the latent space', 60, { range: integers(20, 100) }),
  decay: number('penalty on the squared embeddings', 2e-3, { above: 0, range: log(3e-4, 1e-2) }),
  balance: number('weight of categories that do not match', 10, { above: 0, range: log(1, 100) }),
  weight: number('weight of the similarity against the place in the latent space', 3, {
    least: 0,
    range: log(0.3, 30),
  }),
  strength: number('pictures that a foretold place counts for', 10, { above: 0, range: log(1, 100) }),
  ridge: number('penalty of the regression that foretells places, where the source is linear', 0.5, {
    above: 0,
    range: log(0.05, 5),
  }),
  source: choice('how a test category is described by auxiliary ones', 'mixture', ['mixture', 'linear'], 'searched'),
  iterations: whole('steps of the search for the embedding', 15),
};

export class ZhangSaligrama extends TransductiveMethod<typeof parameters> {
  readonly seed: number;
  similarity_: LatentSimilarity | undefined;
  /** Places of the test categories in the whitened latent space, and the spread around them. */
  mixture_: Mixture | undefined;
  /** π, Ct×Ca, where test categories are mixtures. */
  mixtures_: Matrix<Float64Array> | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}, seed = 1) {
    super('zhang-saligrama', parameters, given);
    this.seed = seed;
  }

  protected override async learn(
    data: TransductiveData,
    scratch: Scratch,
    { backend, signal, onProgress }: FitOptions,
  ): Promise<TransductiveAnswer> {
    this.similarity_ = undefined;
    this.mixture_ = undefined;
    // Nothing can be learnt of directions in which auxiliary categories do not differ.
    const { learnt, others } = spanCoordinates(backend, data.learnt, data.candidates);
    const shares = this.options.source === 'mixture' ? mixtures(backend, others, learnt) : undefined;
    const candidates = shares ? times(backend, shares, learnt) : others;
    this.mixtures_ = shares;
    const similarity = await learnSimilarity(backend, scratch, data.features, data.labels, scratch.copy(learnt), {
      dimensions: this.options.dimensions,
      decay: this.options.decay,
      balance: this.options.balance,
      iterations: this.options.iterations,
      products: pictureProducts(scratch, data, 1 / data.features.rows),
      signal,
      onIteration: (done) => onProgress?.({ done }),
    });
    const whitened = whitenedLatent(backend, data, similarity.visual);
    const embedded = Matrix.zeros(candidates.rows, similarity.semantic.rows);
    backend.gemm(embedded, candidates, similarity.semantic, { transposeB: true, alpha: this.options.weight });
    /** weight · f(x, s_c), and z. */
    const look = (pictures: Matrix<Float64Array>, here: Backend) => {
      const latent = timesTransposed(here, pictures, similarity.visual);
      return {
        evidence: timesTransposed(here, latent, embedded),
        points: timesTransposed(here, pictures, whitened.visual),
      };
    };
    const means = shares
      ? times(backend, shares, whitened.categoryMeans)
      : foretold(backend, learnt, whitened.categoryMeans, candidates, this.options.ridge);
    const prior = { means, strength: this.options.strength };

    const { evidence, points } = look(data.test, backend);
    const clusters = kMeans(backend, points, candidates.rows, new Random(this.seed), { starts: 5, signal });
    const likelihood = jointDensities(backend, { means: prior.means, variance: 1 }, points, evidence);
    const start = matchedLabels(clusters.assignments, clusters.centres.rows, likelihood);
    const mixture = await fitMixture(backend, points, evidence, prior, labelTargets(start, candidates.rows), {
      signal,
    });
    this.similarity_ = similarity;
    this.mixture_ = mixture;
    return {
      testValues: jointDensities(backend, mixture, points, evidence),
      score: (pictures, here) => {
        const seen = look(pictures, here);
        return jointDensities(here, mixture, seen.points, seen.evidence);
      },
    };
  }
}

/** Places of categories by ridge regression from the vectors of the auxiliary ones. */
function foretold(
  backend: Backend,
  learnt: Matrix<Float64Array>,
  places: Matrix<Float64Array>,
  candidates: Matrix<Float64Array>,
  ridge: number,
): Matrix<Float64Array> {
  const { weights, intercepts } = ridgeRegression(backend, learnt, places, { ridge });
  const means = timesTransposed(backend, candidates, weights);
  for (let c = 0; c < means.rows; c++) {
    const row = means.row(c);
    for (let k = 0; k < row.length; k++) row[k] += intercepts[k];
  }
  return means;
}

/** Each cluster gets a category of its own so that its pictures are, in sum, most likely; the category of every picture. */
export function matchedLabels(clusters: Int32Array, count: number, likelihood: Matrix<Float64Array>): Int32Array {
  const costs = Matrix.zeros(count, likelihood.cols);
  clusters.forEach((cluster, i) => {
    const [sum, row] = [costs.row(cluster), likelihood.row(i)];
    for (let c = 0; c < row.length; c++) sum[c] -= row[c];
  });
  // A row's least cost is what no matching can avoid; without it costs are on one scale.
  for (let k = 0; k < count; k++) {
    const row = costs.row(k);
    const least = row.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
    for (let c = 0; c < row.length; c++) row[c] -= least;
  }
  const matched = assignWithinCapacity(costs, { most: 1 });
  return clusters.map((cluster) => matched[cluster]);
}

/** Map to the latent space in which auxiliary pictures spread alike in all directions around their category. */
function whitenedLatent(
  backend: Backend,
  { features, labels, counts }: TransductiveData,
  visual: Matrix<Float64Array>,
): { visual: Matrix<Float64Array>; categoryMeans: Matrix<Float64Array> } {
  const r = visual.rows;
  const latent = timesTransposed(backend, features, visual);
  const means = labelSums(backend, latent, labels, counts.length);
  for (let c = 0; c < counts.length; c++) {
    const row = means.row(c);
    for (let k = 0; k < r; k++) row[k] /= counts[c];
  }
  for (let i = 0; i < latent.rows; i++) {
    const [row, mean] = [latent.row(i), means.row(labels[i])];
    for (let k = 0; k < r; k++) row[k] -= mean[k];
  }
  const spread = Matrix.zeros(r, r);
  backend.syrk(spread, latent, { transpose: true, alpha: 1 / latent.rows });
  const values = new Float64Array(r);
  backend.eigh(values, spread);
  // The least spread is kept above a hundredth of the mean, so that rounding does not become a direction of its own.
  // Where no category has two different pictures there is no spread to go by.
  const floor = values.reduce((sum, value) => sum + value, 0) / (100 * r);
  if (!(floor > 1e-12 * backend.dot(means, means))) return { visual, categoryMeans: means };
  for (let k = 0; k < r; k++) {
    const row = spread.row(k);
    const factor = 1 / Math.sqrt(Math.max(values[k], floor));
    for (let j = 0; j < r; j++) row[j] *= factor;
  }
  const map = Matrix.zeros(r, visual.cols);
  backend.gemm(map, spread, visual);
  return { visual: map, categoryMeans: timesTransposed(backend, means, spread) };
}

export const zhangSaligramaSpec: MethodSpec<typeof parameters> = {
  name: 'zhang-saligrama',
  title: 'Zhang-Saligrama',
  citation: 'Zhang and Saligrama, Zero-shot recognition via structured prediction, ECCV 2016',
  uses: ['auxiliary', 'test', 'semantics'],
  setting: 'standard',
  parameters,
  create: (options, seed) => new ZhangSaligrama(options, seed),
};
