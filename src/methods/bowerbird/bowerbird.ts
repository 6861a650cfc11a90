/**
 * Bowerbird's own method: one probabilistic model of words, web pictures and test pictures, learnt jointly, for folders
 * as people have them. Auxiliary pictures give the space (ground.ts) and a stage to rehearse on (rehearsal.ts); web
 * pictures and words give what a picture by itself would be answered (solver.ts); the folder's own pictures, the shares of
 * the categories in it and the strangers among them (strangers.ts, groups.ts) do the rest (settle.ts). docs/method.md has
 * the equations, what each constant is, and an ablation by regime.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Backend, Matrix } from '../../linalg/index.js';
import { byLabel, type LinearModel, linearDecisions, transposedModel } from '../../numerics/index.js';
import { resolveParameters } from '../../parameters.js';
import { percent } from '../../percent.js';
import type { Problem } from '../../problem/index.js';
import {
  type FeatureRows,
  type FitDetails,
  type FitOptions,
  type FolderAnswers,
  type KnownAnswers,
  type LinearDecision,
  type Method,
  type NearestPictures,
  notFitted,
  type Probabilities,
  requireLearnable,
  rowMaxima,
  type StrangerDecision,
  type StrangerGroups,
  type StreamedRows,
  type Sureness,
  sameRows,
} from '../../problem/index.js';
import { whileUnchanged } from '../blocks/preparation.js';
import { powerAndLength, WhitenedSpace } from '../blocks/whitened-space.js';
import type { MethodSpec } from '../spec.js';
import { countsAtFirstSight } from './first-sight.js';
import { findStrangers, rowsOfStrangers, type StrangerSigns } from './folder-strangers.js';
import { type Ground, layGround, place } from './ground.js';
import { groupStrangers } from './groups.js';
import { holdAnswers, namedPictures } from './known.js';
import { meanDistrust } from './lessons.js';
import { linearFormula, strangerFormula } from './linear-formula.js';
import { type BegunNeighbours, Neighbours } from './neighbours.js';
import { aloneOptions, type BowerbirdOptions, folderOptions, parameters, withoutRehearsal } from './options.js';
import { folderSureness, type Manner, Rehearsal } from './rehearsal.js';
import { placeByBlocks } from './row-file.js';
import { answerAlone, mostRoundsAgain, type Settled, settle } from './settle.js';
import { statedShares } from './shares.js';
import { BowerbirdSolver, softened } from './solver.js';
import { lonelyRows, type StrangerModel, type Strangers, strangerRatios } from './strangers.js';
import type { TestSide, TestState } from './test-state.js';
import { logOdds } from './vectors.js';
import { WebPictures } from './web-pictures.js';
import { inGivenOrder, reportedTrust } from './web-trust.js';

/** Products in a round up to which a folder is settled anew whenever an answer comes in. */
const smallWork = 3e7;

/** Chance that the answer for a picture by itself says nothing. */
const loneDoubt = 0.01;

/** What stays as it is while answers come in. */
interface Stage {
  readonly problem: Problem;
  readonly rehearsal?: Rehearsal;
  readonly alone: BowerbirdSolver;
  readonly side: TestSide;
  readonly neighbours: Neighbours;
  readonly signs?: StrangerSigns;
  readonly manner?: Manner;
  readonly state: TestState;
}

/** Pictures that do not fit in memory are given as rows; the problem then has their labels, and no features of them. */
export interface BowerbirdFitOptions extends FitOptions, StreamedRows {}

interface Fitted {
  readonly backend: Backend;
  readonly stage: Stage;
  readonly space: WhitenedSpace;
  readonly features: Matrix;
  /** What is answered for them. */
  readonly answers: Int32Array;
  readonly unlisted: Float64Array;
  readonly groups?: StrangerGroups;
  /** Factor of the decisions of the folder, and of pictures that come later, before they become chances. */
  readonly sureness: Sureness;
  readonly laterSureness: Sureness;
  /** What judges whether a later picture is a stranger. */
  readonly later?: { solver: BowerbirdSolver; variance: number; model: StrangerModel; odds: number };
}

export class Bowerbird implements Method {
  readonly options: BowerbirdOptions;
  /** Chance that each web picture shows what it is said to; 1 where a person vouched for it. */
  webWeights_!: Float64Array;
  /** α: the share of the looks of categories that their words explain. */
  wordTrust_!: number;
  /** The same for each kind of semantic vectors. */
  trusts_!: Readonly<Record<string, number>>;
  /** Estimated share of wrong pictures among the web pictures nobody vouched for. */
  wrongShare_!: number;
  /** Estimated shares of the candidates among the listed test pictures. */
  shares_!: Float64Array;
  /** Estimated share of the test pictures that show no candidate. */
  strangerShare_!: number;
  rounds_!: number;
  converged_!: boolean;
  /** After each of the rounds that raise it. */
  objective_!: readonly number[];
  /** Linear in features of `power` and unit length. */
  model_!: LinearModel;
  #fitted: Fitted | undefined;
  #warnings: string[] = [];

  constructor(given: Partial<BowerbirdOptions> = {}) {
    this.options = resolveParameters('bowerbird', parameters, given);
  }

  async fit(problem: Problem, given: BowerbirdFitOptions): Promise<this> {
    const { auxiliaryFeatures, webFeatures, testFeatures } = problem;
    const features = [auxiliaryFeatures, webFeatures, testFeatures];
    let begun: BegunNeighbours | undefined;
    const begin = (...all: Parameters<typeof Neighbours.begin>) => {
      begun = Neighbours.begin(...all);
      return begun;
    };
    try {
      return await whileUnchanged(features, () => this.#fit(problem, given, begin));
    } finally {
      begun?.stop();
    }
  }

  async #fit(problem: Problem, given: BowerbirdFitOptions, begin: typeof Neighbours.begin): Promise<this> {
    const { backend, signal, onProgress, webRows, testRows } = given;
    signal?.throwIfAborted();
    requireLearnable(problem, testRows?.rows);
    const { options } = this;
    const auxiliary = given.auxiliaryRows ?? problem.auxiliaryFeatures;
    this.#warnings = [];
    const pause = async () => {
      await yieldToEventLoop();
      signal?.throwIfAborted();
    };
    const space = await WhitenedSpace.learn(problem, backend, options, undefined, auxiliary);
    await pause();
    const placed = (rows: FeatureRows, kind: 'web' | 'test', order?: Int32Array) => {
      const told = async (part: number) => {
        onProgress?.({ done: 0, total: options.rounds, detail: `${percent(part)} % of the ${kind} pictures whitened` });
        await pause();
      };
      return placeByBlocks(space, rows, given.keep ?? 'disk', told, order);
    };
    const pictures = testRows ? await placed(testRows, 'test') : place(space, problem.testFeatures);
    // Other threads look for them while this one rehearses, most of which only one can do.
    const sought = begin(backend, pictures, options.neighbours);
    let rehearsal = await Rehearsal.hold(problem, backend, options, pause, undefined, auxiliary);
    if (!rehearsal)
      this.#warnings.push(
        `${problem.auxiliaryNames.length} auxiliary categories are too few to rehearse with: how sure answers are, and which pictures show no listed category, is guessed at`,
      );
    const { order, starts } = byLabel(problem.webLabels, problem.testNames.length);
    const web = webRows && new WebPictures(backend, await placed(webRows, 'web', order), starts);
    const laid = layGround(backend, space, problem, options, web);
    const named = namedPictures(pictures, problem.testKnown, problem.testNames.length);
    const ground: Ground = { ...laid, ...(named && { named }) };
    await pause();
    let alone = new BowerbirdSolver(ground, aloneOptions(options, rehearsal));
    alone.learnFromWeb();
    await pause();
    const wrong = rehearsal?.wrongFor(alone);
    if (wrong !== undefined) {
      rehearsal = (await Rehearsal.hold(problem, backend, options, pause, wrong, auxiliary)) ?? rehearsal;
      alone = new BowerbirdSolver(ground, aloneOptions(options, rehearsal));
      alone.learnFromWeb();
      await pause();
    }
    const variance = (rehearsal?.spread ?? withoutRehearsal.spread) * ground.known.within;
    const neighbours = sought.finish();
    await pause();
    const rows = rehearsal && rowsOfStrangers(alone, pictures, variance, neighbours, rehearsal.strangers);
    const sharp = folderOptions(options, alone.options);
    const start = alone.fork(sharp);
    start.learnFromWeb();
    const everything: TestSide = {
      pictures,
      ...(options.neighbourWeight > 0 && { neighbours }),
      neighbourWeight: options.neighbourWeight,
      shares: statedShares(problem) ?? options.shares,
      ...(problem.testKnown && { known: problem.testKnown }),
      answerWeight: options.answerWeight,
      variance,
    };
    const believed = 1 - meanDistrust([alone]);
    const signs = rows && { rows, counts: countsAtFirstSight(start, everything), believed };
    const strangers = findStrangers(everything, signs, neighbours, rehearsal);
    const side = { ...everything, listed: strangers.weights };
    const single = pictures.rows.rows < 2;
    const told = async (rounds: number, change: number) => {
      onProgress?.({ done: rounds, total: options.rounds, detail: `${percent(change)} % moved` });
      await pause();
    };
    let settled = await settle(start, side, single ? 0 : options.rounds, told);
    const manner = single ? undefined : await rehearsal?.manner(settled.state, sharp, options.rounds, pause);
    if (manner && manner.heat < 1) {
      settled.state.release();
      const patient = start.fork(softened(sharp, manner.sharpness));
      settled = await settle(patient, side, options.rounds, told, { heat: manner.heat });
    }
    if (single) answerAlone(settled.state);
    const stage = { problem, rehearsal, alone, side, neighbours, signs, manner, state: settled.state };
    return this.#learnt(backend, space, stage, settled, strangers, single ? start.trust : settled.solver.trust);
  }

  /**
   * The folder again with other answers of people, and all that was rehearsed and measured for the last estimate.
   */
  async refit(known: KnownAnswers, { signal, onProgress }: Omit<FitOptions, 'backend'> = {}): Promise<this> {
    const { backend, space, stage } = this.#require();
    const { options } = this;
    const { rehearsal, signs, alone, state, manner } = stage;
    const problem: Problem = { ...stage.problem, testKnown: known.test };
    const { pictures } = stage.side;
    const strangers = findStrangers({ ...stage.side, known: known.test }, signs, stage.neighbours, rehearsal);
    const side: TestSide = {
      ...stage.side,
      known: known.test,
      listed: strangers.weights,
    };
    const named = namedPictures(pictures, known.test, problem.testNames.length);
    const { webVouched } = problem;
    const said = known.web ?? (webVouched && Int8Array.from(webVouched));
    const webKnown = said && Int8Array.from(alone.ground.webOrder, (row) => said[row]);
    const ground: Ground = { ...alone.ground, named, webKnown };
    const told = async (rounds: number, change: number) => {
      onProgress?.({ done: rounds, total: mostRoundsAgain, detail: `${percent(change)} % moved` });
      await yieldToEventLoop();
      signal?.throwIfAborted();
    };
    // A small folder is settled from the beginning, as a whole fit would; in a large one a few rounds go on from the last.
    const { rows, cols } = pictures.rows;
    const small = rows * cols * state.candidates.count <= smallWork;
    const start = (small ? alone : state.solver).fork(state.solver.options, ground);
    if (small) start.learnFromWeb();
    const settled = small
      ? await settle(start, side, options.rounds, told, { heat: manner?.heat })
      : await settle(start, side, mostRoundsAgain, told, { last: state });
    const next = { ...stage, problem, side, alone: alone.fork(alone.options, ground), state: settled.state };
    return this.#learnt(backend, space, next, settled, strangers, settled.solver.trust);
  }

  #learnt(
    backend: Backend,
    space: WhitenedSpace,
    stage: Stage,
    settled: Settled,
    strangers: Strangers,
    webWeights: Float64Array,
  ): this {
    const { options } = this;
    const { problem, rehearsal, alone, manner } = stage;
    const { solver, state } = settled;
    const { variance, pictures } = stage.side;
    const { ground } = solver;
    const reported = manner?.reporting ? reportedTrust(solver, manner.reporting) : webWeights;
    this.webWeights_ = inGivenOrder(reported, ground.webOrder);
    this.wordTrust_ = ground.prior.trust;
    this.trusts_ = ground.prior.trusts;
    this.wrongShare_ = solver.wrongShare;
    this.strangerShare_ = strangers.share;
    const total = state.counts.reduce((sum, count) => sum + count, 0);
    this.shares_ = state.counts.map((count) => count / total);
    this.rounds_ = settled.rounds;
    this.converged_ = pictures.rows.rows < 2 || settled.converged;
    this.objective_ = settled.objective;
    this.model_ = linearModel(state);
    // A picture by itself is judged as sharply as rehearsals say.
    const laterSureness = rehearsal
      ? { factor: 1 / (options.sharpness * (manner?.sharpness ?? 1)), doubt: manner?.sureness.doubt ?? loneDoubt }
      : withoutRehearsal.sureness;
    const { columns: answers, leads } = state.answers();
    this.#fitted = {
      ...{ backend, space, stage, laterSureness, answers },
      sureness: manner ? folderSureness(manner, leads, strangers.unlisted) : laterSureness,
      features: problem.testFeatures,
      unlisted: strangers.unlisted,
      groups: groupStrangers(alone, pictures, strangers.unlisted, variance),
      ...(rehearsal && {
        later: { solver: alone, variance, model: rehearsal.strangers, odds: logOdds(strangers.share) },
      }),
    };
    return this;
  }

  decisionValues(features: Matrix): Matrix {
    const fitted = this.#require();
    if (isFolder(features, fitted)) return fitted.stage.state.decisions();
    return linearDecisions(
      fitted.backend,
      this.model_,
      powerAndLength(fitted.backend, features.copy('float64'), this.options.power),
    );
  }

  predict(features: Matrix): Int32Array {
    const fitted = this.#require();
    return isFolder(features, fitted) ? fitted.answers.slice() : rowMaxima(this.decisionValues(features));
  }

  webWeights(): Float64Array {
    return this.webWeights_;
  }

  linear(): LinearDecision {
    return { power: this.options.power, ...transposedModel(this.model_) };
  }

  probabilities(features: Matrix): Probabilities {
    const fitted = this.#require();
    if (isFolder(features, fitted)) {
      const { pictures, rows } = this.folder();
      return rows(0, pictures).probabilities;
    }
    const { backend, laterSureness } = fitted;
    return chancesOf(backend, this.decisionValues(features), laterSureness, laterStrangers(fitted, features));
  }

  folder() {
    const { backend, stage, sureness, unlisted } = this.#require();
    const { state, side } = stage;
    const rows = (from: number, to: number) => {
      const decisionValues = state.decisions(from, to);
      const known = side.known?.subarray(from, to);
      const probabilities = chancesOf(backend, decisionValues, sureness, unlisted.slice(from, to), known);
      return { decisionValues, probabilities };
    };
    return { pictures: unlisted.length, rows } satisfies FolderAnswers;
  }

  sureness(): Sureness {
    return this.#require().laterSureness;
  }

  strangers(): StrangerDecision | undefined {
    const { later } = this.#require();
    return later && { power: this.options.power, ...strangerFormula(later) };
  }

  groups(): StrangerGroups | undefined {
    return this.#fitted?.groups;
  }

  neighbours(): NearestPictures | undefined {
    return this.#fitted?.stage.neighbours;
  }

  details(): FitDetails {
    return {
      iterations: this.rounds_,
      converged: this.converged_,
      trusts: this.trusts_,
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(this.objective_.length > 0 && { trace: { objective: this.objective_ } }),
    };
  }

  #require(): Fitted {
    if (!this.#fitted) throw notFitted();
    return this.#fitted;
  }
}

/** Whether these are the test pictures of the fit. The matrix without rows of a problem that is streamed stands for all of them. */
function isFolder(features: Matrix, { features: own }: Fitted): boolean {
  return features === own || (own.rows > 0 && sameRows(features, own));
}

/** @param known what people said of these pictures */
function chancesOf(
  backend: Backend,
  decisions: Matrix,
  { factor, doubt }: Sureness,
  unlisted: Float64Array,
  known?: Int32Array,
): Probabilities {
  const listed = decisions.copy('float64');
  const { rows, cols, data } = listed;
  for (let k = 0; k < data.length; k++) data[k] *= factor;
  backend.softmaxRows(listed, listed, new Float64Array(cols), new Float64Array(rows), new Float64Array(cols));
  for (let k = 0; k < data.length; k++) data[k] = (1 - doubt) * data[k] + doubt / cols;
  holdAnswers(known, listed);
  for (let j = 0; j < listed.rows; j++) {
    const row = listed.row(j);
    for (let c = 0; c < row.length; c++) row[c] *= 1 - unlisted[j];
  }
  return { listed, unlisted };
}

function laterStrangers({ space, later }: Fitted, features: Matrix): Float64Array {
  if (!later) return new Float64Array(features.rows);
  const { solver, variance, model, odds } = later;
  const ratios = strangerRatios(model.lonely, lonelyRows(solver, place(space, features), variance));
  return ratios.map((ratio) => 1 / (1 + Math.exp(-ratio - odds)));
}

/** β (x·f_c μ_c − ½‖f_c μ_c‖²)/v + offset, x measured from the auxiliary centre and δ. */
function linearModel(state: TestState): LinearModel {
  const { solver, shift, offsets } = state;
  const scale = solver.options.sharpness / state.scale;
  const { backend, space } = solver.ground;
  const means = state.candidates.means();
  const model = linearFormula(space, means, scale, { offsets, shift });
  backend.release(means);
  return model;
}

export const bowerbirdSpec: MethodSpec = {
  name: 'bowerbird',
  title: 'Bowerbird: words, web and test pictures in one model',
  citation: 'This project; docs/method.md',
  uses: ['web', 'auxiliary', 'test', 'text', 'semantics'],
  setting: 'both',
  streams: ['auxiliary', 'web', 'test'],
  readsByBlocks: true,
  parameters,
  create: (given) => new Bowerbird(given),
};
