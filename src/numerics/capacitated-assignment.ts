/**
 * Assignment of pictures to categories at least total cost, with bounds on how many a category takes:
 * min Σᵢ cost[i, a(i)] with least ≤ #{i: a(i) = c} ≤ most. Solved exactly by successive shortest paths (Ahuja, Magnanti
 * and Orlin, "Network flows", 1993): pictures enter one by one, and each pushes others on along the cheapest chain
 * of moves between categories. Chains run over categories only, so a picture costs a few sweeps over C² moves.
 */
import { ArgumentError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';

export interface CapacityOptions {
  /** @default 0 */
  least?: number;
  /** @default no bound */
  most?: number;
}

/** The category of every row of `costs`, n×C. */
export function assignWithinCapacity(
  costs: Matrix,
  { least = 0, most = Number.POSITIVE_INFINITY }: CapacityOptions = {},
): Int32Array {
  const [n, categories] = [costs.rows, costs.cols];
  if (!(least * categories <= n && most * categories >= n && least <= most))
    throw new ArgumentError(
      `assignWithinCapacity: ${n} pictures cannot fill ${categories} categories with ${least} to ${most} each`,
    );
  let range = 1;
  for (let i = 0; i < n; i++)
    for (const cost of costs.row(i)) {
      if (!Number.isFinite(cost)) throw new ArgumentError(`assignWithinCapacity: a cost of row ${i} is ${cost}`);
      range = Math.max(range, 2 * Math.abs(cost));
    }
  // Filling a category up to `least` is worth more than any chain of moves can cost.
  const bonus = least > 0 ? range * (categories + 1) : 0;
  const assigned = new Int32Array(n).fill(-1);
  const counts = new Int32Array(categories);
  const members: Set<number>[] = Array.from({ length: categories }, () => new Set());
  /** Entry (a, b): the cheapest move of a picture from category a to b, and the picture. */
  const moveCost = new Float64Array(categories * categories).fill(Number.POSITIVE_INFINITY);
  const mover = new Int32Array(categories * categories);

  const refresh = (a: number) => {
    moveCost.fill(Number.POSITIVE_INFINITY, a * categories, (a + 1) * categories);
    for (const i of members[a]) {
      const row = costs.row(i);
      for (let b = 0; b < categories; b++) {
        if (b === a || row[b] - row[a] >= moveCost[a * categories + b]) continue;
        moveCost[a * categories + b] = row[b] - row[a];
        mover[a * categories + b] = i;
      }
    }
  };

  const distance = new Float64Array(categories);
  const previous = new Int32Array(categories);
  for (let entering = 0; entering < n; entering++) {
    distance.set(costs.row(entering));
    previous.fill(-1);
    // Bellman-Ford: moves may be worth a gain, but no cycle of them is while the assignment so far is optimal.
    for (let sweep = 0, changed = true; changed && sweep < categories; sweep++) {
      changed = false;
      for (let a = 0; a < categories; a++)
        for (let b = 0; b < categories; b++) {
          const through = distance[a] + moveCost[a * categories + b];
          if (through < distance[b] - 1e-12 * range) {
            distance[b] = through;
            previous[b] = a;
            changed = true;
          }
        }
    }
    let end = -1;
    let cheapest = Number.POSITIVE_INFINITY;
    for (let c = 0; c < categories; c++) {
      if (counts[c] >= most) continue;
      const total = distance[c] - (counts[c] < least ? bonus : 0);
      if (total < cheapest) [end, cheapest] = [c, total];
    }
    counts[end]++;
    const touched = new Set([end]);
    for (let to = end; ; to = previous[to]) {
      const from = previous[to];
      const moved = from < 0 ? entering : mover[from * categories + to];
      if (from >= 0) members[from].delete(moved);
      members[to].add(moved);
      assigned[moved] = to;
      if (from < 0) break;
      touched.add(from);
    }
    for (const category of touched) refresh(category);
  }
  return assigned;
}
