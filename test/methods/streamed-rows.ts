/** Rows of a matrix as if they had to be read from a file. */
import { Matrix } from '../../src/linalg/matrix.js';
import type { RowBlocks } from '../../src/linalg/row-blocks.js';
import type { FeatureRows } from '../../src/problem/index.js';

/** So many at a time; the block before the last one holds nothing any more. */
export function asBlocks(matrix: Matrix, atOnce: number): RowBlocks {
  const { rows, cols, dtype } = matrix;
  const given: Matrix[] = [];
  return {
    ...{ rows, cols, dtype, atOnce },
    view(start, end) {
      if (end - start > atOnce) throw new Error(`${end - start} rows at once, of at most ${atOnce}`);
      given.push(matrix.view(start, end).copy());
      given.at(-3)?.fill(Number.NaN);
      return given.at(-1)!;
    },
  };
}

/** @param sequential as a compressed file is: whoever goes back in it begins anew, and may do so a few times */
export function asFile(matrix: Matrix, atOnce?: number, sequential?: boolean): FeatureRows {
  const { rows, cols, dtype } = matrix;
  let [next, begun] = [0, 0];
  return {
    ...{ rows, cols, dtype, atOnce, sequential },
    async read(into, start, end) {
      if (sequential && start < next && ++begun > 12) throw new Error(`row ${start} was read after row ${next - 1}`);
      next = end;
      into.view(0, end - start).copyFrom(matrix.view(start, end));
    },
  };
}

/** The matrix of a streamed problem: it has no rows. */
export const unread = ({ cols, dtype }: Matrix): Matrix => Matrix.zeros(0, cols, dtype);
