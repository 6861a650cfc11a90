/**
 * Scales 8-bit RGB pictures as libvips does, which the command line uses: to smaller sizes by means over whole pixels down to
 * twice the target, then by a kernel as wide as the rest of the reduction, rows before columns, with rounding to 8 bits in
 * between; to larger sizes by interpolation. Positions are kept in 1/64 of a pixel and weights in 1/4096.
 */
import type { Pixels } from './jpeg.js';

export type Kernel = 'nearest' | 'linear' | 'cubic' | 'lanczos3';

/** Half of the kernel's width, for a reduction by 1. */
const supports: Readonly<Record<Kernel, number>> = { nearest: 0, linear: 1, cubic: 2, lanczos3: 3 };
const [positions, weightScale] = [64, 4096];

/** @param across factors by which the picture becomes narrower and lower; below 1, wider and higher */
export function resize(picture: Pixels, across: number, down: number, kernel: Kernel): Pixels {
  let current = picture;
  if (down > 1) current = transposed(reduceColumns(transposed(current), down, kernel));
  if (across > 1) current = reduceColumns(current, across, kernel);
  return across < 1 || down < 1 ? grow(current, Math.max(1, 1 / across), Math.max(1, 1 / down), kernel) : current;
}

/** Fewer columns. */
function reduceColumns(picture: Pixels, factor: number, kernel: Kernel): Pixels {
  const width = Math.max(1, Math.round(picture.width / factor));
  const whole = Math.max(1, Math.floor(picture.width / width / 2));
  // What does not fit is left out on both sides alike.
  const surplus = (width * factor - picture.width) / 2 / whole;
  if (kernel === 'nearest') return reduceNearest(picture, factor / whole, surplus, whole, width);
  const shrunk = whole > 1 ? meanColumns(picture, whole) : picture;
  return reduceByKernel(shrunk, factor / whole, surplus, width, kernel);
}

/** The mean of each `whole` columns; the last ones of those that are left over are counted again. */
function meanColumns({ width, height, data }: Pixels, whole: number): Pixels {
  const columns = Math.ceil(width / whole);
  const result = new Uint8ClampedArray(columns * height * 3);
  const multiplier = Math.floor(2 ** 32 / (256 * whole));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < columns; x++)
      for (let c = 0; c < 3; c++) {
        let sum = whole >> 1;
        for (let i = 0; i < whole; i++) sum += data[(y * width + Math.min(width - 1, x * whole + i)) * 3 + c];
        result[(y * columns + x) * 3 + c] = Math.floor((sum * multiplier) / 2 ** 24);
      }
  return { width: columns, height, data: result };
}

function reduceByKernel(picture: Pixels, factor: number, surplus: number, columns: number, kernel: Kernel): Pixels {
  const { width, height, data } = picture;
  const result = new Uint8ClampedArray(columns * height * 3);
  const points = 2 * Math.round(supports[kernel] * factor) + 1;
  const tables = Array.from({ length: positions + 1 }, (_, i) => weights(kernel, factor, points, i / positions));
  const before = Math.ceil(points / 2) - 1;
  for (let x = 0; x < columns; x++) {
    const start = Math.max(0, (x + 0.5) * factor - surplus);
    const first = Math.floor(start);
    const table = tables[(Math.floor(start * positions * 2) - first * positions * 2 + 1) >> 1];
    const places = Array.from(table, (_, i) => 3 * Math.max(0, Math.min(width - 1, first + i - before)));
    for (let y = 0; y < height; y++)
      for (let c = 0; c < 3; c++) {
        let sum = weightScale / 2;
        for (let i = 0; i < points; i++) sum += table[i] * data[y * width * 3 + places[i] + c];
        result[(y * columns + x) * 3 + c] = sum >> 12;
      }
  }
  return { width: columns, height, data: result };
}

/** The kernel at `points` pixels around a position whose fractional part is `fraction`, in whole parts of `weightScale`. */
function weights(kernel: Kernel, factor: number, points: number, fraction: number): Int32Array {
  const centre = fraction + points / 2 - 1;
  const values = Float64Array.from({ length: points }, (_, i) => kernels[kernel]((i - centre) / factor));
  const sum = values.reduce((total, value) => total + value, 0);
  return Int32Array.from(values, (value) => Math.trunc((value / sum) * weightScale));
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const kernels: Readonly<Record<Kernel, (x: number) => number>> = {
  nearest: () => 1,
  linear: (x) => Math.max(0, 1 - Math.abs(x)),
  // Catmull and Rom's.
  cubic: (x) => {
    const d = Math.abs(x);
    if (d <= 1) return 1.5 * d ** 3 - 2.5 * d ** 2 + 1;
    return d <= 2 ? -0.5 * d ** 3 + 2.5 * d ** 2 - 4 * d + 2 : 0;
  },
  lanczos3: (x) => (Math.abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0),
};

/** Of each `whole` columns the first counts. */
function reduceNearest(picture: Pixels, factor: number, surplus: number, whole: number, columns: number): Pixels {
  const { width, height, data } = picture;
  const result = new Uint8ClampedArray(columns * height * 3);
  for (let x = 0; x < columns; x++) {
    const from = Math.min(width - 1, whole * Math.floor(Math.max(0, (x + 0.5) * factor - surplus)));
    for (let y = 0; y < height; y++)
      for (let c = 0; c < 3; c++) result[(y * columns + x) * 3 + c] = data[(y * width + from) * 3 + c];
  }
  return { width: columns, height, data: result };
}

/** Interpolation between the nearest pixel, the four nearest, or, for the wider kernels, the sixteen. */
function grow({ width, height, data }: Pixels, across: number, down: number, kernel: Kernel): Pixels {
  const columns = Math.round(width * across);
  const rows = Math.round(height * down);
  const result = new Uint8ClampedArray(columns * rows * 3);
  const horizontal = Array.from({ length: columns }, (_, x) => taps(x, across, width, kernel));
  const vertical = Array.from({ length: rows }, (_, y) => taps(y, down, height, kernel));
  const blend = kernel === 'linear' ? bilinear : separable;
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++)
      for (let c = 0; c < 3; c++) result[(y * columns + x) * 3 + c] = blend(data, c, width, vertical[y], horizontal[x]);
  return { width: columns, height: rows, data: result };
}

/** Pixels along one axis that a new one is made of, and how much each counts. */
interface Taps {
  readonly places: readonly number[];
  readonly weights: readonly number[];
}

function taps(at: number, factor: number, size: number, kernel: Kernel): Taps {
  const inside = (place: number) => Math.max(0, Math.min(size - 1, place));
  if (kernel === 'nearest') return { places: [inside(Math.floor(at / factor))], weights: [weightScale] };
  const position = at / factor - 0.5;
  const first = Math.floor(position);
  const fraction = position - first;
  if (kernel === 'linear') {
    const far = Math.floor(fraction * weightScale);
    return { places: [inside(first), inside(first + 1)], weights: [weightScale - far, far] };
  }
  const rounded = ((Math.floor(fraction * positions * 2) + 1) >> 1) / positions;
  const places = [-1, 0, 1, 2].map((i) => inside(first + i));
  return { places, weights: [-1, 0, 1, 2].map((i) => Math.trunc(kernels.cubic(i - rounded) * weightScale)) };
}

type Blend = (data: ArrayLike<number>, channel: number, width: number, vertical: Taps, horizontal: Taps) => number;

const bilinear: Blend = (data, channel, width, { places: [top, bottom], weights: [, low] }, { places, weights }) => {
  const [left, right] = [places[0] * 3 + channel, places[1] * 3 + channel];
  // The corners' weights add up to one exactly.
  const corner = (low * weights[1]) >> 12;
  const [belowLeft, aboveRight] = [low - corner, weights[1] - corner];
  const aboveLeft = weightScale - belowLeft - aboveRight - corner;
  const [upper, lower] = [top * width * 3, bottom * width * 3];
  const sum =
    aboveLeft * data[upper + left] +
    aboveRight * data[upper + right] +
    belowLeft * data[lower + left] +
    corner * data[lower + right];
  return (sum + weightScale / 2) >> 12;
};

/** Along rows first, rounding in between. */
const separable: Blend = (data, channel, width, vertical, horizontal) => {
  let total = weightScale / 2;
  for (let j = 0; j < vertical.places.length; j++) {
    let sum = weightScale / 2;
    for (let i = 0; i < horizontal.places.length; i++)
      sum += horizontal.weights[i] * data[(vertical.places[j] * width + horizontal.places[i]) * 3 + channel];
    total += vertical.weights[j] * (sum >> 12);
  }
  return total >> 12;
};

/** Rows for columns. */
export function transposed({ width, height, data }: Pixels): Pixels {
  const result = new Uint8ClampedArray(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++) result[(x * height + y) * 3 + c] = data[(y * width + x) * 3 + c];
  return { width: height, height: width, data: result };
}
