/** What words say of the looks of categories: conditioning a Gaussian, written out with an inverse. */
import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { centredVectors, wordPrior } from '../../../src/methods/bowerbird/words.js';
import type { Problem } from '../../../src/problem/problem.js';

const backend = await createBackend({ threads: 1 });
const random = new Random(21);
const [known, test, d] = [7, 3, 4];
const normal = (rows: number, cols: number) => Array.from({ length: rows }, () => Array.from(random.normalArray(cols)));
const matrix = (rows: number[][]) => Matrix.from(rows) as Matrix<Float64Array>;

const words = normal(known + test, 5);
const attributes = normal(known + test, 6);
// Looks that words explain in part.
const means = normal(known, d).map((row, c) => row.map((value, k) => 0.4 * value + words[c][k]));
const counts = Float64Array.from({ length: known }, (_, c) => 3 + c);
const categories = { means: matrix(means), counts, within: 0.9, between: 0.4 };

function problemOf(...kinds: number[][][]): Problem {
  const rows = words.map((_, c) => kinds.flatMap((vectors) => vectors[c]));
  return {
    auxiliarySemantics: matrix(rows.slice(0, known)),
    testSemantics: matrix(rows.slice(known)),
    semanticBlocks: kinds.map((vectors, k) => ({ name: `kind ${k}`, width: vectors[0].length })),
  } as unknown as Problem;
}

const product = (a: number[][], b: number[][]) =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
const transposed = (a: number[][]) => a[0].map((_, j) => a.map((row) => row[j]));

function inverse(a: number[][]): number[][] {
  const n = a.length;
  const rows = a.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let k = 0; k < n; k++) {
    rows[k] = rows[k].map((value, _, all) => value / all[k]);
    for (let i = 0; i < n; i++) if (i !== k) rows[i] = rows[i].map((value, j) => value - rows[i][k] * rows[k][j]);
  }
  return rows.map((row) => row.slice(n));
}

/** Cosines of vectors less the mean of the known categories' ones. */
function cosines(vectors: number[][]): number[][] {
  const centre = vectors[0].map((_, j) => vectors.slice(0, known).reduce((sum, row) => sum + row[j] / known, 0));
  const centred = vectors.map((row) => row.map((value, j) => value - centre[j]));
  const unit = centred.map((row) => row.map((value) => value / Math.hypot(...row)));
  return product(unit, transposed(unit));
}

/** Expectation and covariance of the test categories' means given those of the known ones. */
function byHand(kernel: number[][], known_: number[][], left = 1) {
  const system = known_.map((_, c) =>
    known_.map((__, k) => kernel[c][k] + (c === k ? 0.9 / (counts[c] * 0.4 * left) : 0)),
  );
  const across = kernel.slice(known).map((row) => row.slice(0, known));
  const weights = product(across, inverse(system));
  const explained = product(weights, transposed(across));
  return {
    means: product(weights, known_),
    covariance: explained.map((row, c) => row.map((value, k) => left * (kernel[known + c][known + k] - value))),
  };
}

const mixed = (kernels: number[][][], trusts: number[]) =>
  kernels[0].map((row, c) =>
    row.map((_, k) => (c === k ? 1 : kernels.reduce((sum, kernel, b) => sum + trusts[b] * kernel[c][k], 0))),
  );

function expectClose(found: Matrix, expected: number[][]): void {
  expect([found.rows, found.cols]).toEqual([expected.length, expected[0].length]);
  expected.forEach((row, c) => {
    row.forEach((value, k) => {
      expect(found.at(c, k)).toBeCloseTo(value, 9);
    });
  });
}

describe('what words say of looks', () => {
  it('is what known categories make likely, with the trust that was stated', () => {
    const prior = wordPrior(backend, categories, problemOf(words), 0.6);
    const expected = byHand(mixed([cosines(words)], [0.6]), means);
    expectClose(prior.means, expected.means);
    expectClose(prior.covariance, expected.covariance);
    expect(prior.trust).toBe(0.6);
    expect(prior.trusts).toEqual({ 'kind 0': 0.6 });
  });

  it('of several kinds divides the stated trust as the learnt trusts are divided', () => {
    const problem = problemOf(words, attributes);
    const learnt = wordPrior(backend, categories, problem);
    const [first, second] = Object.values(learnt.trusts);
    expect(learnt.trust).toBeCloseTo(first + second, 12);
    expect(learnt.trust).toBeGreaterThan(0.1);
    const prior = wordPrior(backend, categories, problem, 0.5);
    const trusts = [first, second].map((trust) => (0.5 * trust) / (first + second));
    Object.values(prior.trusts).forEach((trust, k) => {
      expect(trust).toBeCloseTo(trusts[k], 9);
    });
    expect(prior.trust).toBeCloseTo(0.5, 12);
    const expected = byHand(mixed([cosines(words), cosines(attributes)], trusts), means);
    expectClose(prior.means, expected.means);
    expectClose(prior.covariance, expected.covariance);
  });

  it('beside the hint of an image-text model is about what the hint leaves', () => {
    const hint = normal(known + test, d);
    // The looks of the known categories are half of the hint, and something else.
    const looks = hint.slice(0, known).map((row, c) => row.map((value, k) => 0.5 * value + 0.3 * means[c][k]));
    const kernel = mixed([cosines(words)], [0.6]);
    const knownKernel = kernel.slice(0, known).map((row) => row.slice(0, known));
    const solved = product(inverse(knownKernel), hint.slice(0, known));
    const trace = (a: number[][], b: number[][]) => a.flat().reduce((sum, value, k) => sum + value * b.flat()[k], 0);
    const weight = trace(solved, looks) / trace(solved, hint.slice(0, known));
    const rest = looks.map((row, c) => row.map((value, k) => value - weight * hint[c][k]));
    const left = trace(rest, rest) / trace(looks, looks);
    expect(weight).toBeGreaterThan(0.1);
    expect(left).toBeLessThan(1);
    const expected = byHand(kernel, rest, left);
    const prior = wordPrior(backend, { ...categories, means: matrix(looks) }, problemOf(words), 0.6, matrix(hint));
    expectClose(
      prior.means,
      expected.means.map((row, c) => row.map((value, k) => value + weight * hint[known + c][k])),
    );
    expectClose(prior.covariance, expected.covariance);
    expect(prior.trusts['image-text']).toBeCloseTo(1 - left, 9);
  });

  it('goes without a hint that points the other way', () => {
    const hint = normal(known + test, d);
    const looks = matrix(hint.slice(0, known).map((row) => row.map((value) => -value)));
    const prior = wordPrior(backend, { ...categories, means: looks }, problemOf(words), 0.6, matrix(hint));
    const without = wordPrior(backend, { ...categories, means: looks }, problemOf(words), 0.6);
    expect(prior.trusts['image-text']).toBe(0);
    expect([...prior.means.data]).toEqual([...without.means.data]);
  });

  it('goes without a hint that says nothing', () => {
    const hint = Matrix.zeros(known + test, d);
    const prior = wordPrior(backend, categories, problemOf(words), 0.6, hint);
    const without = wordPrior(backend, categories, problemOf(words), 0.6);
    expect(prior.trusts['image-text']).toBe(0);
    expect([...prior.means.data]).toEqual([...without.means.data]);
  });

  it('is centred by the known categories that have a vector; those without stay at nothing', () => {
    const found = centredVectors(
      matrix([
        [2, 0],
        [0, 0],
        [4, 2],
      ]),
      matrix([
        [0, 0],
        [0, 5],
      ]),
    );
    expect([...found.data]).toEqual([-1, -1, 0, 0, 1, 1, 0, 0, -3, 4]);
  });
});
