/** Symmetric matrices with known difficulties, and an independent eigensolver to compare with. */
import type { Random } from '../../src/linalg/random.js';

/** n×n, row-major, both triangles. */
export interface Symmetric {
  readonly n: number;
  readonly data: Float64Array;
}

export function symmetric(n: number, element: (i: number, j: number) => number): Symmetric {
  const data = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      data[i * n + j] = element(i, j);
      data[j * n + i] = data[i * n + j];
    }
  return { n, data };
}

export function randomSymmetric(random: Random, n: number): Symmetric {
  return symmetric(n, () => random.normal());
}

export function tridiagonal(n: number, diagonal: (i: number) => number, off: (i: number) => number): Symmetric {
  return symmetric(n, (i, j) => (i === j ? diagonal(i) : i === j + 1 ? off(j) : 0));
}

/** Wilkinson's W⁺ of order 21 repeated, neighbours joined by a small element: many eigenvalues agree to all digits. */
export function gluedWilkinson(copies: number, glue: number): Symmetric {
  return tridiagonal(
    21 * copies,
    (i) => Math.abs((i % 21) - 10),
    (i) => (i % 21 === 20 ? glue : 1),
  );
}

/** Q diag(values) Q' with a random orthogonal Q (a product of reflectors). */
export function withEigenvalues(random: Random, values: ArrayLike<number>): Symmetric {
  const n = values.length;
  const data = new Float64Array(n * n);
  for (let i = 0; i < n; i++) data[i * n + i] = values[i];
  for (let step = 0; step < 3; step++) {
    const v = random.normalArray(n);
    const scale = 2 / v.reduce((sum, x) => sum + x * x, 0);
    for (const [row, column] of [
      [n, 1],
      [1, n],
    ])
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += data[i * row + j * column] * v[j];
        for (let j = 0; j < n; j++) data[i * row + j * column] -= scale * sum * v[j];
      }
  }
  return symmetric(n, (i, j) => data[i * n + j]);
}

/** A A' for A of n×rank. */
export function gram(random: Random, n: number, rank: number): Symmetric {
  const a = random.normalArray(n * rank);
  return symmetric(n, (i, j) => {
    let sum = 0;
    for (let k = 0; k < rank; k++) sum += a[i * rank + k] * a[j * rank + k];
    return sum;
  });
}

/** Largest sum of magnitudes in a row. */
export function norm({ n, data }: Symmetric): number {
  let largest = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.abs(data[i * n + j]);
    largest = Math.max(largest, sum);
  }
  return largest;
}

/** Eigenvalues, ascending, by cyclic Jacobi rotations (Jacobi 1846): slow, simple, and accurate. */
export function jacobiEigenvalues({ n, data }: Symmetric): Float64Array {
  const a = data.slice();
  const total = Math.sqrt(a.reduce((sum, x) => sum + x * x, 0));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = a[p * n + q];
        off = Math.max(off, Math.abs(apq));
        if (apq === 0) continue;
        const theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let k = 0; k < n; k++) {
          const [x, y] = [a[k * n + p], a[k * n + q]];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (let k = 0; k < n; k++) {
          const [x, y] = [a[p * n + k], a[q * n + k]];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
        }
      }
    if (off <= 1e-18 * total) break;
  }
  return Float64Array.from({ length: n }, (_, i) => a[i * n + i]).sort();
}
