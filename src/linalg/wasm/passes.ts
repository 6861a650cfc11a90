/**
 * Operations that read a matrix once: products with a vector, dot products of rows, scaling. Rows are cut into ranges
 * that depend on the shape alone, and sums are taken in the same order whether the operands live in the shared memory or
 * pass through its staging area.
 */
import type { Matrix, RealArray } from '../matrix.js';
import { roundUp } from './layout.js';
import { type ElementBytes, kernelsFor, type Machine } from './machine.js';
import { addScaledOutside, scaleRowsOutside } from './outside.js';
import { fetchVector, forEachPiece, type Located, rowGroup, slots, stageVector, tallest, widest } from './staging.js';

/** Elements that one task passes over: less would be done before another thread is awake. */
const taskElements = 2 ** 16;
export const worthSharing = 4 * taskElements;
/** y = A'x keeps this many sums of row ranges, of so many columns, beside each other: 4 MiB. */
const partialSums = 32;
const partialColumns = 2 ** 14;

/** y ← α A x + β y */
export function timesVector(
  machine: Machine,
  y: RealArray,
  alpha: number,
  a: Matrix,
  x: RealArray,
  beta: number,
): void {
  const bytes = y.BYTES_PER_ELEMENT as ElementBytes;
  const parallel = a.rows * a.cols > worthSharing;
  for (let column = 0; column < a.cols; column += widest) {
    const width = Math.min(widest, a.cols - column);
    const xPointer = stageVector(machine, x.subarray(column, column + width), slots.input);
    const betaHere = column === 0 ? beta : 1;
    forEachPiece(machine, [a.view(0, a.rows, column, column + width)], (row, rows, [{ pointer, stride }]) => {
      const part = y.subarray(row, row + rows);
      const yPointer = stageVector(machine, part, slots.output, betaHere !== 0);
      const step = rowsPerTask(width);
      const numbers = [bytes, step, rows, width, alpha, pointer, stride * bytes, xPointer, betaHere, yPointer];
      machine.team.run('timesVector', Math.ceil(rows / step), parallel, numbers);
      fetchVector(machine, part, yPointer);
    });
  }
}

/** y ← α A'x + β y: the sums over fixed ranges of rows are added to y one after the other. */
export function timesVectorTransposed(
  machine: Machine,
  y: RealArray,
  alpha: number,
  a: Matrix,
  x: RealArray,
  beta: number,
): void {
  const bytes = y.BYTES_PER_ELEMENT as ElementBytes;
  const kernels = kernelsFor(machine, bytes);
  const sums = machine.regions.staging + slots.sums;
  for (let column = 0; column < a.cols; column += partialColumns) {
    const width = Math.min(partialColumns, a.cols - column);
    const range = Math.min(tallest, Math.max(rowsPerTask(width), Math.ceil(a.rows / partialSums)));
    const atOnce = range * Math.min(partialSums, Math.floor(tallest / range));
    const part = y.subarray(column, column + width);
    const yPointer = stageVector(machine, part, slots.output, beta !== 0);
    let betaHere = beta;
    for (let row = 0; row < a.rows; row += atOnce) {
      const end = Math.min(row + atOnce, a.rows);
      sumRanges(machine, a.view(row, end, column, column + width), x.subarray(row, end), range, sums);
      for (let sum = 0; sum < Math.ceil((end - row) / range); sum++) {
        kernels.addScaled(1, width, alpha, sums + sum * width * bytes, 0, betaHere, yPointer, 0);
        betaHere = 1;
      }
    }
    fetchVector(machine, part, yPointer);
  }
}

/** Row r of `sums` ← the sum of x[i] times row i of A over the r-th range of rows. */
function sumRanges(machine: Machine, a: Matrix, x: RealArray, range: number, sums: number): void {
  const bytes = x.BYTES_PER_ELEMENT as ElementBytes;
  const pointer = machine.storage.pointerOf(a.data);
  const count = Math.ceil(a.rows / range);
  if (pointer !== undefined) {
    const parallel = a.rows * a.cols > worthSharing;
    const xPointer = stageVector(machine, x, slots.input);
    const numbers = [bytes, range, a.rows, a.cols, pointer, a.stride * bytes, xPointer, sums];
    machine.team.run('addRows', count, parallel, numbers);
    return;
  }
  const kernels = kernelsFor(machine, bytes);
  kernels.addScaled(count, a.cols, 0, sums, 0, 0, sums, a.cols * bytes);
  for (let index = 0; index < count; index++) {
    const start = index * range;
    const end = Math.min(start + range, a.rows);
    forEachPiece(machine, [a.view(start, end)], (row, rows, [piece]) => {
      const xPointer = stageVector(machine, x.subarray(start + row, start + row + rows), slots.input);
      const target = sums + index * a.cols * bytes;
      kernels.addRows(rows, a.cols, piece.pointer, piece.stride * bytes, xPointer, target);
    });
  }
}

/** out[i] ← row i of A · row i of B */
export function rowDots(machine: Machine, out: RealArray, a: Matrix, b: Matrix): void {
  const bytes = out.BYTES_PER_ELEMENT as ElementBytes;
  const parallel = a.rows * a.cols > worthSharing;
  for (let column = 0; column < a.cols; column += widest) {
    const end = Math.min(column + widest, a.cols);
    const parts = [a.view(0, a.rows, column, end), b.view(0, b.rows, column, end)];
    forEachPiece(machine, parts, (row, rows, [left, right]) => {
      const target = out.subarray(row, row + rows);
      const targetPointer = stageVector(machine, target, slots.output, column > 0);
      const sums = column === 0 ? targetPointer : machine.regions.staging + slots.input;
      runRowDots(machine, 'rowDots', { bytes, rows, width: end - column, parallel }, left, right, sums);
      if (column > 0) kernelsFor(machine, bytes).addScaled(1, rows, 1, sums, 0, 1, targetPointer, 0);
      fetchVector(machine, target, targetPointer);
    });
  }
}

/** Element i of `sums` ← row i of one piece · row i of the other, each of rows × width; `rowDotsWide` sums in double. */
export function runRowDots(
  machine: Machine,
  task: 'rowDots' | 'rowDotsWide',
  { bytes, rows, width, parallel }: { bytes: number; rows: number; width: number; parallel: boolean },
  left: Located,
  right: Located,
  sums: number,
): void {
  const step = rowsPerTask(width);
  const pieces = [left.pointer, left.stride * bytes, right.pointer, right.stride * bytes];
  machine.team.run(task, Math.ceil(rows / step), parallel, [bytes, step, rows, width, ...pieces, sums]);
}

/** Y ← α X + β Y; an operand whose factor is 0 is not read. */
export function addScaled(machine: Machine, y: Matrix, alpha: number, x: Matrix, beta: number): void {
  const xPointer = machine.storage.pointerOf(x.data);
  const yPointer = machine.storage.pointerOf(y.data);
  if (xPointer === undefined || yPointer === undefined) {
    addScaledOutside(y, alpha, x, beta);
    return;
  }
  const bytes = y.data.BYTES_PER_ELEMENT;
  const parallel = y.rows * y.cols > worthSharing;
  if (y.contiguous && x.contiguous) {
    // One long row, cut into equal ranges and a shorter last one.
    const length = y.rows * y.cols;
    const whole = Math.floor(length / taskElements);
    const rest = whole * taskElements;
    const step = taskElements * bytes;
    machine.team.run('addScaled', whole, parallel, [
      ...[bytes, 1, whole, taskElements, alpha, xPointer, step, beta, yPointer, step],
    ]);
    const kernels = kernelsFor(machine, bytes as ElementBytes);
    kernels.addScaled(1, length - rest, alpha, xPointer + rest * bytes, 0, beta, yPointer + rest * bytes, 0);
    return;
  }
  const step = rowsPerTask(y.cols);
  machine.team.run('addScaled', Math.ceil(y.rows / step), parallel, [
    ...[bytes, step, y.rows, y.cols, alpha, xPointer, x.stride * bytes, beta, yPointer, y.stride * bytes],
  ]);
}

/** Row i of A is multiplied by factors[i]. */
export function scaleRows(machine: Machine, a: Matrix, factors: RealArray): void {
  if (machine.storage.pointerOf(a.data) === undefined) {
    scaleRowsOutside(a, factors);
    return;
  }
  const bytes = factors.BYTES_PER_ELEMENT;
  const step = rowsPerTask(a.cols);
  const parallel = a.rows * a.cols > worthSharing;
  forEachPiece(machine, [a], (row, rows, [{ pointer, stride }]) => {
    const factorsPointer = stageVector(machine, factors.subarray(row, row + rows), slots.input);
    const numbers = [bytes, step, rows, a.cols, pointer, stride * bytes, factorsPointer];
    machine.team.run('scaleRows', Math.ceil(rows / step), parallel, numbers);
  });
}

/** Rows that one task passes over: whole groups of those that a kernel takes together. */
export function rowsPerTask(columns: number): number {
  return roundUp(taskElements / Math.max(1, columns), rowGroup);
}
