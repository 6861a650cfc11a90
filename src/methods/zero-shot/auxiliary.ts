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
import { preparedNow } from '../blocks/preparation.js';

export interface AuxiliaryData {
  /** n×d, less `mean`, where the backend computes fastest; nobody may write to them. */
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
  /** What depends on these pictures, their labels and the parameters given alone, made once for all fits that ask for it. */
  prepared<T>(name: string, parameters: readonly (number | string)[], make: () => T): T;
}

/** Pictures in the order of their content. */
interface OrderedPictures {
  readonly features: Matrix<Float64Array>;
  readonly mean: Float64Array;
  readonly labels: Int32Array;
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
  const { backend } = scratch;
  const name = centre ? 'centred auxiliary pictures in order' : 'auxiliary pictures in order';
  const ordered = preparedNow(name, backend, [auxiliaryFeatures, relabelled], [], () =>
    inOrder(auxiliaryFeatures, relabelled, centre),
  );
  const counts = new Int32Array(categories.length);
  for (const label of relabelled) counts[label]++;
  return {
    ...ordered,
    // Elsewhere than in ordinary memory there is no room to keep them.
    features: backend.device === 'native' ? ordered.features : scratch.copy(ordered.features),
    counts,
    classVectors,
    candidates: candidateSemantics(problem),
    prepared: (part, parameters, make) =>
      preparedNow(part, backend, [ordered.features, ordered.labels], parameters, make),
  };
}

function inOrder(pictures: Matrix, pictureLabels: Int32Array, centre: boolean): OrderedPictures {
  const order = contentOrder(pictures, pictureLabels);
  const features = Matrix.zeros(order.length, pictures.cols);
  order.forEach((row, position) => {
    features.row(position).set(pictures.row(row));
  });
  const mean = centre ? columnMeans(features) : new Float64Array(features.cols);
  if (centre) subtractFromRows(features, mean);
  return { features, mean, labels: order.map((row) => pictureLabels[row]) };
}

/** factor · X'X of the pictures, d×d; nobody may write to it. */
export function pictureProducts(
  scratch: Scratch,
  { features, prepared }: Pick<AuxiliaryData, 'features' | 'prepared'>,
  factor = 1,
): Matrix<Float64Array> {
  return prepared('products of auxiliary pictures', [factor], () => {
    const products = Matrix.zeros(features.cols, features.cols);
    scratch.backend.syrk(products, features, { transpose: true, alpha: factor });
    return products;
  });
}

/** C×d: the features of each category added up; nobody may write to them. */
export function categorySums({ features, labels, counts, prepared }: AuxiliaryData): Matrix<Float64Array> {
  return prepared('sums of auxiliary categories', [], () => {
    const sums = Matrix.zeros(counts.length, features.cols);
    for (let i = 0; i < features.rows; i++) {
      const [sum, row] = [sums.row(labels[i]), features.row(i)];
      for (let j = 0; j < row.length; j++) sum[j] += row[j];
    }
    return sums;
  });
}

function subtractFromRows(matrix: Matrix<Float64Array>, mean: Float64Array): void {
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    for (let j = 0; j < row.length; j++) row[j] -= mean[j];
  }
}
