/**
 * The paper's learner as a method: `new PaperLearner({ lambda1, … }).fit(problem, { backend })`, then predictions for
 * the test pictures of the fit and, through the learnt dictionary, for any other picture.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ArgumentError, InterruptedError, MemoryError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { times, timesTransposed } from '../numerics/index.js';
import type { FeatureRows } from '../problem/index.js';
import {
  candidateSemantics,
  type FitDetails,
  type FitOptions,
  type LinearDecision,
  type Method,
  type Problem,
  rowMaxima,
  sameRows,
} from '../problem/index.js';
import type { Checkpoint } from './checkpoint.js';
import { inductiveMap, mapFeatures } from './map.js';
import { distances, nearestCategories, shortVectors } from './nearest.js';
import { currentName, type LearnerOptions, resolveOptions, type SpecialCase, specialCases } from './options.js';
import { PaperSolver } from './paper-solver.js';
import { asCompared, prepare } from './prepare.js';
import { ResidentProblem } from './resident.js';
import { download } from './storage.js';
import { type IterationRecord, traceColumns } from './trace.js';

export interface LearnerFitOptions extends FitOptions {
  /** Called after every iteration. */
  onIteration?: (record: IterationRecord, iterations: number) => void;
  /** Web features read from a file in every pass instead of `problem.webFeatures`. */
  webRows?: FeatureRows;
  /** Gives the problem that is already in the backend's storage, shared by several fits. */
  resident?: () => ResidentProblem;
  /** Where the state of an interrupted fit is kept; an existing one is continued. */
  checkpoint?: Checkpoint;
}

/** What a finished fit knows; enough to classify pictures that were not part of it. */
export interface LearnerModel {
  /** Takes features to semantic vectors, d×m. */
  map: Matrix<Float64Array>;
  /** Vectors of the candidate categories, C×m. */
  candidates: Matrix<Float64Array>;
  names: readonly string[];
  metric: LearnerOptions['metric'];
}

/** What a fit ends with, in the coordinates of the span, and the basis that leads out of it. */
interface Learnt {
  basis: Matrix<Float64Array>;
  semantics: Matrix<Float64Array>;
  dictionary: Matrix<Float64Array>;
  candidates: Matrix<Float64Array>;
  /** In all m dimensions, once somebody asks. */
  fullSemantics?: Matrix<Float64Array>;
  fullDictionary?: Matrix<Float64Array>;
}

export class PaperLearner implements Method {
  readonly options: LearnerOptions;
  /** Importance weights of the web pictures, in their original order; empty when none were used. */
  webWeights_!: Float64Array;
  model_!: LearnerModel;
  trace_: IterationRecord[] = [];
  converged_ = false;
  /** Plain sentences about anything a user should know of this solution. */
  warnings_: string[] = [];
  #testFeatures: Matrix | undefined;
  #learnt: Learnt | undefined;
  #backend: Backend | undefined;

  constructor(options: Partial<LearnerOptions> & { special?: SpecialCase } = {}) {
    const { special: named = 'paper', ...given } = options;
    const special = currentName(named) as SpecialCase;
    if (!Object.hasOwn(specialCases, special))
      throw new ArgumentError(`special is "${special}"; it must be one of ${Object.keys(specialCases).join(', ')}`);
    this.options = resolveOptions({ ...given, ...specialCases[special] });
  }

  async fit(problem: Problem, fitOptions: LearnerFitOptions): Promise<this> {
    fitOptions.signal?.throwIfAborted();
    const shared = fitOptions.resident?.();
    if (shared && shared.problem !== problem)
      throw new ArgumentError('the resident problem is not the problem of this fit');
    const backend = shared?.backend ?? fitOptions.backend;
    this.#backend = backend;
    this.warnings_ = [];
    const note = (message: string) => this.warnings_.push(message);
    const { webRows } = fitOptions;
    const resident = shared ?? new ResidentProblem(problem, backend, { dtype: this.options.dtype, webRows, note });
    try {
      await this.#fit(resident, fitOptions);
    } catch (error) {
      // Memory that ran out on the way: once more, in less of it.
      if (!(error instanceof MemoryError && resident.moveWebToHost(error))) throw error;
      await this.#fit(resident, fitOptions);
    } finally {
      if (!shared) resident.release();
    }
    return this;
  }

  async #fit(resident: ResidentProblem, fitOptions: LearnerFitOptions): Promise<void> {
    const { options } = this;
    const { signal, onProgress, onIteration, checkpoint } = fitOptions;
    const { input, release } = await prepare(resident, options);
    const solver = new PaperSolver(input);
    this.trace_ = [];
    try {
      await solver.start();
      if (checkpoint) this.trace_ = (await checkpoint.restore(solver)) ?? [];
      while (!solver.converged && solver.iteration < options.maxIterations) {
        const record = await solver.iterate();
        this.trace_.push(record);
        onIteration?.(record, solver.iteration);
        onProgress?.({ done: solver.iteration, unit: 'iterations', detail: describe(record, options.tolerance) });
        await yieldToEventLoop();
        if (signal?.aborted) {
          await checkpoint?.save(solver, this.trace_);
          throw new InterruptedError(
            `interrupted after ${solver.iteration} iterations`,
            checkpoint ? 'Run the same command with --resume to continue.' : undefined,
          );
        }
        await checkpoint?.saveIfDue(solver, this.trace_);
      }
      this.#conclude(resident, solver);
    } finally {
      solver.release();
      release();
    }
  }

  #conclude(resident: ResidentProblem, solver: PaperSolver): void {
    const { input } = solver;
    const { problem, backend } = resident;
    const basis = resident.basis(this.options.space);
    const candidates = asCompared(candidateSemantics(problem), this.options) as Matrix<Float64Array>;
    const learnt: Learnt = {
      basis,
      semantics: download(backend, solver.semantics),
      dictionary: download(backend, solver.dictionary),
      candidates: timesTransposed(backend, candidates, basis),
    };
    this.#learnt = learnt;
    const mapInSpan = inductiveMap(backend, solver.dictionary, inductiveRidge);
    const map = times(backend, mapInSpan, input.basis);
    backend.release(mapInSpan);
    this.webWeights_ = new Float64Array(input.web?.state.features.rows ?? 0);
    if (input.web) {
      const { pictures, features } = input.web.state;
      const theta = download(backend, pictures.scalars.theta);
      features.grouping.order.forEach((row, position) => {
        this.webWeights_[row] = theta.data[position];
      });
    }
    this.model_ = {
      map,
      candidates,
      names: problem.generalized ? [...problem.testNames, ...problem.auxiliaryNames] : [...problem.testNames],
      metric: this.options.metric,
    };
    this.converged_ = solver.converged;
    this.#testFeatures = problem.testFeatures;
    this.#warn(input.web?.text?.reach);
  }

  /** Predicted semantic vectors of the test pictures, nt×m. */
  get semantics_(): Matrix<Float64Array> {
    const { learnt, backend } = this.#fitted();
    learnt.fullSemantics ??= times(backend, learnt.semantics, learnt.basis);
    return learnt.fullSemantics;
  }

  /** D, d×m. */
  get dictionary_(): Matrix<Float64Array> {
    const { learnt, backend } = this.#fitted();
    learnt.fullDictionary ??= times(backend, learnt.dictionary, learnt.basis);
    return learnt.fullDictionary;
  }

  #fitted(): { learnt: Learnt; backend: Backend; testFeatures: Matrix } {
    if (!this.#learnt || !this.#backend || !this.#testFeatures)
      throw new ArgumentError('predictions were asked for before fit', 'Call fit first.');
    return { learnt: this.#learnt, backend: this.#backend, testFeatures: this.#testFeatures };
  }

  #warn(textReach = 0): void {
    const { options } = this;
    const last = this.trace_[this.trace_.length - 1];
    if (!this.converged_)
      this.warnings_.push(
        `did not converge in ${options.maxIterations} iterations (residuals ${last.webResidual.toExponential(1)} and ` +
          `${last.semanticsResidual.toExponential(1)}, tolerance ${options.tolerance}); allow more (maxIterations, or --max-iterations)`,
      );
    if (last.rank === 0)
      this.warnings_.push(
        `the solution collapsed: the semantic vectors of all test pictures have rank 0; lambda2 = ${options.lambda2} is too large`,
      );
    if (textReach > reachingText)
      this.warnings_.push(
        `the words of the web pictures can explain ${Math.round(100 * textReach)} % of any error, right or wrong, so that they say little; ` +
          'keep fewer words, or raise textRidge',
      );
    const { learnt, backend } = this.#fitted();
    const nearest = nearestCategories(backend, learnt.semantics, learnt.candidates, options.metric);
    const short = options.metric === 'euclidean' && shortVectors(learnt.candidates, nearest);
    if (short) {
      const share = Math.round(100 * short.share);
      this.warnings_.push(
        `${share} % of the test pictures were put into the ${short.categories} of ${learnt.candidates.rows} categories with the shortest semantic vectors ` +
          `(lengths vary from ${short.least.toPrecision(3)} to ${short.most.toPrecision(3)}): short vectors are near to everything; use vectors of unit length (vectors=unit, or --vectors unit)`,
      );
    } else if (nearest.length > 1 && nearest.every((category) => category === nearest[0]))
      this.warnings_.push(
        `every test picture was put into "${this.model_.names[nearest[0]]}"; lambda2 = ${options.lambda2} may be too large`,
      );
  }

  /** Semantic vectors, n×m: those of the fit for its own test pictures, mapped ones for others. */
  semanticsOf(features: Matrix): Matrix<Float64Array> {
    const { backend, testFeatures } = this.#fitted();
    if (sameRows(features, testFeatures)) return this.semantics_;
    return mapFeatures(backend, this.model_.map, features);
  }

  /** Negative distances to every candidate category. */
  decisionValues(features: Matrix): Matrix {
    const { learnt, testFeatures } = this.#fitted();
    const { metric, candidates } = this.model_;
    // Distances are the same in the span, where the vectors are shorter.
    const result = sameRows(features, testFeatures)
      ? distances(learnt.semantics, learnt.candidates, metric)
      : distances(this.semanticsOf(features), candidates, metric);
    for (let i = 0; i < result.data.length; i++) result.data[i] = -result.data[i];
    return result;
  }

  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }

  webWeights(): Float64Array | undefined {
    return this.webWeights_?.length > 0 ? this.webWeights_ : undefined;
  }

  linear(): LinearDecision {
    return linearDecision(this.model_);
  }

  details(): FitDetails {
    const learner = this;
    return {
      ...traceDetails(this),
      // Products of large matrices, for those who ask.
      get semantics() {
        return { pictures: learner.semantics_, categories: learner.model_.candidates };
      },
      get dictionary() {
        return learner.dictionary_;
      },
    };
  }
}

/** (D'D + ridge I)⁻¹ for pictures that come later: the paper's first μ, whatever the fit itself began with. */
const inductiveRidge = 0.1;

/** Where the words explain more than this share of any residual, the text term is worth a warning. */
const reachingText = 0.5;

/** The nearest category as a formula: −‖z − c‖² = 2 z·c − ‖c‖² − ‖z‖², and the last term is the same for all. */
export function linearDecision({ map, candidates, metric }: LearnerModel): LinearDecision {
  const weights = Matrix.zeros(candidates.cols, candidates.rows);
  const bias = new Float64Array(candidates.rows);
  for (let c = 0; c < candidates.rows; c++) {
    const category = candidates.row(c);
    const squares = category.reduce((sum, value) => sum + value * value, 0);
    const factor = metric === 'cosine' ? 1 / (Math.sqrt(squares) || 1) : 2;
    for (let j = 0; j < category.length; j++) weights.set(j, c, factor * category[j]);
    if (metric === 'euclidean') bias[c] = -squares;
  }
  return { map, unitSemantics: metric === 'cosine', weights, bias };
}

/** What the trace of a fit, or of two, comes to. */
export function traceDetails({
  trace_,
  converged_,
  warnings_,
}: {
  trace_: readonly IterationRecord[];
  converged_: boolean;
  warnings_: readonly string[];
}): FitDetails {
  return {
    iterations: trace_.length,
    converged: converged_,
    warnings: warnings_,
    trace: Object.fromEntries(traceColumns.map((column) => [column, trace_.map((entry) => entry[column])])),
  };
}

function describe(record: IterationRecord, tolerance: number): string {
  const residual = (value: number) => value.toExponential(1);
  return `residuals ${residual(record.webResidual)} and ${residual(record.semanticsResidual)}, to reach ${tolerance}`;
}
