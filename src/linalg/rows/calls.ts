/**
 * The compiled kernels of assembly/rows, and calls of them written down as numbers in the memory they work on, so that any
 * thread with kernels over that memory can make them.
 */
import { readFileSync } from 'node:fs';
import { artefact } from '../../artefact.js';
import { BackendError } from '../../errors.js';

/** In the order of which calls name them. */
const names = [
  'logPowerSums32',
  'logPowerSums64',
  'softmaxRows32',
  'softmaxRows64',
  'energyOfRows32',
  'energyOfRows64',
  'powerRows32',
  'powerRows64',
  'sparseRows32',
  'sparseRows64',
  'nearestOfRows32',
  'nearestOfRows64',
  'nearestOfColumns32',
  'nearestOfColumns64',
  'sparseForm32',
  'sparseForm64',
  'scoreRows32',
  'scoreRows64',
  'sumOfDifferences32',
  'sumOfDifferences64',
  'peaksOfRows32',
  'peaksOfRows64',
  'unitRows32',
  'unitRows64',
  'rowDots32',
  'rowDots64',
  'scaleRows32',
  'scaleRows64',
  'leadersOfRows32',
  'leadersOfRows64',
] as const;
/** By which `call` names a kernel. */
export const kernelNumber = (kernel: RowKernel, single: boolean): number =>
  names.indexOf(`${kernel}${single ? 32 : 64}`);

export type RowKernel = (typeof names)[number] extends `${infer Name}32` | `${infer Name}64` ? Name : never;

/** Calls lie above what a module keeps for itself: the kernel and its arguments. */
const callsAt = 4096;
const callWidth = 16;
export const mostCalls = 256;
/** After them the work on the pieces of a matrix, of which every call follows from the number of its piece. */
const workAt = callsAt + mostCalls * callWidth * 8;
const workWidth = 256;
/** And what the kernel returned for each piece of a batch. */
const resultsAt = workAt + workWidth * 8;
export const mostPieces = 4096;
/** Where everything else begins. */
export const heapAt = resultsAt + mostPieces * 8;

/** What a thread needs to make calls: handed over when it starts. */
export interface RowStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** A number that a kernel is called with: at + perRow · (first row of its piece) + perSlot · (slot of the caller) + perPiece · (place of the piece in its batch). */
export interface Place {
  readonly at: number;
  readonly perRow?: number;
  readonly perSlot?: number;
  readonly perPiece?: number;
}

/** Rows that a thread copies itself: where the matrix lies, and where on the workbench. */
export interface CarriedRows {
  readonly address: number;
  readonly stride: number;
  readonly cols: number;
  readonly place: Place;
}

/** The calls of a kernel for a batch of pieces of a matrix. */
export interface PieceCalls {
  readonly kernel: RowKernel;
  readonly single: boolean;
  /** Of the matrix, and of a piece. */
  readonly rows: number;
  readonly step: number;
  /** Number of the batch's first piece. */
  readonly first: number;
  /** After the number of rows of a piece. */
  readonly values: readonly Place[];
  /** Address of the workbench, where threads copy rows to it and from it themselves. */
  readonly bench: number;
  readonly brought: readonly CarriedRows[];
  readonly fetched: readonly CarriedRows[];
}

/** Copies rows of a matrix, from an address and to one; lengths in elements. */
export type CopyRows = (cols: number, rows: number, from: number, stride: number, to: number, toStride: number) => void;

/** Numbers of a piece's work before its values, of a value, and of rows that are carried. */
const headWidth = 9;
const placeWidth = 4;
const carriedWidth = 3 + placeWidth;

/** The kernels of one thread over a memory that threads share. */
export class RowCalls {
  readonly #kernels: ((...values: number[]) => number | undefined)[];
  /** A memory that grows keeps these parts in their places. */
  readonly #calls: Float64Array;
  readonly #work: Float64Array;
  readonly #results: Float64Array;
  /** An ordinary array is spread out much faster than a typed one. */
  readonly #arguments: number[] = [];

  constructor({ module, memory }: RowStart) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.#kernels = names.map((name) => exports[name] as (...values: number[]) => number | undefined);
    this.#calls = new Float64Array(memory.buffer, callsAt, mostCalls * callWidth);
    this.#work = new Float64Array(memory.buffer, workAt, workWidth);
    this.#results = new Float64Array(memory.buffer, resultsAt, mostPieces);
  }

  write(call: number, kernel: RowKernel, single: boolean, values: readonly number[]): void {
    this.#calls[call * callWidth] = kernelNumber(kernel, single);
    this.#calls.set(values, call * callWidth + 1);
  }

  make(call: number): void {
    const at = call * callWidth;
    const kernel = this.#kernels[this.#calls[at]];
    kernel(...this.#calls.subarray(at + 1, at + callWidth));
  }

  /** Makes a call that is written down elsewhere. */
  call(kernel: number, values: Float64Array): void {
    this.#kernels[kernel](...values);
  }

  writePieces({ kernel, single, rows, step, first, values, bench, brought, fetched }: PieceCalls): void {
    const numbers = [kernelNumber(kernel, single), single ? 4 : 8, rows, step, first];
    numbers.push(values.length, bench, brought.length, fetched.length);
    const put = ({ at, perRow = 0, perSlot = 0, perPiece = 0 }: Place) => numbers.push(at, perRow, perSlot, perPiece);
    values.forEach(put);
    for (const { address, stride, cols, place } of [...brought, ...fetched]) {
      numbers.push(address, stride, cols);
      put(place);
    }
    this.#work.set(numbers);
  }

  /**
   * Makes the call for one piece of the batch.
   * @param slot whose room is used, which no other thread does at the same time
   * @param copiesFor what copies rows of elements of so many bytes, where there are any to be carried
   */
  makePiece(piece: number, slot: number, copiesFor?: (bytes: number) => CopyRows): void {
    const work = this.#work;
    const [bytes, step] = [work[1], work[3]];
    const start = (work[4] + piece) * step;
    const rows = Math.min(work[2] - start, step);
    const [count, bench, brought, carried] = [work[5], work[6], work[7], work[7] + work[8]];
    const placeAt = (at: number) => work[at] + work[at + 1] * start + work[at + 2] * slot + work[at + 3] * piece;
    const values = this.#arguments;
    values.length = count + 1;
    values[0] = rows;
    for (let k = 0; k < count; k++) values[k + 1] = placeAt(headWidth + k * placeWidth);
    const carry = (k: number) => {
      const at = headWidth + count * placeWidth + k * carriedWidth;
      const [stride, cols] = [work[at + 1], work[at + 2]];
      const [there, here] = [work[at] + stride * start * bytes, bench + placeAt(at + 3)];
      if (k < brought) copiesFor!(bytes)(cols, rows, there, stride, here, cols);
      else copiesFor!(bytes)(cols, rows, here, cols, there, stride);
    };
    for (let k = 0; k < brought; k++) carry(k);
    this.#results[piece] = this.#kernels[work[0]](...values) ?? 0;
    for (let k = brought; k < carried; k++) carry(k);
  }

  /** What the kernel returned for a piece of the batch. */
  result(piece: number): number {
    return this.#results[piece];
  }
}

let compiled: WebAssembly.Module | undefined;

export function rowModule(): WebAssembly.Module {
  if (compiled) return compiled;
  const url = artefact('assembly/rows.wasm');
  try {
    compiled = new WebAssembly.Module(new Uint8Array(readFileSync(url)));
    return compiled;
  } catch (cause) {
    throw new BackendError(`the WebAssembly kernels cannot be loaded: ${url.pathname}`, 'Run npm run build.', cause);
  }
}
