// The inverse cosine transform of a block to 4 × 4 or 2 × 2 samples: that of jpeg-transform.ts with its upper half left out, as
// libjpeg has it, and rounded where libjpeg rounds. What a sum of coefficients may be is the same.
import { areWithinReach, block, isWithinReach, lower, products, REACH, rounded, upper } from './jpeg-transform';

/** A block of which only the mean is known, at 4 × 4 or 2 × 2. Returns whether its values are within reach. */
export function evenReduced(target: usize, stride: usize, size: i32): bool {
  const value = ((<i32>load<i16>(block) + 4) >> 3) + 128;
  const sample = min(255, max(0, value));
  for (let y = 0; y < size; y++, target += stride)
    if (size === 4) store<u32>(target, sample * 0x01010101);
    else store<u16>(target, sample * 0x0101);
  return isWithinReach(value);
}

/**
 * Of inputs 0 to 7, with weights of 13 bits, the first and the last of four outputs are e + o and e − o, the two between them are
 * f + p and f − p:
 *   e = in0 + 1.848 in2 − 0.765 in6;  f = in0 − 1.848 in2 + 0.765 in6   (in halves)
 *   o = 2.563 in1 + 0.900 in3 − 0.601 in5 − 0.510 in7
 *   p = 1.062 in1 − 2.173 in3 + 1.452 in5 − 0.211 in7
 * Returns whether the values are within reach.
 */
export function transformTo4(target: usize, stride: usize): bool {
  const in0 = v128.load(block);
  const in2 = v128.load(block, 32);
  const in6 = v128.load(block, 96);
  const in1 = v128.load(block, 16);
  const in3 = v128.load(block, 48);
  const in5 = v128.load(block, 80);
  const in7 = v128.load(block, 112);
  const half = i32x4.splat(1 << 11);
  const mean = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(in0), 14), half);
  const mean2 = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(in0), 14), half);
  const twos = products(lower(in2, in6), 15137, -6270);
  const twos2 = products(upper(in2, in6), 15137, -6270);
  const ones = lower(in1, in3);
  const ones2 = upper(in1, in3);
  const fives = lower(in5, in7);
  const fives2 = upper(in5, in7);
  const e = i32x4.add(mean, twos);
  const e2 = i32x4.add(mean2, twos2);
  const f = i32x4.sub(mean, twos);
  const f2 = i32x4.sub(mean2, twos2);
  const o = i32x4.add(products(ones, 20995, 7373), products(fives, -4926, -4176));
  const o2 = i32x4.add(products(ones2, 20995, 7373), products(fives2, -4926, -4176));
  const p = i32x4.add(products(ones, 8697, -17799), products(fives, 11893, -1730));
  const p2 = i32x4.add(products(ones2, 8697, -17799), products(fives2, 11893, -1730));
  const row0 = rowOf4(rounded(i32x4.add(e, o), i32x4.add(e2, o2), 12));
  const row1 = rowOf4(rounded(i32x4.add(f, p), i32x4.add(f2, p2), 12));
  const row2 = rowOf4(rounded(i32x4.sub(f, p), i32x4.sub(f2, p2), 12));
  const row3 = rowOf4(rounded(i32x4.sub(e, o), i32x4.sub(e2, o2), 12));
  const middle = i16x8.splat(128);
  const first = i16x8.add_sat_s(i16x8.narrow_i32x4_s(row0, row1), middle);
  const last = i16x8.add_sat_s(i16x8.narrow_i32x4_s(row2, row3), middle);
  const samples = i8x16.narrow_i16x8_u(first, last);
  v128.store32_lane(target, samples, 0);
  v128.store32_lane(target + stride, samples, 1);
  v128.store32_lane(target + 2 * stride, samples, 2);
  v128.store32_lane(target + 3 * stride, samples, 3);
  const reach = i16x8.splat(<i16>REACH);
  return areWithinReach(v128.or(i16x8.add(first, reach), i16x8.add(last, reach)));
}

/** Four outputs of the eight numbers of a row. */
// @ts-ignore: decorator
@inline
function rowOf4(row: v128): v128 {
  const e = i32x4.dot_i16x8_s(row, i16x8(16384, 0, 15137, 0, 0, 0, -6270, 0));
  const f = i32x4.dot_i16x8_s(row, i16x8(16384, 0, -15137, 0, 0, 0, 6270, 0));
  const o = i32x4.dot_i16x8_s(row, i16x8(0, 20995, 0, 7373, 0, -4926, 0, -4176));
  const p = i32x4.dot_i16x8_s(row, i16x8(0, 8697, 0, -17799, 0, 11893, 0, -1730));
  const evens = sums(e, f);
  const odds = sums(o, p);
  const outwards = v128.shuffle<i32>(evens, evens, 0, 1, 1, 0);
  const signs = i32x4(1, 1, -1, -1);
  const sum = i32x4.add(outwards, i32x4.mul(v128.shuffle<i32>(odds, odds, 0, 1, 1, 0), signs));
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat(1 << 18)), 19);
}

/** The sum of the four numbers of each, in the first two places. */
// @ts-ignore: decorator
@inline
function sums(a: v128, b: v128): v128 {
  const pairs = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  return i32x4.add(pairs, v128.shuffle<i32>(pairs, pairs, 2, 3, 0, 1));
}

/**
 * Two outputs are in0 + o and in0 − o (in quarters), with o = 3.625 in1 − 1.273 in3 + 0.850 in5 − 0.721 in7. Returns whether
 * the values are within reach.
 */
export function transformTo2(target: usize, stride: usize): bool {
  const in0 = v128.load(block);
  const in1 = v128.load(block, 16);
  const in3 = v128.load(block, 48);
  const in5 = v128.load(block, 80);
  const in7 = v128.load(block, 112);
  const half = i32x4.splat(1 << 12);
  const mean = i32x4.add(i32x4.shl(i32x4.extend_low_i16x8_s(in0), 15), half);
  const mean2 = i32x4.add(i32x4.shl(i32x4.extend_high_i16x8_s(in0), 15), half);
  const odd = i32x4.add(products(lower(in1, in3), 29692, -10426), products(lower(in5, in7), 6967, -5906));
  const odd2 = i32x4.add(products(upper(in1, in3), 29692, -10426), products(upper(in5, in7), 6967, -5906));
  const above = rounded(i32x4.add(mean, odd), i32x4.add(mean2, odd2), 13);
  const below = rounded(i32x4.sub(mean, odd), i32x4.sub(mean2, odd2), 13);
  const weights = i16x8(0, 29692, 0, -10426, 0, 6967, 0, -5906);
  const odds = sums(i32x4.dot_i16x8_s(above, weights), i32x4.dot_i16x8_s(below, weights));
  const means = i32x4(i16x8.extract_lane_s(above, 0), i16x8.extract_lane_s(below, 0), 0, 0);
  const rounding = i32x4.add(i32x4.shl(means, 15), i32x4.splat(1 << 19));
  const left = i32x4.shr_s(i32x4.add(rounding, odds), 20);
  const right = i32x4.shr_s(i32x4.sub(rounding, odds), 20);
  const values = i16x8.add_sat_s(
    i16x8.narrow_i32x4_s(v128.shuffle<i32>(left, right, 0, 4, 1, 5), i32x4.splat(0)),
    i16x8.splat(128),
  );
  const samples = i8x16.narrow_i16x8_u(values, values);
  v128.store16_lane(target, samples, 0);
  v128.store16_lane(target + stride, samples, 1);
  return areWithinReach(i16x8.add(values, i16x8.splat(<i16>REACH)));
}
