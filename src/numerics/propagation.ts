/**
 * Labels that travel along a graph (Zhou, Bousquet, Lal, Weston and Schölkopf 2003): F = (1 − α)(I − αS)⁻¹Y with
 * S = D^-½ W D^-½, found by F ← αSF + (1 − α)Y until no entry moves.
 */
import type { Matrix } from '../linalg/index.js';
import type { Graph } from './graph.js';

/** Y is n×C, a row for every node: one-hot where its label is known, else zero. */
export function propagate(
  graph: Graph,
  labels: Matrix<Float64Array>,
  alpha: number,
  signal?: AbortSignal,
): Matrix<Float64Array> {
  const degrees = new Float64Array(graph.nodes);
  for (let e = 0; e < graph.weights.length; e++) {
    degrees[graph.from[e]] += graph.weights[e];
    degrees[graph.to[e]] += graph.weights[e];
  }
  const weights = graph.weights.map(
    (weight, e) => (alpha * weight) / Math.sqrt(degrees[graph.from[e]] * degrees[graph.to[e]]),
  );
  const start = labels.copy('float64');
  for (let k = 0; k < start.data.length; k++) start.data[k] *= 1 - alpha;
  let flow = start;
  for (let change = 1; change > 1e-9; ) {
    signal?.throwIfAborted();
    const next = start.copy('float64');
    change = pass(next.data, flow.data, graph, weights, labels.cols);
    flow = next;
  }
  return flow;
}

/** Next ← next + αS flow, categories side by side; returns how far an entry lies from where it was at most. */
function pass(
  next: Float64Array,
  flow: Float64Array,
  { from, to }: Graph,
  weights: ArrayLike<number>,
  categories: number,
): number {
  for (let e = 0; e < weights.length; e++) {
    const weight = weights[e];
    const [a, b] = [from[e] * categories, to[e] * categories];
    for (let c = 0; c < categories; c++) {
      next[a + c] += weight * flow[b + c];
      next[b + c] += weight * flow[a + c];
    }
  }
  let change = 0;
  for (let k = 0; k < next.length; k++) {
    const moved = Math.abs(next[k] - flow[k]);
    if (moved > change) change = moved;
  }
  return change;
}
