import { describe, expect, it } from 'vitest';
import { solveSmo } from '../../src/learner/theta/smo.js';
import { createBackend } from '../../src/linalg/create.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { type BoxProgramme, solveBoxProgramme } from '../../src/numerics/box-qp.js';
import '../allclose.js';

const backend = await createBackend({ threads: 1 });
const n = 25;

function programme(seed: number, limits: Partial<BoxProgramme>): BoxProgramme {
  const random = new Random(seed);
  const factor = Matrix.from(Array.from({ length: n }, () => random.normalArray(n)));
  const quadratic = Matrix.zeros(n, n);
  backend.syrk(quadratic, factor, { alpha: 1 / n });
  return {
    quadratic,
    linear: Float64Array.from(random.normalArray(n), (v) => 1 + v),
    bound: 2,
    low: 0,
    high: 2 * n,
    ...limits,
  };
}

/** g = Hx − f. */
function gradient({ quadratic, linear }: BoxProgramme, x: Float64Array): number[] {
  return Array.from(linear, (f, i) => x.reduce((sum, value, j) => sum + quadratic.at(i, j) * value, 0) - f);
}

/** The largest violation of the optimality conditions, for the best multiplier of the sum that its limits allow. */
function violation(given: BoxProgramme, x: Float64Array): number {
  const g = gradient(given, x);
  const sum = x.reduce((total, value) => total + value, 0);
  const edge = 1e-7;
  const grow = g.filter((_, i) => x[i] < given.bound - edge).map((value) => -value);
  const shrink = g.filter((_, i) => x[i] > edge).map((value) => -value);
  // x may grow only where −g ≤ ν and shrink only where −g ≥ ν; ν ≥ 0 at the upper limit, ≤ 0 at the lower, else 0.
  const [from, to] = [Math.max(...grow), Math.min(...shrink)];
  const least = sum <= given.low + edge ? Number.NEGATIVE_INFINITY : 0;
  const most = sum >= given.high - edge ? Number.POSITIVE_INFINITY : 0;
  const multiplier = Math.min(most, Math.max(least, (from + to) / 2));
  return Math.max(0, from - multiplier, multiplier - to);
}

describe('the quadratic programme on a box with a bounded sum', () => {
  it.each([
    ['free', {}],
    ['at its upper limit', { high: 5 }],
    ['at its lower limit', { low: 40 }],
    ['fixed', { low: 12, high: 12 }],
  ])('meets the optimality conditions when the sum is %s', async (_, limits) => {
    for (const seed of [1, 2, 3]) {
      const given = programme(seed, limits);
      const x = await solveBoxProgramme(backend, given, { tolerance: 1e-12, maxSteps: 50_000 });
      const sum = x.reduce((total, value) => total + value, 0);
      expect(sum).toBeGreaterThanOrEqual(given.low - 1e-9);
      expect(sum).toBeLessThanOrEqual(given.high + 1e-9);
      expect(x.every((value) => value >= 0 && value <= 2)).toBe(true);
      expect(violation(given, x)).toBeLessThan(1e-6);
    }
  });

  it('would notice a point that is not optimal', () => {
    const given = programme(1, {});
    expect(violation(given, new Float64Array(n).fill(1))).toBeGreaterThan(0.1);
  });

  it("agrees with the learner's solver where the sum is the number of variables", async () => {
    const given = programme(4, { low: n, high: n });
    const x = await solveBoxProgramme(backend, given, { tolerance: 1e-12, maxSteps: 50_000 });
    const theta = new Float64Array(n).fill(1);
    const problem = { curvature: new Float64Array(n), linear: given.linear, coupling: 1, bound: 2 };
    solveSmo(theta, problem, given.quadratic, { tolerance: 1e-12 });
    expect(x).toBeAllClose(theta, { tolerance: 1e-6 });
  });

  it('stops when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(solveBoxProgramme(backend, programme(1, {}), { signal })).rejects.toThrow('enough');
  });
});
