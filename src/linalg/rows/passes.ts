/** The passes of backends over the rows of matrices in this process's memory that need exponentials and logarithms. */
import type { PowerMixture } from '../backend.js';
import type { Matrix } from '../matrix.js';
import { checkEnergy, checkPowerSums, checkSoftmax } from '../shapes.js';
import { RowWorkbench } from './kernels.js';

let bench: RowWorkbench | undefined;

/** The workbench of this thread, cleared. */
function workbench(): RowWorkbench {
  bench ??= new RowWorkbench();
  bench.clear();
  return bench;
}

/** Calls `visit` for pieces of the rows. */
function inPieces(step: number, rows: number, visit: (start: number, end: number) => void): void {
  for (let start = 0; start < rows; start += step) visit(start, Math.min(rows, start + step));
}

const unlabelled = -1;

/** `Backend.logPowerSums` */
export function logPowerSums(out: Float64Array, products: Matrix, mixture: PowerMixture, own?: Float64Array): void {
  checkPowerSums(out, products, mixture, own);
  const { lengths, squares, scales, shifts, power, labels } = mixture;
  const here = workbench();
  const { cols, dtype } = products;
  const step = here.rowsPerPiece(cols);
  const columns = [squares, scales, shifts].map((values) => here.hold(values, products.data));
  const scratch = here.room((cols + 4) * 8);
  const [lengthsAt, outAt, ownAt] = [0, 1, 2].map(() => here.room(step * 8));
  const labelsAt = here.room(step * 4);
  const piece = here.room((step * cols + 3) * products.data.BYTES_PER_ELEMENT);
  const kernel = dtype === 'float64' ? here.kernels.logPowerSums64 : here.kernels.logPowerSums32;
  inPieces(step, products.rows, (start, end) => {
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

/** `Backend.softmaxRows` */
export function softmaxRows(
  target: Matrix,
  scores: Matrix,
  offsets: Float64Array,
  weights: Float64Array,
  counts: Float64Array,
): void {
  checkSoftmax(target, scores, offsets, weights, counts);
  const here = workbench();
  const { cols, dtype } = scores;
  const bytes = cols * scores.data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(cols);
  const [offsetsAt, countsAt] = [here.hold(offsets, scores.data), here.hold(new Float64Array(cols), offsets)];
  const scratch = here.room((cols + 4) * 8);
  const weightsAt = here.room(step * 8);
  const piece = here.room(step * bytes + 16);
  const kernel = dtype === 'float64' ? here.kernels.softmaxRows64 : here.kernels.softmaxRows32;
  inPieces(step, scores.rows, (start, end) => {
    const count = end - start;
    here.bring(scores, start, end, piece);
    here.reals(weightsAt, count).set(weights.subarray(start, end));
    kernel(count, cols, piece, bytes, offsetsAt, piece, bytes, weightsAt, countsAt, scratch);
    here.fetch(target, start, end, piece);
  });
  counts.set(here.reals(countsAt, cols));
}

/** `Backend.energyOfRows` */
export function energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number {
  checkEnergy(chances, scores, weights);
  const here = workbench();
  const { cols, dtype } = scores;
  const bytes = cols * scores.data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(cols);
  const weightsAt = here.room(step * 8);
  const [first, second] = [here.room(step * bytes), here.room(step * bytes)];
  const kernel = dtype === 'float64' ? here.kernels.energyOfRows64 : here.kernels.energyOfRows32;
  let total = 0;
  inPieces(step, scores.rows, (start, end) => {
    here.bring(chances, start, end, first);
    here.bring(scores, start, end, second);
    here.reals(weightsAt, end - start).set(weights.subarray(start, end));
    total += kernel(end - start, cols, first, bytes, second, bytes, weightsAt);
  });
  return total;
}

/** `Backend.powerRows` */
export function powerRows(rows: Matrix, power: number): void {
  const here = workbench();
  const bytes = rows.cols * rows.data.BYTES_PER_ELEMENT;
  const step = here.rowsPerPiece(rows.cols);
  const scratch = here.room((rows.cols + 4) * 8);
  const piece = here.room(step * bytes);
  const kernel = rows.dtype === 'float64' ? here.kernels.powerRows64 : here.kernels.powerRows32;
  inPieces(step, rows.rows, (start, end) => {
    here.bring(rows, start, end, piece);
    kernel(end - start, rows.cols, piece, bytes, power, scratch);
    here.fetch(rows, start, end, piece);
  });
}
