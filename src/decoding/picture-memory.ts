/**
 * The kernels of assembly/pictures and the memory they work in. A decoding process has one picture at a time; the next one
 * takes the same places.
 */
import { readFileSync } from 'node:fs';
import { artefact } from '../artefact.js';

type Kernel = (...sizesAndAddresses: number[]) => number;

interface Opened {
  readonly memory: WebAssembly.Memory;
  readonly enlarge: Kernel;
  readonly prepareCodes: Kernel;
  readonly prepareSkips: Kernel;
  readonly decodeScan: Kernel;
  readonly colours: Kernel;
}

/** Pixels of three channels in the memory of the kernels. */
export interface PlacedPixels {
  readonly at: number;
  /** What lies behind this address is free. */
  readonly end: number;
  readonly width: number;
  readonly height: number;
}

const pageBytes = 65_536;
/** Kernels read and write some bytes beyond the pixels. */
const beyond = 64;

let opened: Opened | undefined;

export function kernels(): Opened {
  if (opened) return opened;
  const memory = new WebAssembly.Memory({ initial: 16, maximum: pageBytes, shared: true });
  const module = new WebAssembly.Module(new Uint8Array(readFileSync(artefact('assembly/pictures.wasm'))));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  opened = { memory, ...(exports as unknown as Omit<Opened, 'memory'>) };
  return opened;
}

/** Addresses of parts of the given lengths, one after the other, behind the address `after`. */
export function places(lengths: readonly number[], after = pageBytes): number[] {
  const { memory } = kernels();
  const found: number[] = [];
  let end = after;
  for (const length of lengths) {
    found.push(end);
    end = (end + length + beyond) & -16;
  }
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  return [...found, end];
}
