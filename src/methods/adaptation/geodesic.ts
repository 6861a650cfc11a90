/**
 * The geodesic between two subspaces of equal dimension k (Gallivan et al. 2003). With principal angles θᵢ, principal
 * vectors uᵢ of the first and vᵢ of the second subspace and vᵢ = uᵢ cos θᵢ + qᵢ sin θᵢ, the point at t has the basis
 * uᵢ cos tθᵢ + qᵢ sin tθᵢ. Integrating its projector over 0 ≤ t ≤ 1 gives the kernel
 * G = Σᵢ (aᵢ uᵢuᵢ' + bᵢ (uᵢqᵢ' + qᵢuᵢ') + cᵢ qᵢqᵢ'), aᵢ, cᵢ = ½(1 ± sin 2θᵢ/2θᵢ), bᵢ = (1 − cos 2θᵢ)/4θᵢ.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { Scratch } from '../../numerics/index.js';

export interface Geodesic {
  /** θᵢ, ascending. */
  readonly angles: Float64Array;
  /** Rows uᵢ, k×d. */
  readonly start: Matrix<Float64Array>;
  /** Rows qᵢ, k×d; zeros where θᵢ = 0. */
  readonly tangent: Matrix<Float64Array>;
}

/** From the rows of `first` to those of `second`, both orthonormal, k×d. */
export function geodesic(backend: Backend, first: Matrix, second: Matrix): Geodesic {
  const k = first.rows;
  const scratch = new Scratch(backend);
  try {
    const [from, to] = [scratch.copy(first), scratch.copy(second)];
    const products = scratch.matrix(k, k);
    backend.gemm(products, from, to, { transposeB: true });
    const left = scratch.matrix(k, k);
    backend.syrk(left, products);
    backend.eigh(new Float64Array(k), left);
    reverseRows(left);
    const right = scratch.matrix(k, k);
    backend.gemm(right, left, products);
    const cosines = orthonormalRows(right);
    const [start, tangent] = [scratch.matrix(k, first.cols), scratch.matrix(k, first.cols)];
    backend.gemm(start, left, from);
    backend.gemm(tangent, right, to);
    const angles = new Float64Array(k);
    for (let i = 0; i < k; i++) angles[i] = turnAway(tangent.row(i), start.row(i), cosines[i]);
    return { angles, start: start.copy('float64'), tangent: tangent.copy('float64') };
  } finally {
    scratch.release();
  }
}

/** v ← (v − u cos θ)/sin θ; returns θ, from sine and cosine so that small angles are exact. */
function turnAway(v: Float64Array, u: Float64Array, cosine: number): number {
  let squares = 0;
  for (let j = 0; j < v.length; j++) {
    v[j] -= cosine * u[j];
    squares += v[j] * v[j];
  }
  const sine = Math.sqrt(squares);
  const factor = sine > 1e-9 ? 1 / sine : 0;
  for (let j = 0; j < v.length; j++) v[j] *= factor;
  return factor > 0 ? Math.atan2(sine, cosine) : 0;
}

/** 2k×d, rows φ with G = Σ φφ': the kernel is the inner product of pictures mapped by it. */
export function flowMap({ angles, start, tangent }: Geodesic): Matrix<Float64Array> {
  const map = Matrix.zeros(2 * start.rows, start.cols);
  for (let i = 0; i < start.rows; i++) {
    const [a, b, c] = flowCoefficients(angles[i]);
    // Square root of the 2×2 matrix (a b; b c).
    const root = Math.sqrt(Math.max(0, a * c - b * b));
    const scale = 1 / Math.sqrt(a + c + 2 * root);
    const [u, q] = [start.row(i), tangent.row(i)];
    const [first, second] = [map.row(2 * i), map.row(2 * i + 1)];
    for (let j = 0; j < u.length; j++) {
      first[j] = scale * ((a + root) * u[j] + b * q[j]);
      second[j] = scale * (b * u[j] + (c + root) * q[j]);
    }
  }
  return map;
}

/** aᵢ, bᵢ and cᵢ of the kernel. */
function flowCoefficients(angle: number): [number, number, number] {
  if (angle < 1e-6) return [1, angle / 2, (angle * angle) / 3];
  const ratio = Math.sin(2 * angle) / (2 * angle);
  return [(1 + ratio) / 2, (1 - Math.cos(2 * angle)) / (4 * angle), (1 - ratio) / 2];
}

/**
 * Makes rows orthonormal that are orthogonal up to rounding, longest first, and returns their lengths. A row of
 * almost no length (θ = 90°, where the geodesic is one of many) is replaced by any direction that is left.
 */
function orthonormalRows(matrix: Matrix<Float64Array>): Float64Array {
  const lengths = new Float64Array(matrix.rows);
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    lengths[i] = Math.min(1, norm(row));
    for (let axis = -1; axis < row.length; axis++) {
      if (axis >= 0) row.fill(0)[axis] = 1;
      const before = norm(row);
      for (let pass = 0; pass < 2; pass++) for (let k = 0; k < i; k++) subtractAlong(row, matrix.row(k));
      const after = norm(row);
      if (after > 1e-8 && after > 0.5 * before * (axis < 0 ? 1 : Math.sqrt(1 / row.length))) {
        for (let j = 0; j < row.length; j++) row[j] /= after;
        break;
      }
    }
  }
  return lengths;
}

function subtractAlong(row: Float64Array, unit: Float64Array): void {
  let along = 0;
  for (let j = 0; j < row.length; j++) along += row[j] * unit[j];
  for (let j = 0; j < row.length; j++) row[j] -= along * unit[j];
}

function norm(row: Float64Array): number {
  let squares = 0;
  for (let j = 0; j < row.length; j++) squares += row[j] * row[j];
  return Math.sqrt(squares);
}

function reverseRows(matrix: Matrix<Float64Array>): void {
  for (let i = 0, j = matrix.rows - 1; i < j; i++, j--) {
    const row = matrix.row(i).slice();
    matrix.row(i).set(matrix.row(j));
    matrix.row(j).set(row);
  }
}
