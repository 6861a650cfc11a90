/**
 * Finds all hashes within a Hamming distance r without comparing every pair: the 64 bits are cut into four parts of 16,
 * and two hashes at distance ≤ r agree up to ⌊r/4⌋ bits in at least one part (pigeonhole), so only the table entries
 * near each part need to be looked at (multi-index hashing, Norouzi, Punjani and Fleet, 2012).
 */
import { ArgumentError } from '../../errors.js';

const parts = 4;
const partBits = 16;
const tableSize = 1 << partBits;

export class HammingIndex {
  readonly count: number;
  /** The four 16-bit parts of every hash, one after another. */
  readonly #hashes: Uint16Array;
  /** For each part, entries of equal value lie together: `items[starts[v]] … items[starts[v + 1] - 1]`. */
  readonly #starts: Int32Array[] = [];
  readonly #items: Int32Array[] = [];
  /** Marks the query that saw an entry last, so that no entry is reported twice. */
  readonly #seen: Int32Array;
  #query = 0;

  /** @param hashes 16 hexadecimal digits each */
  constructor(hashes: readonly string[]) {
    this.count = hashes.length;
    this.#hashes = new Uint16Array(hashes.length * parts);
    this.#seen = new Int32Array(hashes.length);
    for (const [i, hash] of hashes.entries()) {
      this.#hashes.set(partsOf(hash), i * parts);
    }
    for (let part = 0; part < parts; part++) this.#build(part);
  }

  /** Entries at most `radius` bits from a hash, in no particular order. */
  near(hash: string, radius: number): { index: number; distance: number }[] {
    const found: { index: number; distance: number }[] = [];
    const own = partsOf(hash);
    const masks = masksWithin(Math.floor(radius / parts));
    const query = ++this.#query;
    for (let part = 0; part < parts; part++) {
      const starts = this.#starts[part];
      const items = this.#items[part];
      for (let m = 0; m < masks.length; m++) {
        const value = own[part] ^ masks[m];
        for (let at = starts[value]; at < starts[value + 1]; at++) {
          const index = items[at];
          if (this.#seen[index] === query) continue;
          this.#seen[index] = query;
          const distance = this.#distance(own, index);
          if (distance <= radius) found.push({ index, distance });
        }
      }
    }
    return found;
  }

  #distance(own: Uint16Array, index: number): number {
    let sum = 0;
    for (let part = 0; part < parts; part++) sum += bitCounts[own[part] ^ this.#hashes[index * parts + part]];
    return sum;
  }

  #build(part: number): void {
    const starts = new Int32Array(tableSize + 1);
    for (let i = 0; i < this.count; i++) starts[this.#hashes[i * parts + part] + 1]++;
    for (let value = 0; value < tableSize; value++) starts[value + 1] += starts[value];
    const next = starts.slice();
    const items = new Int32Array(this.count);
    for (let i = 0; i < this.count; i++) items[next[this.#hashes[i * parts + part]]++] = i;
    this.#starts.push(starts);
    this.#items.push(items);
  }
}

function partsOf(hash: string): Uint16Array {
  if (!/^[0-9a-f]{16}$/.test(hash)) throw new ArgumentError(`"${hash}" is not a hash of 16 hexadecimal digits`);
  return Uint16Array.from({ length: parts }, (_, part) => Number.parseInt(hash.slice(part * 4, part * 4 + 4), 16));
}

const bitCounts = Uint8Array.from({ length: tableSize }, (_, value) => {
  let count = 0;
  for (let rest = value; rest > 0; rest &= rest - 1) count++;
  return count;
});

const masksByBits = new Map<number, Int32Array>();

/** All 16-bit words with at most `bits` bits set. */
function masksWithin(bits: number): Int32Array {
  let result = masksByBits.get(bits);
  if (!result) {
    result = Int32Array.from({ length: tableSize }, (_, value) => value).filter((value) => bitCounts[value] <= bits);
    masksByBits.set(bits, result);
  }
  return result;
}
