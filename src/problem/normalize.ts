/**
 * Scaling and centring. `l2`: x ← x/‖x‖. `zscore`: x_j ← (x_j − mean_j)/deviation_j over auxiliary, web and test
 * pictures together. Centring subtracts each domain's own mean (auxiliary, web, test, validation web) before scaling.
 */
import { ArgumentError, ProblemError } from '../errors.js';
import { type Matrix, unitRowsHere } from '../linalg/index.js';
import type { Problem } from './problem.js';

export type FeatureScaling = 'l2' | 'none' | 'zscore';
export const featureScalings: readonly FeatureScaling[] = ['l2', 'none', 'zscore'];

export interface NormalizeOptions {
  /** @default 'l2' */
  scaling?: FeatureScaling;
  /** Subtract from the features of each domain their mean, before scaling. @default false */
  centreFeatures?: boolean;
  /** Subtract the mean over all categories from the semantic vectors. @default false */
  centreSemantics?: boolean;
  /**
   * Bring semantic vectors to unit length, after centring. Methods that decide by Euclidean distance to them, `paper`
   * among them, otherwise prefer categories with short vectors. @default false
   */
  unitSemantics?: boolean;
}

/** The problem with scaled features and semantic vectors; the input keeps its own. */
export function normalize(problem: Problem, options: NormalizeOptions = {}): Problem {
  const featuresChange = (options.scaling ?? 'l2') !== 'none' || options.centreFeatures === true;
  return normalizeInPlace(
    {
      ...problem,
      ...(featuresChange && {
        auxiliaryFeatures: problem.auxiliaryFeatures.copy(),
        webFeatures: problem.webFeatures.copy(),
        testFeatures: problem.testFeatures.copy(),
        ...(problem.validationWeb && {
          validationWeb: { ...problem.validationWeb, features: problem.validationWeb.features.copy() },
        }),
      }),
      ...((options.centreSemantics || options.unitSemantics) && {
        auxiliarySemantics: problem.auxiliarySemantics.copy(),
        testSemantics: problem.testSemantics.copy(),
      }),
    },
    options,
  );
}

/** As `normalize`, overwriting the matrices of a problem that nobody else holds yet. */
export function normalizeInPlace(problem: Problem, options: NormalizeOptions = {}): Problem {
  const scaling = options.scaling ?? 'l2';
  if (!featureScalings.includes(scaling))
    throw new ArgumentError(`normalize: scaling is "${scaling}"; it must be one of ${featureScalings.join(', ')}`);
  const domains = featureArrays(problem);
  if (options.centreFeatures) for (const { matrix } of domains) subtract(matrix, columnMeans([matrix]));
  if (scaling === 'l2') for (const { name, matrix } of domains) scaleToUnitLength(name, matrix);
  if (scaling === 'zscore') standardize(domains.map(({ matrix }) => matrix));
  if (options.centreSemantics) {
    const mean = columnMeans([problem.auxiliarySemantics, problem.testSemantics]);
    subtract(problem.auxiliarySemantics, mean);
    subtract(problem.testSemantics, mean);
  }
  if (options.unitSemantics)
    for (const matrix of [problem.auxiliarySemantics, problem.testSemantics]) scaleSemantics(matrix);
  return problem;
}

/** Semantic vectors at unit length, in place; a category without a vector stays without one. */
export function scaleSemantics(matrix: Matrix): void {
  for (let c = 0; c < matrix.rows; c++) {
    const row = matrix.row(c);
    let squares = 0;
    for (let j = 0; j < row.length; j++) squares += row[j] * row[j];
    if (squares > 0) for (let j = 0; j < row.length; j++) row[j] /= Math.sqrt(squares);
  }
}

/** Every feature matrix under the name it has in a problem file; validation web pictures last. */
export function featureArrays(problem: Problem): { name: string; matrix: Matrix }[] {
  const arrays = [
    { name: 'aux_features', matrix: problem.auxiliaryFeatures },
    { name: 'web_features', matrix: problem.webFeatures },
    { name: 'test_features', matrix: problem.testFeatures },
  ];
  if (problem.validationWeb) arrays.push({ name: 'validation_web_features', matrix: problem.validationWeb.features });
  return arrays;
}

export function zeroVectorError(array: string, row: number): ProblemError {
  return new ProblemError(
    array,
    row,
    'all features are zero, and a vector without length cannot be scaled to unit length (l2)',
    'Remove the picture, extract its features again, or choose the scaling "none" or "zscore".',
  );
}

/** Every row divided by its length, in place; `first` is the number of the first one in the named array. */
export function scaleToUnitLength(name: string, matrix: Matrix, first = 0): void {
  const largests = new Float64Array(matrix.rows);
  unitRowsHere(matrix, largests, new Float64Array(matrix.rows));
  const empty = largests.indexOf(0);
  if (empty >= 0) throw zeroVectorError(name, first + empty);
}

/** The first three matrices (auxiliary, web, test) give the means and deviations; all are changed by them. */
function standardize(matrices: Matrix[]): void {
  const measured = matrices.slice(0, 3);
  const mean = columnMeans(measured);
  for (const matrix of matrices) subtract(matrix, mean);
  const squares = new Float64Array(mean.length);
  let count = 0;
  for (const matrix of measured) {
    count += matrix.rows;
    for (let i = 0; i < matrix.rows; i++) {
      const row = matrix.row(i);
      for (let j = 0; j < row.length; j++) squares[j] += row[j] ** 2;
    }
  }
  // A constant feature is zero everywhere by now and stays so.
  const deviation = squares.map((sum) => Math.sqrt(sum / count) || 1);
  for (const matrix of matrices)
    for (let i = 0; i < matrix.rows; i++) {
      const row = matrix.row(i);
      for (let j = 0; j < row.length; j++) row[j] /= deviation[j];
    }
}

function columnMeans(matrices: Matrix[]): Float64Array {
  const mean = new Float64Array(matrices[0].cols);
  let count = 0;
  for (const matrix of matrices) {
    count += matrix.rows;
    for (let i = 0; i < matrix.rows; i++) {
      const row = matrix.row(i);
      for (let j = 0; j < row.length; j++) mean[j] += row[j];
    }
  }
  return mean.map((sum) => sum / Math.max(1, count));
}

function subtract(matrix: Matrix, mean: Float64Array): void {
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++) row[j] -= mean[j];
  }
}
