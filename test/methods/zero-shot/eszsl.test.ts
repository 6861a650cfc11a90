import { describe, expect, it } from 'vitest';
import { Eszsl } from '../../../src/methods/zero-shot/eszsl.js';
import { add, identity, multiply, scale, solve, transpose } from '../../learner/plain.js';
import { backend, plainAuxiliary, rowsOf, small, steepest } from './small.js';
import '../../allclose.js';

const [gamma, lambda] = [0.7, 0.4];

describe('ESZSL', () => {
  const { pictures: x, labels, learnt: s, candidates, mean } = plainAuxiliary();
  const y = labels.map((label) => s.map((_, c) => (c === label ? 1 : -1)));
  /** V, d×m, by the formula of the paper with targets of ±1. */
  const left = solve(add(multiply(transpose(x), x), scale(identity(9), gamma)), multiply(transpose(x), multiply(y, s)));
  const v = transpose(solve(add(multiply(transpose(s), s), scale(identity(5), lambda)), transpose(left)));

  it('takes the point where the objective of the paper has no slope', () => {
    const objective = (point: Float64Array) => {
      const map = Array.from({ length: 9 }, (_, j) => Array.from(point.subarray(5 * j, 5 * j + 5)));
      const squares = (rows: number[][]) => rows.flat().reduce((sum, value) => sum + value ** 2, 0);
      const [xv, vs] = [multiply(x, map), multiply(map, transpose(s))];
      const error = add(multiply(xv, transpose(s)), scale(y, -1));
      return squares(error) + gamma * squares(vs) + lambda * squares(xv) + gamma * lambda * squares(map);
    };
    expect(steepest(objective, Float64Array.from(v.flat()))).toBeLessThan(1e-5);
  });

  it('scores candidates by x′Vs, up to the factor 2 between targets of ±1 and of 0/1', async () => {
    const { model_ } = await new Eszsl({ gamma, lambda }).fit(small, { backend });
    const weights = scale(transpose(multiply(v, transpose(candidates))), 1 / 2);
    expect(rowsOf(model_!.weights).flat()).toBeAllClose(weights.flat(), { tolerance: 1e-9 });
    const intercepts = weights.map((row) => -row.reduce((sum, weight, j) => sum + weight * mean[j], 0));
    expect(model_!.intercepts).toBeAllClose(intercepts, { tolerance: 1e-9 });
  });

  it('refuses impossible penalties', () => {
    expect(() => new Eszsl({ gamma: 0 })).toThrow(/gamma is 0/);
    expect(() => new Eszsl({ lambda: Number.NaN })).toThrow(/lambda/);
  });
});
