/**
 * Planes of different sizes become one picture: chroma is brought to the size of luma, smoothly where it has half of its
 * columns or rows (each new sample is ¾ of the nearer and ¼ of the farther old one), then colours are converted to RGB. The
 * rounding is libjpeg's.
 */
export interface Plane {
  readonly samples: Uint8ClampedArray;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

/** @param smooth whether new samples lie between old ones, or repeat them */
export function enlarge(plane: Plane, across: number, down: number, smooth: boolean): Plane {
  const { width, height } = plane;
  if (across === 1 && down === 1) return plane;
  if (smooth && across === 2 && down === 1 && width > 2) return smoothColumns(plane);
  if (smooth && across === 2 && down === 2 && width > 2) return smoothBoth(plane);
  if (smooth && across === 1 && down === 2) return smoothRows(plane);
  const stride = width * across;
  const samples = new Uint8ClampedArray(stride * height * down);
  for (let y = 0; y < height * down; y++)
    for (let x = 0; x < stride; x++)
      samples[y * stride + x] = plane.samples[Math.floor(y / down) * plane.stride + Math.floor(x / across)];
  return { samples, stride, width: stride, height: height * down };
}

function smoothColumns(plane: Plane): Plane {
  const { width, height } = plane;
  const stride = 2 * width;
  const samples = new Uint8ClampedArray(stride * height);
  for (let y = 0; y < height; y++) {
    const [from, to] = [y * plane.stride, y * stride];
    const row = plane.samples;
    for (let x = 0; x < width; x++) {
      const here = row[from + x];
      samples[to + 2 * x] = x === 0 ? here : (3 * here + row[from + x - 1] + 1) >> 2;
      samples[to + 2 * x + 1] = x === width - 1 ? here : (3 * here + row[from + x + 1] + 2) >> 2;
    }
  }
  return { samples, stride, width: stride, height };
}

function smoothRows(plane: Plane): Plane {
  const { width, height, samples: old } = plane;
  const samples = new Uint8ClampedArray(width * height * 2);
  for (let y = 0; y < 2 * height; y++) {
    const near = (y >> 1) * plane.stride;
    const far = neighbour(y, height) * plane.stride;
    const bias = y % 2 === 0 ? 1 : 2;
    for (let x = 0; x < width; x++) samples[y * width + x] = (3 * old[near + x] + old[far + x] + bias) >> 2;
  }
  return { samples, stride: width, width, height: 2 * height };
}

function smoothBoth(plane: Plane): Plane {
  const { width, height, samples: old } = plane;
  const stride = 2 * width;
  const samples = new Uint8ClampedArray(stride * 2 * height);
  for (let y = 0; y < 2 * height; y++) {
    const near = (y >> 1) * plane.stride;
    const far = neighbour(y, height) * plane.stride;
    const to = y * stride;
    let before = 0;
    let here = 3 * old[near] + old[far];
    for (let x = 0; x < width; x++) {
      const after = x + 1 < width ? 3 * old[near + x + 1] + old[far + x + 1] : here;
      samples[to + 2 * x] = x === 0 ? (4 * here + 8) >> 4 : (3 * here + before + 8) >> 4;
      samples[to + 2 * x + 1] = x === width - 1 ? (4 * here + 7) >> 4 : (3 * here + after + 7) >> 4;
      before = here;
      here = after;
    }
  }
  return { samples, stride, width: stride, height: 2 * height };
}

/** The old row on the other side of new row y, inside the picture. */
function neighbour(y: number, height: number): number {
  const row = (y >> 1) + (y % 2 === 0 ? -1 : 1);
  return Math.max(0, Math.min(height - 1, row));
}

const fixed = (value: number) => Math.round(value * 65536);
const tables = (factor: number, rounding: number) =>
  Int32Array.from({ length: 256 }, (_, i) => Math.round(fixed(factor)) * (i - 128) + rounding);
const redOfCr = tables(1.402, 32768).map((value) => value >> 16);
const blueOfCb = tables(1.772, 32768).map((value) => value >> 16);
const greenOfCr = tables(-0.71414, 0);
const greenOfCb = tables(-0.34414, 32768);

/** Width × height × RGB. */
export function toRgb(planes: readonly Plane[], width: number, height: number, chroma: boolean): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(width * height * 3);
  const [first, second, third] = planes.length === 1 ? [planes[0], planes[0], planes[0]] : planes;
  let to = 0;
  for (let row = 0; row < height; row++) {
    let [a, b, c] = [row * first.stride, row * second.stride, row * third.stride];
    for (let x = 0; x < width; x++, a++, b++, c++, to += 3) {
      const [y, cb, cr] = [first.samples[a], second.samples[b], third.samples[c]];
      if (chroma) {
        pixels[to] = y + redOfCr[cr];
        pixels[to + 1] = y + ((greenOfCb[cb] + greenOfCr[cr]) >> 16);
        pixels[to + 2] = y + blueOfCb[cb];
      } else {
        pixels[to] = y;
        pixels[to + 1] = cb;
        pixels[to + 2] = cr;
      }
    }
  }
  return pixels;
}
