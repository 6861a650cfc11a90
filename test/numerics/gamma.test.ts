import { describe, expect, it } from 'vitest';
import { digamma, inverseDigamma, logGamma, trigamma } from '../../src/numerics/gamma.js';

describe('the gamma function', () => {
  it('has the logarithms of factorials and Γ(½) = √π', () => {
    let factorial = 1;
    for (let n = 1; n < 20; n++) {
      expect(logGamma(n)).toBeCloseTo(Math.log(factorial), 10);
      factorial *= n;
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 11);
  });

  it('has the known values of ψ and ψ′ at 1 and ½', () => {
    const euler = 0.5772156649015329;
    expect(digamma(1)).toBeCloseTo(-euler, 10);
    expect(digamma(0.5)).toBeCloseTo(-euler - 2 * Math.log(2), 10);
    expect(trigamma(1)).toBeCloseTo(Math.PI ** 2 / 6, 10);
    expect(trigamma(0.5)).toBeCloseTo(Math.PI ** 2 / 2, 10);
  });

  it('inverts ψ over many orders of magnitude', () => {
    for (const x of [1e-4, 0.03, 0.5, 1, 3.7, 40, 5e3]) expect(inverseDigamma(digamma(x)) / x).toBeCloseTo(1, 8);
  });
});
