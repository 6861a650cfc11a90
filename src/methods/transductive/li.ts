/**
 * Li, Guo and Schuurmans, "Semi-supervised zero-shot classification with label representation learning", ICCV 2015:
 * max-margin classification of labelled auxiliary and unlabelled test pictures at once, with test labels and the embedding
 * of the categories among the unknowns,
 * min over W, M and test labels y of balance Σ_test ℓᵢ(y)/nt + Σ_aux ℓᵢ(yᵢ)/na + decay/2 ‖W‖² + drift/2 ‖M − M₀‖²,
 * ℓᵢ(y) = Σ_{c ≠ y} max(0, 1 + f_c − f_y)², f_c = x'W'm_c, over all categories, where each test category takes between
 * (1 − spread) and (1 + spread) of its even share of the test pictures. M₀ are the leading principal coordinates of the
 * category vectors. Alternates between W, M (L-BFGS on smooth convex problems, until the objective falls by less than a
 * ten-thousandth in a step) and y (an assignment problem, solved exactly), so the objective never rises; ends when no label
 * changes. The first W and y come from auxiliary pictures alone. What differs from the original: the hinge is squared, which
 * makes the problem smooth, and it is solved in W itself, where the original goes through the dual.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import { assignWithinCapacity, mainDirections, minimize, timesTransposed } from '../../numerics/index.js';
import { integers, linear, log, number, type OptionsOf, whole } from '../../parameters.js';
import type { FitOptions } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { LabelEmbedding, labelCosts } from './label-embedding.js';
import { type TransductiveAnswer, type TransductiveData, TransductiveMethod } from './transductive-method.js';

const parameters = {
  dimensions: whole('dimensions of the label embedding', 50, { range: integers(10, 150) }),
  decay: number('penalty on the map from pictures', 0.1, { above: 0, range: log(1e-2, 1) }),
  drift: number('closeness of the label embedding to the category vectors', 3, { above: 0, range: log(0.1, 100) }),
  balance: number('weight of test pictures against auxiliary ones', 1, { least: 0, range: log(0.03, 3) }),
  spread: number('how far categories may differ in size, as a share', 0.3, {
    above: 0,
    most: 1,
    range: linear(0.2, 1),
  }),
  rounds: whole('turns between map, embedding and labels at most', 15, { least: 0 }),
  iterations: whole('steps of a search for map or embedding at most', 60),
};

export class Li extends TransductiveMethod<typeof parameters> {
  /** W, r×d. */
  map_: Matrix<Float64Array> | undefined;
  /** M of the test categories, Ct×r, in the order of their vectors' content. */
  embedding_: Matrix<Float64Array> | undefined;
  /** The objective after every step: W, M and labels in turn, after the first labels. */
  objectives_: number[] | undefined;
  /** Whether the last turn changed no label. */
  converged_ = false;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('li', parameters, given);
  }

  protected override async learn(
    data: TransductiveData,
    scratch: Scratch,
    { backend, signal, onProgress }: FitOptions,
  ): Promise<TransductiveAnswer> {
    const { features, labels, test, learnt, candidates } = data;
    const [na, nt, choices] = [features.rows, test.rows, candidates.rows];
    const stacked = data.shared('test and auxiliary pictures', [], () => stackRows(test, features).copy('float64'));
    const pictures = backend.device === 'native' ? stacked : scratch.copy(stacked);
    const products = data.shared('products of test and auxiliary pictures', [], () => {
      const made = Matrix.zeros(pictures.cols, pictures.cols);
      backend.syrk(made, pictures, { transpose: true, alpha: 2 / pictures.rows });
      return made;
    });
    const given = stackRows(candidates, learnt).copy('float64');
    const axes = mainDirections(backend, given, this.options.dimensions).directions;
    const vectors = scratch.copy(timesTransposed(backend, given, axes));
    const state = new LabelEmbedding(backend, scratch, pictures, vectors, this.options);
    labels.forEach((label, i) => {
      state.labels[nt + i] = choices + label;
    });
    state.weights.fill(1 / na, nt);
    const steps = { signal, maxIterations: this.options.iterations, valueTolerance: 1e-4 };

    const learnMap = preconditionedMap(backend, scratch, products, state, this.options.decay);
    await learnMap(steps);
    onProgress?.({ done: 0, total: this.options.rounds });
    signal?.throwIfAborted();
    state.labels.set(this.#bestLabels(state.refreshScores().view(0, nt), choices));
    state.weights.fill(this.options.balance / nt, 0, nt);
    const objectives = [state.value()];
    this.converged_ = false;
    for (let round = 0; round < this.options.rounds && !this.converged_; round++) {
      await learnMap(steps);
      objectives.push(state.value());
      await learnEmbedding(backend, state, this.options.drift, steps);
      objectives.push(state.value());
      const next = this.#bestLabels(state.refreshScores().view(0, nt), choices);
      this.converged_ = next.every((label, i) => label === state.labels[i]);
      state.labels.set(next);
      objectives.push(state.value());
      onProgress?.({ done: round + 1, total: this.options.rounds });
    }
    const [map, embedding] = [state.map.copy('float64'), state.embedding.view(0, choices).copy('float64')];
    this.map_ = map;
    this.embedding_ = embedding;
    this.objectives_ = objectives;
    return {
      testValues: chosenFirst(state.refreshScores().view(0, nt, 0, choices), state.labels),
      score: (others, here) => timesTransposed(here, timesTransposed(here, others, map), embedding),
      linear: true,
    };
  }

  /** The labels of least total cost within the bounds of what a category takes. */
  #bestLabels(scores: Matrix<Float64Array>, choices: number): Int32Array {
    const costs = Matrix.zeros(scores.rows, choices);
    for (let i = 0; i < scores.rows; i++) costs.row(i).set(labelCosts(scores.row(i), choices));
    const even = scores.rows / choices;
    return assignWithinCapacity(costs, {
      least: Math.floor(even * (1 - this.options.spread)),
      most: Math.ceil(even * (1 + this.options.spread)),
    });
  }
}

interface Steps {
  maxIterations: number;
  valueTolerance: number;
  signal?: AbortSignal;
}

/** L-BFGS over W, whose curvature is about that of least squares: X'X with the weights of the start (`products`), plus decay. */
function preconditionedMap(
  backend: Backend,
  scratch: Scratch,
  products: Matrix<Float64Array>,
  state: LabelEmbedding,
  decay: number,
): (steps: Steps) => Promise<void> {
  const system = scratch.copy(products);
  backend.addDiagonal(system, decay);
  backend.cholesky(system);
  const rows = scratch.matrix(state.map.rows, state.map.cols);
  const point = new Float64Array(state.map.rows * state.map.cols);
  return async (steps) => {
    await minimize((at, gradient, bound) => state.differentiateMap(at, gradient, bound), point, {
      ...steps,
      precondition: (vector) => {
        rows.data.set(vector);
        backend.choleskySolve(system, rows, 'rows');
        vector.set(rows.data.subarray(0, vector.length));
      },
    });
    state.map.data.set(point);
  };
}

async function learnEmbedding(backend: Backend, state: LabelEmbedding, drift: number, steps: Steps): Promise<void> {
  const { embedding, latent } = state;
  const system = Matrix.zeros(latent.cols, latent.cols);
  backend.syrk(system, latent, { transpose: true, alpha: 2 / latent.rows });
  backend.addDiagonal(system, drift);
  backend.cholesky(system);
  const point = Float64Array.from(embedding.data.subarray(0, embedding.rows * embedding.cols));
  await minimize((at, gradient) => state.differentiateEmbedding(at, gradient), point, {
    ...steps,
    precondition: (vector) => backend.choleskySolve(system, new Matrix(vector, embedding.rows, embedding.cols), 'rows'),
  });
  embedding.data.set(point);
}

/** Scores in which the label of the fit, where it is not the highest, takes its place just above. */
function chosenFirst(scores: Matrix<Float64Array>, labels: Int32Array): Matrix<Float64Array> {
  const values = scores.copy('float64');
  for (let i = 0; i < values.rows; i++) {
    const row = values.row(i);
    const highest = row.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    if (row[labels[i]] < highest) row[labels[i]] = highest + 1e-9 * (1 + Math.abs(highest));
  }
  return values;
}

export const liSpec: MethodSpec<typeof parameters> = {
  name: 'li',
  title: 'Li, Guo and Schuurmans',
  citation:
    'Li, Guo and Schuurmans, Semi-supervised zero-shot classification with label representation learning, ICCV 2015',
  uses: ['auxiliary', 'test', 'semantics'],
  setting: 'standard',
  parameters,
  create: (options) => new Li(options),
};
