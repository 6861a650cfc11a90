/**
 * The memory in which the kernels over rows work. Rows pass through it in pieces that stay in a second-level cache, so that
 * matrices may lie anywhere. Where several threads share the memory, several pieces are there at a time; the pieces
 * themselves depend on the shapes alone, and with them every sum.
 */
import type { Matrix, RealArray } from '../matrix.js';
import { heapAt, mostCalls, RowCalls, type RowKernel, type RowStart, rowModule } from './calls.js';

const pageBytes = 65536;
/** Bytes of a piece of rows in double precision. */
const pieceBytes = 2 ** 18;
/** Pieces that each of several threads gets at a time, on average. */
const piecesPerThread = 8;
/** Elements from which on it is worth waking another thread. */
const worthSharing = 2 ** 16;

/** Rows of a matrix [start, end) and where they lie on the workbench, one after the other. */
export interface Carried {
  readonly matrix: Matrix;
  readonly pointer: number;
}

/** Other threads that work here too. */
export interface RowCrew {
  readonly threads: number;
  /** Makes calls 0 … count−1, in any order and on any thread. */
  run(count: number): void;
  /**
   * For threads that reach matrices anywhere: rows [start, end) of these are to be brought before a call is made, and those
   * fetched afterwards, by the thread that makes it. Must be told of each call before `run`.
   */
  carry?(call: number, start: number, end: number, brought: readonly Carried[], fetched: readonly Carried[]): void;
  /** Brings all rows of a matrix at once. */
  bring?(matrix: Matrix, pointer: number): void;
}

/** What is to be done with one piece of rows. */
export interface PieceWork<Place> {
  readonly kernel: RowKernel;
  readonly matrix: Matrix;
  /** Takes the room that one piece needs. */
  readonly reserve: () => Place;
  /** Matrices whose rows of a piece are copied to a place before, and from it afterwards. */
  readonly brought?: (place: Place) => readonly Carried[];
  readonly fetched?: (place: Place) => readonly Carried[];
  /** Brings all else for rows [start, end) to a place; returns the kernel's arguments. */
  readonly bring: (place: Place, start: number, end: number) => readonly number[];
  /** Takes the outcome; called for one piece after the other. */
  readonly fetch?: (place: Place, start: number, end: number, result: number) => void;
}

export class RowWorkbench {
  /** What other threads need to work here too. */
  readonly start: RowStart;
  /** Set once they do. */
  crew: RowCrew | undefined;
  readonly #calls: RowCalls;
  /** Room below this is kept. */
  #floor = heapAt;
  #end = heapAt;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: 16, maximum: 65536, shared: true });
    this.start = { module: rowModule(), memory };
    this.#calls = new RowCalls(this.start);
  }

  /** Makes one of the calls that are written down, on this thread. */
  make(call: number): void {
    this.#calls.make(call);
  }

  /** Makes a call that is written down elsewhere, on this thread. */
  call(kernel: number, values: Float64Array): void {
    this.#calls.call(kernel, values);
  }

  /** Works on all rows of a matrix, `step` of them to a piece. */
  inPieces<Place>(step: number, work: PieceWork<Place>): void {
    const { rows, cols, dtype } = work.matrix;
    const count = Math.ceil(rows / step);
    const crew = rows * cols > worthSharing ? this.crew : undefined;
    const together = crew ? Math.min(piecesPerThread * crew.threads, mostCalls) : 1;
    const places = Array.from({ length: Math.min(count, together) }, work.reserve);
    for (let first = 0; first < count; first += places.length) {
      const here = Math.min(places.length, count - first);
      const range = (k: number): [number, number] => [(first + k) * step, Math.min(rows, (first + k + 1) * step)];
      for (let k = 0; k < here; k++) {
        this.#calls.write(k, work.kernel, dtype === 'float32', work.bring(places[k], ...range(k)));
        const brought = work.brought?.(places[k]) ?? [];
        if (crew?.carry) crew.carry(k, ...range(k), brought, work.fetched?.(places[k]) ?? []);
        else for (const { matrix, pointer } of brought) this.bring(matrix, ...range(k), pointer);
      }
      if (crew) crew.run(here);
      else for (let k = 0; k < here; k++) this.#calls.make(k);
      for (let k = 0; k < here; k++) {
        if (!crew?.carry)
          for (const { matrix, pointer } of work.fetched?.(places[k]) ?? []) this.fetch(matrix, ...range(k), pointer);
        work.fetch?.(places[k], ...range(k), this.#calls.result(k));
      }
    }
  }

  /** Makes calls that do not depend on one another, on all threads. */
  together(single: boolean, calls: readonly { kernel: RowKernel; values: readonly number[] }[]): void {
    for (let first = 0; first < calls.length; first += mostCalls) {
      const here = calls.slice(first, first + mostCalls);
      here.forEach(({ kernel, values }, k) => {
        this.#calls.write(k, kernel, single, values);
        this.crew?.carry?.(k, 0, 0, [], []);
      });
      if (this.crew && here.length > 1) this.crew.run(here.length);
      else for (let k = 0; k < here.length; k++) this.#calls.make(k);
    }
  }

  /** Copies a whole matrix to `pointer`. */
  bringAll(matrix: Matrix, pointer: number): void {
    if (this.crew?.bring && matrix.rows * matrix.cols > worthSharing) this.crew.bring(matrix, pointer);
    else this.bring(matrix, 0, matrix.rows, pointer);
  }

  /** Rows of a piece of matrices of so many columns. */
  rowsPerPiece(columns: number): number {
    return Math.max(1, Math.floor(pieceBytes / (8 * Math.max(1, columns))));
  }

  /** Gives all room back, but for what is kept. */
  clear(): void {
    this.#end = this.#floor;
  }

  /** Keeps what room `work` takes until it ends, also from passes that it makes itself. */
  keeping(work: () => void): void {
    const floor = this.#floor;
    try {
      work();
    } finally {
      this.#floor = floor;
    }
  }

  /** Begins to keep all room that was taken so far. */
  keep(): void {
    this.#floor = this.#end;
  }

  /** The same, until what is returned is called. */
  keepUntil(): () => void {
    const floor = this.#floor;
    this.#floor = this.#end;
    return () => {
      this.#floor = floor;
    };
  }

  /** Room for so many bytes, until `clear`. */
  room(bytes: number): number {
    const { memory } = this.start;
    const pointer = this.#end;
    this.#end = Math.ceil((pointer + bytes) / 64) * 64;
    const missing = this.#end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
    return pointer;
  }

  reals(pointer: number, length: number): Float64Array {
    return new Float64Array(this.start.memory.buffer, pointer, length);
  }

  integers(pointer: number, length: number): Int32Array {
    return new Int32Array(this.start.memory.buffer, pointer, length);
  }

  /** Numbers in the precision of an array. */
  elements(like: RealArray, pointer: number, length: number): RealArray {
    const { buffer } = this.start.memory;
    return like instanceof Float64Array
      ? new Float64Array(buffer, pointer, length)
      : new Float32Array(buffer, pointer, length);
  }

  /** Room that holds these numbers in the precision of a matrix, and three more. */
  hold(values: Float64Array, like: RealArray): number {
    const pointer = this.room((values.length + 3) * like.BYTES_PER_ELEMENT);
    this.elements(like, pointer, values.length).set(values);
    return pointer;
  }

  /** Copies rows [from, to) of a matrix to `pointer`, one after the other. */
  bring(matrix: Matrix, from: number, to: number, pointer: number): void {
    const { data, cols, stride } = matrix;
    const target = this.elements(data, pointer, (to - from) * cols);
    if (matrix.contiguous) target.set(data.subarray(from * cols, to * cols));
    else for (let i = from; i < to; i++) target.set(data.subarray(i * stride, i * stride + cols), (i - from) * cols);
  }

  /** The reverse. */
  fetch(matrix: Matrix, from: number, to: number, pointer: number): void {
    const { data, cols, stride } = matrix;
    const source = this.elements(data, pointer, (to - from) * cols);
    if (matrix.contiguous) data.set(source, from * cols);
    else
      for (let i = from; i < to; i++) data.set(source.subarray((i - from) * cols, (i - from + 1) * cols), i * stride);
  }
}
