/**
 * Seeded random numbers from the counter-based generator Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011). Block i of a stream is philox((i, stream), key), a pure function, so
 * streams never overlap and a run that was interrupted continues to the bit from a few integers.
 */
import { ArgumentError } from '../errors.js';

/** Everything that decides the numbers to come; survives JSON. */
export interface RandomState {
  /** The 64-bit key as two 32-bit words. */
  key: [number, number];
  /** The 64-bit stream number as two 32-bit words, low first. */
  stream: [number, number];
  /** Number of the next block as two 32-bit words, low first. */
  block: [number, number];
  /** How many of the four words of the block before that one are still to be handed out. */
  remaining: number;
  /** The second number of the last Box-Muller pair, if it has not been handed out. */
  spareNormal: number | null;
}

const TWO_32 = 2 ** 32;
const TWO_53 = 2 ** 53;
const LARGEST_INT32 = 2 ** 31 - 1;
/** Separates the keys that `fork` derives from blocks that a stream hands out (the first 32 fraction bits of √3). */
const FORK_KEY = 0xbb67ae85;

/** The upper 32 bits of the product of two unsigned 32-bit integers. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16);
  const cross = Math.imul(aLow, bHigh) + (middle & 0xffff);
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (cross >>> 16)) | 0;
}

/** The Philox4x32-10 bijection: ten rounds of the four-word `counter` under the two-word `key`, into `out`. */
export function philox4x32(out: Uint32Array, counter: ArrayLike<number>, key: ArrayLike<number>): void {
  let c0 = counter[0] | 0;
  let c1 = counter[1] | 0;
  let c2 = counter[2] | 0;
  let c3 = counter[3] | 0;
  let k0 = key[0] | 0;
  let k1 = key[1] | 0;
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(0xd2511f53, c0);
    const high1 = multiplyHigh(0xcd9e8d57, c2);
    const low0 = Math.imul(0xd2511f53, c0);
    const low1 = Math.imul(0xcd9e8d57, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/**
 * A stream of random numbers.
 *
 * @example
 * const random = new Random(7);
 * const order = random.permutation(10);
 * const noise = random.fork(1).normalArray(100); // does not disturb `random`
 */
export class Random {
  readonly #key = new Uint32Array(2);
  /** Words 0 and 1: the number of the next block; words 2 and 3: the stream. */
  readonly #counter = new Uint32Array(4);
  readonly #block = new Uint32Array(4);
  #remaining = 0;
  #spareNormal: number | null = null;

  /** @param seed,stream integers from 0 to 2⁵³ − 1; different pairs give independent numbers */
  constructor(seed: number, stream = 0) {
    requireInteger('Random', 'seed', seed, 0, Number.MAX_SAFE_INTEGER);
    requireInteger('Random', 'stream', stream, 0, Number.MAX_SAFE_INTEGER);
    this.#key[0] = seed % TWO_32;
    this.#key[1] = Math.floor(seed / TWO_32);
    this.#counter[2] = stream % TWO_32;
    this.#counter[3] = Math.floor(stream / TWO_32);
  }

  /** An integer in [0, 2³²). */
  uint32(): number {
    if (this.#remaining === 0) {
      philox4x32(this.#block, this.#counter, this.#key);
      this.#counter[0]++;
      if (this.#counter[0] === 0) this.#counter[1]++;
      this.#remaining = 4;
    }
    return this.#block[4 - this.#remaining--];
  }

  /** A multiple of 2⁻⁵³ in [0, 1). */
  uniform(): number {
    return this.#bits53() / TWO_53;
  }

  uniformArray(n: number): Float64Array {
    const values = new Float64Array(requireInteger('Random.uniformArray', 'n', n, 0, LARGEST_INT32));
    for (let i = 0; i < n; i++) values[i] = this.uniform();
    return values;
  }

  /** A standard normal number (Box and Muller 1958: √(−2 ln u) (cos, sin)(2πv)). */
  normal(): number {
    if (this.#spareNormal !== null) {
      const spare = this.#spareNormal;
      this.#spareNormal = null;
      return spare;
    }
    // 1 − u lies in (0, 1]; adding 0 turns −0 into 0, which JSON would not keep.
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.#spareNormal = radius * Math.sin(angle) + 0;
    return radius * Math.cos(angle) + 0;
  }

  normalArray(n: number): Float64Array {
    const values = new Float64Array(requireInteger('Random.normalArray', 'n', n, 0, LARGEST_INT32));
    for (let i = 0; i < n; i++) values[i] = this.normal();
    return values;
  }

  /** An integer in [0, bound), all equally likely: draws beyond the largest multiple of `bound` are rejected. */
  integer(bound: number): number {
    requireInteger('Random.integer', 'bound', bound, 1, TWO_53);
    if (bound <= TWO_32) {
      const limit = TWO_32 - (TWO_32 % bound);
      for (;;) {
        const draw = this.uint32();
        if (draw < limit) return draw % bound;
      }
    }
    const limit = TWO_53 - (TWO_53 % bound);
    for (;;) {
      const draw = this.#bits53();
      if (draw < limit) return draw % bound;
    }
  }

  /** The integers 0 … n − 1 in random order. */
  permutation(n: number): Int32Array {
    requireInteger('Random.permutation', 'n', n, 0, LARGEST_INT32);
    return this.choice(n, n);
  }

  /**
   * `k` different integers out of 0 … n − 1, in random order: the first k steps of a Fisher-Yates shuffle. Memory is
   * O(k) where k is much smaller than n; the answer does not depend on which form of the shuffle is used.
   */
  choice(n: number, k: number): Int32Array {
    requireInteger('Random.choice', 'n', n, 0, LARGEST_INT32);
    requireInteger('Random.choice', 'k', k, 0, n);
    return k > n / 16 ? this.#denseChoice(n, k) : this.#sparseChoice(n, k);
  }

  /** An independent stream that depends on this one's seed and stream, not on how much of it has been used. */
  fork(stream: number): Random {
    requireInteger('Random.fork', 'stream', stream, 0, Number.MAX_SAFE_INTEGER);
    const child = new Random(0);
    const [parentLow, parentHigh] = [this.#counter[2], this.#counter[3]];
    const derived = new Uint32Array(4);
    philox4x32(
      derived,
      [stream % TWO_32, Math.floor(stream / TWO_32), parentLow, parentHigh],
      [this.#key[0] ^ FORK_KEY, ~this.#key[1]],
    );
    child.#key[0] = derived[0];
    child.#key[1] = derived[1];
    child.#counter[2] = derived[2];
    child.#counter[3] = derived[3];
    return child;
  }

  /** A snapshot from which `Random.restore` continues with the same numbers. */
  get state(): RandomState {
    return {
      key: [this.#key[0], this.#key[1]],
      stream: [this.#counter[2], this.#counter[3]],
      block: [this.#counter[0], this.#counter[1]],
      remaining: this.#remaining,
      spareNormal: this.#spareNormal,
    };
  }

  static restore(state: RandomState): Random {
    const words = [state?.key, state?.stream, state?.block];
    const wordPairs = words.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isUint32));
    const { remaining, spareNormal } = state ?? {};
    if (!wordPairs || ![0, 1, 2, 3].includes(remaining) || (spareNormal !== null && !Number.isFinite(spareNormal)))
      throw new ArgumentError(
        `Random.restore: ${JSON.stringify(state)} is not a state of a random stream`,
        'Pass the object that the `state` property of a Random gave.',
      );
    const random = new Random(0);
    random.#key.set(state.key);
    random.#counter.set([...state.block, ...state.stream]);
    if (remaining > 0) {
      const [low, high] = state.block;
      const before = [low - 1, low === 0 ? high - 1 : high, ...state.stream];
      philox4x32(random.#block, before, random.#key);
    }
    random.#remaining = remaining;
    random.#spareNormal = spareNormal;
    return random;
  }

  #bits53(): number {
    const high = this.uint32() >>> 5;
    const low = this.uint32() >>> 6;
    return high * 2 ** 26 + low;
  }

  #denseChoice(n: number, k: number): Int32Array {
    const items = new Int32Array(n);
    for (let i = 0; i < n; i++) items[i] = i;
    for (let i = 0; i < k; i++) {
      const j = i + this.integer(n - i);
      const chosen = items[j];
      items[j] = items[i];
      items[i] = chosen;
    }
    return k === n ? items : items.slice(0, k);
  }

  #sparseChoice(n: number, k: number): Int32Array {
    /** Where the shuffled array differs from 0 … n − 1. */
    const moved = new Map<number, number>();
    const chosen = new Int32Array(k);
    for (let i = 0; i < k; i++) {
      const j = i + this.integer(n - i);
      chosen[i] = moved.get(j) ?? j;
      moved.set(j, moved.get(i) ?? i);
      moved.delete(i);
    }
    return chosen;
  }
}

function requireInteger(where: string, name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new ArgumentError(`${where}: ${name} is ${value}, expected an integer from ${least} to ${most}`);
  return value;
}

function isUint32(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < TWO_32;
}
