// Dense linear algebra on arrays of rows, as plainly as it can be written; the reference the product is compared with.
export type Rows = number[][];

export const zeros = (rows: number, cols: number): Rows =>
  Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
export const transpose = (a: Rows): Rows => (a.length === 0 ? [] : a[0].map((_, j) => a.map((row) => row[j])));
export const scale = (a: Rows, factor: number): Rows => a.map((row) => row.map((value) => factor * value));
export const add = (...terms: Rows[]): Rows =>
  terms[0].map((row, i) => row.map((_, j) => terms.reduce((sum, term) => sum + term[i][j], 0)));
export const subtract = (a: Rows, b: Rows): Rows => a.map((row, i) => row.map((value, j) => value - b[i][j]));
export const identity = (n: number): Rows => zeros(n, n).map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
/** Column i times factors[i]. */
export const scaleColumns = (a: Rows, factors: number[]): Rows =>
  a.map((row) => row.map((value, i) => value * factors[i]));
export const largest = (a: Rows): number => Math.max(0, ...a.flat().map(Math.abs));
export const inner = (a: Rows, b: Rows): number =>
  a.reduce((sum, row, i) => sum + row.reduce((part, value, j) => part + value * b[i][j], 0), 0);

export function multiply(a: Rows, b: Rows): Rows {
  const columns = b.length === 0 ? 0 : b[0].length;
  return a.map((row) => {
    const out = new Array<number>(columns).fill(0);
    row.forEach((value, k) => {
      for (let j = 0; j < columns; j++) out[j] += value * b[k][j];
    });
    return out;
  });
}

/** Solves A X = B by Gaussian elimination with partial pivoting. */
export function solve(a: Rows, b: Rows): Rows {
  const n = a.length;
  const work = a.map((row, i) => [...row, ...b[i]]);
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(work[i][k]) > Math.abs(work[pivot][k])) pivot = i;
    [work[k], work[pivot]] = [work[pivot], work[k]];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = work[i][k] / work[k][k];
      if (factor !== 0) for (let j = k; j < work[k].length; j++) work[i][j] -= factor * work[k][j];
    }
  }
  return work.map((row, i) => row.slice(n).map((value) => value / row[i]));
}

/** Eigenvalues and eigenvectors (columns) of a symmetric matrix by cyclic Jacobi rotations. */
export function jacobi(symmetric: Rows): { values: number[]; vectors: Rows } {
  const a = symmetric.map((row) => [...row]);
  const n = a.length;
  const v = identity(n);
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) off += a[p][q] ** 2;
    if (off < 1e-300) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (a[p][q] === 0) continue;
        const tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = Math.sign(tau || 1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
        const c = 1 / Math.sqrt(1 + t * t);
        const s = c * t;
        for (let k = 0; k < n; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
        for (let k = 0; k < n; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
        for (let k = 0; k < n; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
      }
  }
  return { values: a.map((row, i) => row[i]), vectors: v };
}

/** Pseudo-inverse of a symmetric positive semi-definite matrix. */
export function pseudoInverse(a: Rows, tolerance = 1e-12): Rows {
  const { values, vectors } = jacobi(a);
  const limit = tolerance * Math.max(...values);
  return multiply(
    scaleColumns(
      vectors,
      values.map((value) => (value > limit ? 1 / value : 0)),
    ),
    transpose(vectors),
  );
}
