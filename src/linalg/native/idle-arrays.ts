/**
 * Arrays that were given back, for whoever asks for as many bytes next: new ones would have to be filled page by page by the system,
 * and every few of them the garbage collector looks through the whole heap.
 */
import type { Dtype, RealArray } from '../matrix.js';

/** Smaller arrays are made as quickly as they are found. */
const fewestBytes = 2 ** 16;
/** Bytes that are kept altogether; or, if that is more, an eighth of the largest array that was handed out. */
const enoughBytes = 2 ** 24;
const partOfLargest = 1 / 8;

export class IdleArrays {
  readonly #idle = new Map<number, ArrayBufferLike[]>();
  #bytes = 0;
  #most = enoughBytes;
  /** Those that were handed out, and are taken back once. */
  readonly #out = new WeakSet<ArrayBufferLike>();

  /** A zeroed array, which nobody else has. */
  take(length: number, dtype: Dtype, make: () => RealArray): RealArray {
    const bytes = length * (dtype === 'float64' ? 8 : 4);
    this.#most = Math.max(this.#most, bytes * partOfLargest);
    const buffer = this.#idle.get(bytes)?.pop();
    if (buffer) this.#bytes -= bytes;
    const array = buffer ? viewOf(buffer, dtype).fill(0) : make();
    this.#out.add(array.buffer);
    return array;
  }

  /** Takes back an array that was handed out; parts of such, and others, are left to the garbage collector. */
  give({ buffer, byteLength }: RealArray): void {
    if (byteLength !== buffer.byteLength || !this.#out.delete(buffer)) return;
    if (byteLength < fewestBytes || this.#bytes + byteLength > this.#most) return;
    this.#bytes += byteLength;
    const list = this.#idle.get(byteLength);
    if (list) list.push(buffer);
    else this.#idle.set(byteLength, [buffer]);
  }
}

function viewOf(buffer: ArrayBufferLike, dtype: Dtype): RealArray {
  return dtype === 'float64' ? new Float64Array(buffer) : new Float32Array(buffer);
}
