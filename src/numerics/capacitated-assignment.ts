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
  const negligible = 1e-12 * range;
  const assigned = new Int32Array(n).fill(-1);
  const counts = new Int32Array(categories);
  const members: Set<number>[] = Array.from({ length: categories }, () => new Set());
  /** Entry (a, b): the cheapest move of a picture from category a to b, and the picture. */
  const moveCost = new Float64Array(categories * categories).fill(Number.POSITIVE_INFINITY);
  const mover = new Int32Array(categories * categories);

  /** Lets picture i of category a be the one that moves, where it is the cheapest. */
  const offer = (a: number, i: number) => {
    const [from, to] = [i * costs.stride, a * categories];
    const own = costs.data[from + a];
    for (let b = 0; b < categories; b++) {
      const cost = costs.data[from + b] - own;
      if (b === a || cost >= moveCost[to + b]) continue;
      moveCost[to + b] = cost;
      mover[to + b] = i;
    }
  };
  const refresh = (a: number) => {
    moveCost.fill(Number.POSITIVE_INFINITY, a * categories, (a + 1) * categories);
    for (const i of members[a]) offer(a, i);
  };

  const distance = new Float64Array(categories);
  const previous = new Int32Array(categories);
  /** Whether a distance has become shorter since moves from there were looked at. */
  const shortened = new Uint8Array(categories);
  for (let entering = 0; entering < n; entering++) {
    distance.set(costs.row(entering));
    previous.fill(-1);
    shortened.fill(1);
    // Bellman-Ford: moves may be worth a gain, but no cycle of them is while the assignment so far is optimal.
    for (let sweep = 0, changed = true; changed && sweep < categories; sweep++) {
      changed = false;
      for (let a = 0; a < categories; a++) {
        if (shortened[a] === 0) continue;
        shortened[a] = 0;
        for (let b = 0; b < categories; b++) {
          const through = distance[a] + moveCost[a * categories + b];
          if (through < distance[b] - negligible) {
            distance[b] = through;
            previous[b] = a;
            shortened[b] = 1;
            changed = true;
          }
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
    let newcomer = entering;
    const left = new Set<number>();
    for (let to = end; ; to = previous[to]) {
      const from = previous[to];
      const moved = from < 0 ? entering : mover[from * categories + to];
      if (from >= 0) members[from].delete(moved);
      members[to].add(moved);
      assigned[moved] = to;
      if (to === end) newcomer = moved;
      if (from < 0) break;
      left.add(from);
    }
    for (const category of left) refresh(category);
    // A category that nobody left has one more to offer.
    if (!left.has(end)) offer(end, newcomer);
  }
  return assigned;
}
