/**
 * What transductive zero-shot methods share: they learn from auxiliary pictures, category vectors and the unlabelled test
 * pictures together, answer those test pictures from the fit and others through what was learnt. Everything reaches them
 * in an order of content, so that permuted pictures and renumbered categories give the same answer to the last bit.
 */
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { centred, contentOrder, directions, type Scratch, withScratch } from '../../numerics/index.js';
import { type Declaration, type OptionsOf, resolveParameters } from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import {
  type FitOptions,
  type LinearDecision,
  type Method,
  notFitted,
  rowMaxima,
  sameRows,
  selectRows,
} from '../../problem/index.js';
import { readLinear } from '../blocks/linear-decision.js';
import { fingerprint, preparedNow } from '../blocks/preparation.js';
import { type AuxiliaryData, gatherAuxiliary } from '../zero-shot/auxiliary.js';

export interface TransductiveData {
  /** Auxiliary pictures less their mean, n×d; nobody may write to them. */
  readonly features: Matrix<Float64Array>;
  /** Into the rows of `learnt`. */
  readonly labels: Int32Array;
  /** Pictures of each auxiliary category. */
  readonly counts: Int32Array;
  /** Test pictures less the auxiliary mean, nt×d; nobody may write to them. */
  readonly test: Matrix<Float64Array>;
  /** Unit vectors of auxiliary categories, around the mean of their vectors. */
  readonly learnt: Matrix<Float64Array>;
  /** Unit vectors of the categories to choose from, around the same mean: auxiliary ones too in the generalized setting. */
  readonly candidates: Matrix<Float64Array>;
  readonly generalized: boolean;
  /** What depends on the auxiliary pictures and their labels alone. */
  readonly prepared: AuxiliaryData['prepared'];
  /** What depends on auxiliary and test pictures, made once for all fits to the same ones: the trials of a search. */
  shared<T>(name: string, parameters: readonly (number | string)[], make: () => T): T;
}

interface OrderedTest {
  /** The row of the problem in each place. */
  readonly order: Int32Array;
  readonly pictures: Matrix<Float64Array>;
}

/** Decision values of pictures less the auxiliary mean. */
export type Scorer = (pictures: Matrix<Float64Array>, backend: Backend) => Matrix<Float64Array>;

export interface TransductiveAnswer {
  /** Of the test pictures, in the order of the data. */
  readonly testValues: Matrix<Float64Array>;
  /** For other pictures. */
  readonly score: Scorer;
  /** `score` is linear in the pictures. */
  readonly linear?: boolean;
}

export abstract class TransductiveMethod<Parameters extends Declaration> implements Method {
  readonly name: string;
  readonly options: OptionsOf<Parameters>;
  /** Decision values of the test pictures of the fit. */
  testValues_: Matrix<Float64Array> | undefined;
  /** Whether it can tell auxiliary categories too. */
  protected readonly generalizes: boolean = false;
  #testFeatures: Matrix | undefined;
  #score: ((features: Matrix) => Matrix<Float64Array>) | undefined;
  #linear = false;

  constructor(name: string, parameters: Parameters, given: Partial<OptionsOf<Parameters>>) {
    this.name = name;
    this.options = resolveParameters(name, parameters, given);
  }

  /** What is returned must not live in the scratch. */
  protected abstract learn(data: TransductiveData, scratch: Scratch, options: FitOptions): Promise<TransductiveAnswer>;

  async fit(problem: Problem, options: FitOptions): Promise<this> {
    options.signal?.throwIfAborted();
    this.testValues_ = undefined;
    this.#score = undefined;
    if (!this.generalizes) requireStandard(problem, this.name);
    const { backend } = options;
    await withScratch(backend, async (scratch) => {
      const auxiliary = gatherAuxiliary(scratch, problem, this.name);
      const categories = contentOrder(auxiliary.candidates);
      const own = auxiliary.prepared('mean picture', [], () => new Matrix(auxiliary.mean, 1, auxiliary.mean.length));
      const { order: pictures, pictures: ordered } = preparedNow(
        'test pictures in order',
        backend,
        [problem.testFeatures, own],
        [],
        (): OrderedTest => {
          const order = contentOrder(problem.testFeatures);
          return { order, pictures: centred(selectRows(problem.testFeatures, order), auxiliary.mean) };
        },
      );
      const test = backend.device === 'native' ? ordered : scratch.copy(ordered);
      const vectors = directions(auxiliary.classVectors, selectRows(auxiliary.candidates, categories));
      const { features, labels, counts, mean, prepared } = auxiliary;
      const { generalized } = problem;
      const shared: TransductiveData['shared'] = (name, parameters, make) =>
        auxiliary.prepared(name, [fingerprint(ordered), ...parameters], make);
      const answer = await this.learn(
        { features, labels, counts, test, ...vectors, generalized, prepared, shared },
        scratch,
        options,
      );
      const testPositions = Int32Array.from(pictures, (_, i) => i);
      pictures.forEach((row, position) => {
        testPositions[row] = position;
      });
      this.testValues_ = selectRows(givenColumns(answer.testValues, categories), testPositions).copy('float64');
      this.#linear = answer.linear ?? false;
      this.#score = (others) => givenColumns(answer.score(centred(others, mean), backend), categories);
    });
    this.#testFeatures = problem.testFeatures;
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.testValues_ || !this.#score || !this.#testFeatures) throw notFitted();
    if (features.cols !== this.#testFeatures.cols)
      throw new ArgumentError(
        `the features have ${features.cols} dimensions, the model was learnt with ${this.#testFeatures.cols}`,
        'Use features of the same vision model and layer as in the fit.',
      );
    return sameRows(features, this.#testFeatures) ? this.testValues_.copy('float64') : this.#score(features);
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  linear(): LinearDecision | undefined {
    return this.#linear ? readLinear(this.#score!, this.#testFeatures!.cols) : undefined;
  }
}

/** Clusters, class sizes and prototypes are those of test categories: pictures of others would be forced into them. */
function requireStandard(problem: Problem, method: string): void {
  if (problem.generalized)
    throw new ArgumentError(
      `${method} chooses among test categories only, and this problem is in the generalized setting`,
      'Use the problem in the standard setting, or an inductive zero-shot method such as eszsl.',
    );
}

/** Column k of `values` belongs to category categories[k]. */
function givenColumns(values: Matrix<Float64Array>, categories: Int32Array): Matrix<Float64Array> {
  const result = Matrix.zeros(values.rows, values.cols);
  for (let i = 0; i < values.rows; i++) {
    const [from, to] = [values.row(i), result.row(i)];
    for (let k = 0; k < from.length; k++) to[categories[k]] = from[k];
  }
  return result;
}
