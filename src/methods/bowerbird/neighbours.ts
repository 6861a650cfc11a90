/**
 * Which test pictures look alike: each is joined with its k nearest by cosine, edges in both directions, weighted by
 * the cosine and scaled by D^-½ W D^-½, so that pictures with many neighbours speak no louder than others.
 */
import type { Backend } from '../../linalg/backend.js';
import { Matrix } from '../../linalg/matrix.js';
import { smallest } from '../blocks/graph.js';
import type { PictureSpace, Pictures } from './space.js';

export class Neighbours {
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  readonly #weights: Float64Array;

  constructor(backend: Backend, space: PictureSpace, pictures: Pictures, count: number) {
    const { rows, squaredLengths } = pictures;
    const n = rows.rows;
    const k = Math.min(count, n - 1);
    const edges = new Map<number, number>();
    const block = 256;
    const products = Matrix.zeros(block, n);
    for (let start = 0; start < n; start += block) {
      const end = Math.min(n, start + block);
      const here = products.view(0, end - start);
      backend.gemm(here, space.solve(rows.view(start, end)), rows, { transposeB: true });
      for (let i = start; i < end; i++) {
        const row = here.row(i - start);
        for (let j = 0; j < n; j++) row[j] = -row[j] / (Math.sqrt(squaredLengths[i] * squaredLengths[j]) || 1);
        for (const j of smallest(row, k, i)) {
          const key = Math.min(i, j) * n + Math.max(i, j);
          edges.set(key, (edges.get(key) ?? 0) + Math.max(0, -row[j]) / 2);
        }
      }
    }
    const keys = [...edges.keys()].sort((a, b) => a - b);
    this.#from = Int32Array.from(keys, (key) => Math.floor(key / n));
    this.#to = Int32Array.from(keys, (key) => key % n);
    this.#weights = Float64Array.from(keys, (key) => edges.get(key)!);
    const degrees = new Float64Array(n);
    for (let e = 0; e < keys.length; e++) {
      degrees[this.#from[e]] += this.#weights[e];
      degrees[this.#to[e]] += this.#weights[e];
    }
    for (let e = 0; e < keys.length; e++)
      this.#weights[e] /= Math.sqrt(degrees[this.#from[e]] * degrees[this.#to[e]]) || 1;
  }

  /** values ← values + factor · (weighted sum of the neighbours' rows of `source`) */
  add(values: Matrix<Float64Array>, factor: number, source: Matrix<Float64Array>): void {
    for (let e = 0; e < this.#weights.length; e++) {
      const weight = factor * this.#weights[e];
      const [a, b] = [this.#from[e], this.#to[e]];
      const [outA, outB, inA, inB] = [values.row(a), values.row(b), source.row(a), source.row(b)];
      for (let c = 0; c < outA.length; c++) {
        outA[c] += weight * inB[c];
        outB[c] += weight * inA[c];
      }
    }
  }
}
