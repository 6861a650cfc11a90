/**
 * The nearest rows of each row by cosine: products of a block of rows with itself and all later ones, a tile at a time in the
 * memory of the kernels, where threads share out the lists of both ends of the pairs. Every row meets the others in their
 * order, so that of equally near ones the first are kept, whatever the number of threads.
 */
import type { Backend } from '../backend.js';
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
): void {
  const n = a.rows;
  const count = nearest.length / n;
  const single = a.dtype === 'float32';
  const height = Math.min(blockRows, a.atOnce ?? n);
  const width = Math.min(tileRows, a.atOnce ?? n, n);
  const like = single ? new Float32Array(0) : new Float64Array(0);
  const bytes = like.BYTES_PER_ELEMENT;
  const inverses = squaredLengths.map((square) => 1 / (Math.sqrt(square) || 1));
  const [listsAt, cosinesAt] = [bench.room(nearest.length * 4), bench.room(cosines.length * 8)];
  const [inversesAt, singlesAt, barsAt] = [bench.room(n * 8), bench.room(n * 4 + 16), bench.room(n * 4 + 16)];
  const productsAt = bench.room(height * width * bytes);
  const singles = new Float32Array(0);
  bench.reals(inversesAt, n).set(inverses);
  bench.elements(singles, singlesAt, n).set(inverses);
  bench.elements(singles, barsAt, n).fill(Number.NEGATIVE_INFINITY);
  bench.reals(cosinesAt, cosines.length).fill(Number.NEGATIVE_INFINITY);
  for (let start = 0; start < n; start += height) {
    const end = Math.min(n, start + height);
    for (let left = start; left < n; left += width) {
      const right = Math.min(n, left + width);
      const cols = right - left;
      const products = new Matrix(bench.elements(like, productsAt, (end - start) * cols), end - start, cols);
      multiply(products, a.view(start, end), a.view(left, right), { transposeB: true });
      const call = (kernel: RowKernel, [top, bottom]: number[], [from, to]: number[]) => {
        const corner = productsAt + ((top - start) * cols + from - left) * bytes;
        const pictures = [top, from, inversesAt, singlesAt, count, listsAt, cosinesAt, barsAt];
        return { kernel, values: [bottom - top, to - from, corner, cols * bytes, ...pictures] };
      };
      bench.together(single, [
        ...ranges(start, end, ownRows).map((rows) => call('nearestOfRows', rows, [left, right])),
        ...ranges(Math.max(left, end), right, laterRows).map((rows) => call('nearestOfColumns', [start, end], rows)),
      ]);
    }
  }
  nearest.set(bench.integers(listsAt, nearest.length));
  cosines.set(bench.reals(cosinesAt, cosines.length));
}

/** [from, to) in pieces. */
function ranges(from: number, to: number, step: number): [number, number][] {
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, k) => [
    from + k * step,
    Math.min(to, from + (k + 1) * step),
  ]);
}
