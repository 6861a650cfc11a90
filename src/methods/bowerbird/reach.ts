/**
 * How easily one comes from a picture to what is listed. A walk goes from look-alike to look-alike, among the pictures of the
 * folder and the web pictures that are trusted most, and ends at one of these or is given up on the way:
 *
 *   h_j = α (Σ_i w_ji θ_i + Σ_k w_jk h_k),   w ∝ cosine³,
 *
 * over the nearest of picture j, web pictures i and pictures k of the folder. Strangers lie among strangers, even where their
 * distances are those of listed pictures. The more pictures a folder has beside web pictures, the longer all walks are: so what
 * is told is how much harder one comes from a picture than from those that it is easiest to come from.
 */
import { type Dtype, Matrix } from '../../linalg/index.js';
import { roomOn, rowsOn } from '../../numerics/index.js';
import { type Placed, withLengths } from './ground.js';
import type { Neighbours } from './neighbours.js';
import type { BowerbirdSolver } from './solver.js';

/** Web pictures of each category where a walk can end: as many as make a thousand, and the most of all categories together, but for one of each. */
const [fewestEnds, mostEnds] = [5, 10];
const enoughEnds = 1000;
const allEnds = 20_000;
/** α: the chance to go on. */
const goesOn = 0.8;
/** After so many steps hardly a walk still goes on. */
const steps = 20;
/** What a picture of which no walk ends is taken to reach. */
const least = 1e-3;
/** The part of the folder from which one comes less easily than from the rest. */
const easy = 0.9;

/** log h of each picture of a folder less its ninth decile. */
export function reachOf(
  solver: BowerbirdSolver,
  { rows, squaredLengths }: Placed,
  neighbours: Neighbours,
): Float64Array {
  const { backend } = solver.ground;
  const n = rows.rows;
  const k = neighbours.count;
  const { chosen, trust } = mostTrusted(solver);
  const count = Math.min(k, chosen.length);
  if (count === 0) return new Float64Array(n);
  const among = webThere(solver, chosen, rows.dtype);
  const [nearest, cosines] = [new Int32Array(n * count), new Float64Array(n * count)];
  backend.nearestRows(nearest, cosines, rows, squaredLengths, among);
  backend.release(among.rows);
  // The k nearest of both kinds: what of a walk ends here, and with what part it goes on to which neighbours.
  const ended = new Float64Array(n);
  const parts = new Float64Array(n * k);
  for (let j = 0; j < n; j++) {
    let [web, own, total] = [0, 0, 0];
    while (web + own < k) {
      const [toWeb, toOwn] = [j * count + web, j * k + own];
      const endsHere = web < count && cosines[toWeb] > neighbours.cosines[toOwn];
      const cosine = Math.max(0, endsHere ? cosines[toWeb] : neighbours.cosines[toOwn]);
      const weight = cosine * cosine * cosine;
      total += weight;
      if (endsHere) ended[j] += weight * trust[nearest[toWeb]];
      else parts[toOwn] = weight;
      if (endsHere) web++;
      else own++;
    }
    if (total === 0) continue;
    ended[j] /= total;
    for (let place = j * k; place < (j + 1) * k; place++) parts[place] /= total;
  }
  const reached = walked(ended, parts, neighbours).map((share) => Math.log(share + least));
  const usual = reached.slice().sort()[Math.floor(easy * (n - 1))];
  return reached.map((value) => value - usual);
}

function walked(ended: Float64Array, parts: Float64Array, { nearest, count }: Neighbours): Float64Array {
  let share = new Float64Array(ended.length);
  for (let step = 0; step < steps; step++) {
    const next = new Float64Array(ended.length);
    for (let j = 0; j < next.length; j++) {
      let sum = ended[j];
      for (let place = j * count; place < (j + 1) * count; place++) sum += parts[place] * share[nearest[place]];
      next[j] = goesOn * sum;
    }
    share = next;
  }
  return share;
}

export function endsOfEach(categories: number): number {
  const wanted = Math.min(mostEnds, Math.max(fewestEnds, Math.floor(enoughEnds / categories)));
  return Math.max(1, Math.min(wanted, Math.floor(allEnds / categories)));
}

/** Those of each category, of equally trusted ones the first, in the order of the web pictures, and their trust. */
function mostTrusted({ ground: { webStarts }, trust }: BowerbirdSolver): { chosen: Int32Array; trust: Float64Array } {
  const chosen: number[] = [];
  const count = endsOfEach(webStarts.length - 1);
  for (let c = 0; c + 1 < webStarts.length; c++) {
    const rows = Array.from({ length: webStarts[c + 1] - webStarts[c] }, (_, i) => webStarts[c] + i);
    rows.sort((a, b) => trust[b] - trust[a] || a - b);
    chosen.push(...rows.slice(0, count).sort((a, b) => a - b));
  }
  return { chosen: Int32Array.from(chosen), trust: Float64Array.from(chosen, (row) => trust[row]) };
}

/** Web pictures without the shift of their kind, where the backend computes. */
function webThere(
  { ground: { backend, web }, webShift }: BowerbirdSolver,
  chosen: Int32Array,
  dtype: Dtype,
): Placed<Matrix> {
  const rows = roomOn(backend, chosen.length, web.rows.cols, dtype);
  backend.copy(rows, rowsOn(backend, web.rows, chosen));
  const one = Matrix.zeros(chosen.length, 1, dtype).fill(1);
  const shift = Matrix.from([webShift], dtype);
  backend.gemm(rows, one, shift, { alpha: -1, beta: 1 });
  return withLengths(backend, rows);
}
