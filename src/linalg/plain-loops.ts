/**
 * Passes over matrices in this process's memory by plain loops: where a processor computes, and on a GPU for ordinary matrices, which
 * would take longer to send there and back.
 */
import type { Matrix, RealArray } from './matrix.js';
import { runsOf } from './row-blocks.js';

/** Row i of A is multiplied by factors[i]. */
export function scaleRowsHere(a: Matrix, factors: RealArray): void {
  const { data, rows, cols, stride } = a;
  for (let i = 0; i < rows; i++) for (let j = 0, at = i * stride; j < cols; j++, at++) data[at] *= factors[i];
}

/** Column j of A is multiplied by factors[j]. */
export function scaleColumnsHere(a: Matrix, factors: RealArray): void {
  const { data, rows, cols, stride } = a;
  for (let i = 0; i < rows; i++) for (let j = 0, at = i * stride; j < cols; j++, at++) data[at] *= factors[j];
}

/** Row i of target ← row rows[i] of source. */
export function copyRowsHere(target: Matrix, source: Matrix, rows: Int32Array): void {
  for (const { place, from, to } of runsOf(rows)) target.view(place, place + to - from).copyFrom(source.view(from, to));
}

/** out[i] ← (row i of A) · (row i of B) */
export function rowDotsHere(out: RealArray, a: Matrix, b: Matrix): void {
  for (let i = 0; i < a.rows; i++) out[i] = dotOfRows(a.row(i), b.row(i));
}

/** Σ aᵢⱼ bᵢⱼ, row by row. */
export function dotHere(a: Matrix, b: Matrix): number {
  let total = 0;
  for (let i = 0; i < a.rows; i++) total += dotOfRows(a.row(i), b.row(i));
  return total;
}

function dotOfRows(x: RealArray, y: RealArray): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += x[j] * y[j];
  return sum;
}

/** Rows at unit length: `Backend.unitRows`. */
export function unitRowsHere(a: Matrix, largests: Float64Array, lengths: Float64Array): void {
  for (let i = 0; i < a.rows; i++) {
    const row = a.row(i);
    if (largests[i] === 0) {
      largests[i] = largestOf(row);
      if (!(largests[i] > 0 && largests[i] < Number.POSITIVE_INFINITY)) continue;
      lengths[i] = lengthOver(row, largests[i]);
    }
    divide(row, largests[i], lengths[i]);
  }
}

/** Largest size of an entry; NaN where one is none. */
export function largestOf(row: RealArray): number {
  let largest = 0;
  for (let j = 0; j < row.length; j++) largest = Math.max(largest, Math.abs(row[j]));
  return largest;
}

/** Length of the row over its largest entry: dividing by that first keeps the squares from overflowing or vanishing. */
function lengthOver(row: RealArray, largest: number): number {
  let squares = 0;
  for (let j = 0; j < row.length; j++) {
    const part = row[j] / largest;
    squares += part * part;
  }
  return Math.sqrt(squares);
}

/** By both in turn, in place. */
function divide(row: RealArray, largest: number, length: number): void {
  for (let j = 0; j < row.length; j++) row[j] = row[j] / largest / length;
}
