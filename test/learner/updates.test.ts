import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/learner/options.js';
import { PaperSolver } from '../../src/learner/paper-solver.js';
import { prepare } from '../../src/learner/prepare.js';
import { ResidentProblem } from '../../src/learner/resident.js';
import type { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { generateProblem } from '../../src/problem/generate.js';
import { backend } from './backend.js';
import { rowsOf } from './columns.js';
import { add, inner, jacobi, multiply, type Rows, scale, scaleColumns, subtract, transpose } from './plain.js';

const problem = generateProblem({
  seed: 11,
  auxiliaryCategories: 6,
  testCategories: 3,
  dimensions: 12,
  semanticDimensions: 5,
  auxiliaryPerCategory: 6,
  webPerCategory: 8,
  testPerCategory: 6,
});
const options = resolveOptions({ lambda1: 0.5, lambda2: 0.2, lambda3: 3, lambda4: 0.2, bound: 2 });

/** All variables written out, instances as columns. */
interface Variables {
  d: Rows;
  a: Rows;
  z: Rows;
  t: Rows;
  e: Rows;
  r: Rows;
  theta: number[];
}

/** The augmented Lagrangian of the paper, term by term. */
function lagrangian(solver: PaperSolver, v: Variables): number {
  const { web, testFeatures, testSemantics, auxiliaryDictionary } = solver.input;
  const state = web!.state;
  const { order, labels } = state.features.grouping;
  const xw = transpose([...order].map((row) => [...problem.webFeatures.row(row)]));
  const aw = transpose([...labels].map((c) => [...testSemantics.row(c)]));
  const xt = transpose(rowsOf(testFeatures));
  const [nw, nt] = [xw[0].length, xt[0].length];
  const square = (m: Rows) => inner(m, m);
  const nuclear = jacobi(multiply(v.z, transpose(v.z))).values.reduce(
    (sum, value) => sum + Math.sqrt(Math.max(0, value)),
    0,
  );
  const webMean = xw.map((row) => row.reduce((sum, value, i) => sum + value * v.theta[i], 0) / nw);
  const testMean = xt.map((row) => row.reduce((sum, value) => sum + value, 0) / nt);
  const errors = subtract(v.e, scaleColumns(subtract(xw, multiply(v.d, aw)), v.theta));
  const difference = subtract(v.a, v.z);
  const { lambda1, lambda2, lambda3, lambda4 } = options;
  return (
    square(subtract(xt, multiply(v.d, v.a))) / 2 +
    (lambda1 / 2) * square(subtract(v.d, rowsOf(auxiliaryDictionary))) +
    lambda2 * nuclear +
    (lambda3 / 2) * webMean.reduce((sum, value, j) => sum + (value - testMean[j]) ** 2, 0) +
    lambda4 * transpose(v.e).reduce((sum, column) => sum + Math.hypot(...column), 0) +
    (solver.mu / 2) * square(errors) +
    inner(v.r, errors) +
    (solver.mu / 2) * square(difference) +
    inner(v.t, difference)
  );
}

const columns = (matrix: Matrix) => transpose(rowsOf(matrix));

/** R and the residuals as they stand, from the product's few numbers a picture. */
async function multipliers(solver: PaperSolver): Promise<Rows> {
  const { state } = solver.input.web!;
  const rows = await Promise.all(Array.from({ length: state.features.rows }, (_, i) => state.multiplierOf(i)));
  return transpose(rows.map((row) => [...row]));
}

function residuals(solver: PaperSolver): Rows {
  const { state } = solver.input.web!;
  const { order, labels } = state.features.grouping;
  return transpose(
    [...order].map((row, i) =>
      Array.from(problem.webFeatures.row(row), (value, j) => value - state.prototypes.at(labels[i], j)),
    ),
  );
}

async function errorsNow(solver: PaperSolver): Promise<Rows> {
  const { state } = solver.input.web!;
  const theta = state.pictures.scalars.theta.row(0);
  const q = subtract(scaleColumns(residuals(solver), [...theta]), scale(await multipliers(solver), 1 / solver.mu));
  return scaleColumns(q, [...state.pictures.shrink.row(0)]);
}

describe('one iteration', () => {
  it('never raises the augmented Lagrangian, and every update is the minimizer of its sub-problem', async () => {
    const { input } = await prepare(new ResidentProblem(problem, backend), options);
    const solver = new PaperSolver(input);
    await solver.start();
    for (let warm = 0; warm < 6; warm++) await solver.iterate();
    const random = new Random(4);
    const v: Variables = {
      d: rowsOf(solver.dictionary),
      a: columns(solver.semantics),
      z: columns(solver.lowRank),
      t: columns(solver.multiplier),
      e: [],
      r: await multipliers(solver),
      theta: [...solver.input.web!.state.pictures.scalars.theta.row(0)],
    };
    // Before the first update of this iteration E is any value; its minimizer is checked by perturbation.
    let level = Number.POSITIVE_INFINITY;
    const settle = (name: keyof Variables & ('d' | 'a' | 'z' | 'e'), value: Rows) => {
      v[name] = value;
      const now = lagrangian(solver, v);
      expect(now, `after ${name}`).toBeLessThanOrEqual(level + 1e-10 * Math.abs(now));
      level = now;
      for (let trial = 0; trial < 8; trial++) {
        const nudge = value.map((row) => row.map(() => 1e-3 * random.normal()));
        expect(lagrangian(solver, { ...v, [name]: add(value, nudge) }), `${name} nudged`).toBeGreaterThan(now - 1e-12);
      }
    };
    solver.shrinkErrors();
    const e = await errorsNow(solver);
    settle('e', e);
    solver.thresholdSemantics();
    settle('z', columns(solver.lowRank));
    await solver.updateDictionary();
    settle('d', rowsOf(solver.dictionary));
    solver.updateSemantics();
    settle('a', columns(solver.semantics));
    await solver.updateWeights();
    const before = await multipliers(solver);
    const mu = solver.mu;
    await solver.updateMultipliers();
    const theta = [...solver.input.web!.state.pictures.scalars.theta.row(0)];
    v.theta = theta;
    const now = lagrangian(solver, v);
    expect(now).toBeLessThanOrEqual(level + 1e-10 * Math.abs(now));
    for (let trial = 0; trial < 30; trial++) {
      const [i, j] = random.choice(theta.length, 2);
      const step = Math.min(0.02, options.bound - theta[i], theta[j]);
      const other = [...theta];
      other[i] += step;
      other[j] -= step;
      expect(lagrangian(solver, { ...v, theta: other })).toBeGreaterThanOrEqual(now - 1e-12);
    }
    // R ← R + μ(E − (X − D A)Θ), against the few numbers kept for each picture.
    const expected = add(before, scale(subtract(v.e, scaleColumns(residuals(solver), theta)), mu));
    const got = await multipliers(solver);
    expect(Math.max(...subtract(got, expected).flat().map(Math.abs))).toBeLessThan(1e-12);
  });
});
