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
] as const;
/** By which `call` names a kernel. */
export const kernelNumber = (kernel: RowKernel, single: boolean): number =>
  names.indexOf(`${kernel}${single ? 32 : 64}`);

export type RowKernel = (typeof names)[number] extends `${infer Name}32` | `${infer Name}64` ? Name : never;

/** Calls lie above what a module keeps for itself: the kernel, its arguments, and last what it returned. */
const callsAt = 4096;
const callWidth = 16;
export const mostCalls = 256;
/** Where everything else begins. */
export const heapAt = callsAt + mostCalls * callWidth * 8;

/** What a thread needs to make calls: handed over when it starts. */
export interface RowStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** The kernels of one thread over a memory that threads share. */
export class RowCalls {
  readonly #kernels: ((...values: number[]) => number | undefined)[];
  /** A memory that grows keeps this part in its place. */
  readonly #calls: Float64Array;

  constructor({ module, memory }: RowStart) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.#kernels = names.map((name) => exports[name] as (...values: number[]) => number | undefined);
    this.#calls = new Float64Array(memory.buffer, callsAt, mostCalls * callWidth);
  }

  write(call: number, kernel: RowKernel, single: boolean, values: readonly number[]): void {
    this.#calls[call * callWidth] = kernelNumber(kernel, single);
    this.#calls.set(values, call * callWidth + 1);
  }

  make(call: number): void {
    const at = call * callWidth;
    const kernel = this.#kernels[this.#calls[at]];
    this.#calls[at + callWidth - 1] = kernel(...this.#calls.subarray(at + 1, at + callWidth - 1)) ?? 0;
  }

  /** Makes a call that is written down elsewhere. */
  call(kernel: number, values: Float64Array): void {
    this.#kernels[kernel](...values);
  }

  result(call: number): number {
    return this.#calls[(call + 1) * callWidth - 1];
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
