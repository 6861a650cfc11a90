/**
 * The part Σₖ βᵢₖ δₖ[c(i)] of the web pictures' multipliers: the moves δ₁, δ₂, … of the category prototypes, one C×d
 * matrix an iteration, and a coefficient βᵢₖ for each picture and move. Both are kept in blocks of a fixed number of
 * iterations, moves with the rows of a category together, coefficients with a row for each picture, so that everything
 * below is a pass of the backend over rows in segments.
 */
import type { Backend } from '../linalg/backend.js';
import { type Dtype, Matrix } from '../linalg/matrix.js';

const blockLength = 16;

interface Block {
  /** (C·16)×d: row c·16 + k is δₖ[c]. */
  moves: Matrix;
  /** n×16, float64. */
  coefficients: Matrix;
}

export class MoveHistory {
  length = 0;
  readonly #backend: Backend;
  readonly #starts: Int32Array;
  readonly #blockStarts: Int32Array;
  readonly #dimension: number;
  readonly #dtype: Dtype;
  readonly #blocks: Block[] = [];

  /** `starts`: the pictures of category c are [starts[c], starts[c + 1]). */
  constructor(backend: Backend, starts: Int32Array, dimension: number, dtype: Dtype) {
    this.#backend = backend;
    this.#starts = starts;
    this.#dimension = dimension;
    this.#dtype = dtype;
    this.#blockStarts = starts.map((_, c) => c * blockLength);
  }

  get #categories(): number {
    return this.#starts.length - 1;
  }

  get #pictures(): number {
    return this.#starts[this.#categories];
  }

  append(move: Matrix, coefficients: Float64Array): void {
    const slot = this.length % blockLength;
    if (slot === 0)
      this.#blocks.push({
        moves: this.#backend.matrix(this.#categories * blockLength, this.#dimension, this.#dtype),
        coefficients: this.#backend.matrix(this.#pictures, blockLength),
      });
    this.length++;
    this.#backend.copy(this.#newest.moves.everyRow(slot, blockLength), move);
    this.addToNewest(coefficients);
  }

  get #newest(): Block {
    return this.#blocks[this.#blocks.length - 1];
  }

  /** βᵢ of the newest move ← βᵢ + values[i] */
  addToNewest(values: Float64Array): void {
    const slot = (this.length - 1) % blockLength;
    const column = this.#newest.coefficients.view(0, this.#pictures, slot, slot + 1);
    this.#backend.axpby(column, 1, new Matrix(values, values.length, 1), 1);
  }

  /** βᵢₖ ← factors[i] βᵢₖ for all k */
  scale(factors: Float64Array): void {
    for (const { coefficients } of this.#blocks) this.#backend.scaleRows(coefficients, factors);
  }

  /** out[i] ← out[i] + Σₖ βᵢₖ δₖ[c(i)] · direction[c(i)] */
  addDots(out: Float64Array, direction: Matrix): void {
    const perMove = new Float64Array(this.#categories * blockLength);
    const part = new Float64Array(out.length);
    for (const { moves, coefficients } of this.#blocks) {
      this.#backend.segmentDots(perMove, moves, direction, this.#blockStarts);
      const directions = new Matrix(perMove, this.#categories, blockLength);
      this.#backend.segmentDots(part, coefficients, directions, this.#starts);
      for (let i = 0; i < out.length; i++) out[i] += part[i];
    }
  }

  /** out[c] ← out[c] + Σ over the pictures of c of weights[i] Σₖ βᵢₖ δₖ[c] */
  addSums(out: Matrix, weights: Float64Array): void {
    const sums = Matrix.zeros(this.#categories, blockLength);
    for (const { moves, coefficients } of this.#blocks) {
      this.#backend.segmentSums(sums, coefficients, weights, this.#starts);
      this.#backend.segmentSums(out, moves, sums.data, this.#blockStarts, 1);
    }
  }

  /**
   * Row i of out ← row i of out + factors[i] Σₖ βₖδₖ[category] for the pictures [start, start + out.rows) of a category,
   * `onNewest[i]` times the newest move added.
   */
  addCombinations(out: Matrix, category: number, start: number, factors: Float64Array, onNewest: Float64Array): void {
    const part = Matrix.zeros(out.rows, blockLength);
    this.#blocks.forEach(({ moves, coefficients }, b) => {
      const used = Math.min(blockLength, this.length - b * blockLength);
      this.#backend.copy(part, coefficients.view(start, start + out.rows));
      for (let i = 0; i < part.rows; i++) {
        const row = part.row(i);
        for (let k = 0; k < used; k++) row[k] *= factors[i];
        if (b === this.#blocks.length - 1) row[used - 1] += onNewest[i];
      }
      const weights = this.#dtype === 'float64' ? part : part.copy('float32');
      const rows = moves.view(category * blockLength, category * blockLength + used);
      this.#backend.gemm(out, weights.view(0, out.rows, 0, used), rows, { beta: 1 });
    });
  }

  /** One past move and its coefficients, copied out. */
  step(k: number): { move: Matrix; coefficients: Float64Array } {
    const { moves, coefficients } = this.#blocks[Math.floor(k / blockLength)];
    const slot = k % blockLength;
    return {
      move: moves.everyRow(slot, blockLength).copy(),
      coefficients: coefficients.view(0, this.#pictures, slot, slot + 1).copy('float64').data,
    };
  }

  release(): void {
    for (const { moves, coefficients } of this.#blocks) {
      this.#backend.release(moves);
      this.#backend.release(coefficients);
    }
    this.#blocks.length = 0;
    this.length = 0;
  }
}
