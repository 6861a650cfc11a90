/**
 * Choosing rows. Where the chosen rows lie next to each other in ascending order the result is a view of the original,
 * otherwise a copy of just those rows.
 */
import { Matrix, type RowBlocks, runsOf } from '../linalg/index.js';

/** The rows i of 0 … count − 1 for which `keep` holds. */
export function rowsWhere(count: number, keep: (row: number) => boolean): Int32Array {
  const rows = new Int32Array(count);
  let kept = 0;
  for (let i = 0; i < count; i++) if (keep(i)) rows[kept++] = i;
  return rows.subarray(0, kept);
}

export function selectRows(source: RowBlocks, rows: ArrayLike<number>): Matrix {
  if (source instanceof Matrix && adjacent(rows)) return source.view(rows[0], rows[0] + rows.length);
  const result = Matrix.zeros(rows.length, source.cols, source.dtype);
  for (const { place, from, to } of runsOf(rows, source.atOnce))
    result.view(place, place + to - from).copyFrom(source.view(from, to));
  return result;
}

export function selectIntegers<T extends Int32Array | Uint8Array>(values: T, rows: ArrayLike<number>): T {
  if (adjacent(rows)) return values.subarray(rows[0], rows[0] + rows.length) as T;
  const result = new (values.constructor as new (length: number) => T)(rows.length);
  for (let i = 0; i < rows.length; i++) result[i] = values[rows[i]];
  return result;
}

export function selectStrings(values: readonly string[], rows: ArrayLike<number>): string[] {
  return Array.from(rows, (row) => values[row]);
}

/** The rows of `first` followed by those of `second`. */
export function stackRows(first: Matrix, second: Matrix): Matrix {
  const result = Matrix.zeros(first.rows + second.rows, first.cols, first.dtype);
  result.view(0, first.rows).copyFrom(first);
  result.view(first.rows, result.rows).copyFrom(second);
  return result;
}

/** The columns of `left` followed by those of `right`. */
export function stackColumns(left: Matrix, right: Matrix): Matrix {
  const result = Matrix.zeros(left.rows, left.cols + right.cols, left.dtype);
  result.view(0, left.rows, 0, left.cols).copyFrom(left);
  result.view(0, left.rows, left.cols, result.cols).copyFrom(right);
  return result;
}

function adjacent(rows: ArrayLike<number>): boolean {
  for (let i = 1; i < rows.length; i++) if (rows[i] !== rows[i - 1] + 1) return false;
  return rows.length > 0;
}
