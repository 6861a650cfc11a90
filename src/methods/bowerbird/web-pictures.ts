/**
 * The web pictures of a fit, whitened and in the order of their labels, in memory or elsewhere (row-file.ts). Whatever is
 * computed with them is a pass over blocks of rows, so that they need not be there all at once.
 */
import { type Backend, type Dtype, type Matrix, type RowBlocks, visitRows } from '../../linalg/index.js';
import { roomOn, segmentsWithin } from '../../numerics/index.js';
import type { Placed } from './ground.js';
import { inPrecision, timesVector } from './vectors.js';

/** Sums by category to be made in one pass: rows times weights, in their own precision where one pass is enough, and the weights. */
export interface Sums {
  readonly sums: Matrix;
  readonly totals: Float64Array;
}

/** Consecutive categories from the first on, and where the rows of each begin. */
interface Segments {
  readonly first: number;
  readonly starts: Int32Array;
}

export class WebPictures {
  readonly rows: RowBlocks;
  readonly squaredLengths: Float64Array;
  readonly #backend: Backend;
  readonly #starts: Int32Array;
  /** The last answer of `#segments`: where all pictures are in memory, it is asked for the same again and again. */
  #last: { start: number; end: number; segments: Segments } | undefined;

  /** @param starts where the pictures of each category begin, and where the last ones end */
  constructor(backend: Backend, { rows, squaredLengths }: Placed, starts: Int32Array) {
    this.squaredLengths = squaredLengths;
    this.#backend = backend;
    this.rows = rows;
    this.#starts = starts;
  }

  get count(): number {
    return this.rows.rows;
  }

  get dtype(): Dtype {
    return this.rows.dtype;
  }

  /** Whether all of them are at hand. */
  get resident(): boolean {
    return (this.rows.atOnce ?? this.count) >= this.count;
  }

  /** Calls `see` with blocks of rows in their order, at most so many together, and the place of the first. */
  visit(see: (rows: Matrix, start: number) => void, most?: number): void {
    visitRows(this.rows, see, most);
  }

  /**
   * For each of several weightings the sums of the rows by category, all in one pass; where the backend computes, and given back by
   * whoever asked for them.
   */
  sumsBy(weightings: readonly Float64Array[]): Sums[] {
    const categories = this.#starts.length - 1;
    const found = weightings.map((weights) => ({
      sums: roomOn(this.#backend, categories, this.rows.cols, this.resident ? this.dtype : 'float64'),
      totals: Float64Array.from({ length: categories }, (_, c) => {
        let total = 0;
        for (let i = this.#starts[c]; i < this.#starts[c + 1]; i++) total += weights[i];
        return total;
      }),
    }));
    this.visit((rows, start) => {
      const { first, starts } = this.#segments(start, start + rows.rows);
      const room = (dtype: Dtype) => roomOn(this.#backend, starts.length - 1, rows.cols, dtype);
      const beside = this.resident ? undefined : { part: room(rows.dtype), wide: room('float64') };
      weightings.forEach((weights, k) => {
        const here = found[k].sums.view(first, first + starts.length - 1);
        this.#backend.segmentSums(beside?.part ?? here, rows, weights.subarray(start, start + rows.rows), starts);
        if (!beside) return;
        this.#backend.copy(beside.wide, beside.part);
        this.#backend.axpby(here, 1, beside.wide, 1);
      });
      if (beside) for (const matrix of [beside.part, beside.wide]) this.#backend.release(matrix);
    });
    return found;
  }

  /** x·vector of each picture x and, where directions are given, x·(the direction of its category). */
  along(vector: Float64Array, directions?: Matrix): { along: Float64Array; own: Float64Array } {
    const along = new Float64Array(this.count);
    const own = new Float64Array(directions ? this.count : 0);
    this.visit((rows, start) => {
      along.set(timesVector(this.#backend, rows, vector), start);
      if (!directions) return;
      const { first, starts } = this.#segments(start, start + rows.rows);
      inPrecision(this.#backend, directions.view(first, first + starts.length - 1), rows, (here) =>
        this.#backend.segmentDots(own.subarray(start, start + rows.rows), rows, here, starts),
      );
    });
    return { along, own };
  }

  /** The categories of which rows [start, end) are, from the first on, and where their pictures begin there. */
  #segments(start: number, end: number): Segments {
    if (this.#last?.start === start && this.#last.end === end) return this.#last.segments;
    const segments = segmentsWithin(this.#starts, start, end);
    this.#last = { start, end, segments };
    return segments;
  }
}
