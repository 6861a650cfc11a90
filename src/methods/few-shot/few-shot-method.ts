/**
 * What few-shot methods share: the web pictures are the labelled support set, the test pictures the queries, and both lie in the
 * space whitened by the auxiliary pictures, each less a centre and at unit length. A method is a function from these to decision
 * values; the test pictures of the fit are answered from it, others through the map it learnt.
 *
 * By default each kind of pictures is measured from its own mean, as few-shot methods do. A folder of one category is
 * its own mean, so `origin: web` measures test pictures from the mean of the web pictures instead.
 */
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../../linalg/backend.js';
import type { Matrix } from '../../linalg/matrix.js';
import { type FitOptions, type Method, notFitted, rowMaxima, sameRows } from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { choice, positive } from '../blocks/parameters.js';
import { requireWeb } from '../blocks/web-problem.js';
import { toUnitRows, WhitenedSpace } from '../blocks/whitened-space.js';
import type { Ingredient, MethodSpec, ParameterSpec, ParameterValue } from '../spec.js';

export interface FewShotData {
  readonly backend: Backend;
  /** Web pictures, nw×d. */
  readonly web: Matrix<Float64Array>;
  readonly labels: Int32Array;
  readonly categories: number;
  /** Test pictures, nt×d. */
  readonly test: Matrix<Float64Array>;
  readonly signal?: AbortSignal;
  readonly onRound: (done: number, total: number) => void;
}

export interface FewShotAnswer {
  /** Of the test pictures, nt×C: logarithms of posteriors, up to a constant of each row. */
  readonly values: Matrix<Float64Array>;
  /** The same for other pictures in the same space. */
  readonly score: (pictures: Matrix<Float64Array>) => Matrix<Float64Array>;
  /** How far each web picture was believed, where the method weighs them. */
  readonly webWeights?: Float64Array;
}

export interface CheckedParameter extends ParameterSpec {
  readonly default: number;
  readonly check: (method: string, name: string, value: ParameterValue) => number;
}

export interface FewShotDefinition<Name extends string> {
  readonly name: string;
  readonly title: string;
  readonly citation: string;
  readonly uses?: readonly Ingredient[];
  readonly parameters: Readonly<Record<Name, CheckedParameter>>;
  /** Leave whitened pictures at the length they have. @default false */
  readonly anyLength?: boolean;
  learn(data: FewShotData, parameters: Readonly<Record<Name, number>>): Promise<FewShotAnswer>;
}

/** How sharply cosines decide: posteriors are proportional to exp(sharpness · cosine). */
export const sharpness: CheckedParameter = {
  description: 'how sharply cosines decide',
  default: 60,
  range: { kind: 'log', low: 15, high: 240 },
  check: positive,
};

const spaceParameters = {
  power: {
    description: 'exponent of the features, signs kept',
    default: 0.75,
    range: { kind: 'linear', low: 0.5, high: 1 },
  },
  shrinkage: {
    description: 'added to the within-category covariance, as a share of its mean eigenvalue',
    default: 0.3,
    range: { kind: 'log', low: 0.03, high: 1 },
  },
  origin: {
    description: 'what test pictures are measured from: the mean of their own, or that of the web pictures',
    default: 'own',
    range: { kind: 'choice', values: ['own', 'web'] },
  },
} as const satisfies Record<string, ParameterSpec>;

class FewShotMethod<Name extends string> implements Method {
  readonly options: { readonly power: number; readonly shrinkage: number; readonly origin: 'own' | 'web' };
  readonly parameters: Readonly<Record<Name, number>>;
  /** How far each web picture was believed; left out by methods that believe all alike. */
  theta_: Float64Array | undefined;
  readonly #definition: FewShotDefinition<Name>;
  #fitted: { features: Matrix; answer: FewShotAnswer; space: WhitenedSpace; centre: Float64Array } | undefined;

  constructor(definition: FewShotDefinition<Name>, given: Readonly<Record<string, ParameterValue>>) {
    this.#definition = definition;
    const { name } = definition;
    const value = (key: keyof typeof spaceParameters) => given[key] ?? spaceParameters[key].default;
    this.options = {
      power: positive(name, 'power', value('power')),
      shrinkage: positive(name, 'shrinkage', value('shrinkage')),
      origin: choice(name, 'origin', value('origin'), ['own', 'web']),
    };
    this.parameters = Object.fromEntries(
      Object.entries<CheckedParameter>(definition.parameters).map(([key, { default: usual, check }]) => [
        key,
        check(name, key, given[key] ?? usual),
      ]),
    ) as Record<Name, number>;
  }

  async fit(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<this> {
    signal?.throwIfAborted();
    const { name, learn, anyLength } = this.#definition;
    this.#fitted = undefined;
    this.theta_ = undefined;
    requireWeb(problem, name);
    const space = await WhitenedSpace.learn(problem, backend, this.options);
    signal?.throwIfAborted();
    const webCentre = space.centreOf(problem.webFeatures);
    const centre = this.options.origin === 'own' ? space.centreOf(problem.testFeatures) : webCentre;
    const [web, test] = [space.place(problem.webFeatures, webCentre), space.place(problem.testFeatures, centre)];
    const answer = await learn(
      {
        backend,
        web: anyLength ? web : toUnitRows(web),
        labels: problem.webLabels,
        categories: problem.testNames.length,
        test: anyLength ? test : toUnitRows(test),
        signal,
        onRound: (done, total) => onProgress?.({ done, total }),
      },
      this.parameters,
    );
    this.theta_ = answer.webWeights;
    this.#fitted = { features: problem.testFeatures, answer, space, centre };
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.#fitted) throw notFitted();
    const { features: own, answer, space, centre } = this.#fitted;
    if (features.cols !== own.cols)
      throw new ArgumentError(
        `the features have ${features.cols} dimensions, the model was learnt with ${own.cols}`,
        'Use features of the same vision model and layer as in the fit.',
      );
    if (sameRows(features, own)) return answer.values.copy('float64');
    const placed = space.place(features, centre);
    return answer.score(this.#definition.anyLength ? placed : toUnitRows(placed));
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

export function fewShotSpec<Name extends string>(definition: FewShotDefinition<Name>): MethodSpec {
  const { name, title, citation, uses = ['web', 'auxiliary', 'test'], parameters } = definition;
  return {
    name,
    title,
    citation,
    uses,
    setting: 'standard',
    parameters: { ...spaceParameters, ...parameters },
    create: (given) => new FewShotMethod(definition, given),
  };
}
