import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { layGround } from '../../../src/methods/bowerbird/ground.js';
import { likeliestTrusts, mixture } from '../../../src/methods/bowerbird/trust.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { stackColumns } from '../../../src/problem/rows.js';

const count = 9;
const random = new Random(4);

/** Cosines of random vectors: a kernel with ones on its diagonal. */
function kernelOf(dimensions: number): number[][] {
  const rows = Array.from({ length: count }, () => {
    const row = Array.from(random.normalArray(dimensions));
    return row.map((value) => value / Math.hypot(...row));
  });
  return rows.map((a) => rows.map((b) => a.reduce((sum, value, j) => sum + value * b[j], 0)));
}

/** log|A| and A⁻¹B by Gauss-Jordan elimination: nothing of the code under test. */
function solve(a: number[][], b: number[][]): { logDeterminant: number; solution: number[][] } {
  const rows = a.map((row, i) => [...row, ...b[i]]);
  let logDeterminant = 0;
  for (let k = 0; k < rows.length; k++) {
    const scale = rows[k][k];
    logDeterminant += Math.log(Math.abs(scale));
    rows[k] = rows[k].map((value) => value / scale);
    for (let i = 0; i < rows.length; i++)
      if (i !== k) {
        const factor = rows[i][k];
        rows[i] = rows[i].map((value, j) => value - factor * rows[k][j]);
      }
  }
  return { logDeterminant, solution: rows.map((row) => row.slice(a.length)) };
}

/** An orthonormal basis of what is orthogonal to 1, by Gram and Schmidt. */
const basis: number[][] = [];
for (let k = 0; basis.length < count - 1; k++) {
  let row = Array.from({ length: count }, (_, i) => (i === k ? 1 : 0) - 1 / count);
  for (const other of basis) {
    const along = other.reduce((sum, value, i) => sum + value * row[i], 0);
    row = row.map((value, i) => value - along * other[i]);
  }
  basis.push(row.map((value) => value / Math.hypot(...row)));
}
const compared = (matrix: number[][]) =>
  basis.map((a) =>
    basis.map((b) => matrix.reduce((sum, row, i) => sum + a[i] * row.reduce((s, v, j) => s + v * b[j], 0), 0)),
  );

/** −log|Σ| − n log tr(Σ⁻¹G), of differences between categories */
function likelihood(kernels: number[][][], trusts: readonly number[], products: number[][]): number {
  const doubt = 1 - trusts.reduce((sum, value) => sum + value, 0);
  const covariance = products.map((_, i) =>
    products.map((__, j) => kernels.reduce((sum, k, b) => sum + trusts[b] * k[i][j], i === j ? doubt : 0)),
  );
  const { logDeterminant, solution } = solve(compared(covariance), compared(products));
  return -logDeterminant - (count - 1) * Math.log(solution.reduce((sum, row, i) => sum + row[i], 0));
}

describe.each(['auto', 'wasm'] as const)('the trust in several kinds of vectors (%s)', async (device) => {
  const backend = await createBackend({ device, threads: 1 });
  const kernels = [kernelOf(3), kernelOf(5)];
  const matrices = kernels.map((kernel) => Matrix.from(kernel).copy('float64'));

  it.each([
    [0.6, 0.3],
    [0, 0.8],
    [0.2, 0],
    [0, 0],
  ])('is as likely as the best on a fine grid where looks follow them by %d and %d', (first, second) => {
    const factor = mixture(matrices, [first, second]);
    backend.cholesky(factor);
    // G = (n means drawn with this covariance) times themselves.
    const draws = Array.from({ length: 40 }, () => random.normalArray(count));
    const means = Array.from({ length: count }, (_, i) =>
      draws.map((draw) => draw.reduce((sum, value, j) => sum + (j <= i ? factor.at(i, j) * value : 0), 0)),
    );
    const products = means.map((a) => means.map((b) => a.reduce((sum, value, j) => sum + value * b[j], 0)));
    const found = likeliestTrusts(backend, matrices, Matrix.from(products).copy('float64'));
    let best = Number.NEGATIVE_INFINITY;
    for (let a = 0; a <= 0.98; a += 0.02)
      for (let b = 0; a + b <= 0.98; b += 0.02) best = Math.max(best, likelihood(kernels, [a, b], products));
    expect(Math.min(...found)).toBeGreaterThanOrEqual(0);
    expect(found[0] + found[1]).toBeLessThanOrEqual(0.991);
    expect(likelihood(kernels, found, products)).toBeGreaterThan(best - 0.02);
  });
});

describe('the prior of a problem with two kinds of vectors', () => {
  const plain = generateProblem({ seed: 5, auxiliaryCategories: 40, offset: 0, dimensions: 12 });
  const nonsense = (rows: number) => Matrix.from(Array.from({ length: rows }, () => Array.from(random.normalArray(7))));
  const width = plain.auxiliarySemantics.cols;
  const problem: Problem = {
    ...plain,
    auxiliarySemantics: stackColumns(nonsense(40), plain.auxiliarySemantics),
    testSemantics: stackColumns(nonsense(plain.testSemantics.rows), plain.testSemantics),
    semanticBlocks: [
      { name: 'nonsense', width: 7 },
      { name: 'telling', width },
    ],
  };

  it('believes the kind that explains looks as if it were alone, and the other not at all', async () => {
    const backend = await createBackend({ threads: 1 });
    const space = await WhitenedSpace.learn(problem, backend, { power: 1, shrinkage: 0.1 });
    const options = { trust: -1, smoothing: 200 };
    const [both, alone] = [problem, plain].map((given) => layGround(backend, space, given, options).prior);
    expect(both.trusts.nonsense).toBeLessThan(0.05);
    expect(both.trusts.telling).toBeCloseTo(alone.trust, 1);
    for (let c = 0; c < alone.means.rows; c++)
      for (let j = 0; j < alone.means.cols; j++)
        expect(Math.abs(both.means.at(c, j) - alone.means.at(c, j))).toBeLessThan(0.15);
  });
});
