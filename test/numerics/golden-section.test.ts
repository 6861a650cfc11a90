import { describe, expect, it } from 'vitest';
import { leastOnLogScale } from '../../src/numerics/index.js';

describe('a golden section', () => {
  it('finds the least value of a function with one minimum, inside and at either end', () => {
    for (const least of [0.01, 0.3, 7, 90])
      expect(leastOnLogScale((x) => Math.log(x / least) ** 2, 0.01, 100, 1e-5) / least).toBeCloseTo(1, 4);
    expect(leastOnLogScale((x) => x, 0.5, 20, 1e-4)).toBeCloseTo(0.5, 3);
    expect(leastOnLogScale((x) => -x, 0.5, 20, 1e-4)).toBeCloseTo(20, 2);
  });
});
