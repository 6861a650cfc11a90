/**
 * What is known of categories beside pictures, and how far to believe it. The means of categories are taken to vary
 * together as their semantic vectors do: Cov(μ_c, μ_c') = λ (Σ_b α_b k_b(c, c') + (1 − Σ α_b) [c = c']), k_b the cosine of
 * the centred vectors of one kind (words, attributes, …), λ the variance between categories. The trusts α_b are those under
 * which the means of the auxiliary categories, which are known, are most likely (trust.ts). Where an image-text model says
 * directly what a category looks like (image-text.ts), its hint times a weight is what is expected beforehand, and the rest
 * varies in this way. Conditioned on the known means, those of the test categories have an expectation and a covariance; a
 * kind that explains nothing gets α = 0 and says nothing.
 */
import { type Backend, Matrix } from '../../linalg/index.js';
import { columnMeans, roomOn, times, timesTransposed, toUnitLength } from '../../numerics/index.js';
import type { Problem, SemanticPart } from '../../problem/index.js';
import { rowsWhere, selectRows, semanticParts, stackRows } from '../../problem/index.js';
import { likeliestTrusts, mixture } from './trust.js';
import { axpy, copyOn } from './vectors.js';

/** Known categories, in the whitened space. */
export interface KnownCategories {
  /** Measured from the mean of the auxiliary pictures, Ca×d, where the backend computes. */
  readonly means: Matrix;
  /** Their squared lengths. */
  readonly squares: Float64Array;
  readonly counts: Float64Array;
  /** Variance of a picture about its category's mean, and of a category's mean about all, per dimension. */
  readonly within: number;
  readonly between: number;
}

/** With the means in this process's memory. */
export interface KnownHere extends Pick<KnownCategories, 'counts' | 'within' | 'between'> {
  readonly means: Matrix<Float64Array>;
}

export interface WordPrior {
  /** Σ α_b */
  readonly trust: number;
  /** α_b of each kind by its name, and the share of the looks that an image-text model's hint explains. */
  readonly trusts: Readonly<Record<string, number>>;
  /** Expected means of the test categories, Ct×d, where the backend computes. */
  readonly means: Matrix;
  /** Ct×Ct, in units of the variance between categories, there too. */
  readonly covariance: Matrix;
}

/** Hint and kernels are weighed in turn. */
const hintRounds = 3;

/**
 * @param trust Σ α_b, where it is not to be learnt; how it is divided among the kinds still is
 * @param hint what an image-text model expects of the looks, auxiliary categories first
 */
export function wordPrior(
  backend: Backend,
  { means: knownMeans, counts, within, between }: KnownHere,
  problem: Problem,
  trust?: number,
  hint?: Matrix<Float64Array>,
): WordPrior {
  const known = problem.auxiliarySemantics.rows;
  const parts = semanticParts(problem);
  const vectors = parts.map(unitVectors);
  const [knownVectors, testVectors] = [
    vectors.map((each) => each.view(0, known)),
    vectors.map((each) => each.view(known, each.rows)),
  ];
  const knownKernels = knownVectors.map((each) => cosines(backend, each));
  const [knownHint, testHint] = [hint?.view(0, known), hint?.view(known, hint.rows)];
  let unexplained = knownMeans;
  let weight = 0;
  let trusts = learnTrusts(backend, knownKernels, unexplained, trust);
  for (let round = 0; knownHint && round < hintRounds; round++) {
    weight = hintWeight(backend, mixture(knownKernels, trusts), knownHint, knownMeans);
    unexplained = lessHint(knownMeans, knownHint, weight);
    trusts = learnTrusts(backend, knownKernels, unexplained, trust);
  }
  const left = Math.min(1, squares(unexplained) / Math.max(squares(knownMeans), 1e-300));
  // Means of few pictures are known less well.
  const system = mixture(knownKernels, trusts);
  for (let c = 0; c < known; c++) {
    const noise = within / (counts[c] * between * Math.max(left, 1e-3));
    system.set(c, c, system.at(c, c) + noise);
  }
  backend.cholesky(system);
  const across = Matrix.zeros(testVectors[0].rows, known);
  addCosines(backend, across, testVectors, knownVectors, trusts);
  const weights = across.copy('float64');
  backend.choleskySolve(system, weights, 'rows');
  const expected = times(backend, weights, unexplained);
  const covariance = roomOn(backend, across.rows, across.rows, 'float64');
  addCosines(backend, covariance, testVectors, testVectors, trusts);
  fillDiagonal(backend, covariance, 1);
  const explained = testHint ? left : 1;
  backend.gemm(covariance, weights, across, { transposeB: true, alpha: -explained, beta: explained });
  const total = trusts.reduce((sum, value) => sum + value, 0);
  return {
    trust: total,
    trusts: {
      ...Object.fromEntries(parts.map(({ block }, k) => [block.name, trusts[k]])),
      ...(hint && { 'image-text': 1 - left }),
    },
    means: copyOn(backend, testHint ? lessHint(expected, testHint, -weight) : expected),
    covariance,
  };
}

function learnTrusts(
  backend: Backend,
  kernels: readonly Matrix<Float64Array>[],
  means: Matrix<Float64Array>,
  given: number | undefined,
): number[] {
  if (given !== undefined && kernels.length === 1) return [given];
  const trusts = likeliestTrusts(backend, kernels, timesTransposed(backend, means, means));
  if (given === undefined) return trusts;
  const total = trusts.reduce((sum, value) => sum + value, 0);
  return trusts.map((value) => (total > 0 ? (given * value) / total : given / trusts.length));
}

/** Generalized least squares: tr(H'Σ⁻¹M) / tr(H'Σ⁻¹H), never below 0. */
function hintWeight(
  backend: Backend,
  covariance: Matrix<Float64Array>,
  hint: Matrix<Float64Array>,
  means: Matrix<Float64Array>,
): number {
  const solved = hint.copy('float64');
  backend.cholesky(covariance);
  backend.choleskySolve(covariance, solved, 'columns');
  const own = backend.dot(solved, hint.copy('float64'));
  return own > 0 ? Math.max(0, backend.dot(solved, means) / own) : 0;
}

function lessHint(means: Matrix<Float64Array>, hint: Matrix<Float64Array>, weight: number): Matrix<Float64Array> {
  const result = means.copy('float64');
  for (let c = 0; c < result.rows; c++) axpy(result.row(c), -weight, hint.row(c));
  return result;
}

function squares({ data }: Matrix<Float64Array>): number {
  let sum = 0;
  for (let k = 0; k < data.length; k++) sum += data[k] * data[k];
  return sum;
}

/**
 * Vectors of one kind less the mean of the auxiliary ones, brought to unit length; auxiliary categories first. A vector of zeros is
 * none: its category is like no other.
 */
function unitVectors({ auxiliary, test }: SemanticPart): Matrix<Float64Array> {
  const vectors = centredVectors(auxiliary, test);
  for (let c = 0; c < vectors.rows; c++) toUnitLength(vectors.row(c));
  return vectors;
}

/** k_b of vectors of unit length. */
function cosines(backend: Backend, vectors: Matrix<Float64Array>): Matrix<Float64Array> {
  const kernel = timesTransposed(backend, vectors, vectors);
  fillDiagonal(backend, kernel, 1);
  return kernel;
}

/** target ← target + Σ_b α_b A_b B_b' */
function addCosines(
  backend: Backend,
  target: Matrix,
  a: readonly Matrix<Float64Array>[],
  b: readonly Matrix<Float64Array>[],
  trusts: readonly number[],
): void {
  for (const [k, trust] of trusts.entries())
    backend.gemm(target, a[k], b[k], { transposeB: true, alpha: trust, beta: 1 });
}

function fillDiagonal(backend: Backend, matrix: Matrix, value: number): void {
  const n = matrix.rows;
  const values = Matrix.zeros(n, 1);
  values.fill(value);
  backend.copy(matrix.reshaped(n * n, 1).everyRow(0, n + 1), values);
}

/** Auxiliary vectors, then test vectors, less the mean of the auxiliary ones; zeros stay. */
export function centredVectors(auxiliary: Matrix, test: Matrix): Matrix<Float64Array> {
  const vectors = stackRows(auxiliary, test).copy('float64');
  const present = rowsWhere(vectors.rows, (c) => vectors.row(c).some((value) => value !== 0));
  const known = present.filter((c) => c < auxiliary.rows);
  const mean = columnMeans(selectRows(vectors, known));
  for (const c of present) {
    const row = vectors.row(c);
    for (let j = 0; j < row.length; j++) row[j] -= mean[j];
  }
  return vectors;
}
