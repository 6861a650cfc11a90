/** Where segments of rows begin, as the kernels want it; kept on the device for as long as the host's array lives. */
import type { DevicePool } from './memory.js';

/** Rows summed by one block; more of them only lengthen the second stage. */
const chunkRows = 128;

export interface SegmentPlan {
  /** Device addresses of int arrays: segment of each row, first row of each chunk, first chunk of each segment. */
  segmentOf: number;
  chunkStarts: number;
  firstChunk: number;
  chunks: number;
}

export class Segments {
  readonly #pool: DevicePool;
  readonly #plans = new WeakMap<Int32Array, SegmentPlan>();
  readonly #owned: { address: number; bytes: number }[] = [];

  constructor(pool: DevicePool) {
    this.#pool = pool;
  }

  of(starts: Int32Array): SegmentPlan {
    const known = this.#plans.get(starts);
    if (known) return known;
    const segments = starts.length - 1;
    const segmentOf = new Int32Array(starts[segments]);
    const chunkStarts: number[] = [];
    const firstChunk = new Int32Array(segments + 1);
    for (let c = 0; c < segments; c++) {
      segmentOf.fill(c, starts[c], starts[c + 1]);
      firstChunk[c] = chunkStarts.length;
      for (let row = starts[c]; row < starts[c + 1]; row += chunkRows) chunkStarts.push(row);
    }
    firstChunk[segments] = chunkStarts.length;
    // A chunk ends where the next one begins, also across segments, since segments are consecutive.
    const plan: SegmentPlan = {
      segmentOf: this.#upload(segmentOf),
      chunkStarts: this.#upload(Int32Array.from([...chunkStarts, starts[segments]])),
      firstChunk: this.#upload(firstChunk),
      chunks: chunkStarts.length,
    };
    this.#plans.set(starts, plan);
    return plan;
  }

  release(): void {
    for (const { address, bytes } of this.#owned) this.#pool.give(address, bytes);
    this.#owned.length = 0;
  }

  #upload(values: Int32Array): number {
    const bytes = Math.max(4, values.byteLength);
    const address = this.#pool.take(bytes);
    this.#owned.push({ address, bytes });
    if (values.byteLength > 0) this.#pool.copies.toDevice(address, bytes, values, bytes, bytes, 1);
    return address;
  }
}
