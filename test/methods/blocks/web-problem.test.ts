import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/linalg/matrix.js';
import { readLinear, readLinearThrough } from '../../../src/methods/blocks/linear-decision.js';
import { mixedLabels, requireText, requireWeb, unitText } from '../../../src/methods/blocks/web-problem.js';
import type { LinearDecision, Method } from '../../../src/problem/index.js';
import { smallProblem } from '../../problem/small-problem.js';

describe('a method that learns from web pictures', () => {
  const generalized = smallProblem({ generalized: true });

  it('takes problems of its own setting only, and of both where it admits both', () => {
    expect(() => requireWeb(smallProblem(), 'lr')).not.toThrow();
    for (const problem of [smallProblem(), generalized])
      expect(() => requireWeb(problem, 'whitened-means', 'both')).not.toThrow();
    expect(() => requireWeb(generalized, 'lr-mix', 'generalized')).not.toThrow();
    expect(() => requireWeb(generalized, 'lr')).toThrow('lr chooses among test categories only');
    expect(() => requireWeb(smallProblem(), 'lr-mix', 'generalized')).toThrow(
      'lr-mix chooses among test and auxiliary',
    );
  });

  it('wants something to learn from, and pictures of every category that it chooses among', () => {
    expect(() => requireWeb(smallProblem({ testFeatures: Matrix.zeros(0, 2) }), 'lr')).toThrow('no test pictures');
    const none = smallProblem({ webFeatures: Matrix.zeros(0, 2), webLabels: new Int32Array(0) });
    expect(() => requireWeb(none, 'lr')).toThrow('there are no web pictures, and lr learns from them');
    expect(() => requireWeb(smallProblem({ webLabels: Int32Array.of(0, 0) }), 'lr')).toThrow(
      'web_labels: category 1 ("jackdaw") has no pictures',
    );
    const onlyCrows = { auxiliaryLabels: Int32Array.of(0, 0, 0) };
    expect(() => requireWeb(smallProblem(onlyCrows), 'lr')).not.toThrow();
    for (const setting of ['generalized', 'both'] as const)
      expect(() => requireWeb(smallProblem({ ...onlyCrows, generalized: true }), 'lr-mix', setting)).toThrow(
        'aux_labels: category 1 ("raven") has no pictures',
      );
  });

  it('wants text where it learns from text, at unit length', () => {
    expect(() => requireText(smallProblem(), 'svm-plus')).toThrow('svm-plus learns from it');
    const webText = Matrix.from([
      [3, 4],
      [0, 2],
    ]);
    expect(requireText(smallProblem({ webText }), 'svm-plus')).toBe(webText);
    expect([...unitText(smallProblem({ webText }), 'svm-plus').data]).toEqual(
      [0.6, 0.8, 0, 1].map((value) => expect.closeTo(value, 15)),
    );
  });

  it('counts auxiliary categories after the test categories in the generalized setting', () => {
    expect([...mixedLabels(generalized)]).toEqual([0, 1, 2, 3, 3]);
  });
});

describe('the formula of a linear decision', () => {
  const weights = Matrix.from([
    [2, -1, 0],
    [1, 3, -4],
  ]) as Matrix<Float64Array>;
  const bias = Float64Array.of(5, 6, 7);
  const values = (features: Matrix) => {
    const result = Matrix.zeros(features.rows, 3);
    for (let i = 0; i < features.rows; i++)
      for (let c = 0; c < 3; c++)
        result.set(i, c, bias[c] + features.at(i, 0) * weights.at(0, c) + features.at(i, 1) * weights.at(1, c));
    return result;
  };
  const part = (linear: LinearDecision | undefined) => ({ linear: () => linear }) as unknown as Method;

  it('is read off its values', () => {
    const { weights: found, bias: intercepts } = readLinear(values, 2);
    expect([...found.data]).toEqual([...weights.data]);
    expect([...intercepts]).toEqual([...bias]);
  });

  it('is read through a part that is linear in the features, and through no other', () => {
    expect(readLinearThrough(part({ weights, bias }), values)?.bias).toEqual(bias);
    expect(readLinearThrough(part({ weights, bias, map: weights }), values)).toBeUndefined();
    expect(readLinearThrough(part({ weights, bias, power: 0 }), values)).toBeUndefined();
    expect(readLinearThrough(part(undefined), values)).toBeUndefined();
    expect(readLinearThrough({} as Method, values)).toBeUndefined();
  });
});
