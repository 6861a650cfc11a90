/**
 * Principal components: the orthonormal directions of largest variance of instances around their mean, from the
 * eigenvectors of X̃'X̃, or of X̃X̃' where there are fewer instances than features (v = X̃'u/σ then).
 */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { centred, columnMeans } from './centring.js';
import { Scratch } from './scratch.js';

/** Directions whose variance is below this share of the largest are rounding. */
const negligible = 1e-11;

export interface PrincipalComponents {
  readonly mean: Float64Array;
  /** Row k is the direction of the k-th largest variance, r×d. */
  readonly directions: Matrix<Float64Array>;
  /** Sums of squares along the directions, descending. */
  readonly energies: Float64Array;
}

/** At most `most` components; fewer where the instances span less. */
export function principalComponents(
  backend: Backend,
  features: Matrix,
  most: number = Number.POSITIVE_INFINITY,
): PrincipalComponents {
  const mean = columnMeans(features);
  return { mean, ...mainDirections(backend, centred(features, mean), most) };
}

/** The same without centring: right singular vectors and squared singular values of X. */
export function mainDirections(
  backend: Backend,
  features: Matrix,
  most: number = Number.POSITIVE_INFINITY,
): Omit<PrincipalComponents, 'mean'> {
  const scratch = new Scratch(backend);
  try {
    const x = scratch.copy(features);
    const byFeature = x.cols <= x.rows;
    const order = Math.min(x.rows, x.cols);
    const products = scratch.matrix(order, order);
    backend.syrk(products, x, { transpose: byFeature });
    const { vectors, values: energies } = leadingEigenvectors(backend, products, most, negligible);
    if (byFeature) return { directions: facingForward(vectors), energies };
    const directions = scratch.matrix(vectors.rows, x.cols);
    backend.gemm(directions, scratch.copy(vectors), x);
    backend.scaleRows(
      directions,
      energies.map((energy) => 1 / Math.sqrt(energy)),
    );
    orthonormalize(backend, scratch, directions);
    return { directions: facingForward(directions.copy('float64')), energies };
  } finally {
    scratch.release();
  }
}

/**
 * The eigenvectors of the largest eigenvalues of a symmetric matrix, which is overwritten, a row each and largest first: at most
 * `most`, and none whose eigenvalue is no more than the share `negligible` of the largest.
 */
export function leadingEigenvectors(
  backend: Backend,
  symmetric: Matrix<Float64Array>,
  most: number,
  negligible = Number.NEGATIVE_INFINITY,
): { vectors: Matrix<Float64Array>; values: Float64Array } {
  const order = symmetric.rows;
  const ascending = new Float64Array(order);
  backend.eigh(ascending, symmetric);
  let count = 0;
  while (count < Math.min(most, order) && ascending[order - 1 - count] > negligible * ascending[order - 1]) count++;
  const vectors = Matrix.zeros(count, order);
  for (let k = 0; k < count; k++) vectors.row(k).set(symmetric.row(order - 1 - k));
  return { vectors, values: Float64Array.from({ length: count }, (_, k) => ascending[order - 1 - k]) };
}

/**
 * D ← (DD')^-½ D for almost orthonormal rows, by two steps D ← (3D − DD'D)/2 of Newton and Schulz, each of which squares the
 * error. The division by small σ leaves up to ε/`negligible`, about 1e-5; two steps leave rounding.
 */
function orthonormalize(backend: Backend, scratch: Scratch, directions: Matrix): void {
  const count = directions.rows;
  const products = scratch.matrix(count, count);
  const before = scratch.matrix(count, directions.cols);
  for (let step = 0; step < 2; step++) {
    backend.copy(before, directions);
    backend.syrk(products, before);
    backend.gemm(directions, products, before, { alpha: -0.5, beta: 1.5 });
  }
}

/** An eigenvector has no sign of its own: the largest entry is made positive, so that every backend gives the same one. */
function facingForward(directions: Matrix<Float64Array>): Matrix<Float64Array> {
  for (let k = 0; k < directions.rows; k++) {
    const row = directions.row(k);
    let largest = 0;
    // Entries that tie but for rounding must not be told apart by it: a later one has to be clearly larger.
    for (let j = 0; j < row.length; j++) if (Math.abs(row[j]) > Math.abs(largest) * (1 + 1e-6)) largest = row[j];
    if (largest < 0) for (let j = 0; j < row.length; j++) row[j] = -row[j];
  }
  return directions;
}

/** (X − mean) D', n×r: the instances along the directions D, r×d. */
export function project(
  backend: Backend,
  features: Matrix,
  mean: Float64Array,
  directions: Matrix,
): Matrix<Float64Array> {
  const scratch = new Scratch(backend);
  try {
    const coordinates = scratch.matrix(features.rows, directions.rows);
    backend.gemm(coordinates, scratch.copy(centred(features, mean)), scratch.copy(directions), {
      transposeB: true,
    });
    return coordinates.copy('float64');
  } finally {
    scratch.release();
  }
}
