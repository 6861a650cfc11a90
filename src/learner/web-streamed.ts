/**
 * Web features beyond memory: every pass reads blocks of rows from a file and drops them again; the next block is
 * read while one is worked on. Rows come in file order; vectors over pictures are in grouped order as everywhere.
 */
import { MemoryError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { type Dtype, elementsOf, Matrix, type RealArray, type Vector } from '../linalg/index.js';
import type { FeatureRows } from '../problem/index.js';
import {
  type Grouping,
  gemv,
  groupByCategory,
  type Run,
  roundoffOf,
  squaredNorm,
  type WebFeatures,
} from './web-features.js';

/** Bytes of a block. */
export const usualBlock = 32 * 2 ** 20;

export class StreamedWeb implements WebFeatures {
  readonly rows: number;
  readonly cols: number;
  readonly roundoff: number;
  readonly grouping: Grouping;
  readonly #backend: Backend;
  readonly #source: FeatureRows;
  readonly #buffers: [Matrix, Matrix];
  readonly #fileLabels: Int32Array;
  /** Grouped position of each row of the file. */
  readonly #position: Int32Array;

  constructor(
    backend: Backend,
    source: FeatureRows,
    labels: Int32Array,
    categories: number,
    dtype: Dtype,
    blockBytes = usualBlock,
  ) {
    this.#backend = backend;
    this.#source = source;
    this.rows = source.rows;
    this.cols = source.cols;
    this.roundoff = roundoffOf(dtype);
    this.grouping = groupByCategory(labels, categories);
    this.#fileLabels = labels;
    this.#position = new Int32Array(labels.length);
    this.grouping.order.forEach((row, position) => {
      this.#position[row] = position;
    });
    const width = dtype === 'float64' ? 8 : 4;
    const blockRows = Math.max(1, Math.min(this.rows, Math.floor(blockBytes / (width * this.cols))));
    this.#buffers = [backend.matrix(blockRows, this.cols, dtype), backend.matrix(blockRows, this.cols, dtype)];
  }

  async #pass(visit: (block: Matrix, start: number) => void): Promise<void> {
    const step = this.#buffers[0].rows;
    const read = async (start: number, buffer: Matrix) => {
      const end = Math.min(this.rows, start + step);
      await this.#source.read(buffer, start, end);
      return buffer.view(0, end - start);
    };
    let pending = this.rows > 0 ? read(0, this.#buffers[0]) : undefined;
    for (let start = 0, turn = 0; pending; start += step, turn ^= 1) {
      const block = await pending;
      pending = start + step < this.rows ? read(start + step, this.#buffers[turn ^ 1]) : undefined;
      visit(block, start);
    }
  }

  /** Values of the pictures in one block, in file order. */
  #gather(values: RealArray, start: number, count: number): Float64Array {
    const part = new Float64Array(count);
    for (let i = 0; i < count; i++) part[i] = values[this.#position[start + i]];
    return part;
  }

  #scatter(out: RealArray, part: Float64Array, start: number): void {
    for (let i = 0; i < part.length; i++) out[this.#position[start + i]] = part[i];
  }

  times(out: Vector, vector: Vector): Promise<void> {
    return this.#pass((block, start) => {
      const part = new Float64Array(block.rows);
      gemv(this.#backend, part, block, vector, false);
      this.#scatter(elementsOf(out), part, start);
    });
  }

  async transposedTimes(out: Vector, weights: Vector): Promise<void> {
    const part = new Float64Array(this.cols);
    const [sum, values] = [elementsOf(out), elementsOf(weights)];
    sum.fill(0);
    await this.#pass((block, start) => {
      gemv(this.#backend, part, block, this.#gather(values, start, block.rows), true);
      for (let j = 0; j < sum.length; j++) sum[j] += part[j];
    });
  }

  dotsWithCategory(out: Vector, directions: Matrix): Promise<void> {
    return this.#pass((block, start) => {
      const part = new Float64Array(block.rows);
      this.#runs(start, block.rows, (category, from, to) => {
        gemv(this.#backend, part.subarray(from, to), block.view(from, to), directions.row(category), false);
      });
      this.#scatter(elementsOf(out), part, start);
    });
  }

  async sumsByCategory(out: Matrix, weights: Vector): Promise<void> {
    const values = elementsOf(weights);
    const part = out.dtype === 'float64' ? new Float64Array(this.cols) : new Float32Array(this.cols);
    out.fill(0);
    await this.#pass((block, start) => {
      const here = this.#gather(values, start, block.rows);
      this.#runs(start, block.rows, (category, from, to) => {
        gemv(this.#backend, part, block.view(from, to), here.subarray(from, to), true);
        const sum = out.row(category);
        for (let j = 0; j < sum.length; j++) sum[j] += part[j];
      });
    });
  }

  squaredNorms(out: Vector): Promise<void> {
    return this.#pass((block, start) => {
      const part = Float64Array.from({ length: block.rows }, (_, i) => squaredNorm(block.row(i)));
      this.#scatter(elementsOf(out), part, start);
    });
  }

  async transposedProduct(out: Matrix, weights: Matrix): Promise<void> {
    out.fill(0);
    const here = Matrix.zeros(this.#buffers[0].rows, weights.cols, weights.dtype);
    await this.#pass((block, start) => {
      for (let i = 0; i < block.rows; i++) here.row(i).set(weights.row(this.#position[start + i]));
      this.#backend.gemm(out, block, here.view(0, block.rows), { transposeA: true, beta: 1 });
    });
  }

  runs(): Run[] {
    const { starts } = this.grouping;
    const longest = this.#buffers[0].rows;
    const runs: Run[] = [];
    for (let category = 0; category + 1 < starts.length; category++)
      for (let start = starts[category]; start < starts[category + 1]; start += longest)
        runs.push({ category, start, end: Math.min(starts[category + 1], start + longest) });
    return runs;
  }

  async read(start: number, end: number): Promise<Matrix> {
    const { order } = this.grouping;
    const [buffer] = this.#buffers;
    for (let from = start; from < end; ) {
      let to = from + 1;
      while (to < end && order[to] === order[to - 1] + 1) to++;
      await this.#source.read(buffer.view(from - start, to - start), order[from], order[to - 1] + 1);
      from = to;
    }
    return buffer.view(0, end - start);
  }

  async gram(): Promise<Matrix> {
    throw new MemoryError(
      this.rows * this.rows * 8,
      'the pairwise solver for streamed web features',
      'Use the projected-gradient solver, which needs no Gram matrix.',
    );
  }

  release(): void {
    for (const buffer of this.#buffers) this.#backend.release(buffer);
  }

  /** Runs of equal category within [start, start + count), as block positions. */
  #runs(start: number, count: number, visit: (category: number, from: number, to: number) => void): void {
    const labels = this.#fileLabels;
    for (let from = 0; from < count; ) {
      let to = from + 1;
      while (to < count && labels[start + to] === labels[start + from]) to++;
      visit(labels[start + from], from, to);
      from = to;
    }
  }
}
