/**
 * Arrays on the device that nobody changes, such as where segments of rows begin or the entries of sparse matrices; kept there for
 * as long as they live on the host.
 */
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

export class KeptArrays {
  readonly #pool: DevicePool;
  readonly #plans = new WeakMap<Int32Array, SegmentPlan>();
  readonly #addresses = new WeakMap<Int32Array | Float64Array, number>();

  constructor(pool: DevicePool) {
    this.#pool = pool;
  }

  segments(starts: Int32Array): SegmentPlan {
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
      segmentOf: this.#upload(segmentOf, starts),
      chunkStarts: this.#upload(Int32Array.from([...chunkStarts, starts[segments]]), starts),
      firstChunk: this.#upload(firstChunk, starts),
      chunks: chunkStarts.length,
    };
    this.#plans.set(starts, plan);
    return plan;
  }

  /** Address of the array's own copy on the device. */
  addressOf(values: Int32Array | Float64Array): number {
    const known = this.#addresses.get(values);
    if (known !== undefined) return known;
    const address = this.#upload(values, values);
    this.#addresses.set(values, address);
    return address;
  }

  /** On the device until nobody can reach `owner` any more. */
  #upload(values: Int32Array | Float64Array, owner: Int32Array | Float64Array): number {
    const bytes = Math.max(4, values.byteLength);
    const address = this.#pool.take(bytes);
    this.#pool.watch(owner, address, bytes);
    if (values.byteLength > 0) this.#pool.copies.toDevice(address, bytes, values, bytes, bytes, 1);
    return address;
  }
}
