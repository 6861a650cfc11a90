/**
 * Element-by-element passes over row-major matrices. Long runs go to the library, which is several times as fast as a
 * loop here while the data is in the cache; short ones stay, as a foreign call costs as much as 200 elements.
 */
import type { Matrix, RealArray } from '../matrix.js';
import type { Routines } from './routines.js';

const longRun = 200;
/** Elements that stay in the first-level cache between two passes over them. */
const chunk = 2048;
/** Elements of one call for a dot product: short enough for rounding errors not to pile up. */
const stretch = 2 ** 16;

/** Y ← α X + β Y; a factor of 0 means that its matrix is not read. */
export function addScaled(routines: Routines, y: Matrix, alpha: number, x: Matrix, beta: number): void {
  if (x.data.buffer === y.data.buffer && x.data.byteOffset === y.data.byteOffset) {
    scale(routines, y, alpha + beta);
    return;
  }
  forEachRun(y, x, (yRun, xRun) => {
    const length = yRun.length;
    if (length < longRun) {
      if (beta === 0) for (let i = 0; i < length; i++) yRun[i] = alpha === 0 ? 0 : alpha * xRun[i];
      else if (alpha === 0) for (let i = 0; i < length; i++) yRun[i] *= beta;
      else for (let i = 0; i < length; i++) yRun[i] = alpha * xRun[i] + beta * yRun[i];
      return;
    }
    for (let start = 0; start < length; start += chunk) {
      const [yPart, xPart] = [yRun.subarray(start, start + chunk), xRun.subarray(start, start + chunk)];
      const count = yPart.length;
      if (alpha === 0) scaleRun(routines, yPart, beta);
      else if (beta === 0) {
        yPart.set(xPart);
        if (alpha !== 1) routines.scal(count, alpha, yPart);
      } else {
        if (beta !== 1) routines.scal(count, beta, yPart);
        routines.axpy(count, alpha, xPart, yPart);
      }
    }
  });
}

/** A ← β A; β = 0 does not read A. */
export function scale(routines: Routines, a: Matrix, beta: number): void {
  if (beta !== 1) forEachRun(a, a, (run) => scaleRun(routines, run, beta));
}

function scaleRun(routines: Routines, run: RealArray, beta: number): void {
  if (beta === 0) run.fill(0);
  else if (run.length >= longRun) routines.scal(run.length, beta, run);
  else for (let i = 0; i < run.length; i++) run[i] *= beta;
}

/** Σ aᵢⱼ bᵢⱼ, in stretches whose sums are added up here. */
export function dotProduct(routines: Routines, a: Matrix, b: Matrix): number {
  let total = 0;
  forEachRun(a, b, (runA, runB) => {
    for (let start = 0; start < runA.length; start += stretch)
      total += dotOfRuns(routines, runA.subarray(start, start + stretch), runB.subarray(start, start + stretch));
  });
  return total;
}

/** Short runs: four sums at a time, always in the same order. */
function dotOfRuns(routines: Routines, a: RealArray, b: RealArray): number {
  const length = a.length;
  if (length >= longRun) return routines.dot(length, a, b);
  const whole = length - (length % 4);
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let j = 0; j < whole; j += 4) {
    s0 += a[j] * b[j];
    s1 += a[j + 1] * b[j + 1];
    s2 += a[j + 2] * b[j + 2];
    s3 += a[j + 3] * b[j + 3];
  }
  let sum = s0 + s1 + (s2 + s3);
  for (let j = whole; j < length; j++) sum += a[j] * b[j];
  return sum;
}

/**
 * Copies the lower triangle onto the upper one in tiles of 8×8, a cache line each way: the reads then jump between as
 * few pages as possible, which is what large matrices wait for.
 */
export function mirrorLowerTriangle(c: Matrix): void {
  const { data, stride, rows } = c;
  const tile = 8;
  for (let top = 0; top < rows; top += tile) {
    const bottom = Math.min(top + tile, rows);
    for (let j = 0; j < top; j++) {
      const target = j * stride;
      for (let i = top, source = top * stride + j; i < bottom; i++, source += stride) data[target + i] = data[source];
    }
    for (let i = top; i < bottom; i++) for (let j = top; j < i; j++) data[j * stride + i] = data[i * stride + j];
  }
}

/** Calls `pass` once for contiguous matrices, once a row for others. */
function forEachRun(a: Matrix, b: Matrix, pass: (a: RealArray, b: RealArray) => void): void {
  if (a.contiguous && b.contiguous) {
    const length = a.rows * a.cols;
    pass(a.data.subarray(0, length), b.data.subarray(0, length));
  } else for (let i = 0; i < a.rows; i++) pass(a.row(i), b.row(i));
}
