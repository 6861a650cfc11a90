/**
 * The changes δ₁, δ₂, … of the category prototypes, one C×d matrix an iteration, kept so that multipliers can be
 * written as combinations of them. Rows of one category lie together in blocks of a fixed number of iterations, so
 * that both products below are matrix-vector products.
 */
import type { Backend } from '../linalg/backend.js';
import { type Dtype, Matrix } from '../linalg/matrix.js';

const blockLength = 16;

export class PrototypeHistory {
  length = 0;
  readonly #backend: Backend;
  readonly #categories: number;
  readonly #dimension: number;
  readonly #dtype: Dtype;
  readonly #starts: Int32Array;
  readonly #blocks: Matrix[] = [];

  constructor(backend: Backend, categories: number, dimension: number, dtype: Dtype) {
    this.#backend = backend;
    this.#categories = categories;
    this.#dimension = dimension;
    this.#dtype = dtype;
    this.#starts = Int32Array.from({ length: categories + 1 }, (_, c) => c * blockLength);
  }

  append(change: Matrix): void {
    const slot = this.length % blockLength;
    if (slot === 0)
      this.#blocks.push(this.#backend.matrix(this.#categories * blockLength, this.#dimension, this.#dtype));
    const block = this.#blocks[this.#blocks.length - 1];
    this.#backend.copy(block.everyRow(slot, blockLength), change);
    this.length++;
  }

  /** δₖ of one category. */
  row(step: number, category: number) {
    return this.#blocks[Math.floor(step / blockLength)].row(category * blockLength + (step % blockLength));
  }

  /** δₖ of all categories, a copy. */
  step(step: number): Matrix {
    const result = Matrix.zeros(this.#categories, this.#dimension, this.#dtype);
    for (let c = 0; c < this.#categories; c++) result.row(c).set(this.row(step, c));
    return result;
  }

  /** out[k * categories + c] ← δₖ[c] · direction[c] */
  dots(out: Float64Array, direction: Matrix): void {
    const result = new Float64Array(this.#categories * blockLength);
    this.#eachBlock((block, first, used) => {
      this.#backend.segmentDots(result, block, direction, this.#starts);
      for (let c = 0; c < this.#categories; c++)
        for (let k = 0; k < used; k++) out[(first + k) * this.#categories + c] = result[c * blockLength + k];
    });
  }

  /** out[c] ← out[c] + Σₖ coefficients[k * categories + c] δₖ[c] */
  combine(out: Matrix, coefficients: Float64Array): void {
    this.#eachBlock((block, first, used) => {
      const factors = new Float64Array(this.#categories * blockLength);
      for (let c = 0; c < this.#categories; c++)
        for (let k = 0; k < used; k++) factors[c * blockLength + k] = coefficients[(first + k) * this.#categories + c];
      this.#backend.segmentSums(out, block, factors, this.#starts, 1);
    });
  }

  /** Row i of out ← row i of out + Σₖ coefficient(k, i) δₖ[category] */
  accumulate(out: Matrix, category: number, coefficient: (step: number, i: number) => number): void {
    const factors = Matrix.zeros(out.rows, blockLength, this.#dtype);
    this.#eachBlock((block, first, used) => {
      for (let i = 0; i < out.rows; i++) for (let k = 0; k < used; k++) factors.set(i, k, coefficient(first + k, i));
      const rows = block.view(category * blockLength, category * blockLength + used);
      this.#backend.gemm(out, factors.view(0, out.rows, 0, used), rows, { beta: 1 });
    });
  }

  release(): void {
    for (const block of this.#blocks) this.#backend.release(block);
    this.#blocks.length = 0;
    this.length = 0;
  }

  #eachBlock(visit: (block: Matrix, firstStep: number, used: number) => void): void {
    this.#blocks.forEach((block, b) => {
      visit(block, b * blockLength, Math.min(blockLength, this.length - b * blockLength));
    });
  }
}
