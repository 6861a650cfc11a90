import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { alignCorrelations } from '../../../src/methods/adaptation/coral.js';
import { alignSubspaces } from '../../../src/methods/adaptation/sa.js';
import { transferComponents } from '../../../src/methods/adaptation/tca.js';
import {
  add,
  identity,
  jacobi,
  multiply,
  type Rows,
  scale,
  solve,
  subtract,
  transpose,
  zeros,
} from '../../learner/plain.js';
import { shiftedProblem } from './shifted-problem.js';
import '../../allclose.js';

const backend = await createBackend({ threads: 1 });
const rowsOf = (matrix: Matrix): Rows => Array.from({ length: matrix.rows }, (_, i) => Array.from(matrix.row(i)));
const problem = shiftedProblem('covariance', 9);
const [source, target] = [rowsOf(problem.webFeatures).slice(0, 40), rowsOf(problem.testFeatures).slice(0, 30)];
const [n, m, d] = [source.length, target.length, source[0].length];
const means = (rows: Rows) => rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j] / rows.length, 0));
const centred = (rows: Rows) => rows.map((row) => row.map((value, j) => value - means(rows)[j]));

describe('CORAL', () => {
  const covariance = (rows: Rows) => scale(multiply(transpose(centred(rows)), centred(rows)), 1 / (rows.length - 1));
  /** A^½ and A^−½ by the iteration of Denman and Beavers. */
  const roots = (a: Rows) => {
    let [y, z] = [a, identity(d)];
    for (let step = 0; step < 60; step++)
      [y, z] = [scale(add(y, solve(z, identity(d))), 0.5), scale(add(z, solve(y, identity(d))), 0.5)];
    return { root: y, inverseRoot: z };
  };

  it('moves the source by (C_s + λI)^−½ (C_t + λI)^½', () => {
    const [from, to] = [covariance(source), covariance(target)];
    const lambda = 0.5 * from.reduce((sum, row, j) => sum + (row[j] + to[j][j]) / (2 * d), 0);
    const regularized = (c: Rows) => add(c, scale(identity(d), lambda));
    const map = multiply(roots(regularized(from)).inverseRoot, roots(regularized(to)).root);
    const found = alignCorrelations(backend, Matrix.from(source), Matrix.from(target), 0.5);
    expect(rowsOf(found.source).flat()).toBeAllClose(multiply(centred(source), map).flat(), { tolerance: 1e-8 });
    expect(found.mean).toBeAllClose(means(target), { tolerance: 1e-12 });
  });

  it('gives the source the covariance of the target as λ falls', () => {
    const found = alignCorrelations(backend, Matrix.from(source), Matrix.from(target), 1e-9);
    expect(covariance(rowsOf(found.source)).flat()).toBeAllClose(covariance(target).flat(), { tolerance: 1e-4 });
  });
});

describe('SA', () => {
  it('is X_s P_s P_s′P_t against X_t P_t, up to the signs of components', () => {
    const basis = (rows: Rows) => {
      const { values, vectors } = jacobi(multiply(transpose(centred(rows)), centred(rows)));
      const order = values.map((_, k) => k).sort((a, b) => values[b] - values[a]);
      return transpose(order.slice(0, 3).map((k) => vectors.map((row) => row[k])));
    };
    const [ps, pt] = [basis(source), basis(target)];
    const expected = multiply(multiply(centred(source), ps), multiply(transpose(ps), pt));
    const found = alignSubspaces(backend, Matrix.from(source), Matrix.from(target), 3);
    const mapped = multiply(centred(target), transpose(rowsOf(found.map)));
    const products = multiply(expected, transpose(multiply(centred(target), pt)));
    // Inner products between the domains do not depend on the signs.
    expect(multiply(rowsOf(found.source), transpose(mapped)).flat()).toBeAllClose(products.flat(), { tolerance: 1e-8 });
  });
});

describe('TCA', () => {
  const both = [...source, ...target];
  const kernel = multiply(both, transpose(both));
  const e = both.map((_, i) => [i < n ? 1 / n : -1 / m]);
  const centring = subtract(
    identity(n + m),
    zeros(n + m, n + m).map((row) => row.map(() => 1 / (n + m))),
  );
  const found = transferComponents(backend, Matrix.from(source), Matrix.from(target), 3, 1e-3);
  const embedded = multiply(both, transpose(rowsOf(found.map)));

  it('embeds by K w with w eigenvectors of (KLK + μI)⁻¹ KHK', () => {
    // Times K, KHK w = λ (K e e′K + μI) w says of z = K w: K K H z = λ (K K e e′z + μ z).
    const square = multiply(kernel, kernel);
    const left = multiply(multiply(square, centring), embedded);
    const right = add(multiply(multiply(square, e), multiply(transpose(e), embedded)), scale(embedded, found.mu));
    const largest = Math.max(...left.flat().map(Math.abs));
    found.eigenvalues.forEach((value, k) => {
      const residual = left.map((row, i) => row[k] - value * right[i][k]);
      expect(residual).toBeAllClose(
        residual.map(() => 0),
        { tolerance: 1e-8, scale: largest },
      );
    });
    expect([...found.eigenvalues]).toEqual([...found.eigenvalues].sort((a, b) => b - a));
  });

  it('takes the largest eigenvalues there are', () => {
    const matrix = solve(
      add(multiply(multiply(kernel, e), multiply(transpose(e), kernel)), scale(identity(n + m), found.mu)),
      multiply(multiply(kernel, centring), kernel),
    );
    // Power iteration.
    let vector = both.map((_, i) => [1 + Math.sin(i)]);
    let value = 0;
    for (let step = 0; step < 3000; step++) {
      const image = multiply(matrix, vector);
      value = Math.hypot(...image.flat());
      vector = scale(image, 1 / value);
    }
    expect(found.eigenvalues[0] / value).toBeCloseTo(1, 6);
  });

  it('brings the means of the domains together as μ falls', () => {
    const gap = (relativeMu: number) => {
      const { map } = transferComponents(backend, Matrix.from(source), Matrix.from(target), 3, relativeMu);
      return Math.hypot(...multiply(transpose(e), multiply(both, transpose(rowsOf(map))))[0]);
    };
    expect(gap(1e-8)).toBeLessThan(0.01 * gap(1e3));
  });
});
