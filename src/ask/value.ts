/**
 * What a question is worth: how many more pictures of the folder will be right, on average, once it is answered. Knowing
 * what picture j shows puts j right, which it was with chance max p_j already; and it tells of pictures k that resemble
 * it, because mistakes are shared. With tie ρ_jk,
 *
 *   p(y_k | y_j = c) = (1 − ρ_jk) p_k + ρ_jk [y_k = c],
 *
 * so that the gain at k is Σ_c p_j(c) max p(y_k | y_j = c) − max Σ_c p_j(c) p(y_k | y_j = c). It is never negative, and 0
 * where no answer would change what is said of k: being unsure alone is worth nothing.
 */
import type { Matrix } from '../linalg/index.js';
import type { NearestPictures } from '../problem/index.js';

/** ρ of a picture and its nearest one; less for others in proportion to their cosine. */
export const strongestTie = 0.3;

export interface Beliefs {
  /** Chances of the candidates and, last, of none of them, n×(C + 1). */
  readonly chances: Matrix<Float64Array>;
  readonly neighbours: NearestPictures;
  /** 1 for pictures that were answered. */
  readonly answered: Uint8Array;
}

export interface Valued {
  readonly picture: number;
  /** Pictures that are right afterwards and were not before, on average. */
  readonly gain: number;
}

/** Neighbours in either direction, and ρ. */
export interface Ties {
  readonly of: readonly { readonly picture: number; readonly tie: number }[][];
}

export function tiesOf({ count, nearest, cosines }: NearestPictures, n: number, strongest = strongestTie): Ties {
  const of: Map<number, number>[] = Array.from({ length: n }, () => new Map());
  for (let j = 0; j < n; j++)
    for (let place = 0; place < count; place++) {
      const k = nearest[j * count + place];
      const first = Math.max(cosines[j * count], 1e-9);
      const tie = strongest * Math.max(0, Math.min(1, cosines[j * count + place] / first));
      of[j].set(k, Math.max(tie, of[j].get(k) ?? 0));
      of[k].set(j, Math.max(tie, of[k].get(j) ?? 0));
    }
  return { of: of.map((own) => [...own].map(([picture, tie]) => ({ picture, tie }))) };
}

/** What the answer about j is worth at k. */
export function gainAt(own: Float64Array, other: Float64Array, tie: number): number {
  let [stay, mixed, best] = [0, 0, 0];
  for (let c = 0; c < other.length; c++) stay = Math.max(stay, (1 - tie) * other[c]);
  for (let c = 0; c < other.length; c++) {
    const here = (1 - tie) * other[c] + tie;
    best += own[c] * Math.max(stay, here);
    mixed = Math.max(mixed, (1 - tie) * other[c] + tie * own[c]);
  }
  return Math.max(0, best - mixed);
}

/**
 * The most valuable pictures to ask about, one after another: what earlier ones of the list will have told about a picture
 * is not paid for twice.
 */
export function rankPictures({ chances, neighbours, answered }: Beliefs, wanted: number, ties?: Ties): Valued[] {
  const n = chances.rows;
  const { of } = ties ?? tiesOf(neighbours, n);
  const best = Float64Array.from({ length: n }, (_, j) => chances.row(j).reduce((most, p) => Math.max(most, p), 0));
  // What is still to be learnt of each picture.
  const open = Float64Array.from(answered, (said) => (said ? 0 : 1));
  const value = (j: number) => {
    let gain = open[j] * (1 - best[j]);
    for (const { picture: k, tie } of of[j])
      if (open[k] > 0) gain += open[k] * gainAt(chances.row(j), chances.row(k), tie);
    return gain;
  };
  const values = Float64Array.from({ length: n }, (_, j) => (answered[j] ? -1 : value(j)));
  const chosen: Valued[] = [];
  while (chosen.length < wanted) {
    let j = -1;
    for (let k = 0; k < n; k++) if (values[k] >= 0 && (j < 0 || values[k] > values[j])) j = k;
    if (j < 0) break;
    chosen.push({ picture: j, gain: values[j] });
    values[j] = -1;
    open[j] = 0;
    const touched = new Set<number>();
    for (const { picture: k, tie } of of[j]) {
      open[k] *= 1 - tie;
      touched.add(k);
      for (const { picture } of of[k]) touched.add(picture);
    }
    for (const k of touched) if (values[k] >= 0) values[k] = value(k);
  }
  return chosen;
}
