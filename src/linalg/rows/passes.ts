/**
 * Passes over the rows of matrices in this process's memory that need exponentials and logarithms: one range of rows at a
 * time, whichever thread takes it.
 */
import type { PowerMixture } from '../backend.js';
import type { Matrix } from '../matrix.js';
import { RowWorkbench } from './kernels.js';

let bench: RowWorkbench | undefined;

/** The workbench of this thread, cleared. */
function workbench(): RowWorkbench {
  bench ??= new RowWorkbench();
  bench.clear();
  return bench;
}

/** Calls `visit` for pieces of the rows [from, to). */
function inPieces(step: number, from: number, to: number, visit: (start: number, end: number) => void): void {
  for (let start = from; start < to; start += step) visit(start, Math.min(to, start + step));
}

const unlabelled = -1;

/** Rows [from, to) of `Backend.logPowerSums`. */
export function logPowerSums(
  out: Float64Array,
  products: Matrix,
  { lengths, squares, scales, shifts, power, labels }: PowerMixture,
  own: Float64Array | undefined,
  from = 0,
  to = products.rows,
): void {
  const here = workbench();
  const { cols, dtype } = products;
  const step = here.rowsPerPiece(cols);
  const columns = [squares, scales, shifts].map((values) => here.hold(values, products.data));
  const scratch = here.room((cols + 4) * 8);
  const [lengthsAt, outAt, ownAt] = [0, 1, 2].map(() => here.room(step * 8));
  const labelsAt = here.room(step * 4);
  const piece = here.room((step * cols + 3) * products.data.BYTES_PER_ELEMENT);
  const kernel = dtype === 'float64' ? here.kernels.logPowerSums64 : here.kernels.logPowerSums32;
  inPieces(step, from, to, (start, end) => {
    const count = end - start;
    here.bring(products, start, end, piece);
    here.reals(lengthsAt, count).set(lengths.subarray(start, end));
    here.setIntegers(labelsAt, labels ? labels.subarray(start, end) : new Int32Array(count).fill(unlabelled));
    const stride = cols * products.data.BYTES_PER_ELEMENT;
    kernel(
      ...([count, cols, piece, stride, lengthsAt, columns[0], columns[1], columns[2]] as const),
      ...([power, labelsAt, outAt, ownAt, scratch] as const),
    );
    out.set(here.reals(outAt, count), start);
    own?.set(here.reals(ownAt, count), start);
  });
}

/** Rows [from, to) of `Backend.softmaxRows`; their weighted sums are added to `counts`. */
export function softmaxRows(
  target: Matrix,
  scores: Matrix,
  offsets: Float64Array,
  weights: Float64Array,
  counts: Float64Array,
  from = 0,
  to = scores.rows,
): void {
  const here = workbench();
  const { cols, dtype } = scores;
  const bytes = cols * scores.data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(cols);
  const [offsetsAt, countsAt] = [here.hold(offsets, scores.data), here.hold(new Float64Array(cols), offsets)];
  const scratch = here.room((cols + 4) * 8);
  const weightsAt = here.room(step * 8);
  const piece = here.room(step * bytes + 16);
  const kernel = dtype === 'float64' ? here.kernels.softmaxRows64 : here.kernels.softmaxRows32;
  inPieces(step, from, to, (start, end) => {
    const count = end - start;
    here.bring(scores, start, end, piece);
    here.reals(weightsAt, count).set(weights.subarray(start, end));
    kernel(count, cols, piece, bytes, offsetsAt, piece, bytes, weightsAt, countsAt, scratch);
    here.fetch(target, start, end, piece);
  });
  const sums = here.reals(countsAt, cols);
  for (let c = 0; c < cols; c++) counts[c] += sums[c];
}

/** Rows [from, to) of `Backend.energyOfRows`. */
export function energyOfRows(
  chances: Matrix,
  scores: Matrix,
  weights: Float64Array,
  from = 0,
  to = scores.rows,
): number {
  const here = workbench();
  const { cols, dtype } = scores;
  const bytes = cols * scores.data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(cols);
  const weightsAt = here.room(step * 8);
  const [first, second] = [here.room(step * bytes), here.room(step * bytes)];
  const kernel = dtype === 'float64' ? here.kernels.energyOfRows64 : here.kernels.energyOfRows32;
  let total = 0;
  inPieces(step, from, to, (start, end) => {
    here.bring(chances, start, end, first);
    here.bring(scores, start, end, second);
    here.reals(weightsAt, end - start).set(weights.subarray(start, end));
    total += kernel(end - start, cols, first, bytes, second, bytes, weightsAt);
  });
  return total;
}

/** Rows [from, to) of `Backend.powerRows`. */
export function powerRows(rows: Matrix, power: number, from = 0, to = rows.rows): void {
  const here = workbench();
  const bytes = rows.cols * rows.data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(rows.cols);
  const scratch = here.room((rows.cols + 4) * 8);
  const piece = here.room(step * bytes);
  const kernel = rows.dtype === 'float64' ? here.kernels.powerRows64 : here.kernels.powerRows32;
  inPieces(step, from, to, (start, end) => {
    here.bring(rows, start, end, piece);
    kernel(end - start, rows.cols, piece, bytes, power, scratch);
    here.fetch(rows, start, end, piece);
  });
}
