/**
 * Features brought to power and length a block at a time in the memory of the kernels, where they stay until they have been
 * looked at: they are copied once, and never all of them.
 */
import type { PoweredOptions } from '../backend.js';
import { type Dtype, Matrix } from '../matrix.js';
import { runsOf } from '../row-blocks.js';
import type { RowWorkbench } from './workbench.js';

/** Rows and bytes of a block at most. */
const blockRows = 2048;
const blockBytes = 2 ** 23;

/** Rows of the blocks of `visitPowered` on a processor, but for the last one. */
export function poweredRows(cols: number, dtype: Dtype): number {
  const bytes = cols * (dtype === 'float64' ? 8 : 4);
  return Math.max(1, Math.min(blockRows, Math.floor(blockBytes / Math.max(1, bytes))));
}

export function visitPowered(
  bench: RowWorkbench,
  rows: Matrix,
  { power, dtype, centre, order }: PoweredOptions,
  visit: (block: Matrix, start: number) => void,
): void {
  const { cols } = rows;
  const count = order?.length ?? rows.rows;
  const like = dtype === 'float64' ? new Float64Array(0) : new Float32Array(0);
  const bytes = cols * like.BYTES_PER_ELEMENT;
  const step = Math.max(1, Math.min(count, poweredRows(cols, dtype)));
  const pieceRows = bench.rowsPerPiece(cols);
  const origin = bench.hold(centre ?? new Float64Array(cols), like);
  const room = bench.room(step * bytes);
  bench.keep();
  for (let start = 0; start < count; start += step) {
    const end = Math.min(count, start + step);
    const block = new Matrix(bench.elements(like, room, (end - start) * cols), end - start, cols);
    for (const { place, from, to } of order
      ? runsOf(order.subarray(start, end))
      : [{ place: 0, from: start, to: end }]) {
      const run = rows.view(from, to);
      if (rows.dtype === dtype) bench.bringAll(run, room + place * bytes);
      else block.view(place, place + to - from).copyFrom(run);
    }
    bench.clear();
    const place = { at: room, perRow: bytes };
    const values = [cols, place, bytes, power, origin, bench.own((cols + 4) * 8)];
    bench.inPieces({ kernel: 'powerRows', matrix: block, step: pieceRows, values });
    visit(block, start);
  }
}
