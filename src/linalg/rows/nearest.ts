/**
 * The nearest rows of each row by cosine: products of a block of rows with itself and all later ones, a tile at a time in the
 * memory of the kernels, where threads share out the lists of both ends of the pairs. Every row meets the others in their
 * order, so that of equally near ones the first are kept, whatever the number of threads.
 */
import type { Backend, MeasuredRows } from '../backend.js';
import { Matrix, type RealArray } from '../matrix.js';
import type { RowBlocks } from '../row-blocks.js';
import { kernelNumber, type RowKernel } from './calls.js';
import type { RowWorkbench } from './workbench.js';

export type Multiply = Backend['gemm'];

/** Rows of a block, and those that they are multiplied with at a time. */
const blockRows = 256;
const tileRows = 8192;
/** Lists that one call takes care of, of a block and of the later rows. */
const ownRows = 32;
const laterRows = 1024;

/** A stage of the search, whose parts do not depend on one another: products ← a b', or calls of kernels. */
export type NearestStage =
  | { readonly products: Matrix; readonly a: Matrix; readonly b: Matrix }
  | { readonly kernels: readonly { kernel: RowKernel; values: readonly number[] }[] };

/** Sizes have been checked; there is at least one place for each row. */
export class NearestSearch {
  readonly #bench: RowWorkbench;
  readonly #nearest: Int32Array;
  readonly #cosines: Float64Array;
  readonly #rows: RowBlocks;
  readonly #among: MeasuredRows | undefined;
  readonly #single: boolean;
  /** Rows of a block, and of a tile. */
  readonly #height: number;
  readonly #width: number;
  readonly #like: RealArray;
  /** Where on the workbench things lie. */
  readonly #places: Record<'lists' | 'cosines' | 'inverses' | 'singles' | 'bars' | 'products', number>;

  constructor(
    bench: RowWorkbench,
    nearest: Int32Array,
    cosines: Float64Array,
    a: RowBlocks,
    squaredLengths: Float64Array,
    among?: MeasuredRows,
  ) {
    const n = a.rows;
    this.#bench = bench;
    this.#nearest = nearest;
    this.#cosines = cosines;
    this.#rows = a;
    this.#among = among;
    const others = among?.rows.rows ?? 0;
    const all = others + n;
    const columns: RowBlocks = among?.rows ?? a;
    const count = nearest.length / n;
    this.#single = a.dtype === 'float32';
    this.#height = Math.min(blockRows, a.atOnce ?? n);
    this.#width = Math.min(tileRows, columns.atOnce ?? columns.rows, columns.rows);
    this.#like = this.#single ? new Float32Array(0) : new Float64Array(0);
    const inverses = new Float64Array(all);
    inverses.set((among?.squaredLengths ?? squaredLengths).map(inverseRoot));
    inverses.set(squaredLengths.map(inverseRoot), others);
    const singles = new Float32Array(0);
    this.#places = {
      ...{ lists: bench.room(all * count * 4), cosines: bench.room(all * count * 8) },
      ...{ inverses: bench.room(all * 8), singles: bench.room(all * 4 + 16), bars: bench.room(all * 4 + 16) },
      products: bench.room(this.#height * this.#width * this.#like.BYTES_PER_ELEMENT),
    };
    const places = this.#places;
    bench.reals(places.inverses, all).set(inverses);
    bench.elements(singles, places.singles, all).set(inverses);
    bench.elements(singles, places.bars, all).fill(Number.NEGATIVE_INFINITY);
    bench.reals(places.cosines, all * count).fill(Number.NEGATIVE_INFINITY);
  }

  /** What is to be done, in this order. */
  *stages(): Generator<NearestStage> {
    const [bench, places, height, width] = [this.#bench, this.#places, this.#height, this.#width];
    const n = this.#rows.rows;
    const columns: RowBlocks = this.#among?.rows ?? this.#rows;
    const others = this.#among?.rows.rows ?? 0;
    const count = this.#nearest.length / n;
    const bytes = this.#like.BYTES_PER_ELEMENT;
    for (let start = 0; start < n; start += height) {
      const end = Math.min(n, start + height);
      for (let left = this.#among ? 0 : start; left < columns.rows; left += width) {
        const right = Math.min(columns.rows, left + width);
        const cols = right - left;
        const room = bench.elements(this.#like, places.products, (end - start) * cols);
        const products = new Matrix(room, end - start, cols);
        yield { products, a: this.#rows.view(start, end), b: columns.view(left, right) };
        const call = (kernel: RowKernel, [top, bottom]: number[], [from, to]: number[]) => {
          const corner = places.products + ((top - start) * cols + from - left) * bytes;
          const pictures = [
            others + top,
            from,
            places.inverses,
            places.singles,
            count,
            places.lists,
            places.cosines,
            places.bars,
          ];
          return { kernel, values: [bottom - top, to - from, corner, cols * bytes, ...pictures] };
        };
        const later = this.#among ? [] : ranges(Math.max(left, end), right, laterRows);
        yield {
          kernels: [
            ...ranges(start, end, ownRows).map((rows) => call('nearestOfRows', rows, [left, right])),
            ...later.map((rows) => call('nearestOfColumns', [start, end], rows)),
          ],
        };
      }
    }
  }

  /** The number by which threads know a kernel for these rows. */
  numberOf(kernel: RowKernel): number {
    return kernelNumber(kernel, this.#single);
  }

  /** Does all of it at once. */
  run(multiply: Multiply): void {
    for (const stage of this.stages())
      if ('kernels' in stage) this.#bench.together(this.#single, stage.kernels);
      else multiply(stage.products, stage.a, stage.b, { transposeB: true });
    this.take();
  }

  /** Hands over what was found. */
  take(): void {
    const [length, others] = [this.#nearest.length, this.#among?.rows.rows ?? 0];
    const before = (others * length) / this.#rows.rows;
    this.#nearest.set(this.#bench.integers(this.#places.lists, before + length).subarray(before));
    this.#cosines.set(this.#bench.reals(this.#places.cosines, before + length).subarray(before));
  }
}

const inverseRoot = (square: number): number => 1 / (Math.sqrt(square) || 1);

/** [from, to) in pieces. */
function ranges(from: number, to: number, step: number): [number, number][] {
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, k) => [
    from + k * step,
    Math.min(to, from + (k + 1) * step),
  ]);
}
