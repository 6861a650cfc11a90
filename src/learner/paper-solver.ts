/**
 * Stage 2 of the learner: inexact augmented Lagrangian solver over E, Z, D, A, θ and the multipliers R and T
 * (Algorithm 1 of the paper), with the exact reductions documented in docs/learner.md. Instances are rows here:
 * X nt×d, A, Z, T nt×r, D d×r, prototypes P = Āt D' C×d.
 *
 * Each public method is one update; `iterate` runs them in order. Tests call them one by one.
 */
import { NotPositiveDefiniteError } from '../errors.js';
import type { Backend, Matrix, RealArray } from '../linalg/index.js';
import type { LearnerOptions } from './options.js';
import { pseudoInverse, type Thresholded, thresholdSingularValues } from './solve.js';
import { download } from './storage.js';
import { addTextTerm, type TextTerm } from './text.js';
import type { IterationRecord } from './trace.js';
import type { Summary } from './web-scalars.js';
import type { WebState } from './web-state.js';

export interface PaperSolverInput {
  backend: Backend;
  options: LearnerOptions;
  /** X, in the backend's storage. */
  testFeatures: Matrix;
  /** Āt in learner coordinates, C×r. */
  testSemantics: Matrix;
  /** Da, d×r. */
  auxiliaryDictionary: Matrix;
  /** Orthonormal rows, r×m: learner coordinates back to semantic vectors. */
  basis: Matrix;
  web?: {
    state: WebState;
    text?: TextTerm;
    testSum: Float64Array;
    spectralBound: number;
    gram?: Matrix;
  };
}

export class PaperSolver {
  readonly input: PaperSolverInput;
  readonly dictionary: Matrix;
  readonly semantics: Matrix;
  readonly lowRank: Matrix;
  readonly multiplier: Matrix;
  mu: number;
  iteration = 0;
  converged = false;

  readonly #backend: Backend;
  readonly #options: LearnerOptions;
  /** A'A for the current A. */
  readonly #semanticsGram: Matrix;
  readonly #testNorm: number;
  readonly #auxiliaryNorm: number;
  readonly #scratch: Matrix;
  readonly #product: Matrix;
  /** r×r each: the dictionary's system, D'D, and the factor of either. */
  readonly #system: Matrix;
  readonly #dictionaryGram: Matrix;
  readonly #factor: Matrix;
  /** C×d each. */
  readonly #webTerm: Matrix;
  readonly #prototypes: Matrix;
  readonly #weightedSemantics: Matrix;
  /** In the precision of the features, for products with them; the same matrices when that is float64. */
  readonly #narrowDictionary: Matrix;
  readonly #narrowSemantics: Matrix;
  readonly #narrowWebTerm: Matrix;
  readonly #narrowPrototypes: Matrix;
  #thresholded: Thresholded = { rank: 0, nuclear: 0 };
  #thetaSteps = 0;
  #discrepancy = 0;
  #reconstruction = 0;

  constructor(input: PaperSolverInput) {
    const { backend, options, testFeatures, auxiliaryDictionary } = input;
    const [n, rank] = [testFeatures.rows, auxiliaryDictionary.cols];
    const matrix = (rows: number, cols: number) => backend.matrix(rows, cols);
    const narrow = (wide: Matrix) =>
      testFeatures.dtype === 'float64' ? wide : backend.matrix(wide.rows, wide.cols, testFeatures.dtype);
    this.input = input;
    this.#backend = backend;
    this.#options = options;
    this.mu = options.penaltyStart;
    this.dictionary = matrix(auxiliaryDictionary.rows, rank);
    backend.copy(this.dictionary, auxiliaryDictionary);
    this.semantics = matrix(n, rank);
    this.lowRank = matrix(n, rank);
    this.multiplier = matrix(n, rank);
    this.#semanticsGram = matrix(rank, rank);
    this.#scratch = matrix(n, rank);
    this.#product = matrix(n, rank);
    this.#system = matrix(rank, rank);
    this.#dictionaryGram = matrix(rank, rank);
    this.#factor = matrix(rank, rank);
    const categories = input.web ? input.testSemantics.rows : 0;
    this.#webTerm = matrix(categories, testFeatures.cols);
    this.#prototypes = matrix(categories, testFeatures.cols);
    this.#weightedSemantics = matrix(categories, rank);
    this.#narrowDictionary = narrow(this.dictionary);
    this.#narrowSemantics = narrow(this.semantics);
    this.#narrowWebTerm = narrow(this.#webTerm);
    this.#narrowPrototypes = narrow(this.#prototypes);
    this.#testNorm = backend.dot(testFeatures, testFeatures);
    this.#auxiliaryNorm = backend.dot(auxiliaryDictionary, auxiliaryDictionary);
  }

  /** First A = (Da'Da + μI)⁻¹Da'X, first residuals of the web images. */
  async start(): Promise<void> {
    this.updateSemantics();
    await this.input.web?.state.start(this.#currentPrototypes());
  }

  /** P = Āt D' (C×d) */
  #currentPrototypes(): Matrix {
    this.#backend.gemm(this.#prototypes, this.input.testSemantics, this.dictionary, { transposeB: true });
    return this.#converted(this.#narrowPrototypes, this.#prototypes);
  }

  /** Target ← source where they are not one and the same. */
  #converted(target: Matrix, source: Matrix): Matrix {
    if (target !== source) this.#backend.copy(target, source);
    return target;
  }

  shrinkErrors(): void {
    this.input.web?.state.shrinkErrors(this.#options.lambda4, this.mu);
  }

  /** Z ← argmin λ2‖Z‖* + μ/2 ‖Z − (A + T/μ)‖² */
  thresholdSemantics(): void {
    const m = this.#scratch;
    this.#backend.copy(m, this.semantics);
    this.#backend.axpby(m, 1 / this.mu, this.multiplier, 1);
    if (this.#options.lambda2 === 0) {
      this.#backend.copy(this.lowRank, m);
      this.#thresholded = { rank: m.cols, nuclear: 0 };
    } else this.#thresholded = thresholdSingularValues(this.#backend, this.lowRank, m, this.#options.lambda2 / this.mu);
  }

  /** D ← (X'A + λ1Da + S'Āt + γ…)(A'A + Āt'diag(μΣθ² + γn)Āt + λ1I)⁻¹; the web residuals follow. */
  async updateDictionary(): Promise<void> {
    const backend = this.#backend;
    const { testFeatures, testSemantics, auxiliaryDictionary, web } = this.input;
    const { lambda1, gamma } = this.#options;
    const right = this.dictionary;
    const semantics = this.#converted(this.#narrowSemantics, this.semantics);
    backend.gemm(this.#narrowDictionary, testFeatures, semantics, { transposeA: true });
    this.#converted(right, this.#narrowDictionary);
    backend.axpby(right, lambda1, auxiliaryDictionary, 1);
    const system = this.#system;
    backend.copy(system, this.#semanticsGram);
    backend.addDiagonal(system, lambda1);
    if (web) {
      const sums = this.#narrowWebTerm;
      const onSystem = await web.state.dictionaryTerm(sums, this.mu, web.text ? gamma : 0);
      if (web.text)
        addTextTerm(backend, sums, web.text, gamma, this.iteration === 0 ? undefined : web.state.prototypes);
      backend.gemm(right, this.#converted(this.#webTerm, sums), testSemantics, { transposeA: true, beta: 1 });
      const weighted = this.#weightedSemantics;
      backend.copy(weighted, testSemantics);
      backend.scaleRows(weighted, onSystem);
      backend.gemm(system, testSemantics, weighted, { transposeA: true, beta: 1 });
    }
    this.#solveDictionary(system, right);
    if (web) await web.state.moveTo(this.#currentPrototypes());
  }

  #solveDictionary(system: Matrix, right: Matrix): void {
    const backend = this.#backend;
    if (this.#options.lambda1 > 0) {
      try {
        backend.copy(this.#factor, system);
        backend.cholesky(this.#factor);
        backend.choleskySolve(this.#factor, right, 'rows');
        return;
      } catch (error) {
        if (!(error instanceof NotPositiveDefiniteError)) throw error;
      }
    }
    const inverse = pseudoInverse(backend, system);
    const solved = backend.matrix(right.rows, right.cols, right.dtype);
    backend.gemm(solved, right, inverse);
    backend.copy(right, solved);
    backend.release(inverse);
    backend.release(solved);
  }

  /** A ← (D'D + μI)⁻¹(D'X + μZ − T), row by row. */
  updateSemantics(): void {
    const backend = this.#backend;
    const gram = this.#dictionaryGram;
    backend.syrk(gram, this.dictionary, { transpose: true });
    backend.copy(this.#factor, gram);
    backend.addDiagonal(this.#factor, this.mu);
    const dictionary = this.#converted(this.#narrowDictionary, this.dictionary);
    backend.gemm(this.#narrowSemantics, this.input.testFeatures, dictionary);
    backend.copy(this.#product, this.#narrowSemantics);
    backend.copy(this.semantics, this.#product);
    backend.axpby(this.semantics, this.mu, this.lowRank, 1);
    backend.axpby(this.semantics, -1, this.multiplier, 1);
    backend.cholesky(this.#factor);
    backend.choleskySolve(this.#factor, this.semantics, 'rows');
    backend.syrk(this.#semanticsGram, this.semantics, { transpose: true });
    // ‖X − AD'‖² = ‖X‖² − 2⟨XD, A⟩ + ⟨D'D, A'A⟩
    this.#reconstruction =
      this.#testNorm -
      2 * this.#backend.dot(this.#product, this.semantics) +
      this.#backend.dot(gram, this.#semanticsGram);
  }

  /** θ ← argmin ½θ'Hθ − f'θ on the capped simplex; becomes current with `updateMultipliers`. */
  async updateWeights(): Promise<void> {
    const { web, testFeatures } = this.input;
    if (!web) return;
    const { state, spectralBound, gram } = web;
    const [n, tests] = [state.features.rows, testFeatures.rows];
    const { lambda3, bound } = this.#options;
    const [coupling, pull] = [lambda3 / (n * n), lambda3 / (n * tests)];
    this.#thetaSteps = await state.solveWeights({ mu: this.mu, coupling, pull, bound, spectralBound, gram });
    const weightedSum = download(this.#backend, state.pictures.weightedSum).data;
    this.#discrepancy = 0;
    for (let j = 0; j < weightedSum.length; j++)
      this.#discrepancy += (weightedSum[j] / n - web.testSum[j] / tests) ** 2;
  }

  /** R, T and μ; sets `converged` by the paper's rule. Returns the largest residual norms. */
  async updateMultipliers(): Promise<{ web: number; semantics: number }> {
    const backend = this.#backend;
    const { web } = this.input;
    const difference = this.#scratch;
    backend.copy(difference, this.semantics);
    backend.axpby(difference, -1, this.lowRank, 1);
    backend.axpby(this.multiplier, this.mu, difference, 1);
    const norms = vectorLike(difference, difference.rows);
    backend.rowDots(norms, difference, difference);
    const farthest = placeOfLargest(norms);
    const semantics = Math.sqrt(norms[farthest] ?? 0);
    let below = this.#semanticsResidualBelow(difference, farthest, semantics);
    let largest = 0;
    if (web) {
      // What one residual has settled need not be looked at in the other.
      const residual = await web.state.updateMultipliers(below ? this.#options.tolerance : 0, this.mu);
      largest = residual.largest;
      below &&= residual.below;
    }
    this.converged = below;
    return { web: largest, semantics };
  }

  /** Whether every entry of Q(A − Z) is below ν; written out in m dimensions only when the norms leave it open, the farthest row first. */
  #semanticsResidualBelow(difference: Matrix, farthest: number, largestNorm: number): boolean {
    const { tolerance } = this.#options;
    if (largestNorm < tolerance) return true;
    if (largestNorm >= tolerance * Math.sqrt(this.input.basis.cols) * (1 + 1e-9)) return false;
    return this.#rowsBelow(difference.view(farthest, farthest + 1)) && this.#rowsBelow(difference);
  }

  #rowsBelow(rows: Matrix): boolean {
    const { basis } = this.input;
    const full = this.#backend.matrix(rows.rows, basis.cols, rows.dtype);
    this.#backend.gemm(full, rows, basis);
    const below = this.#backend.maxAbs(full) < this.#options.tolerance;
    this.#backend.release(full);
    return below;
  }

  async iterate(): Promise<IterationRecord> {
    const begun = performance.now();
    this.shrinkErrors();
    this.thresholdSemantics();
    await this.updateDictionary();
    this.updateSemantics();
    await this.updateWeights();
    const residuals = await this.updateMultipliers();
    const record = this.#record(residuals, begun);
    this.mu = Math.min(this.#options.penaltyMaximum, (1 + this.#options.penaltyGrowth) * this.mu);
    this.iteration++;
    return record;
  }

  #record(residuals: { web: number; semantics: number }, begun: number): IterationRecord {
    const { lambda1, lambda2, lambda3, lambda4 } = this.#options;
    const { web } = this.input;
    const reconstruction = Math.max(0, this.#reconstruction) / 2;
    const transfer = lambda1 > 0 ? (lambda1 / 2) * this.#distanceToAuxiliary() : 0;
    const nuclear = lambda2 * this.#thresholded.nuclear;
    const discrepancy = web ? (lambda3 / 2) * this.#discrepancy : 0;
    const { errorNorm, ...spread } = web?.state.pictures.summary() ?? noPictures;
    const error = lambda4 * errorNorm;
    return {
      iteration: this.iteration + 1,
      objective: reconstruction + transfer + nuclear + discrepancy + error,
      reconstruction,
      transfer,
      nuclear,
      discrepancy,
      error,
      webResidual: residuals.web,
      semanticsResidual: residuals.semantics,
      mu: this.mu,
      rank: this.#thresholded.rank,
      ...spread,
      thetaSteps: this.#thetaSteps,
      seconds: (performance.now() - begun) / 1000,
    };
  }

  /** ‖D − Da‖² */
  #distanceToAuxiliary(): number {
    const { auxiliaryDictionary } = this.input;
    const cross = this.#backend.dot(this.dictionary, auxiliaryDictionary);
    return Math.max(0, this.#backend.dot(this.dictionary, this.dictionary) - 2 * cross + this.#auxiliaryNorm);
  }

  /** After restoring D, A, Z, T from a checkpoint: what is derived from them. */
  refresh(): void {
    this.#backend.syrk(this.#semanticsGram, this.semantics, { transpose: true });
  }

  release(): void {
    const iterates = [this.dictionary, this.semantics, this.lowRank, this.multiplier];
    const squares = [this.#semanticsGram, this.#system, this.#dictionaryGram, this.#factor];
    const others = [this.#scratch, this.#product, this.#webTerm, this.#prototypes, this.#weightedSemantics];
    const narrow = [this.#narrowDictionary, this.#narrowSemantics, this.#narrowWebTerm, this.#narrowPrototypes];
    for (const matrix of new Set([...iterates, ...squares, ...others, ...narrow])) this.#backend.release(matrix);
  }
}

function vectorLike(matrix: Matrix, length: number): RealArray {
  return matrix.dtype === 'float64' ? new Float64Array(length) : new Float32Array(length);
}

function placeOfLargest(values: RealArray): number {
  let place = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[place]) place = k;
  return place;
}

const noPictures: Summary = { errorNorm: 0, thetaMinimum: 0, thetaMaximum: 0, thetaDeviation: 0 };
