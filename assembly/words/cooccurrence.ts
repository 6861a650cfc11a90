// Co-occurrence counts X_ij = Σ 1/distance over the pairs of words within a window, in a hash table of fixed size (open
// addressing, linear probing). Only i ≤ j is kept since X is symmetric. The host writes a full table out in partitions
// and goes on with an empty one; records of one partition are later merged through the same table.

const EMPTY: u64 = 0xffffffffffffffff;

/** Slots of 16 bytes: key (i << 32 | j), sum. Their number is 2^bits. */
let slots: usize = 0;
let bits: u32 = 0;
let capacity: u32 = 0;
let used: u32 = 0;
/** More filled slots than this make probing slow. */
let limit: u32 = 0;

export function configureTable(at: usize, slotBits: u32): void {
  slots = at;
  bits = slotBits;
  capacity = 1 << slotBits;
  limit = <u32>((<u64>capacity * 3) >> 2);
  clearTable();
}

export function clearTable(): void {
  memory.fill(slots, 0xff, <usize>capacity << 4);
  used = 0;
}

export function tableUsed(): u32 {
  return used;
}

// @ts-ignore: decorator
@inline
function hash(key: u64): u64 {
  let z = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 32);
}

// @ts-ignore: decorator
@inline
function add(key: u64, mixed: u64, amount: f64): void {
  // Partitions are told apart by the low bits, slots by the high ones.
  let slot = <u32>(mixed >> (64 - <u64>bits));
  for (;;) {
    const at = slots + (<usize>slot << 4);
    const found = load<u64>(at);
    if (found === key) {
      store<f64>(at, load<f64>(at, 8) + amount, 8);
      return;
    }
    if (found === EMPTY) {
      store<u64>(at, key);
      store<f64>(at, amount, 8);
      used++;
      return;
    }
    slot = (slot + 1) & (capacity - 1);
  }
}

/**
 * Counts the pairs of tokens[from … to) with the tokens before them (−1 ends a paragraph). Stops before a token for
 * which the table may be too full; returns where.
 */
export function countPairs(tokens: usize, from: i32, to: i32, window: i32): i32 {
  for (let at = from; at < to; at++) {
    if (used + <u32>window > limit) return at;
    const word = load<i32>(tokens + (<usize>at << 2));
    if (word < 0) continue;
    const reach = min(window, at);
    for (let distance = 1; distance <= reach; distance++) {
      const other = load<i32>(tokens + (<usize>(at - distance) << 2));
      if (other < 0) break;
      const key = (<u64>min(word, other) << 32) | <u64>max(word, other);
      // A word beside itself is counted from both sides.
      add(key, hash(key), (word === other ? 2.0 : 1.0) / <f64>distance);
    }
  }
  return to;
}

/**
 * Adds the records (key, sum) whose hash falls into part `part` of `parts`. Stops before a record for which the table is
 * too full; returns how many were looked at.
 */
export function mergeRecords(records: usize, count: i32, partitionBits: u32, part: u32, parts: u32): i32 {
  for (let k = 0; k < count; k++) {
    const at = records + (<usize>k << 4);
    const key = load<u64>(at);
    const mixed = hash(key);
    if (parts > 1 && (<u32>(mixed >> <u64>partitionBits) & 0xffff) % parts !== part) continue;
    if (used >= limit) return k;
    add(key, mixed, load<f64>(at, 8));
  }
  return count;
}

/**
 * Writes the records of the table to `out`, ordered by partition (the low `partitionBits` of the hash), and where each
 * partition begins to `starts` (2^partitionBits + 1 numbers).
 */
export function partitionTable(out: usize, starts: usize, partitionBits: u32): void {
  const partitions = 1 << partitionBits;
  const mask = <u64>(partitions - 1);
  memory.fill(starts, 0, <usize>(partitions + 1) << 2);
  const end = slots + (<usize>capacity << 4);
  for (let at = slots; at < end; at += 16) {
    const key = load<u64>(at);
    if (key === EMPTY) continue;
    const counter = starts + ((<usize>(hash(key) & mask) + 1) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
  for (let p = 0; p < partitions; p++) {
    const counter = starts + (<usize>p << 2);
    store<u32>(counter, load<u32>(counter) + load<u32>(counter, 4), 4);
  }
  // Filling moves each start to its end, which is where the next partition begins; shifted back afterwards.
  for (let at = slots; at < end; at += 16) {
    const key = load<u64>(at);
    if (key === EMPTY) continue;
    const counter = starts + (<usize>(hash(key) & mask) << 2);
    const place = load<u32>(counter);
    store<u32>(counter, place + 1);
    const record = out + (<usize>place << 4);
    store<u64>(record, key);
    store<f64>(record, load<f64>(at, 8), 8);
  }
  for (let p = partitions; p > 0; p--) store<u32>(starts + (<usize>p << 2), load<u32>(starts + (<usize>(p - 1) << 2)));
  store<u32>(starts, 0);
}
