/**
 * The nearest rows of each row by cosine: products of a block of rows with itself and all later ones, a tile at a time in the
 * memory of the kernels, where threads share out the lists of both ends of the pairs. Every row meets the others in their
 * order, so that of equally near ones the first are kept, whatever the number of threads. Where it is other rows that are asked
 * for, these have the first numbers, and only the lists behind them are filled.
 */
import type { Backend, MeasuredRows } from '../backend.js';
import { Matrix } from '../matrix.js';
import type { RowBlocks } from '../row-blocks.js';
import type { RowKernel } from './calls.js';
import type { RowWorkbench } from './workbench.js';

export type Multiply = Backend['gemm'];

/** Rows of a block, and those that they are multiplied with at a time. */
const blockRows = 256;
const tileRows = 8192;
/** Lists that one call takes care of, of a block and of the later rows. */
const ownRows = 32;
const laterRows = 1024;

/** Sizes have been checked; there is at least one place for each row. */
export function findNearest(
  bench: RowWorkbench,
  multiply: Multiply,
  nearest: Int32Array,
  cosines: Float64Array,
  a: RowBlocks,
  squaredLengths: Float64Array,
  among?: MeasuredRows,
): void {
  const n = a.rows;
  const count = nearest.length / n;
  const single = a.dtype === 'float32';
  const others = among?.rows.rows ?? 0;
  const all = others + n;
  const columns: RowBlocks = among?.rows ?? a;
  const height = Math.min(blockRows, a.atOnce ?? n);
  const width = Math.min(tileRows, columns.atOnce ?? columns.rows, columns.rows);
  const like = single ? new Float32Array(0) : new Float64Array(0);
  const bytes = like.BYTES_PER_ELEMENT;
  const inverses = new Float64Array(all);
  inverses.set((among?.squaredLengths ?? squaredLengths).map(inverseRoot));
  inverses.set(squaredLengths.map(inverseRoot), others);
  const [listsAt, cosinesAt] = [bench.room(all * count * 4), bench.room(all * count * 8)];
  const [inversesAt, singlesAt, barsAt] = [bench.room(all * 8), bench.room(all * 4 + 16), bench.room(all * 4 + 16)];
  const productsAt = bench.room(height * width * bytes);
  const singles = new Float32Array(0);
  bench.reals(inversesAt, all).set(inverses);
  bench.elements(singles, singlesAt, all).set(inverses);
  bench.elements(singles, barsAt, all).fill(Number.NEGATIVE_INFINITY);
  bench.reals(cosinesAt, all * count).fill(Number.NEGATIVE_INFINITY);
  for (let start = 0; start < n; start += height) {
    const end = Math.min(n, start + height);
    for (let left = among ? 0 : start; left < columns.rows; left += width) {
      const right = Math.min(columns.rows, left + width);
      const cols = right - left;
      const products = new Matrix(bench.elements(like, productsAt, (end - start) * cols), end - start, cols);
      multiply(products, a.view(start, end), columns.view(left, right), { transposeB: true });
      const call = (kernel: RowKernel, [top, bottom]: number[], [from, to]: number[]) => {
        const corner = productsAt + ((top - start) * cols + from - left) * bytes;
        const pictures = [others + top, from, inversesAt, singlesAt, count, listsAt, cosinesAt, barsAt];
        return { kernel, values: [bottom - top, to - from, corner, cols * bytes, ...pictures] };
      };
      const later = among ? [] : ranges(Math.max(left, end), right, laterRows);
      bench.together(single, [
        ...ranges(start, end, ownRows).map((rows) => call('nearestOfRows', rows, [left, right])),
        ...later.map((rows) => call('nearestOfColumns', [start, end], rows)),
      ]);
    }
  }
  nearest.set(bench.integers(listsAt, all * count).subarray(others * count));
  cosines.set(bench.reals(cosinesAt, all * count).subarray(others * count));
}

const inverseRoot = (square: number): number => 1 / (Math.sqrt(square) || 1);

/** [from, to) in pieces. */
function ranges(from: number, to: number, step: number): [number, number][] {
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, k) => [
    from + k * step,
    Math.min(to, from + (k + 1) * step),
  ]);
}
