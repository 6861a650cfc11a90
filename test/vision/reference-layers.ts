/**
 * Keras layers computed straight from their definitions, one picture at a time, height × width × channels in plain
 * arrays. Slow and obvious: the importer and onnxruntime are compared with this.
 */
export interface Picture {
  height: number;
  width: number;
  channels: number;
  data: Float64Array;
}

export interface Kernel {
  shape: readonly number[];
  values: ArrayLike<number>;
}

export function picture(height: number, width: number, channels: number, value: (i: number) => number): Picture {
  return {
    height,
    width,
    channels,
    data: Float64Array.from({ length: height * width * channels }, (_, i) => value(i)),
  };
}

export function at(p: Picture, y: number, x: number, c: number): number {
  return p.data[(y * p.width + x) * p.channels + c];
}

/** Adds a border of zeros. */
export function pad(p: Picture, top: number, bottom: number, left: number, right: number): Picture {
  const result = picture(p.height + top + bottom, p.width + left + right, p.channels, () => 0);
  for (let y = 0; y < p.height; y++)
    for (let x = 0; x < p.width; x++)
      for (let c = 0; c < p.channels; c++)
        result.data[((y + top) * result.width + x + left) * p.channels + c] = at(p, y, x, c);
  return result;
}

interface Sliding {
  size: readonly [number, number];
  strides: readonly [number, number];
  dilation?: readonly [number, number];
  padding: 'valid' | 'same';
}

/**
 * Where the windows begin, and how many there are. TensorFlow's rule for `same`: as many outputs as strides begin inside
 * the picture; the missing rows are split, the odd one going to the end.
 */
function starts(length: number, size: number, stride: number, dilation: number, padding: 'valid' | 'same') {
  const reach = (size - 1) * dilation + 1;
  if (padding === 'valid') {
    const list: number[] = [];
    for (let start = 0; start + reach <= length; start += stride) list.push(start);
    return list;
  }
  const count = Math.ceil(length / stride);
  let missing = 0;
  while ((count - 1) * stride + reach > length + missing) missing++;
  return Array.from({ length: count }, (_, i) => i * stride - (missing >> 1));
}

function slide(
  p: Picture,
  channels: number,
  s: Sliding,
  value: (window: (i: number, j: number, c: number) => number | undefined, channel: number) => number,
): Picture {
  const [dy, dx] = s.dilation ?? [1, 1];
  const ys = starts(p.height, s.size[0], s.strides[0], dy, s.padding);
  const xs = starts(p.width, s.size[1], s.strides[1], dx, s.padding);
  const result = picture(ys.length, xs.length, channels, () => 0);
  ys.forEach((y0, i) => {
    xs.forEach((x0, j) => {
      for (let c = 0; c < channels; c++) {
        const window = (k: number, l: number, channel: number) => {
          const y = y0 + k * dy;
          const x = x0 + l * dx;
          return y < 0 || x < 0 || y >= p.height || x >= p.width ? undefined : at(p, y, x, channel);
        };
        result.data[(i * xs.length + j) * channels + c] = value(window, c);
      }
    });
  });
  return result;
}

/** Kernel: height × width × channels in a group × filters. */
export function conv2d(
  p: Picture,
  kernel: Kernel,
  bias: ArrayLike<number> | undefined,
  s: Omit<Sliding, 'size'>,
  groups = 1,
) {
  const [height, width, depth, filters] = kernel.shape;
  return slide(p, filters, { ...s, size: [height, width] }, (window, f) => {
    const group = Math.floor(f / (filters / groups));
    let sum = bias?.[f] ?? 0;
    for (let k = 0; k < height; k++)
      for (let l = 0; l < width; l++)
        for (let c = 0; c < depth; c++)
          sum += (window(k, l, group * depth + c) ?? 0) * kernel.values[((k * width + l) * depth + c) * filters + f];
    return sum;
  });
}

/** Kernel: height × width × channels × multiplier; output channel c · multiplier + m. */
export function depthwise(p: Picture, kernel: Kernel, bias: ArrayLike<number> | undefined, s: Omit<Sliding, 'size'>) {
  const [height, width, channels, multiplier] = kernel.shape;
  return slide(p, channels * multiplier, { ...s, size: [height, width] }, (window, f) => {
    const c = Math.floor(f / multiplier);
    let sum = bias?.[f] ?? 0;
    for (let k = 0; k < height; k++)
      for (let l = 0; l < width; l++)
        sum += (window(k, l, c) ?? 0) * kernel.values[((k * width + l) * channels + c) * multiplier + (f % multiplier)];
    return sum;
  });
}

export function maxPool(p: Picture, s: Sliding): Picture {
  return slide(p, p.channels, s, (window, c) => {
    let best = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < s.size[0]; k++)
      for (let l = 0; l < s.size[1]; l++) best = Math.max(best, window(k, l, c) ?? best);
    return best;
  });
}

/** Padding does not count towards the mean. */
export function averagePool(p: Picture, s: Sliding): Picture {
  return slide(p, p.channels, s, (window, c) => {
    const values: number[] = [];
    for (let k = 0; k < s.size[0]; k++)
      for (let l = 0; l < s.size[1]; l++) {
        const value = window(k, l, c);
        if (value !== undefined) values.push(value);
      }
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}

export function batchNorm(
  p: Picture,
  w: { gamma?: ArrayLike<number>; beta?: ArrayLike<number>; mean: ArrayLike<number>; variance: ArrayLike<number> },
  epsilon: number,
): Picture {
  return picture(p.height, p.width, p.channels, (i) => {
    const c = i % p.channels;
    const scaled = (p.data[i] - w.mean[c]) / Math.sqrt(w.variance[c] + epsilon);
    return scaled * (w.gamma?.[c] ?? 1) + (w.beta?.[c] ?? 0);
  });
}

export function map(p: Picture, f: (value: number, channel: number) => number): Picture {
  return picture(p.height, p.width, p.channels, (i) => f(p.data[i], i % p.channels));
}

export function globalPool(p: Picture, kind: 'mean' | 'max'): number[] {
  return Array.from({ length: p.channels }, (_, c) => {
    const values = Array.from({ length: p.height * p.width }, (_, i) => p.data[i * p.channels + c]);
    return kind === 'max' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}

/** Kernel: inputs × units. */
export function dense(x: ArrayLike<number>, kernel: Kernel, bias?: ArrayLike<number>): number[] {
  const [inputs, units] = kernel.shape;
  return Array.from({ length: units }, (_, u) => {
    let sum = bias?.[u] ?? 0;
    for (let i = 0; i < inputs; i++) sum += x[i] * kernel.values[i * units + u];
    return sum;
  });
}

export function softmax(x: readonly number[]): number[] {
  const exps = x.map((value) => Math.exp(value - Math.max(...x)));
  const total = exps.reduce((sum, value) => sum + value, 0);
  return exps.map((value) => value / total);
}
