/**
 * Web features beyond memory: every pass reads blocks of rows from a file and drops them again; the next block is
 * read while one is worked on. Pictures stay in file order.
 */
import { MemoryError } from '../errors.js';
import type { Backend } from '../linalg/backend.js';
import type { Dtype, Matrix } from '../linalg/matrix.js';
import type { WebRows } from '../problem/streamed.js';
import { type Grouping, gemv, type Run, squaredNorm, type WebFeatures } from './web-features.js';

const blockBytes = 32 * 2 ** 20;

export class StreamedWeb implements WebFeatures {
  readonly rows: number;
  readonly cols: number;
  readonly grouping: Grouping;
  readonly #backend: Backend;
  readonly #source: WebRows;
  readonly #buffers: [Matrix, Matrix];

  constructor(backend: Backend, source: WebRows, labels: Int32Array, categories: number, dtype: Dtype) {
    this.#backend = backend;
    this.#source = source;
    this.rows = source.rows;
    this.cols = source.cols;
    const counts = new Int32Array(categories);
    for (const label of labels) counts[label]++;
    this.grouping = { order: Int32Array.from(labels, (_, i) => i), labels, counts };
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

  times(out: Float64Array, vector: Float64Array): Promise<void> {
    return this.#pass((block, start) => {
      gemv(this.#backend, out.subarray(start, start + block.rows), block, vector, false);
    });
  }

  async transposedTimes(out: Float64Array, weights: Float64Array): Promise<void> {
    const part = new Float64Array(this.cols);
    out.fill(0);
    await this.#pass((block, start) => {
      gemv(this.#backend, part, block, weights.subarray(start, start + block.rows), true);
      for (let j = 0; j < out.length; j++) out[j] += part[j];
    });
  }

  dotsWithCategory(out: Float64Array, directions: Matrix): Promise<void> {
    return this.#pass((block, start) => {
      this.#runs(start, block.rows, (category, from, to) => {
        const rows = block.view(from, to);
        gemv(this.#backend, out.subarray(start + from, start + to), rows, directions.row(category), false);
      });
    });
  }

  async sumsByCategory(out: Matrix, weights: Float64Array): Promise<void> {
    const part = out.dtype === 'float64' ? new Float64Array(this.cols) : new Float32Array(this.cols);
    out.fill(0);
    await this.#pass((block, start) => {
      this.#runs(start, block.rows, (category, from, to) => {
        gemv(this.#backend, part, block.view(from, to), weights.subarray(start + from, start + to), true);
        const sum = out.row(category);
        for (let j = 0; j < sum.length; j++) sum[j] += part[j];
      });
    });
  }

  squaredNorms(out: Float64Array): Promise<void> {
    return this.#pass((block, start) => {
      for (let i = 0; i < block.rows; i++) out[start + i] = squaredNorm(block.row(i));
    });
  }

  async transposedProduct(out: Matrix, weights: Matrix): Promise<void> {
    out.fill(0);
    await this.#pass((block, start) => {
      this.#backend.gemm(out, block, weights.view(start, start + block.rows), { transposeA: true, beta: 1 });
    });
  }

  runs(): Run[] {
    const runs: Run[] = [];
    for (let start = 0; start < this.rows; start += this.#buffers[0].rows)
      this.#runs(start, Math.min(this.#buffers[0].rows, this.rows - start), (category, from, to) => {
        runs.push({ category, start: start + from, end: start + to });
      });
    return runs;
  }

  async read(start: number, end: number): Promise<Matrix> {
    await this.#source.read(this.#buffers[0], start, end);
    return this.#buffers[0].view(0, end - start);
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
    const { labels } = this.grouping;
    for (let from = 0; from < count; ) {
      let to = from + 1;
      while (to < count && labels[start + to] === labels[start + from]) to++;
      visit(labels[start + from], from, to);
      from = to;
    }
  }
}
