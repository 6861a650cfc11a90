/** The whitened space in plain arrays: cosines are found by solving with S, without a square root of it. */
import type { Matrix } from '../../../src/linalg/matrix.js';
import type { Problem } from '../../../src/problem/problem.js';

const [power, shrinkage] = [0.75, 0.3];

export const mean = (points: number[][]) =>
  points[0].map((_, j) => points.reduce((s, p) => s + p[j], 0) / points.length);
export const less = (a: number[], b: number[]) => a.map((v, j) => v - b[j]);

/** With the default power and shrinkage of few-shot methods. */
export function plainSpace(problem: Problem) {
  const rows = (m: Matrix) =>
    Array.from({ length: m.rows }, (_, i) => {
      const row = Array.from(m.row(i), (v) => Math.sign(v) * Math.abs(v) ** power);
      const length = Math.hypot(...row);
      return row.map((v) => v / length);
    });
  const covariance = withinCovariance(rows(problem.auxiliaryFeatures), problem.auxiliaryLabels);
  const d = covariance.length;
  const kappa = (shrinkage * covariance.reduce((s, row, j) => s + row[j], 0)) / d;
  for (let j = 0; j < d; j++) covariance[j][j] += kappa;
  const inverse = invert(covariance);
  const dot = (a: number[], b: number[]) =>
    a.reduce((s, v, j) => s + v * inverse[j].reduce((t, w, k) => t + w * b[k], 0), 0);
  const unit = (point: number[]) => {
    const length = Math.sqrt(dot(point, point));
    return point.map((v) => v / length);
  };
  /** Less the mean of the pictures, or of others. */
  const centred = (m: Matrix, from: Matrix = m) => {
    const middle = mean(rows(from));
    return rows(m).map((point) => less(point, middle));
  };
  return { covariance, dot, unit, centred };
}

/** Σ (x − m)(x − m)' of the pictures about the means of their labels, over their number less that of the labels. */
export function withinCovariance(points: number[][], labels: ArrayLike<number>): number[][] {
  const d = points[0].length;
  const categories = [...new Set(Array.from(labels))];
  const scatter = Array.from({ length: d }, () => new Array<number>(d).fill(0));
  for (const c of categories) {
    const own = points.filter((_, i) => labels[i] === c);
    const middle = mean(own);
    for (const point of own) {
      const r = less(point, middle);
      for (let j = 0; j < d; j++)
        for (let k = 0; k < d; k++) scatter[j][k] += (r[j] * r[k]) / (points.length - categories.length);
    }
  }
  return scatter;
}

/** Gauss-Jordan. */
export function invert(matrix: number[][]): number[][] {
  const n = matrix.length;
  const work = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let i = 0; i < n; i++) {
    const pivot = work[i][i];
    work[i] = work[i].map((v) => v / pivot);
    for (let k = 0; k < n; k++) if (k !== i) work[k] = work[k].map((v, j) => v - work[k][i] * work[i][j]);
  }
  return work.map((row) => row.slice(n));
}
