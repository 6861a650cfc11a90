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
  const { cols, data } = products;
  const bytes = cols * data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(cols);
  const columns = [squares, factors, constants, inverses].map((values) => here.hold(values, values));
  here.inPieces(step, {
    kernel: 'peaksOfRows',
    matrix: products,
    reserve: () => ({
      ...{ lengths: here.room(step * 8), labels: here.room(step * 4), own: here.room(step * ownWidth * 8) },
      ...{ out: here.room(step * peakWidth * 8), scratch: here.room((cols + 4) * 8), piece: here.room(step * bytes) },
    }),
    brought: ({ piece }) => [{ matrix: products, pointer: piece }],
    bring: (place, start, end) => {
      here.reals(place.lengths, end - start).set(lengths.subarray(start, end));
      const names = here.integers(place.labels, end - start);
      if (labels) names.set(labels.subarray(start, end));
      else names.fill(unlabelled);
      if (own) here.reals(place.own, (end - start) * ownWidth).set(own.subarray(start * ownWidth, end * ownWidth));
      const rows = [place.labels, place.own, place.out, place.scratch];
      return [end - start, cols, place.piece, bytes, place.lengths, ...columns, ...rows];
    },
    fetch: (place, start, end) => takePeaks(out, here.reals(place.out, (end - start) * peakWidth), start),
  });
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
