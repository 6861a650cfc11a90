import { describe, expect, it } from 'vitest';
import { type ThetaProblem, violation, type WebProducts } from '../../src/learner/theta/problem.js';
import { solveProjectedGradient, spectralBound } from '../../src/learner/theta/projected-gradient.js';
import { solveSmo } from '../../src/learner/theta/smo.js';
import { elementsOf, Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { createWasmBackend } from '../../src/linalg/wasm/index.js';
import { projectCappedSimplex } from '../../src/numerics/capped-simplex.js';
import fc from '../property.js';
import { solveQuadratic } from './literal.js';

function products(x: Matrix): WebProducts {
  return {
    rows: x.rows,
    cols: x.cols,
    times(out, vector) {
      const [y, factors] = [elementsOf(out), elementsOf(vector)];
      for (let i = 0; i < x.rows; i++)
        y[i] = Array.from(x.row(i)).reduce((sum, value, j) => sum + value * factors[j], 0);
    },
    transposedTimes(out, weights) {
      const [y, factors] = [elementsOf(out), elementsOf(weights)];
      y.fill(0);
      for (let i = 0; i < x.rows; i++)
        x.row(i).forEach((value: number, j: number) => {
          y[j] += value * factors[i];
        });
    },
  };
}

function example(seed: number, coupling: number, bound: number, n = 40, d = 7) {
  const random = new Random(seed);
  const x = new Matrix(random.normalArray(n * d), n, d);
  const gram = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++)
      gram.set(
        i,
        j,
        x.row(i).reduce((sum, value, k) => sum + value * x.at(j, k), 0),
      );
  const problem: ThetaProblem = {
    curvature: random.uniformArray(n).map((value) => 0.05 + value),
    linear: random.normalArray(n).map((value) => 1 + value),
    coupling,
    bound,
  };
  const gradient = (theta: Float64Array) =>
    theta.map(
      (value, i) =>
        problem.curvature[i] * value -
        problem.linear[i] +
        coupling * gram.row(i).reduce((sum, g, j) => sum + g * theta[j], 0),
    );
  return { x, gram, problem, gradient };
}

const largestGap = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((gap, value, i) => Math.max(gap, Math.abs(value - b[i])), 0);

describe.each([
  ['no coupling', 0, 2],
  ['weak coupling', 1e-4, 2.5],
  ['strong coupling', 0.5, 1.5],
  ['very strong coupling', 20, 4],
])('the weights with %s', (_, coupling, bound) => {
  it.each([1, 2, 3])(
    'are optimal and the same by both solvers and by an active-set method (example %i)',
    async (seed) => {
      const { x, gram, problem, gradient } = example(seed, coupling, bound);
      const n = x.rows;
      const scale = 1 + coupling * x.cols;
      const smo = new Float64Array(n).fill(1);
      solveSmo(smo, problem, gram);
      const projected = new Float64Array(n).fill(1);
      const sum = new Float64Array(x.cols);
      products(x).transposedTimes(sum, projected);
      await solveProjectedGradient(projected, sum, problem, products(x), {
        spectralBound: await spectralBound(products(x)),
      });
      for (const theta of [smo, projected]) {
        expect(Math.abs(theta.reduce((total, value) => total + value, 0) - n)).toBeLessThan(1e-9);
        expect(Math.min(...theta)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...theta)).toBeLessThanOrEqual(bound);
        expect(violation(theta, gradient(theta), bound)).toBeLessThan(1e-8 * scale);
      }
      expect(largestGap(smo, projected)).toBeLessThan(1e-8);
      const h = Array.from({ length: n }, (_, i) =>
        Array.from(gram.row(i), (g, j) => coupling * g + (i === j ? problem.curvature[i] : 0)),
      );
      expect(largestGap(smo, solveQuadratic(h, [...problem.linear], n, bound, new Array(n).fill(1)))).toBeLessThan(
        1e-8,
      );
    },
  );
});

describe('features far from the origin', () => {
  const solve = async (x: Matrix, problem: ThetaProblem) => {
    const theta = new Float64Array(x.rows).fill(1);
    const sum = new Float64Array(x.cols);
    products(x).transposedTimes(sum, theta);
    const bound = await spectralBound(products(x));
    const steps = await solveProjectedGradient(theta, sum, problem, products(x), { spectralBound: bound });
    return { theta, steps, bound };
  };

  it('take no more steps than centred ones and end at the same weights', async () => {
    const { x, problem } = example(7, 0.5, 2);
    const shifted = new Matrix(
      x.data.map((value) => value + 30),
      x.rows,
      x.cols,
    );
    // ½‖X'θ‖² gains the linear term n Σⱼ 30 (X'θ)ⱼ by the shift; taken off again, the problem is the same.
    const linear = problem.linear.map(
      (value, i) => value + problem.coupling * x.rows * x.row(i).reduce((sum, each) => sum + 30 * each, 0),
    );
    const [near, far] = [await solve(x, problem), await solve(shifted, { ...problem, linear })];
    expect(far.bound).toBeCloseTo(near.bound, 6);
    expect(far.steps).toBeLessThanOrEqual(near.steps + 1);
    expect(largestGap(near.theta, far.theta)).toBeLessThan(1e-8);
  });

  it.each([1, 2, 3, 4, 5])('have a spectral bound that is one, and close (example %i)', async (seed) => {
    const random = new Random(seed);
    const [n, d] = [120, 10 + 8 * seed];
    const x = new Matrix(
      random.normalArray(n * d).map((value) => value + 2),
      n,
      d,
    );
    const centre = Array.from({ length: d }, (_, j) => x.data.reduce((sum, v, k) => (k % d === j ? sum + v : sum), 0));
    const centred = x.copy();
    for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) centred.set(i, j, x.at(i, j) - centre[j] / n);
    const backend = await createWasmBackend();
    const [gram, values] = [Matrix.zeros(d, d), new Float64Array(d)];
    backend.syrk(gram, centred, { transpose: true });
    backend.eigh(values, gram);
    const square = values[d - 1];
    const bound = await spectralBound(products(x));
    expect(bound).toBeGreaterThanOrEqual(square);
    expect(bound).toBeLessThan(1.11 * square);
  });
});

describe('the violation', () => {
  it('is positive away from the optimum', () => {
    const { x, problem, gradient } = example(5, 0.5, 2);
    const flat = new Float64Array(x.rows).fill(1);
    expect(violation(flat, gradient(flat), problem.bound)).toBeGreaterThan(0.1);
  });
});

describe('projection on the capped simplex', () => {
  it('is feasible and no feasible point is nearer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 30 }),
        fc.double({ min: 1.01, max: 6, noNaN: true }),
        fc.integer(),
        (n, bound, seed) => {
          const random = new Random(Math.abs(seed));
          const point = random.normalArray(n).map((value) => 3 * value);
          const metric = random.uniformArray(n).map((value) => 10 ** (4 * value - 2));
          const out = new Float64Array(n);
          projectCappedSimplex(out, point, metric, n, bound);
          const distance = (theta: Float64Array) =>
            theta.reduce((sum, value, i) => sum + metric[i] * (value - point[i]) ** 2, 0);
          expect(Math.abs(out.reduce((sum, value) => sum + value, 0) - n)).toBeLessThan(1e-9 * n);
          expect(out.every((value) => value >= 0 && value <= bound)).toBe(true);
          for (let trial = 0; trial < 20; trial++) {
            const [i, j] = random.choice(n, 2);
            const step = Math.min(0.01, bound - out[i], out[j]);
            const other = out.slice();
            other[i] += step;
            other[j] -= step;
            expect(distance(other)).toBeGreaterThanOrEqual(distance(out) - 1e-9 * (1 + distance(out)));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
