/** Element-by-element passes over row-major matrices: they wait for memory, and V8 keeps up with it. */
import type { Matrix, RealArray } from '../matrix.js';

/** Y ← α X + β Y; β = 0 does not read Y. */
export function addScaled(y: Matrix, alpha: number, x: Matrix, beta: number): void {
  forEachRun(y, x, (yRun, xRun) => {
    const length = yRun.length;
    if (beta === 0) for (let i = 0; i < length; i++) yRun[i] = alpha * xRun[i];
    else if (beta === 1) for (let i = 0; i < length; i++) yRun[i] += alpha * xRun[i];
    else for (let i = 0; i < length; i++) yRun[i] = alpha * xRun[i] + beta * yRun[i];
  });
}

/** A ← β A; β = 0 does not read A. */
export function scale(a: Matrix, beta: number): void {
  if (beta === 1) return;
  forEachRun(a, a, (run) => {
    if (beta === 0) run.fill(0);
    else for (let i = 0; i < run.length; i++) run[i] *= beta;
  });
}

export function scaleEachRow(a: Matrix, factors: RealArray): void {
  for (let i = 0; i < a.rows; i++) {
    const row = a.row(i);
    const factor = factors[i];
    for (let j = 0; j < row.length; j++) row[j] *= factor;
  }
}

/** Four sums at a time, always in the same order. */
export function rowDotProducts(out: RealArray, a: Matrix, b: Matrix): void {
  const { cols } = a;
  const whole = cols - (cols % 4);
  for (let i = 0; i < a.rows; i++) {
    const rowA = a.row(i);
    const rowB = b.row(i);
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let j = 0; j < whole; j += 4) {
      s0 += rowA[j] * rowB[j];
      s1 += rowA[j + 1] * rowB[j + 1];
      s2 += rowA[j + 2] * rowB[j + 2];
      s3 += rowA[j + 3] * rowB[j + 3];
    }
    let sum = s0 + s1 + (s2 + s3);
    for (let j = whole; j < cols; j++) sum += rowA[j] * rowB[j];
    out[i] = sum;
  }
}

/** Copies the lower triangle onto the upper one, tile by tile so that both sides stay in the cache. */
export function mirrorLowerTriangle(c: Matrix): void {
  const { data, stride, rows } = c;
  const tile = 32;
  for (let rowTile = 0; rowTile < rows; rowTile += tile)
    for (let colTile = 0; colTile <= rowTile; colTile += tile) {
      const rowEnd = Math.min(rowTile + tile, rows);
      for (let i = rowTile; i < rowEnd; i++) {
        const colEnd = Math.min(colTile + tile, i);
        for (let j = colTile; j < colEnd; j++) data[j * stride + i] = data[i * stride + j];
      }
    }
}

/** Calls `pass` once for contiguous matrices, once a row for others. */
function forEachRun(a: Matrix, b: Matrix, pass: (a: RealArray, b: RealArray) => void): void {
  if (a.contiguous && b.contiguous) {
    const length = a.rows * a.cols;
    pass(a.data.subarray(0, length), b.data.subarray(0, length));
  } else for (let i = 0; i < a.rows; i++) pass(a.row(i), b.row(i));
}
