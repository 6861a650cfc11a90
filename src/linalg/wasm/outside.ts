/**
 * Element-by-element passes over matrices of which one at least is an ordinary array: JavaScript does them as fast as
 * copying would be. Single precision is rounded after every step, as the kernels round it.
 */
import type { Matrix, RealArray } from '../matrix.js';

/** Y ← α X + β Y; an operand whose factor is 0 is not read. */
export function addScaledOutside(y: Matrix, alpha: number, x: Matrix, beta: number): void {
  const single = y.data instanceof Float32Array;
  const a = single ? Math.fround(alpha) : alpha;
  const b = single ? Math.fround(beta) : beta;
  const pass = a === 0 ? scaleRun : single ? addRunSingle : addRun;
  if (x.contiguous && y.contiguous) {
    const length = y.rows * y.cols;
    pass(y.data.subarray(0, length), a, x.data.subarray(0, length), b);
  } else for (let i = 0; i < y.rows; i++) pass(y.row(i), a, x.row(i), b);
}

export function scaleRowsOutside(a: Matrix, factors: RealArray): void {
  for (let i = 0; i < a.rows; i++) {
    const row = a.row(i);
    const factor = factors[i];
    for (let j = 0; j < row.length; j++) row[j] *= factor;
  }
}

function scaleRun(y: RealArray, _alpha: number, _x: RealArray, beta: number): void {
  if (beta === 0) y.fill(0);
  else for (let i = 0; i < y.length; i++) y[i] *= beta;
}

function addRun(y: RealArray, alpha: number, x: RealArray, beta: number): void {
  if (beta === 0) for (let i = 0; i < y.length; i++) y[i] = alpha * x[i];
  else for (let i = 0; i < y.length; i++) y[i] = alpha * x[i] + beta * y[i];
}

function addRunSingle(y: RealArray, alpha: number, x: RealArray, beta: number): void {
  if (beta === 0) for (let i = 0; i < y.length; i++) y[i] = alpha * x[i];
  else for (let i = 0; i < y.length; i++) y[i] = Math.fround(alpha * x[i]) + Math.fround(beta * y[i]);
}
