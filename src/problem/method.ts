/**
 * The contract of everything that learns from a problem: hyper-parameters in the constructor only, `fit` learns,
 * learnt state in fields ending in `_`. One suite of tests runs over all of them.
 */
import { ArgumentError, ProblemError } from '../errors.js';
import type { Backend, Matrix } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import type { Problem } from './problem.js';

export interface FitOptions {
  /** The caller's, who disposes of it when the method has nothing more to answer; `fit` of the library does so itself. */
  backend: Backend;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/**
 * Decision values as a formula in the features x: sign(x)|x|^p to unit length (where there is a power), z = x M (where
 * there is a map; to unit length for the cosine distance), then z W + b.
 */
export interface LinearDecision {
  /** Features are raised to this power, signs kept, and brought to unit length. */
  readonly power?: number;
  /** To semantic vectors, d×m. */
  readonly map?: Matrix<Float64Array>;
  /** Semantic vectors are brought to unit length: the cosine distance. */
  readonly unitSemantics?: boolean;
  /** m×C with a map, else d×C. */
  readonly weights: Matrix<Float64Array>;
  readonly bias: Float64Array;
}

/**
 * The log odds that a picture shows none of the candidates, as a formula in the features x: sign(x)|x|^p to unit length,
 * scores s = x W + b of the candidates and, after them, of known others; then c·f + a, where f is log Σ exp s over the
 * candidates, the best of these less the second, log Σ exp s over the others, and the best of the candidates
 * (`strangerSigns` of the numerics).
 */
export interface StrangerDecision {
  readonly power: number;
  /** d×(candidates + others) */
  readonly weights: Matrix<Float64Array>;
  readonly bias: Float64Array;
  readonly candidates: number;
  /** Four. */
  readonly coefficients: Float64Array;
  readonly intercept: number;
}

/** Chances of candidates from decision values: (1 − doubt) softmax(factor · values) + doubt / C. */
export interface Sureness {
  readonly factor: number;
  readonly doubt: number;
}

/** What is left of doubt after so many pictures, however clear they were (Laplace's rule of succession). */
export function doubtAfter(pictures: number): number {
  return 1 / (pictures + 2);
}

/** What a method can tell of its fit besides its answers. */
export interface FitDetails {
  readonly iterations?: number;
  readonly converged?: boolean;
  /** Plain sentences about anything a user should know of this solution. */
  readonly warnings?: readonly string[];
  /** How far each kind of semantic vectors is believed, from 0 to 1, by its name. */
  readonly trusts?: Readonly<Record<string, number>>;
  /** Columns of numbers by name, an entry an iteration. */
  readonly trace?: Readonly<Record<string, readonly number[]>>;
  /** Learnt semantic vectors of the test pictures, n×m, and of the candidate categories in the same space, C×m. */
  readonly semantics?: { readonly pictures: Matrix; readonly categories: Matrix };
  /** From semantic vectors to features, d×m. */
  readonly dictionary?: Matrix;
}

/** Chances of the candidate categories, n×C, and of none of them: a row and its `unlisted` add up to 1. */
export interface Probabilities {
  readonly listed: Matrix;
  readonly unlisted: Float64Array;
}

/** What a method says of the test pictures of its fit, some of them at a time. */
export interface FolderAnswers {
  readonly pictures: number;
  /** Of pictures [from, to). */
  rows(from: number, to: number): { decisionValues: Matrix; probabilities?: Probabilities };
}

/** Test pictures that show no candidate, in groups of what seems to be one category each. */
export interface StrangerGroups {
  /** The group of each test picture, −1 for none. */
  readonly of: Int32Array;
  /** Of each group the test and the auxiliary category that look most like it. */
  readonly nearest: readonly { readonly listed: number; readonly auxiliary: number }[];
}

/** For each of n pictures its `count` nearest ones, nearest first, and their cosines, row after row. */
export interface NearestPictures {
  readonly count: number;
  readonly nearest: Int32Array;
  readonly cosines: Float64Array;
}

/** What people said of pictures. */
export interface KnownAnswers {
  /** Of the test pictures, as `testKnown` of a problem. */
  readonly test?: Int32Array;
  /** Of the web pictures: 1 shows what its label says, −1 does not, 0 nobody said. */
  readonly web?: Int8Array;
}

/** Above this chance of being unlisted a picture is said to show none of the candidates. */
export const unlistedChance = 0.5;

export interface Method {
  /** Learns from the problem, forgetting anything learnt before. The problem is never modified. */
  fit(problem: Problem, options: FitOptions): Promise<this>;
  /**
   * n × candidate categories, larger is more likely. A transductive method answers the test pictures it was fitted
   * with from the fit itself, other pictures through the map it learnt.
   */
  decisionValues(features: Matrix): Matrix;
  /** Index of the most likely candidate category of each row. */
  predict(features: Matrix): Int32Array;
  /** Weights of the web pictures in the order of the problem, larger is more trusted; undefined where there are none. */
  webWeights?(): Float64Array | undefined;
  /** For pictures that come later, where a formula says it all; absent or undefined, a student is taught in its place. */
  linear?(): LinearDecision | undefined;
  /** Chances the method itself vouches for; absent, they are learnt on validation categories. */
  probabilities?(features: Matrix): Probabilities;
  /** The same answers for the test pictures of the fit, for folders of which not all fit in memory; from methods for such ones. */
  folder?(): FolderAnswers;
  /** How sure the values of `linear` may be, from methods that know. */
  sureness?(): Sureness | undefined;
  /** Whether pictures that come later show a candidate at all, from methods that can tell. */
  strangers?(): StrangerDecision | undefined;
  /** Unlisted pictures of the fit that belong together. */
  groups?(): StrangerGroups | undefined;
  /** Which of the test pictures of the fit look alike. */
  neighbours?(): NearestPictures | undefined;
  /** Takes the fit up again with other answers of people, which is quicker than a fit; what they said before is forgotten. */
  refit?(known: KnownAnswers, options?: Omit<FitOptions, 'backend'>): Promise<this>;
  details?(): FitDetails;
}

/** What `decisionValues` throws where there was no fit. */
export function notFitted(): ArgumentError {
  return new ArgumentError('decision values were asked for before fit', 'Call fit first.');
}

/** Problems no method can learn from: nothing to classify, or nothing to choose between. */
export function requireLearnable(problem: Problem, testPictures: number = problem.testFeatures.rows): void {
  if (testPictures === 0) throw new ProblemError('test_features', undefined, 'there are no test pictures');
  const candidates = problem.testSemantics.rows + (problem.generalized ? problem.auxiliarySemantics.rows : 0);
  if (candidates < 2)
    throw new ProblemError(
      'test_semantics',
      undefined,
      `there ${candidates === 1 ? 'is one category' : 'are no categories'} to choose from; at least two are needed`,
    );
}

/** Whether two matrices hold the same rows: how a transductive method recognizes the pictures of its fit. */
export function sameRows(a: Matrix, b: Matrix): boolean {
  if (a === b) return true;
  if (a.rows !== b.rows || a.cols !== b.cols || a.dtype !== b.dtype) return false;
  for (let i = 0; i < a.rows; i++) {
    const [x, y] = [a.row(i), b.row(i)];
    for (let j = 0; j < x.length; j++) if (x[j] !== y[j]) return false;
  }
  return true;
}

/** Index of the largest value of each row, the first one among equals. */
export function rowMaxima(values: Matrix): Int32Array {
  const result = new Int32Array(values.rows);
  for (let i = 0; i < values.rows; i++) {
    const row = values.row(i);
    let best = 0;
    for (let c = 1; c < row.length; c++) if (row[c] > row[best]) best = c;
    result[i] = best;
  }
  return result;
}
