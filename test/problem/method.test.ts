import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/linalg/matrix.js';
import { doubtAfter, requireLearnable, rowMaxima, sameRows } from '../../src/problem/method.js';
import { smallProblem } from './small-problem.js';

describe('what every method builds on', () => {
  it('doubts less after more pictures, by the rule of succession', () => {
    expect(doubtAfter(0)).toBe(1 / 2);
    expect(doubtAfter(8)).toBe(1 / 10);
  });

  it('recognizes the pictures of a fit by their numbers', () => {
    const a = Matrix.from([
      [1, 2],
      [3, 4],
    ]);
    expect(sameRows(a, a)).toBe(true);
    expect(sameRows(a, a.copy())).toBe(true);
    for (const other of [
      [
        [1, 2],
        [3, 5],
      ],
      [
        [0, 2],
        [3, 4],
      ],
      [[1, 2]],
      [[1], [3]],
    ])
      expect(sameRows(a, Matrix.from(other))).toBe(false);
    expect(sameRows(a, Matrix.from([[1, 2]]))).toBe(false);
    expect(sameRows(a, Matrix.zeros(2, 2, 'float32'))).toBe(false);
    const single = Matrix.zeros(2, 2, 'float32');
    single.data.set([1, 2, 3, 4]);
    expect(sameRows(a, single)).toBe(false);
  });

  it('takes the first of equal maxima', () => {
    expect([
      ...rowMaxima(
        Matrix.from([
          [1, 3, 3],
          [5, 5, 4],
          [-2, -1, -3],
        ]),
      ),
    ]).toEqual([1, 0, 1]);
  });

  it('refuses problems with nothing to classify or to choose from', () => {
    expect(() => requireLearnable(smallProblem())).not.toThrow();
    expect(() => requireLearnable(smallProblem({ testFeatures: Matrix.zeros(0, 2) }))).toThrow('no test pictures');
    const one = { testSemantics: Matrix.from([[1, 1]]) };
    expect(() => requireLearnable(smallProblem(one))).toThrow('there is one category');
    expect(() => requireLearnable(smallProblem({ testSemantics: Matrix.zeros(0, 2) }))).toThrow('are no categories');
    expect(() => requireLearnable(smallProblem({ ...one, generalized: true }))).not.toThrow();
  });
});
