/**
 * Which pictures speak for each other: every test picture is joined with its nearest test pictures, both ways, and assignments
 * are drawn along the edges. The assignments minimize, given evidence e and affinities A,
 *   −Σⱼ zⱼ·eⱼ − ½ Σ_jk A_jk zⱼ·z_k + Σⱼ Σ_c z_jc log z_jc over distributions zⱼ;
 * linearizing the middle term at the present z, a bound from above where A has no negative eigenvalues, gives
 * zⱼ = softmax(eⱼ + Σ_k A_jk z_k) for all pictures at once.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { type Graph, neighbourGraph } from '../../numerics/index.js';
import { softmaxRows } from './cosines.js';

/** Joins unit vectors with their nearest; weights as `weigh` says, given the cosine and how many ends chose the edge. */
export function affinities(
  backend: Backend,
  points: Matrix<Float64Array>,
  neighbours: number,
  weigh: (cosine: number) => number,
  signal?: AbortSignal,
): Graph {
  const graph = neighbourGraph(backend, points, neighbours, { signal });
  const weights = graph.weights.map((_, e) => {
    const [a, b] = [points.row(graph.from[e]), points.row(graph.to[e])];
    let cosine = 0;
    for (let j = 0; j < a.length; j++) cosine += a[j] * b[j];
    return weigh(cosine);
  });
  return { ...graph, weights };
}

/** values ← values + Σ over neighbours of A_jk z_k, row by row. */
export function addNeighbours(values: Matrix<Float64Array>, graph: Graph, z: Matrix<Float64Array>): void {
  for (let e = 0; e < graph.weights.length; e++) {
    const weight = graph.weights[e];
    const [a, b] = [graph.from[e], graph.to[e]];
    const [outA, outB, inA, inB] = [values.row(a), values.row(b), z.row(a), z.row(b)];
    for (let c = 0; c < outA.length; c++) {
      outA[c] += weight * inB[c];
      outB[c] += weight * inA[c];
    }
  }
}

/** Scores e + A z and their softmax, after so many rounds from z. */
export function smoothed(
  evidence: Matrix<Float64Array>,
  graph: Graph,
  z: Matrix<Float64Array>,
  rounds: number,
): { scores: Matrix<Float64Array>; assignments: Matrix<Float64Array> } {
  let [scores, assignments] = [evidence, z];
  for (let round = 0; round < rounds; round++) {
    scores = evidence.copy('float64');
    addNeighbours(scores, graph, assignments);
    assignments = softmaxRows(scores);
  }
  return { scores, assignments };
}

/** The objective above, at z. */
export function assignmentObjective(evidence: Matrix<Float64Array>, graph: Graph, z: Matrix<Float64Array>): number {
  const drawn = Matrix.zeros(z.rows, z.cols);
  addNeighbours(drawn, graph, z);
  let total = 0;
  for (let k = 0; k < z.data.length; k++) {
    const p = z.data[k];
    if (p > 0) total += p * (Math.log(p) - evidence.data[k] - drawn.data[k] / 2);
  }
  return total;
}
