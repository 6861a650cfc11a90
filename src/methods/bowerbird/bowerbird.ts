/**
 * Bowerbird's own method: one probabilistic model of words, web pictures and test pictures, learnt jointly. Auxiliary
 * pictures give the space (space.ts), how sharply distances decide (temperature.ts) and how far words are to be
 * believed (words.ts); the alternation (alternation.ts) then finds the means of the test categories, the trust in each
 * web picture and the categories of the test pictures together. docs/method.md has the equations and an ablation.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend } from '../../linalg/backend.js';
import { createBackend } from '../../linalg/create.js';
import type { Matrix } from '../../linalg/matrix.js';
import { linear, log, number, type OptionsOf, resolveParameters, whole } from '../../parameters.js';
import {
  type FitOptions,
  type LinearDecision,
  type Method,
  notFitted,
  requireLearnable,
  rowMaxima,
  sameRows,
} from '../../problem/method.js';
import type { Problem } from '../../problem/problem.js';
import { stackRows } from '../../problem/rows.js';
import { type LinearModel, linearDecisions, transposed } from '../blocks/linear-model.js';
import { withWorkspace } from '../blocks/workspace.js';
import type { MethodSpec } from '../spec.js';
import { Alternation } from './alternation.js';
import { Neighbours } from './neighbours.js';
import { PictureSpace, powerAndLength } from './space.js';
import { auxiliaryTemperature } from './temperature.js';
import { TextEvidence } from './texts.js';
import { wordPrior } from './words.js';

const parameters = {
  shrinkage: number('added to the within-category covariance, as a share of its mean eigenvalue', 0.1, {
    above: 0,
    range: log(0.03, 1),
  }),
  power: number('exponent of the features, signs kept', 0.75, { above: 0, range: linear(0.5, 1) }),
  sharpness: number('how sharply distances decide, times what auxiliary pictures say', 2, {
    above: 0,
    range: log(0.5, 4),
  }),
  balance: number('how strongly categories are kept at equal shares of the test pictures; 0: not at all', 0.5, {
    least: 0,
    range: linear(0, 1),
  }),
  neighbourWeight: number('how much similar test pictures count; 0: not at all', 2, { least: 0, range: linear(0, 4) }),
  // Not searched for: it decides how well wrong pictures are told, which accuracy on other categories hardly shows.
  textWeight: number('how much titles and tags count; 0: not at all', 0.5, { least: 0 }),
  trust: number('trust in words from 0 to 1; -1: learnt from auxiliary categories', -1, { least: 0, most: 1, or: -1 }),
  tails: number('degrees of freedom of web pictures, per dimension', 0.2, { above: 0 }),
  neighbours: whole('similar pictures each test picture is joined with', 10),
  smoothing: number('words of prior in the language model of a category', 200, { above: 0 }),
  rounds: whole('most rounds of the alternation', 20),
};

export type BowerbirdOptions = OptionsOf<typeof parameters>;

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
    this.options = resolveParameters('bowerbird', parameters, given);
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
      await yieldToEventLoop();
      signal?.throwIfAborted();
      const prior = wordPrior(backend, space, problem, options.trust < 0 ? undefined : options.trust);
      const web = space.place(problem.webFeatures);
      const test = space.place(problem.testFeatures);
      await yieldToEventLoop();
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
        await yieldToEventLoop();
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

  webWeights(): Float64Array | undefined {
    return this.theta_?.length > 0 ? this.theta_ : undefined;
  }

  linear(): LinearDecision {
    return { ...transposed(this.model_), power: this.options.power };
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

export const bowerbirdSpec: MethodSpec<typeof parameters> = {
  name: 'bowerbird',
  title: 'Bowerbird: words, web and test pictures in one model',
  citation: 'This project; docs/method.md',
  uses: ['web', 'auxiliary', 'test', 'text', 'semantics'],
  setting: 'both',
  parameters,
  create: (options) => new Bowerbird(options),
};
