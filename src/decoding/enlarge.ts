/**
 * Enlarges pixels exactly as libvips does with its linear kernel, byte for byte, which takes libvips longer than decoding a
 * small picture. The kernel is that of assembly/pictures. (What browsers scale with, field/src/pictures, knows all kernels and
 * differs from libvips by one of 255 at most.)
 */
import { kernels, type PlacedPixels, places } from './picture-memory.js';
import type { PixelTask } from './task.js';

/** The data of what was enlarged lie in the memory of the kernels, where the next picture takes their place. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** The only number of channels that there is a kernel for. */
const colours = 3;
const weightOfOne = 4096;

/** Sides above this, before the cut, are left to libvips, which has limits of its own. */
const longestSide = 10_000;

/** Whether the task enlarges pixels of this size, or cuts them as they are, in a way that is known here. */
export function canEnlarge({ width, height, channels }: Omit<Pixels, 'data'>, task: PixelTask): boolean {
  if (channels !== colours || task.kernel !== 'linear' || task.fit !== 'cover' || task.mirror) return false;
  const shrink = shrinkOf(width, height, task.box);
  return shrink > 0 && shrink <= 1 && Math.max(width, height) / shrink < longestSide;
}

/** The part that the task wants of the pixels scaled to cover its box. */
export function enlarge({ data, width, height }: Pixels, task: PixelTask): Pixels {
  const [at, end] = places([data.length]);
  new Uint8Array(kernels().memory.buffer).set(data, at);
  return enlargePlaced({ at, end, width, height }, task);
}

/** The same of pixels that the kernels have in their memory already. */
export function enlargePlaced({ at, end, width, height }: PlacedPixels, { box, cut }: PixelTask): Pixels {
  const scale = 1 / shrinkOf(width, height, box);
  const step = (1 / (scale * scale)) * scale;
  const margin = (side: number, wanted: number) => Math.floor((Math.round(side * scale) - wanted + 1) / 2);
  const { left, top, ...size } = cut ?? { left: 0, top: 0, ...box };
  const fromLeft = margin(width, box.width) + left;
  const fromTop = margin(height, box.height) + top;
  // Along a row libvips adds the step again and again; from row to row it multiplies. Either rounds in its own way.
  // Where nothing is enlarged, places are pixels.
  const shift = scale === 1 ? 1 : 0.5;
  let sum = step * fromLeft + shift;
  const columns = tableOf(size.width, width, colours, () => {
    const place = sum;
    sum += step;
    return place;
  });
  const down = tableOf(size.height, height, width * colours, (k) => step * (fromTop + k) + shift);
  // In fours, as the kernel reads them. One pixel of the border has the same weight as two halves of it, but for rounding that
  // is not so of rows.
  const full = (size.width + 3) & -4;
  const across = new Int32Array(2 * full);
  for (let k = 0; k < size.width; k++) {
    across[k] = columns[3 * k];
    if (columns[3 * k] !== columns[3 * k + 1]) across[full + k] = columns[3 * k + 2];
  }
  const length = size.width * size.height * colours;
  const [acrossAt, downAt, resultAt] = places([across.byteLength, down.byteLength, length], end);
  const { memory, enlarge: kernel } = kernels();
  new Int32Array(memory.buffer, acrossAt).set(across);
  new Int32Array(memory.buffer, downAt).set(down);
  kernel(resultAt, at, size.width, acrossAt, size.height, downAt);
  return { ...size, data: new Uint8Array(memory.buffer, resultAt, length), channels: colours };
}

function shrinkOf(width: number, height: number, box: PixelTask['box']): number {
  return Math.min(width / box.width, height / box.height);
}

/** Offsets of two neighbours and the weight of the second. Beyond the border there is only the border. */
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
