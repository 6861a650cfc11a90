/**
 * Latent domains of web pictures (Gong, Grauman and Sha, "Reshaping visual datasets for domain adaptation", NIPS 2013): M
 * groups as different from each other as can be, max Σ_{m < m'} ‖μ_m − μ_m'‖² (the maximum mean discrepancy under a
 * linear kernel), while every category is spread evenly over them, so that groups differ in style, not in what they
 * show. The objective is convex in the memberships; each step linearizes it and, two groups at a time, hands every
 * category's pictures to the group where they gain most, which never lowers it. Starts from slices along the main
 * direction within categories; stops when nothing moves.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { centred, columnMeans, contentOrder, Scratch } from '../../numerics/index.js';

/** The domain of each row, given the rows of each category. */
export function latentDomains(
  backend: Backend,
  features: Matrix,
  categories: readonly (readonly number[])[],
  domains: number,
): Int32Array {
  const assignments = new Int32Array(features.rows);
  if (domains === 1) return assignments;
  const scratch = new Scratch(backend);
  try {
    const x = scratch.copy(centred(features, columnMeans(features)));
    const groups = inContentOrder(x, categories);
    const direction = mainDirection(backend, x, groups);
    const values = new Float64Array(x.rows);
    backend.gemv(values, x, direction);
    for (const rows of groups) {
      const sorted = sortedBy(rows, values);
      sorted.forEach((row, place) => {
        assignments[row] = Math.floor((place * domains) / sorted.length);
      });
    }
    for (let step = 0; step < 50; step++) {
      let moved = 0;
      for (let a = 0; a < domains; a++)
        for (let b = a + 1; b < domains; b++) {
          backend.gemv(values, x, gainDirection(x, assignments, domains, a, b));
          for (const rows of groups) moved += exchange(rows, assignments, values, a, b);
        }
      if (moved === 0) break;
    }
    return assignments;
  } finally {
    scratch.release();
  }
}

/** Gives the pictures of one category that lie in a or b to the two again, the highest values to a. */
function exchange(
  rows: readonly number[],
  assignments: Int32Array,
  values: Float64Array,
  a: number,
  b: number,
): number {
  const members = rows.filter((row) => assignments[row] === a || assignments[row] === b);
  const room = members.filter((row) => assignments[row] === a).length;
  let moved = 0;
  sortedBy(members, values).forEach((row, place) => {
    // Sorted ascending, so the last ones go to a.
    const domain = place >= members.length - room ? a : b;
    if (assignments[row] !== domain) moved++;
    assignments[row] = domain;
  });
  return moved;
}

/** What a picture gains, per unit of its features, by moving from b to a. */
function gainDirection(x: Matrix, assignments: Int32Array, domains: number, a: number, b: number): Float64Array {
  const means = domainMeans(x, assignments, domains);
  const direction = new Float64Array(x.cols);
  for (let j = 0; j < direction.length; j++) {
    let total = 0;
    for (const { mean } of means) total += mean[j];
    direction[j] =
      (domains * means[a].mean[j] - total) / means[a].count - (domains * means[b].mean[j] - total) / means[b].count;
  }
  return direction;
}

function domainMeans(x: Matrix, assignments: Int32Array, domains: number) {
  const result = Array.from({ length: domains }, () => ({ mean: new Float64Array(x.cols), count: 0 }));
  for (let i = 0; i < x.rows; i++) {
    const domain = result[assignments[i]];
    const row = x.row(i);
    domain.count++;
    for (let j = 0; j < row.length; j++) domain.mean[j] += row[j];
  }
  // A domain without pictures (more domains than pictures of any category) stays at the origin.
  for (const domain of result) {
    domain.count = Math.max(1, domain.count);
    for (let j = 0; j < domain.mean.length; j++) domain.mean[j] /= domain.count;
  }
  return result;
}

/** The direction of largest variance within categories, by power iteration from a fixed start. */
function mainDirection(backend: Backend, x: Matrix<Float64Array>, groups: readonly number[][]): Float64Array {
  const within = x.copy('float64');
  for (const rows of groups) {
    const mean = new Float64Array(x.cols);
    for (const row of rows) for (let j = 0; j < mean.length; j++) mean[j] += x.at(row, j) / rows.length;
    for (const row of rows) for (let j = 0; j < mean.length; j++) within.row(row)[j] -= mean[j];
  }
  let direction = Float64Array.from({ length: x.cols }, (_, j) => 1 + 0.1 * Math.cos(j));
  const image = new Float64Array(x.rows);
  for (let k = 0; k < 30; k++) {
    backend.gemv(image, within, direction);
    const next = new Float64Array(x.cols);
    backend.gemv(next, within, image, { transpose: true });
    const length = Math.sqrt(next.reduce((sum, value) => sum + value * value, 0));
    if (!(length > 0)) break;
    direction = next.map((value) => value / length);
  }
  return direction;
}

function inContentOrder(x: Matrix, categories: readonly (readonly number[])[]): number[][] {
  const rank = new Int32Array(x.rows);
  contentOrder(x).forEach((row, place) => {
    rank[row] = place;
  });
  return categories.map((rows) => [...rows].sort((a, b) => rank[a] - rank[b]));
}

function sortedBy(rows: readonly number[], values: Float64Array): number[] {
  return [...rows].sort((a, b) => values[a] - values[b]);
}
