/**
 * Which pictures look alike: the k nearest of each by cosine, and the graph that joins them, edges in both directions,
 * weighted by the cosine and scaled by D^-½ W D^-½, so that pictures with many neighbours speak no louder than others.
 */
import type { Backend, Matrix, SparseMatrix } from '../../linalg/index.js';
import type { Placed } from './ground.js';
import { nearbyRows } from './nearby.js';

/** Pictures of which every pair is compared, by a processor; a GPU is done with more before it has found landmarks. */
const mostCompared = 50_000;

interface Lists {
  readonly count: number;
  readonly nearest: Int32Array;
  readonly cosines: Float64Array;
}

function roomForLists(n: number, wanted: number): Lists {
  const count = Math.max(0, Math.min(wanted, n - 1));
  return { count, nearest: new Int32Array(n * count), cosines: new Float64Array(n * count) };
}

/** Neighbours that other threads look for meanwhile. One of the two must be called. */
export interface BegunNeighbours {
  finish(): Neighbours;
  stop(): void;
}

export class Neighbours {
  readonly count: number;
  /** For each picture its nearest ones, nearest first, and their cosines: n×count, row after row. */
  readonly nearest: Int32Array;
  readonly cosines: Float64Array;
  /** Edges from each picture, both directions of a pair: those of picture i from starts[i] on. */
  readonly #starts: Int32Array;
  readonly #to: Int32Array;
  readonly #weights: Float64Array;
  readonly #backend: Backend;
  /** The graph with voices, for the voices that spoke last. */
  #spoken: { factor: number; voices: Float64Array; sparse: SparseMatrix } | undefined;
  #pairs: { voices: Float64Array; sparse: SparseMatrix } | undefined;

  /** Begins to look for them on other threads, where there are some. */
  static begin(backend: Backend, pictures: Placed, wanted: number): BegunNeighbours {
    const { rows, squaredLengths } = pictures;
    const lists = roomForLists(rows.rows, wanted);
    const many = rows.rows > mostCompared && backend.device !== 'cuda';
    const begun = many ? undefined : backend.beginNearest?.(lists.nearest, lists.cosines, rows, squaredLengths);
    if (!begun) return { finish: () => new Neighbours(backend, pictures, wanted), stop: () => {} };
    const finish = () => {
      begun.finish();
      return new Neighbours(backend, pictures, wanted, lists);
    };
    return { finish, stop: begun.stop };
  }

  /** @param found the lists, where they are there */
  constructor(backend: Backend, pictures: Placed, wanted: number, found?: Lists) {
    const n = pictures.rows.rows;
    this.#backend = backend;
    const { count, nearest, cosines } = found ?? roomForLists(n, wanted);
    this.count = count;
    this.nearest = nearest;
    this.cosines = cosines;
    if (!found && n > mostCompared && backend.device !== 'cuda') nearbyRows(backend, nearest, cosines, pictures);
    else if (!found) backend.nearestRows(nearest, cosines, pictures.rows, pictures.squaredLengths);
    ({ starts: this.#starts, to: this.#to, weights: this.#weights } = this.#join(n));
  }

  /** The graph: an edge has half the cosine from each end that counts the other among its nearest. */
  #join(n: number): { starts: Int32Array; to: Int32Array; weights: Float64Array } {
    const { nearest, cosines, count: k } = this;
    // Those that count a picture among theirs, in their order.
    const begins = new Int32Array(n + 1);
    for (const j of nearest) begins[j + 1]++;
    for (let i = 0; i < n; i++) begins[i + 1] += begins[i];
    const places = new Int32Array(nearest.length);
    const next = begins.slice();
    for (let place = 0; place < nearest.length; place++) places[next[nearest[place]]++] = place;
    const starts = new Int32Array(n + 1);
    const to = new Int32Array(2 * nearest.length);
    const weights = new Float64Array(2 * nearest.length);
    const degrees = new Float64Array(n);
    const own = new Int32Array(k);
    let edge = 0;
    for (let i = 0; i < n; i++) {
      // Few, and looked through for every picture: by insertion.
      for (let place = i * k; place < (i + 1) * k; place++) {
        let at = place - i * k;
        for (; at > 0 && nearest[own[at - 1]] > nearest[place]; at--) own[at] = own[at - 1];
        own[at] = place;
      }
      // Both lists are in the order of the other ends; a pair that is in both is one edge.
      for (let mine = 0, theirs = begins[i]; mine < k || theirs < begins[i + 1]; edge++) {
        const forth = mine < k ? nearest[own[mine]] : n;
        const back = theirs < begins[i + 1] ? Math.floor(places[theirs] / k) : n;
        let weight = 0;
        if (forth <= back) weight += Math.max(0, cosines[own[mine++]]) / 2;
        if (back <= forth) weight += Math.max(0, cosines[places[theirs++]]) / 2;
        to[edge] = Math.min(forth, back);
        weights[edge] = weight;
        degrees[i] += weight;
      }
      starts[i + 1] = edge;
    }
    for (let i = 0; i < n; i++)
      for (let e = starts[i]; e < starts[i + 1]; e++) weights[e] /= Math.sqrt(degrees[i] * degrees[to[e]]) || 1;
    return { starts, to: to.slice(0, edge), weights: weights.slice(0, edge) };
  }

  /** values ← values + factor · (sum of the neighbours' rows of `source`, weighted, each times its voice) */
  add(values: Matrix, factor: number, source: Matrix, voices: Float64Array): void {
    if (this.#spoken?.voices !== voices || this.#spoken.factor !== factor) {
      const [to, weights] = [this.#to, this.#weights];
      const spoken = new Float64Array(to.length);
      for (let e = 0; e < to.length; e++) spoken[e] = factor * weights[e] * voices[to[e]];
      this.#spoken = { factor, voices, sparse: { starts: this.#starts, columns: to, values: spoken } };
    }
    this.#backend.addSparse(values, this.#spoken.sparse, source);
  }

  /** Σ_jk W_jk v_j v_k (row j)·(row k), both directions counted, v the voices. */
  agreement(rows: Matrix, voices: Float64Array): number {
    if (this.#pairs?.voices !== voices) this.#pairs = { voices, sparse: this.#pairsOf(voices) };
    return this.#backend.sparseForm(this.#pairs.sparse, rows);
  }

  /** Each pair once, with twice its weight. */
  #pairsOf(voices: Float64Array): SparseMatrix {
    const [from, to] = [this.#starts, this.#to];
    const starts = new Int32Array(from.length);
    const columns = new Int32Array(to.length);
    const values = new Float64Array(to.length);
    let count = 0;
    for (let i = 0; i + 1 < from.length; i++) {
      for (let e = from[i]; e < from[i + 1]; e++) {
        if (to[e] < i) continue;
        columns[count] = to[e];
        values[count++] = 2 * this.#weights[e] * voices[i] * voices[to[e]];
      }
      starts[i + 1] = count;
    }
    return { starts, columns: columns.slice(0, count), values: values.slice(0, count) };
  }

  /** For each picture the mean of a value over its nearest ones. */
  means(values: Float64Array): Float64Array {
    const k = Math.max(1, this.count);
    return values.map((_, i) => {
      let sum = 0;
      for (let place = 0; place < this.count; place++) sum += values[this.nearest[i * this.count + place]];
      return sum / k;
    });
  }
}
