/** Features that stay in a file, for methods that need not see all of them at once. */
import { type Backend, Matrix, runsOf } from '../../linalg/index.js';
import { contentOrder } from '../../numerics/index.js';
import type { FeatureRows } from '../../problem/index.js';

/** In memory, or in a file. */
export type Features = Matrix | FeatureRows;

/** Bytes of a block, in single precision. */
const blockBytes = 2 ** 24;

/** Columns by which rows are put in order at a time. */
const columnsAtOnce = 8;

/** Rows of a block. */
export function rowsAtOnce({ rows, cols, atOnce }: FeatureRows): number {
  return Math.max(1, Math.min(rows, atOnce ?? Math.floor(blockBytes / (4 * cols))));
}

export interface FeatureVisit {
  /** Which, best in ascending order where the source is sequential. @default all */
  readonly rows?: Int32Array;
  /** Rows of every block but the last. @default those that are read together */
  readonly together?: number;
  /** Whose threads scale what is read. @default the calling thread does */
  readonly backend?: Backend;
}

/** Calls `see` with one block after the other, valid until `see` is done, and the place of its first row among those asked for. */
export async function visitFeatures(
  source: FeatureRows,
  see: (block: Matrix, place: number) => void | Promise<void>,
  { rows = allRows(source), together = rowsAtOnce(source), backend }: FeatureVisit = {},
): Promise<void> {
  const room = Matrix.zeros(Math.min(together, rows.length), source.cols, source.dtype);
  for (let start = 0; start < rows.length; start += together) {
    const block = room.view(0, Math.min(together, rows.length - start));
    for (const { place, from, to } of runsOf(rows.subarray(start, start + block.rows), rowsAtOnce(source)))
      await source.read(block.view(place, place + to - from), from, to, backend);
    await see(block, start);
  }
}

/** The rows of these numbers. */
export async function featuresAt(source: FeatureRows, rows: Int32Array, backend?: Backend): Promise<Matrix> {
  const found = Matrix.zeros(rows.length, source.cols, source.dtype);
  const keep = (block: Matrix, place: number) => {
    found.view(place, place + block.rows).copyFrom(block);
  };
  await visitFeatures(source, keep, { rows, backend });
  return found;
}

/** `contentOrder` of rows of which a few columns at a time are kept, the later ones only where the first leave it open. */
export async function contentOrderOf(source: Features, labels: Int32Array, backend?: Backend): Promise<Int32Array> {
  if (source instanceof Matrix) return contentOrder(source, labels);
  const order = allRows(source);
  let open = source.rows > 1 ? [order] : [];
  for (let column = 0; column < source.cols && open.length > 0; column += columnsAtOnce) {
    const end = Math.min(source.cols, column + columnsAtOnce);
    const rows = Int32Array.from(open.flatMap((tied) => [...tied])).sort();
    const places = new Int32Array(source.rows);
    rows.forEach((row, place) => {
      places[row] = place;
    });
    const values = Matrix.zeros(rows.length, end - column, source.dtype);
    const keep = (block: Matrix, place: number) => {
      values.view(place, place + block.rows).copyFrom(block.view(0, block.rows, column, end));
    };
    await visitFeatures(source, keep, { rows, backend });
    const { data, cols } = values;
    const compare = (a: number, b: number) => {
      const [startA, startB] = [places[a] * cols, places[b] * cols];
      for (let j = 0; j < cols; j++) {
        const difference = data[startA + j] - data[startB + j];
        if (difference !== 0) return difference;
      }
      return 0;
    };
    open = open.flatMap((tied) =>
      tiesOf(
        tied.sort((a, b) => compare(a, b) || a - b),
        compare,
      ),
    );
  }
  for (const tied of open) tied.sort((a, b) => labels[a] - labels[b] || a - b);
  return order;
}

const allRows = ({ rows }: FeatureRows): Int32Array => Int32Array.from({ length: rows }, (_, i) => i);

/** The parts of sorted rows that are equal, of two rows or more. */
function tiesOf(sorted: Int32Array, compare: (a: number, b: number) => number): Int32Array[] {
  const ties: Int32Array[] = [];
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (++to < sorted.length && compare(sorted[to - 1], sorted[to]) === 0);
    if (to - from > 1) ties.push(sorted.subarray(from, to));
  }
  return ties;
}
