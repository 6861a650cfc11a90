import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { flowMap, type Geodesic, geodesic } from '../../../src/methods/adaptation/geodesic.js';
import { GeodesicFlowKernel } from '../../../src/methods/adaptation/gfk.js';
import { generateProblem } from '../../../src/problem/generate.js';
import { add, identity, multiply, type Rows, scale, transpose, zeros } from '../../learner/plain.js';
import '../../allclose.js';

const backend = await createBackend({ threads: 1 });
const rowsOf = (matrix: Matrix): Rows => Array.from({ length: matrix.rows }, (_, i) => Array.from(matrix.row(i)));

/** Orthonormal rows by Gram and Schmidt. */
function subspace(k: number, d: number, seed: number, near?: Rows): Rows {
  const random = new Random(seed);
  const basis: Rows = [];
  for (let i = 0; i < k; i++) {
    let row = Array.from(random.normalArray(d), (value, j) => (near ? near[i][j] + 0.3 * value : value));
    for (const other of basis) {
      const along = row.reduce((sum, value, j) => sum + value * other[j], 0);
      row = row.map((value, j) => value - along * other[j]);
    }
    const length = Math.hypot(...row);
    basis.push(row.map((value) => value / length));
  }
  return basis;
}

const projector = (basis: Rows) => multiply(transpose(basis), basis);
const pointAt = ({ angles, start, tangent }: Geodesic, t: number): Rows =>
  rowsOf(start).map((row, i) =>
    row.map((value, j) => value * Math.cos(t * angles[i]) + tangent.at(i, j) * Math.sin(t * angles[i])),
  );

const first = subspace(3, 9, 1);
const pairs: [string, Rows, Rows][] = [
  ['near', first, subspace(3, 9, 2, first)],
  ['far', first, subspace(3, 9, 3)],
  ['equal', first, first],
  ['perpendicular', identity(9).slice(0, 3), identity(9).slice(3, 6)],
  [
    'at one angle',
    identity(9).slice(0, 3),
    identity(9)
      .slice(0, 3)
      .map((row, i) => row.map((v, j) => v * Math.cos(1.25) + (j === i + 3 ? Math.sin(1.25) : 0))),
  ],
  ['meeting in a line', identity(9).slice(0, 3), [identity(9)[0], identity(9)[4], identity(9)[5]]],
];

describe.each(pairs)('the geodesic between subspaces that are %s', (_, from, to) => {
  const flow = geodesic(backend, Matrix.from(from), Matrix.from(to));

  it('begins at the first, ends at the second and has orthonormal bases all the way', () => {
    expect(projector(pointAt(flow, 0)).flat()).toBeAllClose(projector(from).flat(), { tolerance: 1e-9 });
    expect(projector(pointAt(flow, 1)).flat()).toBeAllClose(projector(to).flat(), { tolerance: 1e-9 });
    for (const t of [0.2, 0.5, 0.9]) {
      const basis = pointAt(flow, t);
      expect(multiply(basis, transpose(basis)).flat()).toBeAllClose(identity(3).flat(), { tolerance: 1e-9 });
    }
  });

  it('has a kernel that equals the integral of its projectors', () => {
    // Simpson's rule with 200 intervals.
    let integral = zeros(9, 9);
    for (let step = 0; step <= 200; step++) {
      const weight = (step === 0 || step === 200 ? 1 : step % 2 === 1 ? 4 : 2) / 600;
      integral = add(integral, scale(projector(pointAt(flow, step / 200)), weight));
    }
    expect(projector(rowsOf(flowMap(flow))).flat()).toBeAllClose(integral.flat(), { tolerance: 1e-8 });
  });
});

describe('GFK', () => {
  it('takes the dimension by subspace disagreement unless it is given', async () => {
    const problem = generateProblem({ seed: 3, shift: 1 });
    const chosen = await new GeodesicFlowKernel().fit(problem, { backend });
    expect(chosen.dimensions_).toBeGreaterThanOrEqual(1);
    expect(chosen.dimensions_).toBeLessThanOrEqual(20);
    const given = await new GeodesicFlowKernel({ dimensions: 7 }).fit(problem, { backend });
    expect(given.dimensions_).toBe(7);
  });
});
