/** Rows that are looked at block by block, wherever they lie: a matrix is one block, a file is read. */
import type { Dtype, Matrix } from './matrix.js';

export interface RowBlocks {
  readonly rows: number;
  readonly cols: number;
  readonly dtype: Dtype;
  /** Rows that can be had together. @default all */
  readonly atOnce?: number;
  /** Rows [start, end); those that have to be read are valid until the next but one are asked for. */
  view(start: number, end: number): Matrix;
}

/** Calls `see` with blocks of rows in their order, at most so many together, and the place of the first. */
export function visitRows(
  rows: RowBlocks,
  see: (block: Matrix, start: number) => void,
  most: number = rows.rows,
): void {
  const step = Math.max(1, Math.min(most, rows.atOnce ?? rows.rows));
  for (let start = 0; start < rows.rows; start += step) {
    see(rows.view(start, Math.min(rows.rows, start + step)), start);
  }
}

/** Stretches of rows that follow one another, at most so many long: where each begins among those given, and its rows. */
export function* runsOf(
  rows: ArrayLike<number>,
  most = Number.POSITIVE_INFINITY,
): Generator<{ place: number; from: number; to: number }> {
  for (let place = 0, next = 0; place < rows.length; place = next) {
    while (++next < rows.length && rows[next] === rows[next - 1] + 1 && next - place < most);
    yield { place, from: rows[place], to: rows[place] + next - place };
  }
}
