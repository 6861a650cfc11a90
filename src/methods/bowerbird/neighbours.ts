/**
 * Which pictures look alike: the k nearest of each by cosine, and the graph that joins them, edges in both directions,
 * weighted by the cosine and scaled by D^-½ W D^-½, so that pictures with many neighbours speak no louder than others.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';
import { smallest } from '../../numerics/index.js';
import type { Placed } from './ground.js';

export class Neighbours {
  readonly count: number;
  /** For each picture its nearest ones, nearest first, and their cosines: n×count, row after row. */
  readonly nearest: Int32Array;
  readonly cosines: Float64Array;
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  readonly #weights: Float64Array;

  constructor(backend: Backend, pictures: Placed, wanted: number) {
    const { rows, squaredLengths } = pictures;
    const n = rows.rows;
    const k = Math.max(0, Math.min(wanted, n - 1));
    this.count = k;
    this.nearest = new Int32Array(n * k);
    this.cosines = new Float64Array(n * k);
    const edges = new Map<number, number>();
    const block = 256;
    const products = Matrix.zeros(block, n);
    const lengths = squaredLengths.map(Math.sqrt);
    for (let start = 0; start < n; start += block) {
      const end = Math.min(n, start + block);
      const here = products.view(0, end - start);
      backend.gemm(here, rows.view(start, end), rows, { transposeB: true });
      for (let i = start; i < end; i++) {
        const row = here.row(i - start);
        for (let j = 0; j < n; j++) row[j] = -row[j] / (lengths[i] * lengths[j] || 1);
        smallest(row, k, i).forEach((j, place) => {
          this.nearest[i * k + place] = j;
          this.cosines[i * k + place] = -row[j];
          const key = Math.min(i, j) * n + Math.max(i, j);
          edges.set(key, (edges.get(key) ?? 0) + Math.max(0, -row[j]) / 2);
        });
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

  /** Σ_jk W_jk (row j)·(row k), both directions counted. */
  agreement(rows: Matrix<Float64Array>): number {
    let total = 0;
    for (let e = 0; e < this.#weights.length; e++) {
      const [a, b] = [rows.row(this.#from[e]), rows.row(this.#to[e])];
      let dot = 0;
      for (let c = 0; c < a.length; c++) dot += a[c] * b[c];
      total += 2 * this.#weights[e] * dot;
    }
    return total;
  }

  /** For each picture the mean of a value over its nearest ones. */
  means(values: Float64Array): Float64Array {
    const k = Math.max(1, this.count);
    return values.map((_, i) => {
      let sum = 0;
      for (let place = 0; place < this.count; place++) sum += values[this.nearest[i * this.count + place]];
      return sum / k;
    });
  }
}
