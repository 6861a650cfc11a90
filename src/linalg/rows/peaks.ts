/** What stands out in the rows of a matrix, by the kernels over rows: `Backend.peaksOfRows`. */
import type { PeakScores, RowPeaks } from '../backend.js';
import type { Matrix } from '../matrix.js';
import type { RowWorkbench } from './workbench.js';

/** Numbers of a row that a kernel finds, and those that stand in for its label's column. */
export const peakWidth = 5;
export const ownWidth = 3;

export const unlabelled = -1;

export function findPeaks(here: RowWorkbench, out: RowPeaks, products: Matrix, scores: PeakScores): void {
  const { lengths, squares, factors, constants, inverses, labels, own } = scores;
  const { rows, cols, data } = products;
  const bytes = cols * data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(cols);
  const columns = [squares, factors, constants, inverses].map((values) => here.hold(values, values));
  const names = here.alongRows(labels ?? new Int32Array(rows).fill(unlabelled));
  const instead = here.alongRows(own ?? new Float64Array(0), ownWidth);
  const found = here.alongRows(new Float64Array(rows * peakWidth), peakWidth);
  const [piece, scratch] = [here.own(step * bytes), here.own((cols + 4) * 8)];
  here.inPieces({
    ...{ kernel: 'peaksOfRows', matrix: products, step, brought: [{ matrix: products, place: piece }] },
    values: [cols, piece, bytes, here.alongRows(lengths), ...columns, names, instead, found, scratch],
  });
  takePeaks(out, here.reals(found.at, rows * peakWidth), 0);
}

/** Shares out what was found for the rows from `start` on. */
export function takePeaks(out: RowPeaks, found: Float64Array, start: number): void {
  for (let i = start, at = 0; at < found.length; i++, at += peakWidth) {
    out.closest[i] = found[at];
    out.nearest[i] = found[at + 1];
    out.largest[i] = found[at + 2];
    out.second[i] = found[at + 3];
    out.logSums[i] = found[at + 4];
  }
}
