/**
 * Graphs of nearest neighbours. Edges are undirected, between rows i and j of the points, weighted by
 * exp(−‖xᵢ − xⱼ‖²/2w²) with w² the mean squared length of the edges; the Laplacian L = D − W measures how unevenly
 * values lie on the graph, f'Lf = Σ_edges weight (fᵢ − fⱼ)².
 */
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import { squaredLengths } from './distances.js';

export interface Graph {
  readonly nodes: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly weights: Float64Array;
}

/** Joins each point with its nearest `neighbours`. */
export function neighbourGraph(
  backend: Backend,
  points: Matrix<Float64Array>,
  neighbours: number,
  { signal }: { signal?: AbortSignal } = {},
): Graph {
  const k = Math.min(neighbours, points.rows - 1);
  const lengths = squaredLengths(points);
  /** Squared length of every edge, by both its ends: an edge that both ends chose is one edge. */
  const edges = new Map<number, number>();
  const block = 256;
  const products = backend.matrix(block, points.rows);
  try {
    for (let start = 0; start < points.rows; start += block) {
      signal?.throwIfAborted();
      const end = Math.min(points.rows, start + block);
      const here = products.view(0, end - start);
      backend.gemm(here, points.view(start, end), points, { transposeB: true });
      for (let i = start; i < end; i++) {
        const row = here.row(i - start);
        for (let j = 0; j < row.length; j++) row[j] = Math.max(0, lengths[i] - 2 * row[j] + lengths[j]);
        for (const j of smallest(row, k, i)) edges.set(Math.min(i, j) * points.rows + Math.max(i, j), row[j]);
      }
    }
  } finally {
    backend.release(products);
  }
  const [from, to] = [new Int32Array(edges.size), new Int32Array(edges.size)];
  const squares = new Float64Array(edges.size);
  // In the order of the ends, whichever of them found the edge first.
  [...edges.keys()]
    .sort((a, b) => a - b)
    .forEach((key, e) => {
      from[e] = Math.floor(key / points.rows);
      to[e] = key % points.rows;
      squares[e] = edges.get(key)!;
    });
  const mean = squares.reduce((sum, value) => sum + value, 0) / Math.max(1, squares.length);
  const weights = squares.map((value) => (mean > 0 ? Math.exp(-value / (2 * mean)) : 1));
  return { nodes: points.rows, from, to, weights };
}

/** X'LX, d×d. Only points with an edge are touched. */
export function laplacianForm(backend: Backend, graph: Graph, points: Matrix<Float64Array>): Matrix<Float64Array> {
  const position = new Int32Array(graph.nodes).fill(-1);
  let touched = 0;
  for (const ends of [graph.from, graph.to])
    for (const node of ends) if (position[node] < 0) position[node] = touched++;
  const d = points.cols;
  const [here, smoothed] = [backend.matrix(touched, d), backend.matrix(touched, d)];
  try {
    for (let i = 0; i < graph.nodes; i++) if (position[i] >= 0) here.row(position[i]).set(points.row(i));
    for (let e = 0; e < graph.from.length; e++) {
      const [i, j, weight] = [position[graph.from[e]], position[graph.to[e]], graph.weights[e]];
      const [x, y, outX, outY] = [here.row(i), here.row(j), smoothed.row(i), smoothed.row(j)];
      for (let k = 0; k < d; k++) {
        const part = weight * (x[k] - y[k]);
        outX[k] += part;
        outY[k] -= part;
      }
    }
    const result = Matrix.zeros(d, d);
    backend.gemm(result, here, smoothed, { transposeA: true });
    return result;
  } finally {
    backend.release(here);
    backend.release(smoothed);
  }
}

/** Positions of the k smallest values but for `except`, smallest first, the first ones among equals. */
export function smallest(values: ArrayLike<number>, k: number, except = -1): Int32Array {
  const found = new Int32Array(k);
  let count = 0;
  for (let j = 0; j < values.length; j++) {
    if (j === except || (count === k && (k === 0 || values[j] >= values[found[k - 1]]))) continue;
    let place = count < k ? count++ : k - 1;
    for (; place > 0 && values[found[place - 1]] > values[j]; place--) found[place] = found[place - 1];
    found[place] = j;
  }
  return found.subarray(0, count);
}
