/**
 * The space pictures are compared in. Features are raised to a power, brought to unit length and centred on the mean of
 * their own kind (auxiliary, web or test pictures). Distances are measured with S = S_w + κI, where S_w is how pictures
 * of one auxiliary category differ among themselves and κ a share of its mean eigenvalue: ‖x‖² = x'S⁻¹x. What varies
 * within every known category then counts little between the unknown ones.
 */
import { ProblemError } from '../../errors.js';
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import type { Problem } from '../../problem/problem.js';
import { columnMeans } from '../blocks/centring.js';
import { labelCounts, labelSums } from '../blocks/products.js';
import type { Workspace } from '../blocks/workspace.js';

/** Pictures of one kind, centred, with their squared lengths. */
export interface Pictures {
  readonly rows: Matrix<Float64Array>;
  readonly squaredLengths: Float64Array;
  readonly centre: Float64Array;
}

export interface SpaceOptions {
  /** Exponent of the features, signs kept. */
  power: number;
  /** κ as a share of the mean eigenvalue of S_w. */
  shrinkage: number;
}

export class PictureSpace {
  readonly dimension: number;
  /** Means of the auxiliary categories, Ca×d. */
  readonly means: Matrix<Float64Array>;
  /** S⁻¹ of each mean. */
  readonly solvedMeans: Matrix<Float64Array>;
  readonly counts: Float64Array;
  /** Variance of a picture about its category's mean, and of a category's mean about all, per dimension. */
  readonly within: number;
  readonly between: number;
  readonly #power: number;
  readonly #backend: Backend;
  readonly #workspace: Workspace;
  readonly #factor: Matrix<Float64Array>;
  readonly #auxiliary: Matrix<Float64Array>;

  constructor(problem: Problem, backend: Backend, workspace: Workspace, options: SpaceOptions) {
    this.#backend = backend;
    this.#workspace = workspace;
    this.#power = options.power;
    const { auxiliaryLabels: labels } = problem;
    const categories = problem.auxiliarySemantics.rows;
    this.counts = labelCounts(labels, categories);
    const degrees = labels.length - categories;
    if (categories < 2 || degrees < 1 || this.counts.includes(0))
      throw new ProblemError(
        'aux_labels',
        undefined,
        `${labels.length} auxiliary pictures of ${categories} categories do not show how pictures of one category differ`,
        'Give at least two auxiliary categories, pictures of every one, and several of some.',
      );
    this.#auxiliary = this.#prepared(problem.auxiliaryFeatures);
    subtract(this.#auxiliary, columnMeans(this.#auxiliary));
    this.dimension = this.#auxiliary.cols;
    this.means = labelSums(backend, this.#auxiliary, labels, categories);
    backend.scaleRows(
      this.means,
      this.counts.map((count) => 1 / count),
    );
    this.#factor = this.#scatter(degrees);
    const kappa = addShare(this.#factor, options.shrinkage, problem);
    backend.cholesky(this.#factor);
    this.within = 1 - (kappa * this.#traceOfInverse()) / this.dimension;
    this.solvedMeans = this.solve(this.means);
    const lengths = rowDots(backend, this.means, this.solvedMeans);
    const spread = sum(lengths) / (categories - 1) / this.dimension;
    const fromSampling = (this.within * sum(this.counts.map((count) => 1 / count))) / categories;
    // Means that differ by no more than chance still get a little room to differ.
    this.between = Math.max(spread - fromSampling, 1e-3 * this.within);
  }

  /** Features of one kind of pictures, less `centre` or less their own mean. */
  place(features: Matrix, centre?: Float64Array): Pictures {
    const rows = this.#prepared(features);
    const middle = centre ?? columnMeans(rows);
    subtract(rows, middle);
    return { rows, squaredLengths: rowDots(this.#backend, rows, this.solve(rows)), centre: middle };
  }

  /** Some of the auxiliary pictures, as they lie in this space. */
  auxiliary(rows: ArrayLike<number>): Pictures {
    const chosen = Matrix.zeros(rows.length, this.dimension);
    for (let k = 0; k < rows.length; k++) chosen.row(k).set(this.#auxiliary.row(rows[k]));
    const squaredLengths = rowDots(this.#backend, chosen, this.solve(chosen));
    return { rows: chosen, squaredLengths, centre: new Float64Array(this.dimension) };
  }

  /** S⁻¹ of every row. */
  solve(rows: Matrix<Float64Array>): Matrix<Float64Array> {
    const result = Matrix.zeros(rows.rows, rows.cols);
    this.#backend.copy(result, rows);
    this.#backend.choleskySolve(this.#factor, result, 'rows');
    return result;
  }

  #prepared(features: Matrix): Matrix<Float64Array> {
    return powerAndLength(this.#workspace.copy(features), this.#power);
  }

  /** S_w = (A'A − Σ n_c m_c m_c')/(na − Ca) */
  #scatter(degrees: number): Matrix<Float64Array> {
    const result = this.#workspace.matrix(this.dimension, this.dimension);
    const weighted = this.means.copy('float64');
    this.#backend.scaleRows(weighted, this.counts.map(Math.sqrt));
    this.#backend.syrk(result, this.#auxiliary, { transpose: true, alpha: 1 / degrees });
    this.#backend.syrk(result, weighted, { transpose: true, alpha: -1 / degrees, beta: 1 });
    return result;
  }

  #traceOfInverse(): number {
    const inverse = this.#workspace.matrix(this.dimension, this.dimension);
    this.#backend.addDiagonal(inverse, 1);
    this.#backend.choleskySolve(this.#factor, inverse, 'rows');
    return trace(inverse);
  }
}

/** Raises the features to a power, signs kept, and brings rows to unit length, in place. */
export function powerAndLength(features: Matrix<Float64Array>, power: number): Matrix<Float64Array> {
  for (let i = 0; i < features.rows; i++) {
    const row = features.row(i);
    let squares = 0;
    for (let j = 0; j < row.length; j++) {
      if (power !== 1) row[j] = Math.sign(row[j]) * Math.abs(row[j]) ** power;
      squares += row[j] * row[j];
    }
    const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let j = 0; j < row.length; j++) row[j] *= factor;
  }
  return features;
}

/** Adds the share of the mean eigenvalue to the diagonal and returns it. */
function addShare(scatter: Matrix<Float64Array>, share: number, problem: Problem): number {
  const kappa = (share * trace(scatter)) / scatter.rows;
  if (!(kappa > 0))
    throw new ProblemError(
      'aux_features',
      undefined,
      `the ${problem.auxiliaryLabels.length} auxiliary pictures do not differ within their categories`,
      'Give several different pictures of each auxiliary category.',
    );
  for (let j = 0; j < scatter.rows; j++) scatter.set(j, j, scatter.at(j, j) + kappa);
  return kappa;
}

function subtract(matrix: Matrix, vector: Float64Array): void {
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++) row[j] -= vector[j];
  }
}

export function rowDots(backend: Backend, a: Matrix<Float64Array>, b: Matrix<Float64Array>): Float64Array {
  const result = new Float64Array(a.rows);
  backend.rowDots(result, a, b);
  return result;
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

function trace(matrix: Matrix): number {
  let result = 0;
  for (let j = 0; j < matrix.rows; j++) result += matrix.at(j, j);
  return result;
}
