/**
 * k-means: Lloyd's alternation from k-means++ seeds (Arthur and Vassilvitskii 2007), min Σᵢ min_k ‖xᵢ − m_k‖². Seeds are
 * drawn in content order, so that permuted instances give the same clusters. The best of several starts is kept.
 */
import { ArgumentError } from '../errors.js';
import type { Backend, Random } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { contentOrder } from './content-order.js';
import { Scratch } from './scratch.js';

export interface KMeansOptions {
  /** @default 100 */
  maxIterations?: number;
  /** @default 1 */
  starts?: number;
  signal?: AbortSignal;
}

export interface Clustering {
  /** Cluster of each row. */
  readonly assignments: Int32Array;
  /** k×d means. */
  readonly centres: Matrix<Float64Array>;
  /** Sum of squared distances to the nearest centre. */
  readonly inertia: number;
}

/** At most `clusters` clusters; fewer when there are fewer different rows. */
export function kMeans(
  backend: Backend,
  features: Matrix,
  clusters: number,
  random: Random,
  { maxIterations = 100, starts = 1, signal }: KMeansOptions = {},
): Clustering {
  if (!Number.isInteger(clusters) || clusters < 1)
    throw new ArgumentError(`kMeans: clusters is ${clusters}; it must be a whole number of at least 1`);
  if (features.rows === 0) throw new ArgumentError('kMeans: there are no rows to cluster');
  const scratch = new Scratch(backend);
  try {
    const x = scratch.copy(features);
    const order = contentOrder(x);
    const squares = new Float64Array(x.rows);
    backend.rowDots(squares, x, x);
    let best: Clustering | undefined;
    for (let start = 0; start < starts; start++) {
      const centres = seeds(x, order, Math.min(clusters, x.rows), random);
      const found = lloyd(backend, x, squares, centres, maxIterations, signal);
      if (!best || found.inertia < best.inertia) best = found;
    }
    return best!;
  } finally {
    scratch.release();
  }
}

function lloyd(
  backend: Backend,
  x: Matrix<Float64Array>,
  squares: Float64Array,
  start: Matrix<Float64Array>,
  maxIterations: number,
  signal: AbortSignal | undefined,
): Clustering {
  const assignments = new Int32Array(x.rows).fill(-1);
  const products = backend.matrix(x.rows, start.rows);
  let centres = start;
  try {
    for (let iteration = 0; ; iteration++) {
      signal?.throwIfAborted();
      backend.gemm(products, x, centres, { transposeB: true });
      const { changed, inertia, nearest } = assign(products, squares, centres, assignments);
      if (changed === 0 || iteration >= maxIterations) return { assignments, centres, inertia };
      centres = means(x, assignments, centres.rows, nearest);
    }
  } finally {
    backend.release(products);
  }
}

/** Moves every row to its nearest centre, the first one among equals. */
function assign(products: Matrix, squares: Float64Array, centres: Matrix, assignments: Int32Array) {
  const lengths = Float64Array.from({ length: centres.rows }, (_, k) => {
    const row = centres.row(k);
    let total = 0;
    for (let j = 0; j < row.length; j++) total += row[j] * row[j];
    return total;
  });
  const nearest = new Float64Array(products.rows);
  let changed = 0;
  let inertia = 0;
  for (let i = 0; i < products.rows; i++) {
    const row = products.row(i);
    let best = 0;
    for (let k = 1; k < row.length; k++) if (lengths[k] - 2 * row[k] < lengths[best] - 2 * row[best]) best = k;
    if (assignments[i] !== best) changed++;
    assignments[i] = best;
    nearest[i] = Math.max(0, squares[i] + lengths[best] - 2 * row[best]);
    inertia += nearest[i];
  }
  return { changed, inertia, nearest };
}

/** Cluster means; a cluster that lost all its rows restarts at the row farthest from its centre. */
function means(x: Matrix, assignments: Int32Array, clusters: number, distances: Float64Array): Matrix<Float64Array> {
  const centres = Matrix.zeros(clusters, x.cols);
  const counts = new Float64Array(clusters);
  for (let i = 0; i < x.rows; i++) {
    const [row, centre] = [x.row(i), centres.row(assignments[i])];
    counts[assignments[i]]++;
    for (let j = 0; j < row.length; j++) centre[j] += row[j];
  }
  for (let k = 0; k < clusters; k++) {
    const centre = centres.row(k);
    if (counts[k] > 0) {
      for (let j = 0; j < centre.length; j++) centre[j] /= counts[k];
      continue;
    }
    const farthest = distances.reduce((best, value, i) => (value > distances[best] ? i : best), 0);
    centre.set(x.row(farthest));
    distances[farthest] = 0;
  }
  return centres;
}

/** The first seed uniformly, each further one with probability in proportion to the squared distance to the others. */
function seeds(x: Matrix<Float64Array>, order: Int32Array, clusters: number, random: Random): Matrix<Float64Array> {
  const chosen = [order[random.integer(order.length)]];
  const distances = new Float64Array(x.rows).fill(Number.POSITIVE_INFINITY);
  while (chosen.length < clusters) {
    const latest = x.row(chosen[chosen.length - 1]);
    let total = 0;
    for (const i of order) {
      const row = x.row(i);
      let squared = 0;
      for (let j = 0; j < row.length; j++) squared += (row[j] - latest[j]) ** 2;
      distances[i] = Math.min(distances[i], squared);
      total += distances[i];
    }
    if (!(total > 0)) break;
    let left = random.uniform() * total;
    let next = -1;
    for (const i of order) {
      if (distances[i] > 0) next = i;
      left -= distances[i];
      if (left < 0) break;
    }
    chosen.push(next);
  }
  const centres = Matrix.zeros(chosen.length, x.cols);
  chosen.forEach((row, k) => {
    centres.row(k).set(x.row(row));
  });
  return centres;
}
