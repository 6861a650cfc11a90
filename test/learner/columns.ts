// A product problem in the notation of the paper (instances as columns), for the literal transcription.
import type { Matrix } from '../../src/linalg/matrix.js';
import type { Problem } from '../../src/problem/problem.js';
import type { LiteralProblem } from './literal.js';
import { type Rows, transpose } from './plain.js';

export const rowsOf = (matrix: Matrix): Rows => Array.from({ length: matrix.rows }, (_, i) => [...matrix.row(i)]);

export function asColumns(problem: Problem, withText: boolean): LiteralProblem {
  const perPicture = (labels: Int32Array, semantics: Matrix) =>
    transpose([...labels].map((c) => [...semantics.row(c)]));
  return {
    xa: transpose(rowsOf(problem.auxiliaryFeatures)),
    aa: perPicture(problem.auxiliaryLabels, problem.auxiliarySemantics),
    xw: transpose(rowsOf(problem.webFeatures)),
    aw: perPicture(problem.webLabels, problem.testSemantics),
    xt: transpose(rowsOf(problem.testFeatures)),
    ...(withText && problem.webText ? { text: transpose(rowsOf(problem.webText)) } : {}),
  };
}
