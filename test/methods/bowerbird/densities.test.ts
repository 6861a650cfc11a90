/** Densities of web pictures about a mean. */
import { describe, expect, it } from 'vitest';
import { Densities } from '../../../src/methods/bowerbird/densities.js';

describe('densities of web pictures', () => {
  const [d, tails, sharpness] = [6, 0.5, 0.7];
  const densities = new Densities(d, { sharpness, tails });

  it('are those of a t distribution up to what all share', () => {
    const logarithm = (distance: number, variance: number) =>
      Math.log(variance ** (-d / 2) * (1 + distance / (variance * tails * d)) ** (-(tails * d + d) / 2));
    for (const [distance, variance] of [
      [0, 1],
      [3, 0.4],
      [50, 2.5],
    ])
      expect(densities.at(distance, variance)).toBeCloseTo(sharpness * logarithm(distance, variance), 12);
  });

  it('are powers of the distances, too', () => {
    const variances = Float64Array.of(0.6, 1.7);
    const { scales, shifts, power } = densities.mixture(Float64Array.of(0, 0), variances);
    variances.forEach((variance, c) => {
      expect(-power * Math.log(scales[c] * (shifts[c] + 4))).toBeCloseTo(densities.at(4, variance), 12);
    });
  });

  it('fall off as fast as a picture counts: the derivative over that of a normal distribution', () => {
    const [distance, variance, step] = [5, 0.8, 1e-5];
    const slope = (densities.at(distance + step, variance) - densities.at(distance - step, variance)) / (2 * step);
    expect(densities.nearness(distance, variance)).toBeCloseTo(slope / (-sharpness / (2 * variance)), 6);
  });
});
