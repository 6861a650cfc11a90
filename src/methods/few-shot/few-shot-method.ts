/**
 * What few-shot methods share: the web pictures are the labelled support set, the test pictures the queries, and both lie in the
 * space whitened by the auxiliary pictures, each less a centre and at unit length. A method is a function from these to decision
 * values; the test pictures of the fit are answered from it, others through the map it learnt. Where auxiliary categories are
 * candidates (the generalized setting), their labelled pictures join the support set, behind the web pictures.
 *
 * By default each kind of pictures is measured from its own mean, as few-shot methods do: web, auxiliary and test pictures may
 * come from different sources, and what their means differ by is taken for that. A folder of one category is its own mean, so
 * `origin: web` measures all pictures from the mean of the web pictures instead.
 */
import { ArgumentError } from '../../errors.js';
import type { Backend, Matrix } from '../../linalg/index.js';
import { toUnitRows } from '../../numerics/index.js';
import {
  choice,
  linear,
  log,
  number,
  type OptionsOf,
  type ParameterSpec,
  type ParameterValue,
  resolveParameters,
} from '../../parameters.js';
import type { Problem } from '../../problem/index.js';
import {
  candidateNames,
  type FitOptions,
  type Method,
  notFitted,
  rowMaxima,
  sameRows,
  stackRows,
} from '../../problem/index.js';
import { mixedLabels, requireWeb } from '../blocks/web-problem.js';
import { WhitenedSpace } from '../blocks/whitened-space.js';
import type { Ingredient, MethodSpec } from '../spec.js';

export interface FewShotData {
  readonly backend: Backend;
  /** Labelled pictures, ns×d: those of the web and, where auxiliary categories are candidates, those of these after them. */
  readonly support: Matrix<Float64Array>;
  readonly labels: Int32Array;
  /** How many of them, the first ones, come from the web, so that their labels may be wrong. */
  readonly web: number;
  /** Candidates: listed categories, then the auxiliary ones if they are. */
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

type Declared = Readonly<Record<string, ParameterSpec<number>>>;

export interface FewShotDefinition<Own extends Declared> {
  readonly name: string;
  readonly title: string;
  readonly citation: string;
  readonly uses?: readonly Ingredient[];
  readonly parameters: Own;
  /** Leave whitened pictures at the length they have. @default false */
  readonly anyLength?: boolean;
  /** Only where it makes no sense that auxiliary categories are candidates too. @default 'both' */
  readonly setting?: 'standard';
  learn(data: FewShotData, parameters: OptionsOf<Own>): Promise<FewShotAnswer>;
}

/** How sharply cosines decide: posteriors are proportional to exp(sharpness · cosine). */
export const sharpness = number('how sharply cosines decide', 60, { above: 0, range: log(15, 240) });

const origins = ['own', 'web'] as const;
const spaceParameters = {
  power: number('exponent of the features, signs kept', 0.75, { above: 0, range: linear(0.5, 1) }),
  shrinkage: number('added to the within-category covariance, as a share of its mean eigenvalue', 0.3, {
    above: 0,
    range: log(0.03, 1),
  }),
  origin: choice(
    'what pictures are measured from: the mean of their own kind, or that of the web pictures',
    'own',
    origins,
    'searched',
  ),
};

class FewShotMethod<Own extends Declared> implements Method {
  readonly options: OptionsOf<typeof spaceParameters>;
  readonly parameters: OptionsOf<Own>;
  readonly #definition: FewShotDefinition<Own>;
  #fitted: { features: Matrix; answer: FewShotAnswer; space: WhitenedSpace; centre: Float64Array } | undefined;

  constructor(definition: FewShotDefinition<Own>, given: Readonly<Record<string, ParameterValue>>) {
    this.#definition = definition;
    const { name, parameters } = definition;
    const { power, shrinkage, origin, ...own } = given;
    this.options = resolveParameters(name, spaceParameters, { power, shrinkage, origin });
    this.parameters = resolveParameters(name, parameters, own as Partial<OptionsOf<Own>>);
  }

  async fit(problem: Problem, { backend, signal, onProgress }: FitOptions): Promise<this> {
    signal?.throwIfAborted();
    const { name, learn, anyLength, setting = 'both' } = this.#definition;
    this.#fitted = undefined;
    requireWeb(problem, name, setting);
    const space = await WhitenedSpace.learn(problem, backend, this.options);
    signal?.throwIfAborted();
    const { webFeatures, auxiliaryFeatures, testFeatures, generalized } = problem;
    const webCentre = space.centreOf(webFeatures);
    const centreOf = (features: Matrix) => (this.options.origin === 'own' ? space.centreOf(features) : webCentre);
    const placed = (features: Matrix, centre: Float64Array) => {
      const rows = space.place(features, centre);
      return anyLength ? rows : toUnitRows(rows);
    };
    const web = placed(webFeatures, webCentre);
    const centre = centreOf(testFeatures);
    const answer = await learn(
      {
        backend,
        support: generalized
          ? stackRows(web, placed(auxiliaryFeatures, centreOf(auxiliaryFeatures))).copy('float64')
          : web,
        labels: generalized ? mixedLabels(problem) : problem.webLabels,
        web: web.rows,
        categories: candidateNames(problem).length,
        test: placed(testFeatures, centre),
        signal,
        onRound: (done, total) => onProgress?.({ done, total }),
      },
      this.parameters,
    );
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

  webWeights(): Float64Array | undefined {
    return this.#fitted?.answer.webWeights;
  }
}

export function fewShotSpec<const Own extends Declared>(definition: FewShotDefinition<Own>): MethodSpec {
  const { name, title, citation, uses = ['web', 'auxiliary', 'test'], setting = 'both', parameters } = definition;
  return {
    name,
    title,
    citation,
    uses,
    setting,
    parameters: { ...spaceParameters, ...parameters },
    sharedBy: ['power', 'shrinkage'],
    create: (given) => new FewShotMethod(definition, given),
  };
}
