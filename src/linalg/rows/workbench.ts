/**
 * The memory in which the kernels over rows work. Rows pass through it in pieces that stay in a second-level cache, so that
 * matrices may lie anywhere. Where several threads share the memory, several pieces are there at a time; the pieces
 * themselves depend on the shapes alone, and with them every sum.
 */
import type { Matrix, RealArray } from '../matrix.js';
import {
  type CarriedRows,
  type CopyRows,
  heapAt,
  mostCalls,
  mostPieces,
  type Place,
  RowCalls,
  type RowKernel,
  type RowStart,
  rowModule,
} from './calls.js';

const pageBytes = 65536;
/** Bytes of a piece of rows in double precision. */
const pieceBytes = 2 ** 18;
/** Pieces that each of several threads gets at a time, on average, where each of them takes room of its own. */
const piecesPerThread = 8;
/** Elements from which on it is worth waking another thread. */
const worthSharing = 2 ** 16;

/** A matrix of whose rows those of a piece are copied to a place, or from there, one after the other. */
export interface Carried {
  readonly matrix: Matrix;
  readonly place: Place;
}

/** Other threads that work here too. */
export interface RowCrew {
  readonly threads: number;
  /** Makes the calls 0 … count−1 that are written down, or those of so many pieces, in any order and on any thread. */
  make(count: number): void;
  makePieces(count: number): void;
  /** For threads that reach matrices anywhere and copy their rows themselves. */
  readonly reach?: Reach;
}

interface Reach {
  /** Where the elements of an array lie, and the workbench, which stays there when it grows. */
  addressOf(data: RealArray): number;
  readonly bench: number;
  /** Brings all rows of a matrix at once. */
  bring(matrix: Matrix, pointer: number): void;
}

/** What is to be done with the rows of a matrix, a piece of them at a time. */
export interface RowWork {
  readonly kernel: RowKernel;
  readonly matrix: Matrix;
  /** Rows of a piece. */
  readonly step: number;
  /** What the kernel is called with after the number of a piece's rows. */
  readonly values: readonly (number | Place)[];
  readonly brought?: readonly Carried[];
  readonly fetched?: readonly Carried[];
  /** Takes what each piece has left in a room of its own (`each`), one piece after the other. */
  readonly take?: (pointer: number) => void;
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
  /** What the next work wants for each slot, and for each piece. */
  #slotBytes = 0;
  #eachBytes = 0;

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

  /** Makes the call for a piece of the work that is written down, on this thread. */
  makePiece(piece: number, slot: number, copiesFor?: (bytes: number) => CopyRows): void {
    this.#calls.makePiece(piece, slot, copiesFor);
  }

  /** Works on all rows of a matrix; returns the sum of what the kernel returned for the pieces, in their order. */
  inPieces({ kernel, matrix, step, values, brought = [], fetched = [], take }: RowWork): number {
    const { rows, cols, dtype } = matrix;
    const count = Math.ceil(rows / step);
    const crew = rows * cols > worthSharing ? this.crew : undefined;
    const threads = crew?.threads ?? 1;
    const [slotBytes, eachBytes] = [this.#slotBytes, this.#eachBytes];
    [this.#slotBytes, this.#eachBytes] = [0, 0];
    // Where the calling thread copies all rows, each piece of a batch has a slot, else each thread.
    const apart = crew !== undefined && !crew.reach;
    const batch = Math.min(count, apart || eachBytes > 0 ? piecesPerThread * threads : mostPieces);
    const slots = this.room(slotBytes * (apart ? batch : threads));
    const each = this.room(eachBytes * batch);
    const placed = (place: number | Place): Place => {
      if (typeof place === 'number') return { at: place };
      if (!(place instanceof Room)) return place;
      return place.of === 'slot'
        ? { at: slots + place.at, perSlot: slotBytes }
        : { at: each + place.at, perPiece: eachBytes };
    };
    const toCarry = (all: readonly Carried[]) =>
      all.map(({ matrix: whole, place }) => ({ whole, place: placed(place) }));
    const [before, after] = [toCarry(brought), toCarry(fetched)];
    const reached = (all: typeof before): CarriedRows[] =>
      all.map(({ whole: { data, cols: width, stride }, place }) => {
        return { address: crew!.reach!.addressOf(data), stride, cols: width, place };
      });
    const copies = crew?.reach
      ? { bench: crew.reach.bench, brought: reached(before), fetched: reached(after) }
      : { bench: 0, brought: [], fetched: [] };
    const calls = { kernel, single: dtype === 'float32', rows, step, values: values.map(placed), ...copies };
    let total = 0;
    for (let first = 0; first < count; first += batch) {
      const here = Math.min(batch, count - first);
      this.#calls.writePieces({ ...calls, first });
      const carry = (k: number, slot: number, all: typeof before, move: 'bring' | 'fetch') => {
        const [from, to] = [(first + k) * step, Math.min(rows, (first + k + 1) * step)];
        for (const { whole, place } of all) this[move](whole, from, to, place.at + slot * slotBytes);
      };
      if (apart) for (let k = 0; k < here; k++) carry(k, k, before, 'bring');
      if (crew) crew.makePieces(here);
      else
        for (let k = 0; k < here; k++) {
          carry(k, 0, before, 'bring');
          this.#calls.makePiece(k, 0);
          carry(k, 0, after, 'fetch');
        }
      if (apart) for (let k = 0; k < here; k++) carry(k, k, after, 'fetch');
      for (let k = 0; k < here; k++) {
        total += this.#calls.result(k);
        take?.(each + k * eachBytes);
      }
    }
    return total;
  }

  /** Makes calls that do not depend on one another, on all threads. */
  together(single: boolean, calls: readonly { kernel: RowKernel; values: readonly number[] }[]): void {
    for (let first = 0; first < calls.length; first += mostCalls) {
      const here = calls.slice(first, first + mostCalls);
      here.forEach(({ kernel, values }, k) => {
        this.#calls.write(k, kernel, single, values);
      });
      if (this.crew && here.length > 1) this.crew.make(here.length);
      else for (let k = 0; k < here.length; k++) this.#calls.make(k);
    }
  }

  /** Copies a whole matrix to `pointer`. */
  bringAll(matrix: Matrix, pointer: number): void {
    const { crew } = this;
    if (crew?.reach && matrix.rows * matrix.cols > worthSharing) crew.reach.bring(matrix, pointer);
    else this.bring(matrix, 0, matrix.rows, pointer);
  }

  /** Rows of a piece of matrices of so many columns. */
  rowsPerPiece(columns: number): number {
    return Math.max(1, Math.floor(pieceBytes / (8 * Math.max(1, columns))));
  }

  /** Room of so many bytes for whoever works on a piece, while it is worked on. */
  own(bytes: number): Place {
    const place = new Room('slot', this.#slotBytes);
    this.#slotBytes += aligned(bytes);
    return place;
  }

  /** Room of so many bytes for each piece, until what it left there has been taken. */
  each(bytes: number): Place {
    const place = new Room('piece', this.#eachBytes);
    this.#eachBytes += aligned(bytes);
    return place;
  }

  /** Numbers of all rows, `width` of each, and their place for a piece. */
  alongRows(values: Float64Array | Int32Array, width = 1): Place & { readonly at: number } {
    const at = this.room(values.byteLength);
    const here = values instanceof Int32Array ? this.integers(at, values.length) : this.reals(at, values.length);
    here.set(values);
    return { at, perRow: width * values.BYTES_PER_ELEMENT };
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
    this.#end = aligned(pointer + bytes);
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

/** A place in the room of a slot, or of a piece, counted from its beginning. */
class Room implements Place {
  readonly of: 'slot' | 'piece';
  readonly at: number;

  constructor(of: 'slot' | 'piece', at: number) {
    this.of = of;
    this.at = at;
  }
}

const aligned = (bytes: number): number => Math.ceil(bytes / 64) * 64;
