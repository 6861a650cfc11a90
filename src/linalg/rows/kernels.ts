/**
 * The compiled kernels of assembly/rows over a memory of this thread's own. Rows pass through it in pieces that stay in a
 * second-level cache, so that matrices may lie anywhere.
 */
import { readFileSync } from 'node:fs';
import { artefact } from '../../artefact.js';
import { BackendError } from '../../errors.js';
import type { Matrix, RealArray } from '../matrix.js';

type Sums = (
  m: number,
  n: number,
  products: number,
  strideBytes: number,
  lengths: number,
  squares: number,
  scales: number,
  shifts: number,
  power: number,
  labels: number,
  out: number,
  own: number,
  scratch: number,
) => void;
type Softmax = (
  m: number,
  n: number,
  scores: number,
  scoreBytes: number,
  offsets: number,
  target: number,
  targetBytes: number,
  weights: number,
  counts: number,
  scratch: number,
) => void;
type Energy = (m: number, n: number, q: number, qBytes: number, s: number, sBytes: number, weights: number) => number;
type Powers = (m: number, n: number, rows: number, strideBytes: number, power: number, scratch: number) => void;

interface RowKernels {
  logPowerSums32: Sums;
  logPowerSums64: Sums;
  softmaxRows32: Softmax;
  softmaxRows64: Softmax;
  energyOfRows32: Energy;
  energyOfRows64: Energy;
  powerRows32: Powers;
  powerRows64: Powers;
}

const pageBytes = 65536;
/** What a module keeps for itself lies below. */
const heap = 4096;
/** Bytes of a piece of rows. */
const pieceBytes = 2 ** 18;

export class RowWorkbench {
  readonly kernels: RowKernels;
  readonly #memory: WebAssembly.Memory;
  #end = heap;

  constructor() {
    this.#memory = new WebAssembly.Memory({ initial: 16, maximum: 65536, shared: true });
    const { exports } = new WebAssembly.Instance(compiledModule(), { env: { memory: this.#memory } });
    this.kernels = exports as unknown as RowKernels;
  }

  /** Rows of a piece of matrices of so many columns. */
  rowsPerPiece(columns: number): number {
    return Math.max(1, Math.floor(pieceBytes / (8 * Math.max(1, columns))));
  }

  /** Gives all room back. */
  clear(): void {
    this.#end = heap;
  }

  /** Room for so many bytes, until `clear`. */
  room(bytes: number): number {
    const pointer = this.#end;
    this.#end = Math.ceil((pointer + bytes) / 64) * 64;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes));
    return pointer;
  }

  reals(pointer: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, pointer, length);
  }

  /** Room that holds these numbers in the precision of a matrix, and three more. */
  hold(values: Float64Array, like: RealArray): number {
    const pointer = this.room((values.length + 3) * like.BYTES_PER_ELEMENT);
    this.#elements(like, pointer, values.length).set(values);
    return pointer;
  }

  setIntegers(pointer: number, values: Int32Array): void {
    new Int32Array(this.#memory.buffer, pointer, values.length).set(values);
  }

  /** Copies rows [from, to) of a matrix to `pointer`, one after the other. */
  bring(matrix: Matrix, from: number, to: number, pointer: number): void {
    const target = this.#elements(matrix.data, pointer, (to - from) * matrix.cols);
    if (matrix.contiguous) target.set(matrix.data.subarray(from * matrix.cols, to * matrix.cols));
    else for (let i = from; i < to; i++) target.set(matrix.row(i), (i - from) * matrix.cols);
  }

  /** The reverse. */
  fetch(matrix: Matrix, from: number, to: number, pointer: number): void {
    const source = this.#elements(matrix.data, pointer, (to - from) * matrix.cols);
    if (matrix.contiguous) matrix.data.set(source, from * matrix.cols);
    else
      for (let i = from; i < to; i++)
        matrix.row(i).set(source.subarray((i - from) * matrix.cols, (i - from + 1) * matrix.cols));
  }

  #elements(like: RealArray, pointer: number, length: number): RealArray {
    const { buffer } = this.#memory;
    return like instanceof Float64Array
      ? new Float64Array(buffer, pointer, length)
      : new Float32Array(buffer, pointer, length);
  }
}

let compiled: WebAssembly.Module | undefined;

function compiledModule(): WebAssembly.Module {
  if (compiled) return compiled;
  const url = artefact('assembly/rows.wasm');
  try {
    compiled = new WebAssembly.Module(new Uint8Array(readFileSync(url)));
    return compiled;
  } catch (cause) {
    throw new BackendError(`the WebAssembly kernels cannot be loaded: ${url.pathname}`, 'Run npm run build.', cause);
  }
}
