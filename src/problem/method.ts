/**
 * The contract of everything that learns from a problem: hyper-parameters in the constructor only, `fit` learns,
 * learnt state in fields ending in `_`. One suite of tests runs over all of them.
 */
import { ArgumentError, ProblemError } from '../errors.js';
import type { Backend } from '../linalg/backend.js';
import type { Matrix } from '../linalg/matrix.js';
import type { Problem } from './problem.js';

export interface FitProgress {
  done: number;
  total?: number;
  detail?: string;
}

export interface FitOptions {
  backend: Backend;
  signal?: AbortSignal;
  onProgress?: (progress: FitProgress) => void;
}

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
}

/** What `decisionValues` throws where there was no fit. */
export function notFitted(): ArgumentError {
  return new ArgumentError('decision values were asked for before fit', 'Call fit first.');
}

/** Problems no method can learn from: nothing to classify, or nothing to choose between. */
export function requireLearnable(problem: Problem): void {
  if (problem.testFeatures.rows === 0) throw new ProblemError('test_features', undefined, 'there are no test pictures');
  const candidates = problem.testSemantics.rows + (problem.generalized ? problem.auxiliarySemantics.rows : 0);
  if (candidates < 2)
    throw new ProblemError(
      'test_semantics',
      undefined,
      `there ${candidates === 1 ? 'is one category' : 'are no categories'} to choose from; at least two are needed`,
    );
}

/** Whether two matrices hold the same rows: how a transductive method recognises the pictures of its fit. */
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
