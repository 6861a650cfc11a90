/**
 * Bowerbird's own method: one probabilistic model of words, web pictures and test pictures, learnt jointly. Auxiliary
 * pictures give the space (space.ts), how sharply distances decide (temperature.ts) and how far words are to be
 * believed (words.ts); the alternation (alternation.ts) then finds the means of the test categories, the trust in each
 * web picture and the categories of the test pictures together. docs/method.md has the equations and an ablation.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../../linalg/backend.js';
import { createBackend } from '../../linalg/create.js';
import type { Matrix } from '../../linalg/matrix.js';
import {
  type FitOptions,
  type Method,
  notFitted,
  requireLearnable,
  rowMaxima,
  sameRows,
} from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { stackRows } from '../../problem/rows.js';
import { type LinearModel, linearDecisions } from '../blocks/linear-model.js';
import { nonNegative, positive, wholeNumber } from '../blocks/parameters.js';
import { withWorkspace } from '../blocks/workspace.js';
import type { MethodSpec, ParameterSpec, ParameterValue } from '../spec.js';
import { Alternation } from './alternation.js';
import { Neighbours } from './neighbours.js';
import { PictureSpace, powerAndLength } from './space.js';
import { auxiliaryTemperature } from './temperature.js';
import { TextEvidence } from './texts.js';
import { wordPrior } from './words.js';

const parameters = {
  shrinkage: {
    description: 'added to the within-category covariance, as a share of its mean eigenvalue',
    default: 0.1,
    range: { kind: 'log', low: 0.03, high: 1 },
  },
  power: {
    description: 'exponent of the features, signs kept',
    default: 0.75,
    range: { kind: 'linear', low: 0.5, high: 1 },
  },
  sharpness: {
    description: 'how sharply distances decide, times what auxiliary pictures say',
    default: 2,
    range: { kind: 'log', low: 0.5, high: 4 },
  },
  balance: {
    description: 'how strongly categories are kept at equal shares of the test pictures; 0: not at all',
    default: 0.5,
    range: { kind: 'linear', low: 0, high: 1 },
  },
  neighbourWeight: {
    description: 'how much similar test pictures count; 0: not at all',
    default: 2,
    range: { kind: 'linear', low: 0, high: 4 },
  },
  // Not searched for: it decides how well wrong pictures are told, which accuracy on other categories hardly shows.
  textWeight: { description: 'how much titles and tags count; 0: not at all', default: 0.5 },
  trust: { description: 'trust in words from 0 to 1; -1: learnt from auxiliary categories', default: -1 },
  tails: { description: 'degrees of freedom of web pictures, per dimension', default: 0.2 },
  neighbours: { description: 'similar pictures each test picture is joined with', default: 10 },
  smoothing: { description: 'words of prior in the language model of a category', default: 200 },
  rounds: { description: 'most rounds of the alternation', default: 20 },
} as const satisfies Record<string, ParameterSpec>;

export type BowerbirdOptions = { [K in keyof typeof parameters]: number };

export class Bowerbird implements Method {
  readonly options: BowerbirdOptions;
  /** Chance that each web picture shows what it is said to; 1 where a person vouched for it. */
  theta_!: Float64Array;
  /** α: the share of the looks of categories that their words explain. */
  trust_!: number;
  /** Estimated share of wrong pictures among the web pictures nobody vouched for. */
  wrongShare_!: number;
  /** Rounds until the test pictures no longer moved, or the most allowed. */
  rounds_!: number;
  /** Linear in features of `power` and unit length. */
  model_!: LinearModel;
  #backend: Backend | undefined;
  #test: { features: Matrix; values: Matrix<Float64Array> } | undefined;

  constructor(given: Partial<BowerbirdOptions> = {}) {
    const defaults = Object.fromEntries(Object.entries(parameters).map(([name, { default: value }]) => [name, value]));
    this.options = { ...(defaults as BowerbirdOptions), ...given };
    const { options } = this;
    for (const name of ['shrinkage', 'power', 'sharpness', 'tails', 'smoothing'] as const)
      positive('bowerbird', name, options[name]);
    for (const name of ['balance', 'neighbourWeight', 'textWeight'] as const)
      nonNegative('bowerbird', name, options[name]);
    for (const name of ['neighbours', 'rounds'] as const) wholeNumber('bowerbird', name, options[name]);
    if (options.trust !== -1 && !(options.trust >= 0 && options.trust <= 1))
      throw new ArgumentError(`bowerbird: trust is ${options.trust}; it must lie between 0 and 1, or be -1`);
  }

  async fit(problem: Problem, given: Partial<FitOptions> = {}): Promise<this> {
    const { signal, onProgress } = given;
    signal?.throwIfAborted();
    requireLearnable(problem);
    const { options } = this;
    const backend = given.backend ?? (await createBackend());
    this.#backend = backend;
    await withWorkspace(backend, async (workspace) => {
      const space = new PictureSpace(problem, backend, workspace, options);
      await breathe();
      signal?.throwIfAborted();
      const prior = wordPrior(backend, space, problem, options.trust < 0 ? undefined : options.trust);
      const web = space.place(problem.webFeatures);
      const test = space.place(problem.testFeatures);
      await breathe();
      signal?.throwIfAborted();
      const { neighbours, neighbourWeight, balance, textWeight, tails, smoothing } = options;
      const alternation = new Alternation({
        backend,
        space,
        prior,
        web,
        webLabels: problem.webLabels,
        webVouched: problem.webVouched,
        test,
        generalized: problem.generalized,
        sharpness: options.sharpness * auxiliaryTemperature(backend, space, problem),
        tails,
        ...(neighbourWeight > 0 && { neighbours: new Neighbours(backend, space, test, neighbours) }),
        neighbourWeight,
        balance,
        ...(textWeight > 0 &&
          problem.webText && {
            text: new TextEvidence(problem.webText, problem.webLabels, problem.testNames.length, smoothing),
          }),
        textWeight,
      });
      this.rounds_ = 0;
      for (let change = 1; this.rounds_ < options.rounds && change > 1e-3; ) {
        change = alternation.round();
        this.rounds_++;
        onProgress?.({ done: this.rounds_, total: options.rounds, detail: `${(100 * change).toFixed(1)} % moved` });
        await breathe();
        signal?.throwIfAborted();
      }
      this.theta_ = alternation.trust;
      this.trust_ = prior.trust;
      this.wrongShare_ = alternation.wrongShare;
      this.model_ = linearModel(alternation, space, test.centre, problem.generalized);
      this.#test = { features: problem.testFeatures, values: decisions(alternation, test.squaredLengths) };
    });
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    if (!this.#backend || !this.#test) throw notFitted();
    if (sameRows(features, this.#test.features)) return this.#test.values.copy('float64');
    return linearDecisions(this.#backend, this.model_, powerAndLength(features.copy('float64'), this.options.power));
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
}

/** β (x·S⁻¹μ_c − ½‖μ_c‖²)/(τ² + ν) + offset, for features that are not centred yet. */
function linearModel(
  alternation: Alternation,
  space: PictureSpace,
  centre: Float64Array,
  generalized: boolean,
): LinearModel {
  const { solvedMeans } = alternation;
  const weights = (generalized ? stackRows(solvedMeans, space.solvedMeans) : solvedMeans).copy('float64');
  const scale = alternation.scale();
  const intercepts = alternation.lengths().map((length, c) => alternation.offsets[c] - (scale * length) / 2);
  for (let c = 0; c < weights.rows; c++) {
    const row = weights.row(c);
    for (let j = 0; j < row.length; j++) {
      row[j] *= scale;
      intercepts[c] -= row[j] * centre[j];
    }
  }
  return { weights, intercepts };
}

/** Scores of the test pictures on the scale of the linear model: without −½β‖x‖²/(τ² + ν), the same for all candidates. */
function decisions(alternation: Alternation, squaredLengths: Float64Array): Matrix<Float64Array> {
  const values = alternation.scores.copy('float64');
  const half = alternation.scale() / 2;
  for (let j = 0; j < values.rows; j++) {
    const row = values.row(j);
    for (let c = 0; c < row.length; c++) row[c] += alternation.offsets[c] + half * squaredLengths[j];
  }
  return values;
}

export const bowerbirdSpec: MethodSpec = {
  name: 'bowerbird',
  title: 'Bowerbird: words, web and test pictures in one model',
  citation: 'This project; docs/method.md',
  uses: ['web', 'auxiliary', 'test', 'text', 'semantics'],
  setting: 'both',
  parameters,
  create: (given: Readonly<Record<string, ParameterValue>>) =>
    new Bowerbird(Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]))),
};
