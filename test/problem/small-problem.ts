/** A problem small enough to write out: two auxiliary and two test categories, two features, two semantic elements. */
import { Matrix } from '../../src/linalg/matrix.js';
import type { Problem } from '../../src/problem/index.js';

export function smallProblem(changes: Partial<Problem> = {}): Problem {
  return {
    auxiliaryFeatures: Matrix.from([
      [1, 0],
      [0, 1],
      [1, 1],
    ]),
    auxiliaryLabels: Int32Array.of(0, 1, 1),
    auxiliarySemantics: Matrix.from([
      [1, 0],
      [0, 1],
    ]),
    auxiliaryNames: ['crow', 'raven'],
    webFeatures: Matrix.from([
      [2, 1],
      [1, 2],
    ]),
    webLabels: Int32Array.of(0, 1),
    testFeatures: Matrix.from([
      [3, 1],
      [1, 3],
    ]),
    testLabels: Int32Array.of(0, 1),
    testSemantics: Matrix.from([
      [1, 1],
      [1, -1],
    ]),
    testNames: ['rook', 'jackdaw'],
    generalized: false,
    ...changes,
  };
}
