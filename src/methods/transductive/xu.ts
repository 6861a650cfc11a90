/**
 * Xu, Hospedales and Gong, "Transductive zero-shot action recognition by word-vector embedding", IJCV 2017: a
 * regression from pictures to category vectors that is smooth over the manifold of labelled and unlabelled pictures,
 * min over W of Σ_aux ‖W x − s_y‖² + decay ‖W‖² + smoothness Σ_edges weight ‖W xᵢ − W xⱼ‖²,
 * solved in closed form; self-training, which moves the vector of a test category to the mean of the `neighbours` test
 * pictures projected nearest to it; and a correction of hubs, vectors that are near to everything: distances are divided
 * by their mean over the test pictures ("normalised"), or a category ranks the test pictures by distance and a picture
 * takes the category in whose list it stands first ("ranked", the paper's global correction). The graph joins every
 * picture, labelled or not, with its nearest ones. What differs from the original: the regression is linear in CNN features,
 * where the original has a kernel over encoded descriptors of videos; and its further step, more training videos from other
 * data sets, has no counterpart here.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import {
  labelSums,
  laplacianForm,
  neighbourGraph,
  smallest,
  squaredDistances,
  timesTransposed,
  unitRows,
} from '../../numerics/index.js';
import { choice, integers, log, number, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { pictureProducts } from '../zero-shot/auxiliary.js';
import { type TransductiveAnswer, type TransductiveData, TransductiveMethod } from './transductive-method.js';

const hubnesses = ['none', 'normalised', 'ranked'] as const;
type Hubness = (typeof hubnesses)[number];

const parameters = {
  decay: number('penalty on the regression', 1, { above: 0, range: log(0.1, 30) }),
  smoothness: number('weight of neighbours being projected alike', 0.1, { least: 0, range: log(1e-3, 1) }),
  edges: whole('neighbours of a picture in the graph', 5),
  neighbours: whole('pictures that a category vector moves to', 30, { range: integers(5, 100) }),
  rounds: whole('rounds of self-training', 1, { least: 0, range: integers(0, 3) }),
  hubness: choice('correction of hubs', 'normalised', hubnesses, 'searched'),
};

export class Xu extends TransductiveMethod<typeof parameters> {
  /** W, m×d. */
  regression_: Matrix<Float64Array> | undefined;
  /** Vectors of the test categories after self-training, in the order of their content. */
  prototypes_: Matrix<Float64Array> | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('xu', parameters, given);
  }

  protected override async learn(
    data: TransductiveData,
    scratch: Scratch,
    { backend, signal, onProgress }: FitOptions,
  ): Promise<TransductiveAnswer> {
    const regression = this.#regress(data, scratch, backend, signal);
    onProgress?.({ done: 1, total: 2 });
    const project = (pictures: Matrix<Float64Array>, here: Backend) =>
      unitRows(timesTransposed(here, pictures, regression));
    const projected = project(data.test, backend);
    let prototypes = data.candidates;
    for (let round = 0; round < this.options.rounds; round++) {
      signal?.throwIfAborted();
      prototypes = selfTrained(backend, prototypes, projected, this.options.neighbours);
    }
    const distances = squaredDistances(backend, projected, prototypes);
    const correct = hubCorrection(distances, this.options.hubness);
    this.regression_ = regression;
    this.prototypes_ = prototypes;
    const places = prototypes;
    return {
      testValues: correct(distances),
      score: (pictures, here) => correct(squaredDistances(here, project(pictures, here), places)),
    };
  }

  /** W = (X'X + decay I + smoothness X'LX)⁻¹ X'S, transposed; X'S needs the sums of each category only. */
  #regress(
    data: TransductiveData,
    scratch: Scratch,
    backend: Backend,
    signal: AbortSignal | undefined,
  ): Matrix<Float64Array> {
    const { features, labels, test, learnt, prepared, shared } = data;
    const [na, nt, d] = [features.rows, test.rows, features.cols];
    const system = scratch.copy(pictureProducts(scratch, data));
    if (this.options.smoothness > 0) {
      const { edges } = this.options;
      const form = shared('form of the graph', [edges], () => {
        const all = scratch.matrix(na + nt, d);
        all.view(0, na).copyFrom(features);
        all.view(na, na + nt).copyFrom(test);
        return laplacianForm(backend, neighbourGraph(backend, all, edges, { signal }), all);
      });
      backend.axpby(system, this.options.smoothness, form, 1);
    }
    backend.addDiagonal(system, this.options.decay);
    backend.cholesky(system);
    const regression = Matrix.zeros(learnt.cols, d);
    const sums = prepared('sums by label', [], () => labelSums(backend, features, labels, learnt.rows));
    backend.gemm(regression, learnt, sums, { transposeA: true });
    backend.choleskySolve(system, regression, 'rows');
    return regression;
  }
}

/** Every vector moves to the mean of the pictures nearest to it. */
export function selfTrained(
  backend: Backend,
  prototypes: Matrix<Float64Array>,
  projected: Matrix<Float64Array>,
  neighbours: number,
): Matrix<Float64Array> {
  const distances = squaredDistances(backend, prototypes, projected);
  const means = Matrix.zeros(prototypes.rows, prototypes.cols);
  for (let c = 0; c < prototypes.rows; c++) {
    const out = means.row(c);
    for (const i of smallest(distances.row(c), Math.min(neighbours, projected.rows))) {
      const row = projected.row(i);
      for (let j = 0; j < out.length; j++) out[j] += row[j];
    }
  }
  return unitRows(means);
}

/** From n×C distances to decision values, given those of the test pictures. */
export function hubCorrection(
  reference: Matrix<Float64Array>,
  hubness: Hubness,
): (distances: Matrix<Float64Array>) => Matrix<Float64Array> {
  const sorted = Array.from({ length: reference.cols }, (_, c) =>
    Float64Array.from({ length: reference.rows }, (_, i) => reference.at(i, c)).sort(),
  );
  const means = sorted.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  const largest = sorted.reduce((most, column) => Math.max(most, column[column.length - 1]), Number.MIN_VALUE);
  return (distances) => {
    const values = Matrix.zeros(distances.rows, distances.cols);
    for (let i = 0; i < distances.rows; i++) {
      const [row, out] = [distances.row(i), values.row(i)];
      for (let c = 0; c < row.length; c++) {
        if (hubness === 'none') out[c] = -row[c];
        else if (hubness === 'normalised') out[c] = -row[c] / (means[c] || 1);
        // Among equal ranks the distance decides.
        else out[c] = -countBelow(sorted[c], row[c]) - row[c] / (2 * largest + row[c]);
      }
    }
    return values;
  };
}

/** How many entries of an ascending list are below the value. */
function countBelow(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const xuSpec: MethodSpec<typeof parameters> = {
  name: 'xu',
  title: 'Xu, Hospedales and Gong',
  citation: 'Xu, Hospedales and Gong, Transductive zero-shot action recognition by word-vector embedding, IJCV 2017',
  uses: ['auxiliary', 'test', 'semantics'],
  setting: 'standard',
  parameters,
  create: (options) => new Xu(options),
};
