/**
 * Deflation in the merge step of divide and conquer (Cuppen 1981; Dongarra and Sorensen 1987): which eigenpairs of
 * diag(d) + ρ z z' are those of diag(d) already, to rounding. Pairs with z_j ≈ 0 stay as they are; of two nearly equal
 * d_j, a plane rotation moves all of z onto one, and the other stays as it is.
 */

/** In which part of the torn matrix an eigenvector lives. */
export const inTop = 0;
export const inBoth = 1;
export const inBottom = 2;

export interface RankOneUpdate {
  /** Diagonal, changed where rotations mix two elements. */
  readonly d: Float64Array;
  /** Unit vector, changed by rotations. */
  readonly z: Float64Array;
  readonly rho: number;
  /** inTop, inBoth or inBottom for each index; changed where rotations mix parts. */
  readonly part: Uint8Array;
}

export interface Deflation {
  /** Indices that take part in the secular equation, d strictly ascending. */
  readonly kept: number[];
  /** Indices whose eigenpairs are final. */
  readonly deflated: number[];
}

/**
 * @param order the indices by ascending d
 * @param rotate applies (x, y) ← (c x + s y, c y - s x) to two eigenvectors
 */
export function deflate(
  update: RankOneUpdate,
  order: Int32Array,
  rotate: (first: number, second: number, c: number, s: number) => void,
): Deflation {
  const { d, z, rho, part } = update;
  const kept: number[] = [];
  const deflated: number[] = [];
  const tolerance = 4 * Number.EPSILON * Math.max(largest(d), rho * largest(z));
  let previous = -1;
  for (const index of order) {
    if (rho * Math.abs(z[index]) <= tolerance) {
      deflated.push(index);
      continue;
    }
    if (previous >= 0) {
      const length = Math.hypot(z[index], z[previous]);
      const c = z[index] / length;
      const s = -z[previous] / length;
      if (Math.abs((d[index] - d[previous]) * c * s) <= tolerance) {
        rotate(previous, index, c, s);
        z[index] = length;
        z[previous] = 0;
        const [low, high] = [d[previous], d[index]];
        d[previous] = low * c * c + high * s * s;
        d[index] = low * s * s + high * c * c;
        if (part[index] !== part[previous]) part[index] = inBoth;
        deflated.push(previous);
      } else kept.push(previous);
    }
    previous = index;
  }
  if (previous >= 0) kept.push(previous);
  return { kept, deflated };
}

/** One ascending order of d out of the ascending orders of two sets of indices. */
export function mergeOrders(d: Float64Array, first: ArrayLike<number>, second: ArrayLike<number>): Int32Array {
  const merged = new Int32Array(first.length + second.length);
  let i = 0;
  let j = 0;
  for (let at = 0; at < merged.length; at++) {
    const takeFirst = j === second.length || (i < first.length && d[first[i]] <= d[second[j]]);
    merged[at] = takeFirst ? first[i++] : second[j++];
  }
  return merged;
}

function largest(values: Float64Array): number {
  let size = 0;
  for (const value of values) size = Math.max(size, Math.abs(value));
  return size;
}
