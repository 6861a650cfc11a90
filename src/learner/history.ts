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
  readonly #blocks: Matrix[] = [];

  constructor(backend: Backend, categories: number, dimension: number, dtype: Dtype) {
    this.#backend = backend;
    this.#categories = categories;
    this.#dimension = dimension;
    this.#dtype = dtype;
  }

  append(change: Matrix): void {
    const slot = this.length % blockLength;
    if (slot === 0)
      this.#blocks.push(this.#backend.matrix(this.#categories * blockLength, this.#dimension, this.#dtype));
    const block = this.#blocks[this.#blocks.length - 1];
    for (let c = 0; c < this.#categories; c++) block.row(c * blockLength + slot).set(change.row(c));
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
    this.#eachBlock((block, first, used) => {
      const result = this.#vector(used);
      for (let c = 0; c < this.#categories; c++) {
        const rows = block.view(c * blockLength, c * blockLength + used);
        this.#backend.gemv(result, rows, direction.row(c));
        for (let k = 0; k < used; k++) out[(first + k) * this.#categories + c] = result[k];
      }
    });
  }

  /** out[c] ← out[c] + Σₖ coefficients[k * categories + c] δₖ[c] */
  combine(out: Matrix, coefficients: Float64Array): void {
    this.#eachBlock((block, first, used) => {
      const factors = this.#vector(used);
      for (let c = 0; c < this.#categories; c++) {
        for (let k = 0; k < used; k++) factors[k] = coefficients[(first + k) * this.#categories + c];
        const rows = block.view(c * blockLength, c * blockLength + used);
        this.#backend.gemv(out.row(c), rows, factors, { transpose: true, beta: 1 });
      }
    });
  }

  release(): void {
    for (const block of this.#blocks) this.#backend.release(block);
    this.#blocks.length = 0;
    this.length = 0;
  }

  #vector(length: number) {
    return this.#dtype === 'float64' ? new Float64Array(length) : new Float32Array(length);
  }

  #eachBlock(visit: (block: Matrix, firstStep: number, used: number) => void): void {
    this.#blocks.forEach((block, b) => {
      visit(block, b * blockLength, Math.min(blockLength, this.length - b * blockLength));
    });
  }
}
