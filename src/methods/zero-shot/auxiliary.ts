/**
 * What zero-shot methods learn from: auxiliary pictures and the vectors of their categories, in an order that depends on
 * their content alone, so that permuted pictures and relabelled categories give the same answer to the last bit.
 */
import { ProblemError } from '../../errors.js';
import { Matrix } from '../../linalg/index.js';
import type { Scratch } from '../../numerics/index.js';
import { columnMeans, contentOrder } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import { candidateSemantics, requireLearnable } from '../../problem/index.js';

export interface AuxiliaryData {
  /** n×d, less `mean`, in storage of the scratch. */
  readonly features: Matrix<Float64Array>;
  /** Mean of the auxiliary pictures; zeros where features were asked for as they are. */
  readonly mean: Float64Array;
  /** Into the rows of `classVectors`. */
  readonly labels: Int32Array;
  /** Pictures of each category. */
  readonly counts: Int32Array;
  /** As the problem gives them, only of categories with pictures. */
  readonly classVectors: Matrix<Float64Array>;
  /** Vectors of the categories to choose from, in the order of predictions. */
  readonly candidates: Matrix<Float64Array>;
}

export interface GatherOptions {
  /**
   * Subtract the mean picture: a bilinear score x'Vs has no intercept, and the long common part of CNN features would
   * act as a preference for some categories. @default true
   */
  centre?: boolean;
}

export function gatherAuxiliary(
  scratch: Scratch,
  problem: Problem,
  method: string,
  { centre = true }: GatherOptions = {},
): AuxiliaryData {
  const { auxiliaryFeatures, auxiliaryLabels, auxiliarySemantics } = problem;
  requireLearnable(problem);
  const present = new Uint8Array(auxiliarySemantics.rows);
  for (const label of auxiliaryLabels) present[label] = 1;
  const categories = contentOrder(auxiliarySemantics).filter((category) => present[category] === 1);
  if (categories.length < 2)
    throw new ProblemError(
      'aux_labels',
      undefined,
      `there ${categories.length === 1 ? 'is one auxiliary category' : 'are no auxiliary categories'} with pictures, and ${method} needs at least two to learn from`,
      'Add auxiliary pictures of more categories, or choose a method that learns from web pictures.',
    );
  const newLabel = new Int32Array(auxiliarySemantics.rows);
  const classVectors = Matrix.zeros(categories.length, auxiliarySemantics.cols);
  categories.forEach((category, label) => {
    newLabel[category] = label;
    classVectors.row(label).set(auxiliarySemantics.row(category));
  });
  const relabelled = auxiliaryLabels.map((label) => newLabel[label]);
  const order = contentOrder(auxiliaryFeatures, relabelled);
  const features = scratch.matrix(order.length, auxiliaryFeatures.cols);
  order.forEach((row, position) => {
    features.row(position).set(auxiliaryFeatures.row(row));
  });
  const mean = centre ? columnMeans(features) : new Float64Array(features.cols);
  if (centre) subtractFromRows(features, mean);
  const counts = new Int32Array(categories.length);
  for (const label of relabelled) counts[label]++;
  return {
    features,
    mean,
    labels: order.map((row) => relabelled[row]),
    counts,
    classVectors,
    candidates: candidateSemantics(problem),
  };
}

/** C×d: the features of each category added up. */
export function categorySums({ features, labels, counts }: AuxiliaryData): Matrix<Float64Array> {
  const sums = Matrix.zeros(counts.length, features.cols);
  for (let i = 0; i < features.rows; i++) {
    const [sum, row] = [sums.row(labels[i]), features.row(i)];
    for (let j = 0; j < row.length; j++) sum[j] += row[j];
  }
  return sums;
}

function subtractFromRows(matrix: Matrix<Float64Array>, mean: Float64Array): void {
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++) row[j] -= mean[j];
  }
}
