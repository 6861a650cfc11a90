// The inverse cosine transform of blocks of 8 × 8 coefficients: the accurate integer one of Loeffler, Ligtenberg and Moschytz
// (1989), with constants of 13 bits, rounded where libjpeg rounds.

/** Rows of 8 numbers of 16 bits. */
export const block = memory.data(128, 16);

/**
 * Coefficients of a block may add up, without their signs, to this: nothing then leaves 16 bits, where builds of libjpeg differ.
 * (A pass makes at most 4 · 1.387 times as much of a number, and adds two of its results.) Those of pictures do not come near.
 */
export const MOST: i32 = 5900;

/** Values farther outside 0 … 255 than this come out differently of different builds of libjpeg. */
export const REACH: i32 = 384;

/** A block of which only the mean is known. Returns whether its values are within reach. */
export function even(target: usize, stride: usize): bool {
  const value = (((<i32>load<i16>(block) << 2) + 16) >> 5) + 128;
  const row = i8x16.splat(<i8>min(255, max(0, value)));
  for (let y = 0; y < 8; y++, target += stride) v128.store64_lane(target, row, 0);
  return isWithinReach(value);
}

// @ts-ignore: decorator
@inline
export function isWithinReach(value: i32): bool {
  return <u32>(value + REACH) < 1024;
}

/** Returns whether the values are within reach. */
export function transform(target: usize, stride: usize): bool {
  pass(11);
  pass(18);
  const middle = i16x8.splat(128);
  let found = i16x8.splat(0);
  for (let row: usize = block; row < block + 128; row += 16, target += stride) {
    const values = i16x8.add_sat_s(v128.load(row), middle);
    found = v128.or(found, i16x8.add(values, i16x8.splat(<i16>REACH)));
    v128.store64_lane(target, i8x16.narrow_i16x8_u(values, values), 0);
  }
  return areWithinReach(found);
}

/** Of values to which REACH was added, or of several put together. */
// @ts-ignore: decorator
@inline
export function areWithinReach(values: v128): bool {
  return !v128.any_true(v128.and(values, i16x8.splat(<i16>0xfc00)));
}

/** Columns of the block transformed, rounded to 2^-shift, and laid down as rows. The constants are those of the rotations, multiplied out. */
function pass(shift: i32): void {
  const in0 = v128.load(block);
  const in4 = v128.load(block, 64);
  const means = lower(in0, in4);
  const means2 = upper(in0, in4);
  const in2 = v128.load(block, 32);
  const in6 = v128.load(block, 96);
  const twos = lower(in2, in6);
  const twos2 = upper(in2, in6);
  const in1 = v128.load(block, 16);
  const in3 = v128.load(block, 48);
  const ones = lower(in1, in3);
  const ones2 = upper(in1, in3);
  const in5 = v128.load(block, 80);
  const in7 = v128.load(block, 112);
  const fives = lower(in5, in7);
  const fives2 = upper(in5, in7);

  // Half of the rounding goes into all sums by way of these.
  const half = i32x4.splat(1 << (shift - 1));
  const sum = i32x4.add(products(means, 8192, 8192), half);
  const sum2 = i32x4.add(products(means2, 8192, 8192), half);
  const difference = i32x4.add(products(means, 8192, -8192), half);
  const difference2 = i32x4.add(products(means2, 8192, -8192), half);
  const high = products(twos, 10703, 4433);
  const high2 = products(twos2, 10703, 4433);
  const low = products(twos, 4433, -10704);
  const low2 = products(twos2, 4433, -10704);

  const odd0 = i32x4.add(products(ones, 11363, 9633), products(fives, 6437, 2260));
  const odd02 = i32x4.add(products(ones2, 11363, 9633), products(fives2, 6437, 2260));
  const even0 = i32x4.add(sum, high);
  const even02 = i32x4.add(sum2, high2);
  const out0 = rounded(i32x4.add(even0, odd0), i32x4.add(even02, odd02), shift);
  const out7 = rounded(i32x4.sub(even0, odd0), i32x4.sub(even02, odd02), shift);

  const odd1 = i32x4.add(products(ones, 9633, -2259), products(fives, -11362, -6436));
  const odd12 = i32x4.add(products(ones2, 9633, -2259), products(fives2, -11362, -6436));
  const even1 = i32x4.add(difference, low);
  const even12 = i32x4.add(difference2, low2);
  const out1 = rounded(i32x4.add(even1, odd1), i32x4.add(even12, odd12), shift);
  const out6 = rounded(i32x4.sub(even1, odd1), i32x4.sub(even12, odd12), shift);

  const odd2 = i32x4.add(products(ones, 6437, -11362), products(fives, 2261, 9633));
  const odd22 = i32x4.add(products(ones2, 6437, -11362), products(fives2, 2261, 9633));
  const even2 = i32x4.sub(difference, low);
  const even22 = i32x4.sub(difference2, low2);
  const out2 = rounded(i32x4.add(even2, odd2), i32x4.add(even22, odd22), shift);
  const out5 = rounded(i32x4.sub(even2, odd2), i32x4.sub(even22, odd22), shift);

  const odd3 = i32x4.add(products(ones, 2260, -6436), products(fives, 9633, -11363));
  const odd32 = i32x4.add(products(ones2, 2260, -6436), products(fives2, 9633, -11363));
  const even3 = i32x4.sub(sum, high);
  const even32 = i32x4.sub(sum2, high2);
  const out3 = rounded(i32x4.add(even3, odd3), i32x4.add(even32, odd32), shift);
  const out4 = rounded(i32x4.sub(even3, odd3), i32x4.sub(even32, odd32), shift);

  storeTurned(out0, out1, out2, out3, out4, out5, out6, out7);
}

// @ts-ignore: decorator
@inline
export function lower(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

// @ts-ignore: decorator
@inline
export function upper(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** first · a + second · b of each pair. */
// @ts-ignore: decorator
@inline
export function products(pairs: v128, a: i32, b: i32): v128 {
  return i32x4.dot_i16x8_s(pairs, i32x4.splat((a & 0xffff) | (b << 16)));
}

// @ts-ignore: decorator
@inline
export function rounded(first: v128, second: v128, shift: i32): v128 {
  return i16x8.narrow_i32x4_s(i32x4.shr_s(first, shift), i32x4.shr_s(second, shift));
}

/** Rows of the block become its columns. */
// @ts-ignore: decorator
@inline
function storeTurned(a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128): void {
  const ae = lower(a, e);
  const bf = lower(b, f);
  const cg = lower(c, g);
  const dh = lower(d, h);
  storeFour(block, lower(ae, cg), lower(bf, dh), upper(ae, cg), upper(bf, dh));
  const ae2 = upper(a, e);
  const bf2 = upper(b, f);
  const cg2 = upper(c, g);
  const dh2 = upper(d, h);
  storeFour(block + 64, lower(ae2, cg2), lower(bf2, dh2), upper(ae2, cg2), upper(bf2, dh2));
}

// @ts-ignore: decorator
@inline
function storeFour(at: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(at, lower(a, b));
  v128.store(at, upper(a, b), 16);
  v128.store(at, lower(c, d), 32);
  v128.store(at, upper(c, d), 48);
}
