/**
 * The one shared WebAssembly memory of a backend (at most 4 GiB) and the allocator of the matrices in it: a list of
 * free ranges, the lowest that fits is used, neighbours are joined when a range is given back.
 */
import { BackendError } from '../../errors.js';
import type { Matrix, RealArray } from '../matrix.js';
import { roundUp } from './layout.js';

const pageBytes = 65536;
const largest = 65536 * pageBytes;
const alignment = 64;

interface Range {
  start: number;
  bytes: number;
}

export class SharedStorage {
  readonly memory: WebAssembly.Memory;
  /** Free ranges below `#end`, by address, never adjacent. */
  #free: Range[] = [];
  /** Length in bytes of every range in use, by its start. */
  readonly #used = new Map<number, number>();
  /** No range in use ends behind this. */
  #end: number;
  /** Everything from here on has never been given out, and is zero. */
  #untouched: number;
  /** A shared memory that grows gets a new buffer object; views over older ones stay valid. */
  readonly #buffers = new WeakSet<object>();
  #seen: ArrayBuffer | undefined;

  constructor(heap: number) {
    this.memory = createMemory(heap);
    this.#end = heap;
    this.#untouched = heap;
  }

  get usedBytes(): number {
    let sum = 0;
    for (const bytes of this.#used.values()) sum += bytes;
    return sum;
  }

  /** The pointer of a range of `bytes`, or undefined where none is left; `zero` clears a range used before. */
  allocate(bytes: number, zero = false): number | undefined {
    const size = Math.max(roundUp(bytes, alignment), alignment);
    const start = this.#takeFree(size) ?? this.#takeEnd(size);
    if (start === undefined) return undefined;
    this.#used.set(start, size);
    const used = Math.min(start + size, this.#untouched) - start;
    if (zero && used > 0) new Uint8Array(this.buffer, start, used).fill(0);
    this.#untouched = Math.max(this.#untouched, start + size);
    return start;
  }

  /** Whether `pointer` was the start of a range in use, which is now free. */
  free(pointer: number): boolean {
    const bytes = this.#used.get(pointer);
    if (bytes === undefined) return false;
    this.#used.delete(pointer);
    const at = this.#free.findIndex((range) => range.start > pointer);
    const index = at < 0 ? this.#free.length : at;
    this.#free.splice(index, 0, { start: pointer, bytes });
    this.#join(index);
    this.#join(index - 1);
    const last = this.#free.at(-1)!;
    if (last.start + last.bytes === this.#end) this.#end = this.#free.pop()!.start;
    return true;
  }

  get buffer(): ArrayBuffer {
    const { buffer } = this.memory;
    if (buffer !== this.#seen) {
      this.#buffers.add(buffer);
      this.#seen = buffer;
    }
    return buffer;
  }

  /** Byte pointer of an array that lives in this memory, undefined for others. */
  pointerOf(array: RealArray): number | undefined {
    return array.buffer === this.#seen || this.#buffers.has(array.buffer) ? array.byteOffset : undefined;
  }

  /** Whether both matrices live here, in ranges that do not meet. */
  apart(a: Matrix, b: Matrix): boolean {
    const [first, second] = [this.pointerOf(a.data), this.pointerOf(b.data)];
    if (first === undefined || second === undefined) return false;
    const length = ({ data, rows, stride }: Matrix) => rows * stride * data.BYTES_PER_ELEMENT;
    return first + length(a) <= second || second + length(b) <= first;
  }

  #takeFree(size: number): number | undefined {
    const index = this.#free.findIndex((range) => range.bytes >= size);
    if (index < 0) return undefined;
    const range = this.#free[index];
    const { start } = range;
    range.start += size;
    range.bytes -= size;
    if (range.bytes === 0) this.#free.splice(index, 1);
    return start;
  }

  #takeEnd(size: number): number | undefined {
    const start = this.#end;
    if (start + size > largest || !this.#grow(start + size)) return undefined;
    this.#end = start + size;
    return start;
  }

  #join(index: number): void {
    const first = this.#free[index];
    const second = this.#free[index + 1];
    if (!first || !second || first.start + first.bytes !== second.start) return;
    first.bytes += second.bytes;
    this.#free.splice(index + 1, 1);
  }

  #grow(end: number): boolean {
    const missing = end - this.buffer.byteLength;
    if (missing <= 0) return true;
    try {
      // Growing costs a system call: ask for a little more than is needed, at the end of the memory for just enough.
      const wanted = Math.max(missing, 16 * 2 ** 20);
      this.memory.grow(Math.ceil(Math.min(wanted, largest - this.buffer.byteLength) / pageBytes));
      return this.buffer.byteLength >= end;
    } catch {
      return false;
    }
  }
}

/** Some systems limit address space: a smaller maximum is better than none. */
function createMemory(heap: number): WebAssembly.Memory {
  const initial = Math.ceil(heap / pageBytes);
  let cause: unknown;
  for (let maximum = 65536; maximum > initial; maximum /= 2)
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: true });
    } catch (error) {
      cause = error;
    }
  throw new BackendError(
    'no shared WebAssembly memory could be had',
    'Allow the process at least 1 GiB of address space.',
    cause,
  );
}
