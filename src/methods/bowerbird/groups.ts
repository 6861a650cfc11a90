/**
 * Strangers that belong together. Pictures that probably show no listed category are dealt out one after the other to
 * groups whose members they resemble, or open a group of their own: the most probable partition of a Dirichlet process
 * whose categories are drawn from the same prior as all categories, found by moving one picture at a time until none
 * wants to move.
 */
import { Matrix } from '../../linalg/matrix.js';
import type { Placed } from './ground.js';
import type { BowerbirdSolver } from './solver.js';

/** Chance from which a picture counts as a stranger. */
export const strangerChance = 0.5;
/** Smaller groups are not worth a person's look. */
const leastMembers = 3;
const mostSweeps = 10;

/** The group of each picture, numbered by size, largest first; −1 for pictures of no group. */
export function groupStrangers(
  solver: BowerbirdSolver,
  { rows, squaredLengths }: Placed,
  unlisted: Float64Array,
  variance: number,
): Int32Array {
  const { known, dimension: d } = solver.ground;
  const { sharpness } = solver.options;
  const chosen = [...unlisted.keys()].filter((j) => unlisted[j] >= strangerChance);
  const members: number[] = [];
  const sums: Float64Array[] = [];
  const group = new Int32Array(rows.rows).fill(-1);
  const fit = (j: number, g: number) => {
    // Posterior of the group's mean from its members: N(h, ν).
    const precision = 1 / known.between + (g < 0 ? 0 : members[g] / variance);
    const spread = variance + 1 / precision;
    let distance = squaredLengths[j];
    if (g >= 0) {
      const [sum, x] = [sums[g], rows.row(j)];
      const factor = 1 / (precision * variance);
      let [product, squares] = [0, 0];
      for (let k = 0; k < d; k++) {
        product += x[k] * sum[k];
        squares += sum[k] * sum[k];
      }
      distance += factor * factor * squares - 2 * factor * product;
    }
    const density = (-sharpness * (distance / spread + d * Math.log(spread))) / 2;
    return density + (g < 0 ? 0 : Math.log(members[g]));
  };
  const change = (j: number, g: number, by: number) => {
    const x = rows.row(j);
    for (let k = 0; k < d; k++) sums[g][k] += by * x[k];
    members[g] += by;
  };
  for (let sweep = 0, moved = true; moved && sweep < mostSweeps; sweep++) {
    moved = false;
    for (const j of chosen) {
      const old = group[j];
      if (old >= 0) change(j, old, -1);
      let [best, value] = [-1, fit(j, -1)];
      for (let g = 0; g < members.length; g++) {
        if (members[g] === 0) continue;
        const here = fit(j, g);
        if (here > value) [best, value] = [g, here];
      }
      if (best < 0) {
        best = old >= 0 && members[old] === 0 ? old : members.length;
        if (best === members.length) {
          members.push(0);
          sums.push(new Float64Array(d));
        }
      }
      change(j, best, 1);
      group[j] = best;
      moved ||= best !== old;
    }
  }
  const order = [...members.keys()].filter((g) => members[g] >= leastMembers).sort((a, b) => members[b] - members[a]);
  const number = new Map(order.map((g, k) => [g, k]));
  return group.map((g) => number.get(g) ?? -1);
}

/** The mean look of each group, G×d. */
export function groupMeans({ rows }: Placed, groups: Int32Array): Matrix<Float64Array> {
  const count = groups.reduce((most, g) => Math.max(most, g + 1), 0);
  const means = Matrix.zeros(count, rows.cols);
  const members = new Float64Array(count);
  for (let j = 0; j < groups.length; j++) {
    if (groups[j] < 0) continue;
    const [to, from] = [means.row(groups[j]), rows.row(j)];
    for (let k = 0; k < to.length; k++) to[k] += from[k];
    members[groups[j]]++;
  }
  for (let g = 0; g < count; g++) {
    const row = means.row(g);
    for (let k = 0; k < row.length; k++) row[k] /= members[g];
  }
  return means;
}
