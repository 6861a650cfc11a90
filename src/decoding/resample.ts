/**
 * Resamples a picture that is in memory and computes only the part that is kept, as libvips does: output pixel x lies at
 * source position (x + ½)/scale − ½, where the picture grows at x/scale − ½. Weights are those of the kernel there,
 * stretched by 1/scale where the picture shrinks and
 * normalized to one, first along the rows, then along the columns, rounded once at the end. Whole numbers of 32 bits
 * throughout, which JavaScript computes quickest: weights have 11 and 10 binary places, so that no sum overflows.
 */
const rowBits = 11;
const columnBits = 10;

export type ResampleKernel = 'linear' | 'cubic' | 'lanczos3';

export interface Raster {
  /** Height × width × channels. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

export interface Window {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The part `cut` of the picture scaled by `scale`, which may differ a little between x and y. */
export function resample(
  source: Raster,
  scale: { x: number; y: number },
  cut: Window,
  kernel: ResampleKernel,
): Uint8Array {
  const columns = taps(source.width, scale.x, cut.left, cut.width, kernel, rowBits);
  const rows = taps(source.height, scale.y, cut.top, cut.height, kernel, columnBits);
  const first = rows.starts[0];
  const last = rows.starts[cut.height - 1] + rows.count;
  return alongColumns(alongRows(source, columns, first, last), rows, first, cut.width * source.channels);
}

/** The rows from `first` to `last`, each as wide as the result. */
function alongRows({ data, width, channels }: Raster, columns: Taps, first: number, last: number): Int32Array {
  const { starts, weights, count } = columns;
  const between = new Int32Array((last - first) * starts.length * channels);
  let to = 0;
  for (let y = first; y < last; y++) {
    const row = y * width * channels;
    for (let x = 0; x < starts.length; x++) {
      const start = row + starts[x] * channels;
      const w = x * count;
      if (count === 2 && channels === 3) {
        const v0 = weights[w];
        const v1 = weights[w + 1];
        between[to++] = Math.imul(v0, data[start]) + Math.imul(v1, data[start + 3]);
        between[to++] = Math.imul(v0, data[start + 1]) + Math.imul(v1, data[start + 4]);
        between[to++] = Math.imul(v0, data[start + 2]) + Math.imul(v1, data[start + 5]);
        continue;
      }
      for (let c = 0; c < channels; c++) {
        let sum = 0;
        for (let t = 0; t < count; t++) sum += Math.imul(weights[w + t], data[start + t * channels + c]);
        between[to++] = sum;
      }
    }
  }
  return between;
}

const places = rowBits + columnBits;
const half = 1 << (places - 1);

function alongColumns(between: Int32Array, rows: Taps, first: number, rowLength: number): Uint8Array {
  const { starts, weights, count } = rows;
  const result = new Uint8ClampedArray(starts.length * rowLength);
  let to = 0;
  for (let y = 0; y < starts.length; y++) {
    const from = (starts[y] - first) * rowLength;
    const w = y * count;
    if (count === 2) {
      const v0 = weights[w];
      const v1 = weights[w + 1];
      for (let i = from; i < from + rowLength; i++)
        result[to++] = (Math.imul(v0, between[i]) + Math.imul(v1, between[i + rowLength]) + half) >> places;
      continue;
    }
    for (let i = from; i < from + rowLength; i++) {
      let sum = half;
      for (let t = 0; t < count; t++) sum += Math.imul(weights[w + t], between[i + t * rowLength]);
      result[to++] = sum >> places;
    }
  }
  return new Uint8Array(result.buffer);
}

interface Taps {
  /** The first source position of every output position. */
  readonly starts: Int32Array;
  /** `count` for each. */
  readonly weights: Int32Array;
  readonly count: number;
}

/** The weights of every output position, as many for each; positions beyond the edge count for the pixel at the edge. */
function taps(source: number, scale: number, from: number, length: number, kernel: ResampleKernel, bits: number): Taps {
  const factor = 1 / scale;
  const stretch = Math.max(1, factor);
  // Enlarging with the widest kernel rings and gains nothing.
  const shape = factor < 1 && kernel === 'lanczos3' ? 'cubic' : kernel;
  const radius = radii[shape] * stretch;
  const count = Math.min(source, 2 * Math.ceil(radius));
  const starts = new Int32Array(length);
  const weights = new Int32Array(length * count);
  const exact = new Float64Array(count);
  for (let i = 0; i < length; i++) {
    const centre = factor < 1 ? (from + i) * factor - 0.5 : (from + i + 0.5) * factor - 0.5;
    const lowest = Math.floor(centre - radius) + 1;
    const start = Math.max(0, Math.min(source - count, lowest));
    starts[i] = start;
    exact.fill(0);
    let sum = 0;
    for (let at = lowest; at < centre + radius; at++) {
      const weight = kernels[shape]((at - centre) / stretch);
      const inside = Math.max(start, Math.min(start + count - 1, at));
      exact[inside - start] += weight;
      sum += weight;
    }
    // What rounding takes from one weight the next one gets: together they are one exactly.
    let [total, given] = [0, 0];
    for (let t = 0; t < count; t++) {
      total += exact[t] / sum;
      weights[i * count + t] = Math.round(total * 2 ** bits) - given;
      given += weights[i * count + t];
    }
  }
  return { starts, weights, count };
}

const radii: Readonly<Record<ResampleKernel, number>> = { linear: 1, cubic: 2, lanczos3: 3 };

const kernels: Readonly<Record<ResampleKernel, (x: number) => number>> = {
  linear: (x) => Math.max(0, 1 - Math.abs(x)),
  /** Catmull and Rom's. */
  cubic: (x) => {
    const t = Math.abs(x);
    if (t < 1) return (1.5 * t - 2.5) * t * t + 1;
    return t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
  },
  lanczos3: (x) => {
    if (x === 0) return 1;
    return Math.abs(x) < 3 ? (3 * Math.sin(Math.PI * x) * Math.sin((Math.PI * x) / 3)) / (Math.PI * x) ** 2 : 0;
  },
};
