/**
 * Enlarges pixels exactly as libvips does with its linear kernel, byte for byte, which takes libvips longer than decoding a
 * small picture. The kernel is that of assembly/pictures. (What browsers scale with, field/src/pictures, knows all kernels and
 * differs from libvips by one of 255 at most.)
 */
import { readFileSync } from 'node:fs';
import { artefact } from '../artefact.js';
import type { PixelTask } from './task.js';

export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** The only number of channels that there is a kernel for. */
const colours = 3;
const weightOfOne = 4096;
const pageBytes = 65_536;
/** The kernel reads and writes some bytes after the last pixel. */
const beyond = 8;

/** Sides above this, before the cut, are left to libvips, which has limits of its own. */
const longestSide = 10_000;

/** Whether the task enlarges pixels of this size in a way that is known here. */
export function canEnlarge({ width, height, channels }: Omit<Pixels, 'data'>, task: PixelTask): boolean {
  if (channels !== colours || task.kernel !== 'linear' || task.fit !== 'cover' || task.mirror) return false;
  const shrink = shrinkOf(width, height, task.box);
  return shrink > 0 && shrink < 1 && Math.max(width, height) / shrink < longestSide;
}

/** The part that the task wants of the pixels scaled to cover its box. */
export function enlarge({ data, width, height }: Pixels, { box, cut }: PixelTask): Pixels {
  const scale = 1 / shrinkOf(width, height, box);
  const step = (1 / (scale * scale)) * scale;
  const margin = (side: number, wanted: number) => Math.floor((Math.round(side * scale) - wanted + 1) / 2);
  const { left, top, ...size } = cut ?? { left: 0, top: 0, ...box };
  const fromLeft = margin(width, box.width) + left;
  const fromTop = margin(height, box.height) + top;
  // Along a row libvips adds the step again and again; from row to row it multiplies. Either rounds in its own way.
  let sum = step * fromLeft + 0.5;
  const across = tableOf(size.width, width, colours, () => {
    const place = sum;
    sum += step;
    return place;
  });
  // One pixel of the border has the same weight as two halves of it, but for rounding that is not so of rows.
  for (let at = 0; at < across.length; at += 3) if (across[at] === across[at + 1]) across[at + 2] = 0;
  const down = tableOf(size.height, height, width * colours, (k) => step * (fromTop + k) + 0.5);
  return { ...size, data: interpolated(data, across, down), channels: colours };
}

function shrinkOf(width: number, height: number, box: PixelTask['box']): number {
  return Math.min(width / box.width, height / box.height);
}

/** As the kernel reads it: beyond the border there is only the border. */
function tableOf(count: number, given: number, stride: number, placeOf: (k: number) => number): Int32Array {
  const table = new Int32Array(3 * count);
  const offset = (place: number) => stride * Math.min(given - 1, Math.max(0, place));
  for (let k = 0; k < count; k++) {
    const place = placeOf(k);
    const whole = Math.floor(place);
    table[3 * k] = offset(whole - 1);
    table[3 * k + 1] = offset(whole);
    table[3 * k + 2] = Math.trunc((place - whole) * weightOfOne);
  }
  return table;
}

type Kernel = (...sizesAndAddresses: number[]) => void;

let opened: { memory: WebAssembly.Memory; kernel: Kernel } | undefined;

function open(): NonNullable<typeof opened> {
  const memory = new WebAssembly.Memory({ initial: 16, maximum: pageBytes, shared: true });
  const module = new WebAssembly.Module(new Uint8Array(readFileSync(artefact('assembly/pictures.wasm'))));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory, kernel: exports.enlarge as Kernel };
}

function interpolated(data: Uint8Array, across: Int32Array, down: Int32Array): Uint8Array {
  opened ??= open();
  const { memory, kernel } = opened;
  const [width, height] = [across.length / 3, down.length / 3];
  const length = width * height * colours;
  // The first page is the kernel's own.
  const acrossAt = pageBytes;
  const downAt = acrossAt + across.byteLength;
  const dataAt = downAt + down.byteLength;
  const resultAt = dataAt + data.length + beyond;
  const missing = resultAt + length + beyond - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  const bytes = new Uint8Array(memory.buffer);
  new Int32Array(memory.buffer, acrossAt).set(across);
  new Int32Array(memory.buffer, downAt).set(down);
  bytes.set(data, dataAt);
  kernel(resultAt, dataAt, width, acrossAt, height, downAt);
  return bytes.slice(resultAt, resultAt + length);
}
