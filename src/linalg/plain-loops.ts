/**
 * Passes over matrices in this process's memory by plain loops: where a processor computes, and on a GPU for ordinary matrices, which
 * would take longer to send there and back.
 */
import type { Matrix, RealArray } from './matrix.js';

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
