/**
 * Shojaee and Baghshah, "Semi-supervised zero-shot learning by a clustering-based approach", 2016: one linear map D takes
 * category vectors to the middle of their pictures, for auxiliary categories by their labels and for test categories by
 * a clustering that is learnt with it,
 * min over D and labels r of Σ_aux ‖x − D s_y‖² + balance Σ_test ‖x − D s_r‖² + decay ‖D‖².
 * Alternates: r is the nearest D s, D a ridge regression in which each category counts for its pictures. Both steps are
 * exact, so the objective never rises. Starts from D of the auxiliary pictures alone. Added here: the weight of the test
 * pictures grows to its full value, so that first mistakes count for little. Category vectors carry a constant, the intercept of D.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import { categoryMap, labelCounts, labelSums, squaredDistances, times } from '../../numerics/index.js';
import { log, number, type OptionsOf, whole } from '../../parameters.js';
import { type FitOptions, rowMaxima, stackRows } from '../../problem/index.js';
import type { MethodSpec } from '../spec.js';
import { type TransductiveAnswer, type TransductiveData, TransductiveMethod } from './transductive-method.js';

const parameters = {
  balance: number('weight of test pictures against auxiliary ones', 5, { least: 0, range: log(0.3, 30) }),
  decay: number('penalty on the map from category vectors to pictures', 10, { above: 0, range: log(1, 100) }),
  maxIterations: whole('most turns at one weight of the test pictures', 50),
};

/** Shares of the full balance, in the order they are reached. */
const growth = [0, 0.1, 0.3, 1];

export class Shojaee extends TransductiveMethod<typeof parameters> {
  /** D s of every test category, in the order of the vectors' content. */
  prototypes_: Matrix<Float64Array> | undefined;
  /** D', (m + 1)×d. */
  map_: Matrix<Float64Array> | undefined;
  /** The objective after every step at the full balance. */
  objectives_: number[] | undefined;

  constructor(given: Partial<OptionsOf<typeof parameters>> = {}) {
    super('shojaee', parameters, given);
  }

  protected override async learn(
    data: TransductiveData,
    _scratch: Scratch,
    { backend, signal, onProgress }: FitOptions,
  ): Promise<TransductiveAnswer> {
    const [auxiliary, candidates] = [withConstant(data.learnt), withConstant(data.candidates)];
    const vectors = stackRows(auxiliary, candidates).copy('float64');
    const auxiliarySums = sumsByLabel(backend, data, auxiliary.rows);
    const objectives: number[] = [];
    let labels = new Int32Array(data.test.rows);
    let map = Matrix.zeros(0, 0);
    let distances = Matrix.zeros(0, 0);
    let prototypes = Matrix.zeros(0, 0);
    for (const share of growth) {
      const balance = share * this.options.balance;
      for (let iteration = 0; iteration < this.options.maxIterations; iteration++) {
        signal?.throwIfAborted();
        const counts = labelCounts(labels, candidates.rows);
        const masses = Float64Array.from([...data.counts, ...counts.map((count) => balance * count)]);
        const testSums = labelSums(backend, data.test, labels, candidates.rows);
        backend.axpby(testSums, 0, testSums, balance);
        map = categoryMap(backend, vectors, masses, stackRows(auxiliarySums, testSums), this.options.decay);
        prototypes = times(backend, candidates, map);
        distances = squaredDistances(backend, data.test, prototypes);
        const next = nearest(distances);
        const changed = next.some((label, i) => label !== labels[i]);
        labels = next;
        if (share === 1) {
          const fit = auxiliaryError(backend, data, times(backend, auxiliary, map));
          objectives.push(fit + balance * labelledSum(distances, labels) + this.options.decay * backend.dot(map, map));
        }
        if (!changed || share === 0) break;
        await yieldToEventLoop();
      }
      onProgress?.({ done: growth.indexOf(share) + 1, total: growth.length });
      await yieldToEventLoop();
    }
    this.map_ = map;
    this.prototypes_ = prototypes;
    this.objectives_ = objectives;
    const places = prototypes;
    return {
      testValues: negated(distances),
      score: (pictures, here) => negated(squaredDistances(here, pictures, places)),
    };
  }
}

function auxiliaryError(backend: Backend, data: TransductiveData, prototypes: Matrix<Float64Array>): number {
  const sums = sumsByLabel(backend, data, prototypes.rows);
  const squares = data.prepared('sum of squares', [], () => backend.dot(data.features, data.features));
  let error = squares - 2 * backend.dot(sums, prototypes);
  for (let c = 0; c < prototypes.rows; c++)
    for (const value of prototypes.row(c)) error += data.counts[c] * value * value;
  return error;
}

function sumsByLabel(backend: Backend, { features, labels, prepared }: TransductiveData, categories: number) {
  return prepared('sums by label', [], () => labelSums(backend, features, labels, categories));
}

function labelledSum(values: Matrix<Float64Array>, labels: Int32Array): number {
  return labels.reduce((sum, label, i) => sum + values.at(i, label), 0);
}

function nearest(distances: Matrix<Float64Array>): Int32Array<ArrayBuffer> {
  return new Int32Array(rowMaxima(negated(distances)));
}

function negated(matrix: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = matrix.copy('float64');
  for (let k = 0; k < result.data.length; k++) result.data[k] = -result.data[k];
  return result;
}

/** Category vectors with a one behind them. */
function withConstant(vectors: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = Matrix.zeros(vectors.rows, vectors.cols + 1).fill(1);
  result.view(0, vectors.rows, 0, vectors.cols).copyFrom(vectors);
  return result;
}

export const shojaeeSpec: MethodSpec<typeof parameters> = {
  name: 'shojaee',
  title: 'Shojaee and Baghshah',
  citation: 'Shojaee and Baghshah, Semi-supervised zero-shot learning by a clustering-based approach, 2016',
  uses: ['auxiliary', 'test', 'semantics'],
  setting: 'standard',
  parameters,
  create: (options) => new Shojaee(options),
};
