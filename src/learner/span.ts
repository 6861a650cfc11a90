/**
 * The semantic span: an orthonormal basis of the span of all categories' semantic vectors. Every iterate of the
 * learner stays in it, so the algorithm runs in r ≤ min(m, Ca + Ct) dimensions without changing a single value.
 */
import { Matrix } from '../linalg/index.js';
import { dot } from '../numerics/index.js';

/** Directions shorter than this, relative to the longest vector, count as rounding noise. */
const relativeTolerance = 1e-12;

/**
 * Rows of the result are an orthonormal basis of the row space of the given matrices: Gram–Schmidt with pivoting on
 * the longest remaining vector, each vector orthogonalized twice ("twice is enough").
 */
export function spanBasis(...groups: Matrix[]): Matrix<Float64Array> {
  const dimension = groups[0].cols;
  const vectors: Float64Array[] = [];
  for (const group of groups) for (let i = 0; i < group.rows; i++) vectors.push(Float64Array.from(group.row(i)));
  const remaining = vectors.map((vector) => dot(vector, vector));
  const longest = Math.sqrt(Math.max(0, ...remaining));
  const basis: Float64Array[] = [];
  const used = new Uint8Array(vectors.length);
  while (basis.length < Math.min(dimension, vectors.length)) {
    let pivot = -1;
    for (let i = 0; i < vectors.length; i++) if (!used[i] && (pivot < 0 || remaining[i] > remaining[pivot])) pivot = i;
    if (pivot < 0) break;
    used[pivot] = 1;
    const candidate = vectors[pivot];
    for (let sweep = 0; sweep < 2; sweep++) for (const direction of basis) subtractProjection(candidate, direction);
    const length = Math.sqrt(dot(candidate, candidate));
    if (length <= relativeTolerance * longest) {
      if (remaining[pivot] <= (relativeTolerance * longest) ** 2) break;
      continue;
    }
    for (let j = 0; j < dimension; j++) candidate[j] /= length;
    basis.push(candidate);
    for (let i = 0; i < vectors.length; i++) {
      if (used[i]) continue;
      subtractProjection(vectors[i], candidate);
      remaining[i] = dot(vectors[i], vectors[i]);
    }
  }
  return Matrix.from(basis.length > 0 ? basis : [new Float64Array(dimension)]) as Matrix<Float64Array>;
}

/** The m×m identity, for running in the full semantic space. */
export function fullBasis(dimension: number): Matrix<Float64Array> {
  const identity = Matrix.zeros(dimension, dimension);
  for (let i = 0; i < dimension; i++) identity.set(i, i, 1);
  return identity;
}

function subtractProjection(vector: Float64Array, direction: Float64Array): void {
  const length = dot(vector, direction);
  for (let j = 0; j < vector.length; j++) vector[j] -= length * direction[j];
}
