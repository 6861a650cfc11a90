/**
 * From the coefficients of a block to its samples, at the full size or at a half, a quarter or an eighth of it. Integer
 * arithmetic with thirteen fractional bits, two of which are kept between columns and rows (the method of Loeffler,
 * Ligtenberg and Moschytz, ICASSP 1989, and of its reduced sizes as libjpeg has them), so that the samples are the same, bit for
 * bit, as those of the decoder that the command line uses.
 */
const constantBits = 13;
const passBits = 2;
const fixed = (value: number) => Math.round(value * 2 ** constantBits);

/** Writes size × size samples to `target` at `to`, rows `stride` apart. */
export type InverseTransform = (
  block: Int16Array,
  at: number,
  quantization: Uint16Array,
  target: Uint8ClampedArray,
  to: number,
  stride: number,
) => void;

const c0298 = fixed(0.298631336);
const c0390 = fixed(0.390180644);
const c0541 = fixed(0.5411961);
const c0765 = fixed(0.765366865);
const c0899 = fixed(0.899976223);
const c1175 = fixed(1.175875602);
const c1501 = fixed(1.50132111);
const c1847 = fixed(1.847759065);
const c1961 = fixed(1.96157056);
const c2053 = fixed(2.053119869);
const c2562 = fixed(2.562915447);
const c3072 = fixed(3.072711026);

const scratch = new Int32Array(64);

/** One pass over eight values `step` apart; results are shifted down by `shift`, rounding. */
function pass8(values: Int32Array, at: number, step: number, shift: number): void {
  const half = 1 << (shift - 1);
  const [v2, v6] = [values[at + 2 * step], values[at + 6 * step]];
  const even = (v2 + v6) * c0541;
  const [low, high] = [even - v6 * c1847, even + v2 * c0765];
  const [v0, v4] = [values[at], values[at + 4 * step]];
  const [sum, difference] = [(v0 + v4) * 8192, (v0 - v4) * 8192];
  const [e0, e3, e1, e2] = [sum + high, sum - high, difference + low, difference - low];
  const [v7, v5, v3, v1] = [values[at + 7 * step], values[at + 5 * step], values[at + 3 * step], values[at + step]];
  const cross = (v7 + v3 + v5 + v1) * c1175;
  const [z1, z2] = [-(v7 + v1) * c0899, -(v5 + v3) * c2562];
  const [z3, z4] = [cross - (v7 + v3) * c1961, cross - (v5 + v1) * c0390];
  const [o0, o1, o2, o3] = [v7 * c0298 + z1 + z3, v5 * c2053 + z2 + z4, v3 * c3072 + z2 + z3, v1 * c1501 + z1 + z4];
  values[at] = (e0 + o3 + half) >> shift;
  values[at + 7 * step] = (e0 - o3 + half) >> shift;
  values[at + step] = (e1 + o2 + half) >> shift;
  values[at + 6 * step] = (e1 - o2 + half) >> shift;
  values[at + 2 * step] = (e2 + o1 + half) >> shift;
  values[at + 5 * step] = (e2 - o1 + half) >> shift;
  values[at + 3 * step] = (e3 + o0 + half) >> shift;
  values[at + 4 * step] = (e3 - o0 + half) >> shift;
}

const full: InverseTransform = (block, at, quantization, target, to, stride) => {
  let flat = true;
  for (let i = 0; i < 64; i++) {
    const value = block[at + i];
    scratch[i] = value * quantization[i];
    if (i > 0 && value !== 0) flat = false;
  }
  if (flat) {
    const value = 128 + ((scratch[0] * 4 + 16) >> 5);
    for (let row = 0; row < 8; row++) target.fill(value, to + row * stride, to + row * stride + 8);
    return;
  }
  for (let column = 0; column < 8; column++) pass8(scratch, column, 8, constantBits - passBits);
  for (let row = 0; row < 8; row++) {
    pass8(scratch, row * 8, 1, constantBits + passBits + 3);
    for (let x = 0; x < 8; x++) target[to + row * stride + x] = scratch[row * 8 + x] + 128;
  }
};

const [d0211, d1451, d2172, d1061] = [0.211164243, 1.451774981, 2.172734803, 1.061594337].map(fixed);
const [d0509, d0601] = [0.509795579, 0.601344887].map(fixed);

/** Four values out of eight; the fifth does not matter. */
function pass4(values: Int32Array, at: number, step: number, shift: number): void {
  const half = 1 << (shift - 1);
  const base = values[at] * 16384;
  const even = values[at + 2 * step] * c1847 - values[at + 6 * step] * c0765;
  const [v7, v5, v3, v1] = [values[at + 7 * step], values[at + 5 * step], values[at + 3 * step], values[at + step]];
  const inner = -v7 * d0211 + v5 * d1451 - v3 * d2172 + v1 * d1061;
  const outer = -v7 * d0509 - v5 * d0601 + v3 * c0899 + v1 * c2562;
  values[at] = (base + even + outer + half) >> shift;
  values[at + 3 * step] = (base + even - outer + half) >> shift;
  values[at + step] = (base - even + inner + half) >> shift;
  values[at + 2 * step] = (base - even - inner + half) >> shift;
}

const [f0720, f0850, f1272, f3624] = [0.720959822, 0.850430095, 1.27275858, 3.624509785].map(fixed);

/** Two values out of eight; of the even ones only the first matters. */
function pass2(values: Int32Array, at: number, step: number, shift: number): void {
  const half = 1 << (shift - 1);
  const base = values[at] * 32768;
  const odd =
    -values[at + 7 * step] * f0720 +
    values[at + 5 * step] * f0850 -
    values[at + 3 * step] * f1272 +
    values[at + step] * f3624;
  values[at] = (base + odd + half) >> shift;
  values[at + step] = (base - odd + half) >> shift;
}

function reduced(size: 2 | 4): InverseTransform {
  const pass = size === 4 ? pass4 : pass2;
  const extra = size === 4 ? 1 : 2;
  return (block, at, quantization, target, to, stride) => {
    for (let i = 0; i < 64; i++) scratch[i] = block[at + i] * quantization[i];
    for (let column = 0; column < 8; column++) pass(scratch, column, 8, constantBits - passBits + extra);
    for (let row = 0; row < size; row++) {
      pass(scratch, row * 8, 1, constantBits + passBits + 3 + extra);
      for (let x = 0; x < size; x++) target[to + row * stride + x] = scratch[row * 8 + x] + 128;
    }
  };
}

const one: InverseTransform = (block, at, quantization, target, to) => {
  target[to] = 128 + ((block[at] * quantization[0] + 4) >> 3);
};

/** By the samples a block becomes, in a row. */
export const inverseTransforms: Readonly<Record<number, InverseTransform>> = {
  1: one,
  2: reduced(2),
  4: reduced(4),
  8: full,
};
