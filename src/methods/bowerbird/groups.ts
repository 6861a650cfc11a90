/**
 * Strangers that belong together: the most probable partition of the pictures that show no listed category under a
 * Dirichlet process whose categories are drawn from the same prior as all categories. Every picture starts as a group of
 * its own; one at a time moves to the group it fits best, or away from all, until none wants to move.
 */
import { Matrix } from '../../linalg/index.js';
import { rowDots, timesTransposed } from '../../numerics/index.js';
import { rowMaxima, rowsWhere, type StrangerGroups, selectRows, unlistedChance } from '../../problem/index.js';
import type { Placed } from './ground.js';
import type { BowerbirdSolver } from './solver.js';
import { axpy, distances } from './vectors.js';

/** Smaller groups are not worth a person's look. */
const leastMembers = 3;
const mostSweeps = 10;
/** More are not grouped: the likeliest strangers are. */
const mostPictures = 3000;

/** Groups numbered by size, largest first. */
export function groupStrangers(
  solver: BowerbirdSolver,
  pictures: Placed,
  unlisted: Float64Array,
  variance: number,
): StrangerGroups {
  const of = partition(solver, pictures, unlisted, variance);
  const count = of.reduce((most, group) => Math.max(most, group + 1), 0);
  const sums = Matrix.zeros(count, pictures.rows.cols);
  const members = new Float64Array(count);
  const grouped = rowsWhere(of.length, (j) => of[j] >= 0);
  const rows = selectRows(pictures.rows, grouped);
  grouped.forEach((j, place) => {
    axpy(sums.row(of[j]), 1, rows.row(place));
    members[of[j]]++;
  });
  for (let g = 0; g < count; g++) for (let k = 0; k < sums.cols; k++) sums.row(g)[k] /= members[g];
  const { backend, known } = solver.ground;
  const means = { rows: sums, squaredLengths: rowDots(backend, sums, sums) };
  const [listed, auxiliary] = [solver.means, known.means].map((other) => nearestRows(distances(backend, means, other)));
  return { of, nearest: Array.from(members, (_, g) => ({ listed: listed[g], auxiliary: auxiliary[g] })) };
}

function nearestRows(far: Matrix): Int32Array {
  for (let k = 0; k < far.data.length; k++) far.data[k] *= -1;
  return rowMaxima(far);
}

/** The group of each picture, −1 for pictures of no group. */
function partition(
  solver: BowerbirdSolver,
  { rows, squaredLengths }: Placed,
  unlisted: Float64Array,
  variance: number,
): Int32Array {
  const { backend, known, dimension: d } = solver.ground;
  const { sharpness } = solver.options;
  const chosen = [...unlisted.keys()]
    .filter((j) => unlisted[j] > unlistedChance)
    .sort((a, b) => unlisted[b] - unlisted[a])
    .slice(0, mostPictures)
    .sort((a, b) => a - b);
  const n = chosen.length;
  const result = new Int32Array(rows.rows).fill(-1);
  if (n < leastMembers) return result;
  const own = selectRows(rows, chosen).copy('float64');
  const products = timesTransposed(backend, own, own);
  // Each picture starts as a group: its number of members, the products of all pictures with their sum, the sum's square.
  const group = Int32Array.from({ length: n }, (_, i) => i);
  const members = new Float64Array(n).fill(1);
  const withSum = products.copy('float64');
  const squares = Float64Array.from(chosen, (j) => squaredLengths[j]);
  const density = (distance: number, spread: number) => (-sharpness * (distance / spread + d * Math.log(spread))) / 2;
  const fit = (i: number, g: number) => {
    // The group's mean is N(h, 1/precision) given its members.
    const precision = 1 / known.between + members[g] / variance;
    const factor = 1 / (precision * variance);
    const distance = squaredLengths[chosen[i]] + factor * (factor * squares[g] - 2 * withSum.at(g, i));
    return density(distance, variance + 1 / precision) + Math.log(members[g]);
  };
  const change = (i: number, g: number, by: number) => {
    squares[g] += by * 2 * withSum.at(g, i) + squaredLengths[chosen[i]];
    const [to, from] = [withSum.row(g), products.row(i)];
    for (let k = 0; k < n; k++) to[k] += by * from[k];
    members[g] += by;
  };
  for (let sweep = 0, moved = true; moved && sweep < mostSweeps; sweep++) {
    moved = false;
    for (let i = 0; i < n; i++) {
      const old = group[i];
      change(i, old, -1);
      let best = members[old] === 0 ? old : members.indexOf(0);
      let value = density(squaredLengths[chosen[i]], variance + known.between);
      for (let g = 0; g < n; g++) {
        if (members[g] === 0) continue;
        const here = fit(i, g);
        if (here > value) [best, value] = [g, here];
      }
      change(i, best, 1);
      group[i] = best;
      moved ||= best !== old;
    }
  }
  const order = [...members.keys()].filter((g) => members[g] >= leastMembers).sort((a, b) => members[b] - members[a]);
  const numbers = new Map(order.map((g, k) => [g, k]));
  for (let i = 0; i < n; i++) result[chosen[i]] = numbers.get(group[i]) ?? -1;
  return result;
}
