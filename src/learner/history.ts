/**
 * The part Σₖ βᵢₖ δₖ[c(i)] of the web pictures' multipliers: the moves δ₁, δ₂, … of the category prototypes, one C×d
 * matrix an iteration, and a coefficient βᵢₖ for each picture and move. Both are kept in blocks of a fixed number of
 * iterations, moves with the rows of a category together, coefficients with a row for each picture, so that everything
 * below is a pass of the backend over rows in segments.
 */
import type { Backend, Dtype, Matrix } from '../linalg/index.js';
import { lending } from './storage.js';

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
  /** C×16 and a row of n. */
  readonly #perMove: Matrix;
  readonly #perPicture: Matrix;

  /** `starts`: the pictures of category c are [starts[c], starts[c + 1]). */
  constructor(backend: Backend, starts: Int32Array, dimension: number, dtype: Dtype) {
    this.#backend = backend;
    this.#starts = starts;
    this.#dimension = dimension;
    this.#dtype = dtype;
    this.#blockStarts = starts.map((_, c) => c * blockLength);
    this.#perMove = backend.matrix(this.#categories, blockLength);
    this.#perPicture = backend.matrix(1, this.#pictures);
  }

  get #categories(): number {
    return this.#starts.length - 1;
  }

  get #pictures(): number {
    return this.#starts[this.#categories];
  }

  append(move: Matrix, coefficients: Matrix): void {
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
  addToNewest(values: Matrix): void {
    const slot = (this.length - 1) % blockLength;
    const column = this.#newest.coefficients.view(0, this.#pictures, slot, slot + 1);
    this.#backend.axpby(column, 1, values.reshaped(this.#pictures, 1), 1);
  }

  /** βᵢₖ ← factors[i] βᵢₖ for all k */
  scale(factors: Matrix): void {
    for (const { coefficients } of this.#blocks) this.#backend.scaleRows(coefficients, factors);
  }

  /** out[i] ← out[i] + Σₖ βᵢₖ δₖ[c(i)] · direction[c(i)] */
  addDots(out: Matrix, direction: Matrix): void {
    for (const { moves, coefficients } of this.#blocks) {
      this.#backend.segmentDots(this.#perMove, moves, direction, this.#blockStarts);
      this.#backend.segmentDots(this.#perPicture, coefficients, this.#perMove, this.#starts);
      this.#backend.axpby(out, 1, this.#perPicture, 1);
    }
  }

  /** out[c] ← out[c] + Σ over the pictures of c of weights[i] Σₖ βᵢₖ δₖ[c] */
  addSums(out: Matrix, weights: Matrix): void {
    for (const { moves, coefficients } of this.#blocks) {
      this.#backend.segmentSums(this.#perMove, coefficients, weights, this.#starts);
      this.#backend.segmentSums(out, moves, this.#perMove, this.#blockStarts, 1);
    }
  }

  /**
   * Row i of out ← row i of out + factors[i] Σₖ βₖδₖ[category] for the pictures [start, start + out.rows) of a category,
   * `onNewest[i]` times the newest move added.
   */
  addCombinations(out: Matrix, category: number, start: number, factors: Matrix, onNewest: Matrix): void {
    const backend = this.#backend;
    lending(backend, (lend) => {
      const part = lend(out.rows, blockLength);
      const narrow = this.#dtype === 'float64' ? part : lend(out.rows, blockLength, this.#dtype);
      this.#blocks.forEach(({ moves, coefficients }, b) => {
        const used = Math.min(blockLength, this.length - b * blockLength);
        backend.copy(part, coefficients.view(start, start + out.rows));
        backend.scaleRows(part, factors);
        if (b === this.#blocks.length - 1)
          backend.axpby(part.view(0, out.rows, used - 1, used), 1, onNewest.reshaped(out.rows, 1), 1);
        if (narrow !== part) backend.copy(narrow, part);
        const rows = moves.view(category * blockLength, category * blockLength + used);
        backend.gemm(out, narrow.view(0, out.rows, 0, used), rows, { beta: 1 });
      });
    });
  }

  /** One past move and its coefficients, copied out. */
  step(k: number): { move: Matrix; coefficients: Matrix } {
    const { moves, coefficients } = this.#blocks[Math.floor(k / blockLength)];
    const slot = k % blockLength;
    return {
      move: moves.everyRow(slot, blockLength).copy(),
      coefficients: coefficients
        .view(0, this.#pictures, slot, slot + 1)
        .copy()
        .reshaped(1, this.#pictures),
    };
  }

  release(): void {
    for (const { moves, coefficients } of this.#blocks) {
      this.#backend.release(moves);
      this.#backend.release(coefficients);
    }
    this.#blocks.length = 0;
    this.length = 0;
    this.#backend.release(this.#perMove);
    this.#backend.release(this.#perPicture);
  }
}
