/**
 * The web features as the learner sees them: read in passes, never modified. `MemoryWeb` keeps them in the backend's
 * storage with the rows of a category together, so that every pass is a few matrix-vector products.
 */
import type { Backend } from '../linalg/index.js';
import { asRow, type Dtype, Matrix, type RealArray, type Vector } from '../linalg/index.js';
import type { WebProducts } from './theta/problem.js';

/** In which order the pictures are kept: `order[position]` is the original row. */
export interface Grouping {
  order: Int32Array;
  /** Category of each position. */
  labels: Int32Array;
  /** The pictures of category c are at positions [starts[c], starts[c + 1]). */
  starts: Int32Array;
}

export interface Run {
  category: number;
  start: number;
  end: number;
}

/** Vectors over pictures are in grouped order, matrices over categories are C×d, everything float64 outside. */
export interface WebFeatures extends WebProducts {
  readonly roundoff: number;
  readonly grouping: Grouping;
  /** out[i] ← xᵢ · (row c(i) of directions) */
  dotsWithCategory(out: Vector, directions: Matrix): Promise<void>;
  /** out (C×d): row c ← Σ over the category of weightsᵢ xᵢ */
  sumsByCategory(out: Matrix, weights: Vector): Promise<void>;
  /** out[i] ← ‖xᵢ‖² */
  squaredNorms(out: Vector): Promise<void>;
  /** out (d×k) ← X' weights (n×k) */
  transposedProduct(out: Matrix, weights: Matrix): Promise<void>;
  /** Runs of consecutive positions of one category, none longer than can be read at once. */
  runs(): Run[];
  /** The features at positions [start, end), valid until the next call. */
  read(start: number, end: number): Promise<Matrix>;
  /** X X', for the pairwise solver. */
  gram(): Promise<Matrix>;
  release(): void;
}

export class MemoryWeb implements WebFeatures {
  readonly rows: number;
  readonly cols: number;
  readonly roundoff: number;
  readonly grouping: Grouping;
  readonly #backend: Backend;
  readonly #features: Matrix;
  readonly #owned: boolean;

  constructor(backend: Backend, features: Matrix, labels: Int32Array, categories: number, dtype: Dtype) {
    this.#backend = backend;
    this.rows = features.rows;
    this.cols = features.cols;
    this.roundoff = roundoffOf(dtype);
    this.grouping = groupByCategory(labels, categories);
    const { order } = this.grouping;
    const sorted = this.grouping.order.every((row, position) => row === position);
    // The native backend computes on ordinary arrays: sorted features of the right precision need no copy.
    this.#owned = !(sorted && features.dtype === dtype && backend.device === 'native');
    if (!this.#owned) this.#features = features;
    else {
      this.#features = backend.matrix(features.rows, features.cols, dtype);
      if (sorted && features.dtype === dtype) backend.copy(this.#features, features);
      else gatherRows(backend, this.#features, features, order);
    }
  }

  async times(out: Vector, vector: Vector): Promise<void> {
    gemv(this.#backend, out, this.#features, vector, false);
  }

  async transposedTimes(out: Vector, weights: Vector): Promise<void> {
    gemv(this.#backend, out, this.#features, weights, true);
  }

  async dotsWithCategory(out: Vector, directions: Matrix): Promise<void> {
    this.#backend.segmentDots(out, this.#features, directions, this.grouping.starts);
  }

  async sumsByCategory(out: Matrix, weights: Vector): Promise<void> {
    this.#backend.segmentSums(out, this.#features, weights, this.grouping.starts);
  }

  async squaredNorms(out: Vector): Promise<void> {
    const backend = this.#backend;
    const row = asRow(out);
    const norms = inPrecision(backend, row, this.#features.dtype, false);
    backend.rowDots(norms, this.#features, this.#features);
    if (norms === row) return;
    backend.copy(row, norms);
    backend.release(norms);
  }

  async transposedProduct(out: Matrix, weights: Matrix): Promise<void> {
    this.#backend.gemm(out, this.#features, weights, { transposeA: true });
  }

  runs(): Run[] {
    const { starts } = this.grouping;
    return Array.from({ length: starts.length - 1 }, (_, c) => ({ category: c, start: starts[c], end: starts[c + 1] }));
  }

  async read(start: number, end: number): Promise<Matrix> {
    return this.#features.view(start, end);
  }

  async gram(): Promise<Matrix> {
    const gram = this.#backend.matrix(this.rows, this.rows, this.#features.dtype);
    this.#backend.syrk(gram, this.#features);
    return gram;
  }

  release(): void {
    if (this.#owned) this.#backend.release(this.#features);
  }
}

/** Row i of target ← row order[i] of source, in blocks gathered on the host. */
function gatherRows(backend: Backend, target: Matrix, source: Matrix, order: Int32Array): void {
  const block = Matrix.zeros(Math.min(1024, target.rows), target.cols, target.dtype);
  for (let start = 0; start < target.rows; start += block.rows) {
    const end = Math.min(target.rows, start + block.rows);
    for (let i = start; i < end; i++) block.row(i - start).set(source.row(order[i]));
    backend.copy(target.view(start, end), block.view(0, end - start));
  }
}

/** Pictures in the order of their categories, those of one category in their original order. */
export function groupByCategory(labels: Int32Array, categories: number): Grouping {
  const starts = new Int32Array(categories + 1);
  for (const label of labels) starts[label + 1]++;
  for (let c = 0; c < categories; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const order = new Int32Array(labels.length);
  labels.forEach((label, i) => {
    order[next[label]++] = i;
  });
  return { order, labels: order.map((row) => labels[row]), starts };
}

/** The distance from 1 to the next number. */
export function roundoffOf(dtype: Dtype): number {
  return dtype === 'float64' ? Number.EPSILON : 2 ** -23;
}

/** y ← op(A) x where the vectors may be of another precision than A. */
export function gemv(backend: Backend, out: Vector, a: Matrix, x: Vector, transpose: boolean): void {
  const [y, given] = [asRow(out), asRow(x)];
  const [result, vector] = [inPrecision(backend, y, a.dtype, false), inPrecision(backend, given, a.dtype, true)];
  backend.gemv(result, a, vector, { transpose });
  if (result !== y) {
    backend.copy(y, result);
    backend.release(result);
  }
  if (vector !== given) backend.release(vector);
}

/** The row itself where it has that precision; otherwise another one, for the caller to release. */
function inPrecision(backend: Backend, row: Matrix, dtype: Dtype, filled: boolean): Matrix {
  if (row.dtype === dtype) return row;
  const converted = backend.matrix(1, row.cols, dtype);
  if (filled) backend.copy(converted, row);
  return converted;
}

export function squaredNorm(row: RealArray): number {
  let sum = 0;
  for (let j = 0; j < row.length; j++) sum += row[j] * row[j];
  return sum;
}
