/** The out-of-core counting of one thread: count into a table, spill it in partitions, merge a partition, shuffle. */
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { InterruptedError } from '../../errors.js';
import { fileError } from '../../formats/index.js';
import { Random } from '../../linalg/index.js';
import { ChunkFile } from './chunk-file.js';
import {
  type CountJob,
  type CountResult,
  chunkTokens,
  type MergeJob,
  type MergeResult,
  partitionBits,
  type ShuffleJob,
} from './jobs.js';
import type { Kernels } from './kernels.js';

const bucketBufferRecords = 4096;
/** Different pairs a table may be asked to hold, below the three quarters at which the kernel refuses more. */
const fullest = 0.7;

export function countPairs(kernels: Kernels, memory: WebAssembly.Memory, job: CountJob): CountResult {
  const { table, window } = job;
  const pause = new Int32Array(memory.buffer, job.pause, 1);
  const done = new Float64Array(memory.buffer, table.done, 1);
  const file = new ChunkFile(job.tokensPath, 4, new Uint8Array(memory.buffer, table.chunk, chunkTokens * 4));
  kernels.configureTable(table.slots, table.slotBits);
  let { position } = job;
  try {
    while (position < job.to) {
      if (Atomics.load(pause, 0) !== 0) throw new InterruptedError('counting co-occurrences was interrupted');
      // The words before the chunk, be they another thread's, belong to the windows of its first words.
      const context = Math.min(window, position);
      const count = file.read(position - context, job.to);
      const reached = kernels.countPairs(table.chunk, context, count, window);
      position += reached - context;
      done[0] += reached - context;
      if (reached < count) break;
    }
  } finally {
    file.close();
  }
  return { position, spill: { path: job.spillPath, starts: spill(kernels, memory, job) } };
}

/** Writes the table's records, ordered by partition, and returns where each partition begins. */
function spill(kernels: Kernels, memory: WebAssembly.Memory, { table, spillPath }: CountJob): number[] {
  kernels.partitionTable(table.records, table.starts, partitionBits);
  const starts = [...new Uint32Array(memory.buffer, table.starts, (1 << partitionBits) + 1)];
  const records = new Uint8Array(memory.buffer, table.records, kernels.tableUsed() * 16);
  withFile(spillPath, 'w', (file) => writeFully(file, records, 0));
  return starts;
}

export function mergePartition(kernels: Kernels, memory: WebAssembly.Memory, job: MergeJob): MergeResult {
  const { table, spills, partition } = job;
  const buckets = new Buckets(job.bucketPaths, new Random(job.seed, partition));
  const counts = spills.map(({ starts }) => starts[partition + 1] - starts[partition]);
  const total = counts.reduce((sum, count) => sum + count, 0);
  // No larger than needed: the whole table is cleared and read for every partition.
  const slotBits = Math.min(table.slotBits, Math.max(10, Math.ceil(Math.log2(total / fullest))));
  const largest = Math.floor(fullest * 2 ** slotBits);
  let pairs = 0;
  // Where one partition may hold more different pairs than the table has room for, it is merged in several passes.
  for (let parts = Math.max(1, Math.ceil(total / largest)), part = 0; part < parts; part++) {
    kernels.configureTable(table.slots, slotBits);
    for (const [i, { path, starts }] of spills.entries()) {
      if (counts[i] === 0) continue;
      const room = new Uint8Array(memory.buffer, table.records, largest * 16);
      const file = new ChunkFile(path, 16, room);
      try {
        for (let position = starts[partition]; position < starts[partition + 1]; ) {
          const count = file.read(position, starts[partition + 1]);
          const merged = kernels.mergeRecords(table.records, count, partitionBits, part, parts);
          if (merged < count) throw new Error(`partition ${partition} does not fit its table`);
          position += count;
        }
      } finally {
        file.close();
      }
    }
    kernels.partitionTable(table.records, table.starts, 0);
    const used = kernels.tableUsed();
    const keys = new Uint32Array(memory.buffer, table.records, used * 4);
    const sums = new Float64Array(memory.buffer, table.records, used * 2);
    for (let k = 0; k < used; k++) {
      const [i, j, x] = [keys[4 * k + 1], keys[4 * k], sums[2 * k + 1]];
      const weight = Math.min(1, (x / job.xMax) ** job.alpha);
      buckets.add(i, j, Math.log(x), weight);
      if (i !== j) buckets.add(j, i, Math.log(x), weight);
    }
    pairs += used;
  }
  buckets.flush();
  return { pairs };
}

/** Records dealt out at random; with each bucket shuffled afterwards every order of all records is equally likely. */
class Buckets {
  readonly #paths: readonly string[];
  readonly #random: Random;
  readonly #rooms: { words: Uint32Array; reals: Float32Array; filled: number }[];

  constructor(paths: readonly string[], random: Random) {
    this.#paths = paths;
    this.#random = random;
    this.#rooms = paths.map(() => {
      const words = new Uint32Array(bucketBufferRecords * 4);
      return { words, reals: new Float32Array(words.buffer), filled: 0 };
    });
  }

  add(i: number, j: number, logarithm: number, weight: number): void {
    const bucket = this.#paths.length === 1 ? 0 : this.#random.integer(this.#paths.length);
    const room = this.#rooms[bucket];
    if (room.filled === bucketBufferRecords) this.#write(bucket);
    const at = 4 * room.filled++;
    room.words[at] = i;
    room.words[at + 1] = j;
    room.reals[at + 2] = logarithm;
    room.reals[at + 3] = weight;
  }

  flush(): void {
    for (let bucket = 0; bucket < this.#paths.length; bucket++) this.#write(bucket);
  }

  #write(bucket: number): void {
    const room = this.#rooms[bucket];
    try {
      appendFileSync(this.#paths[bucket], new Uint8Array(room.words.buffer, 0, room.filled * 16));
    } catch (error) {
      throw fileError(this.#paths[bucket], error, 'written');
    }
    room.filled = 0;
  }
}

export function shuffleBucket(job: ShuffleJob): void {
  const pieces = job.bucketPaths.filter((path) => existsSync(path)).map((path) => readFileSync(path));
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let filled = 0;
  for (const piece of pieces) {
    bytes.set(piece, filled);
    filled += piece.length;
  }
  const words = new Uint32Array(bytes.buffer);
  const random = new Random(job.seed, 2 ** 32 + job.bucket);
  for (let last = words.length / 4 - 1; last > 0; last--) {
    const other = random.integer(last + 1);
    for (let k = 0; k < 4; k++) {
      const word = words[4 * last + k];
      words[4 * last + k] = words[4 * other + k];
      words[4 * other + k] = word;
    }
  }
  withFile(job.outPath, 'r+', (file) => writeFully(file, bytes, job.outPosition * 16));
}

function withFile(path: string, mode: string, use: (file: number) => void): void {
  try {
    const file = openSync(path, mode);
    try {
      use(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileError(path, error, 'written');
  }
}

function writeFully(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, undefined, position + done);
}
