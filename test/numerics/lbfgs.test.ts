import { describe, expect, it } from 'vitest';
import { minimize, type Objective } from '../../src/numerics/lbfgs.js';

/** Rosenbrock's valley: (1 − x)² + 100 (y − x²)², least at (1, 1). */
const valley: Objective = ([x, y], gradient) => {
  gradient.set([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)]);
  return (1 - x) ** 2 + 100 * (y - x * x) ** 2;
};

describe('L-BFGS', () => {
  it('finds the bottom of a curved valley', async () => {
    const point = Float64Array.of(-1.2, 1);
    const { converged } = await minimize(valley, point);
    expect(converged).toBe(true);
    expect(point[0]).toBeCloseTo(1, 5);
    expect(point[1]).toBeCloseTo(1, 5);
  });

  it('goes the same way where no gradient is written above the bound', async () => {
    let spared = 0;
    const sparing: Objective = (point, gradient, bound) => {
      const value = valley(point, gradient, bound);
      if (value > bound) {
        gradient.fill(Number.NaN);
        spared++;
      }
      return value;
    };
    const [whole, spare] = [Float64Array.of(-1.2, 1), Float64Array.of(-1.2, 1)];
    expect(await minimize(sparing, spare)).toEqual(await minimize(valley, whole));
    expect(spare).toEqual(whole);
    expect(spared).toBeGreaterThan(5);
  });
});
