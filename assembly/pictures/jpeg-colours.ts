// From planes of brightness and chroma to red, green and blue: chroma is interpolated between its neighbours as libjpeg does
// by default ("fancy upsampling"), colours are those of JFIF.
import { FIELDS, FIRST, PLANE, STRIDE } from './jpeg-plan';

/**
 * Pixels of the planes: red, green and blue. Where the planes of chroma have half the width, or half of both, they are `wide`
 * and `high`, and each pixel takes three quarters of the nearest sample, and one of the next, in either direction. They have
 * `columns` then, at times one more than the pixels need: the last pixel has a neighbour there.
 * Writes up to 21 bytes beyond the last pixel. `rows` has room for two rows of bytes and one of words, and 64 bytes more.
 */
export function colours(
  result: usize,
  width: i32,
  height: i32,
  plan: usize,
  columns: i32,
  wide: i32,
  high: i32,
  rows: usize,
): void {
  const first = plan + FIRST;
  const luma = <usize>load<u32>(first, PLANE);
  const lumaStride = <usize>load<u32>(first, STRIDE);
  const stride = <usize>load<u32>(first + FIELDS, STRIDE);
  const lines = high > 1 ? (height + 1) >> 1 : height;
  const sums = rows + 2 * lumaStride + 32;
  for (let y = 0; y < height; y++, result += 3 * <usize>width) {
    const near = high > 1 ? y >> 1 : y;
    const next = high > 1 ? max(0, min(lines - 1, near - 1 + 2 * (y & 1))) : near;
    let blue = <usize>load<u32>(first + FIELDS, PLANE);
    let red = <usize>load<u32>(first + 2 * FIELDS, PLANE);
    if (wide > 1) {
      widened(rows, blue + near * stride, blue + next * stride, columns, high > 1, sums);
      widened(rows + lumaStride, red + near * stride, red + next * stride, columns, high > 1, sums);
      blue = rows;
      red = rows + lumaStride;
    } else {
      blue += near * stride;
      red += near * stride;
    }
    const bright = luma + y * lumaStride;
    for (let x: usize = 0; x < <usize>width; x += 8) coloured(result + 3 * x, bright + x, blue + x, red + x);
  }
}

/** A row of chroma at twice the width. */
function widened(target: usize, near: usize, next: usize, columns: i32, two: bool, sums: usize): void {
  const three = i16x8.splat(3);
  for (let x = 0; x < columns; x += 8) {
    const values = v128.load8x8_u(near + x);
    v128.store(
      sums + (x << 1),
      two ? i16x8.add(i16x8.mul(values, three), v128.load8x8_u(next + x)) : values,
    );
  }
  // Beyond the border there is only the border.
  store<u16>(sums - 2, load<u16>(sums));
  store<u16>(sums + (columns << 1), load<u16>(sums + (columns << 1) - 2));
  const shift = two ? 4 : 2;
  const leftBias = i16x8.splat(two ? 8 : 1);
  const rightBias = i16x8.splat(two ? 7 : 2);
  for (let x = 0; x < columns; x += 8) {
    const at = sums + (x << 1);
    const most = i16x8.mul(v128.load(at), three);
    const left = i16x8.shr_u(i16x8.add(i16x8.add(most, v128.load(at - 2)), leftBias), shift);
    const right = i16x8.shr_u(i16x8.add(i16x8.add(most, v128.load(at + 2)), rightBias), shift);
    v128.store(target + (x << 1), v128.or(left, i16x8.shl(right, 8)));
  }
}

/** Eight pixels. Factors above ½ are taken apart, so that those of 16 bits are enough. */
// @ts-ignore: decorator
@inline
function coloured(result: usize, luma: usize, blue: usize, red: usize): void {
  const middle = i16x8.splat(128);
  const y = v128.load8x8_u(luma);
  const cb = i16x8.sub(v128.load8x8_u(blue), middle);
  const cr = i16x8.sub(v128.load8x8_u(red), middle);
  // 1.402 = 1 + 26345 / 65536; 1.772 = 2 − 14942 / 65536; 0.71414 = 1 − 18734 / 65536; 0.34414 = 22554 / 65536. Each sum has ½ in it.
  const two = i16x8.splat(2);
  const r = i16x8.add(i16x8.add(y, cr), weighed(cr, two, 26345 | (16384 << 16)));
  const b = i16x8.add(i16x8.add(y, i16x8.shl(cb, 1)), weighed(cb, two, (-14942 & 0xffff) | (16384 << 16)));
  const g = i16x8.add(i16x8.sub(y, cr), weighed(cb, cr, (-22554 & 0xffff) | (18734 << 16), 1 << 15));
  const bytes = i8x16.narrow_i16x8_u(r, g);
  const redGreen = i8x16.shuffle(bytes, bytes, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  const blues = i8x16.narrow_i16x8_u(b, b);
  v128.store(
    result,
    i8x16.shuffle(redGreen, blues, 0, 1, 16, 2, 3, 17, 4, 5, 18, 6, 7, 19, 8, 9, 20, 10),
  );
  v128.store64_lane(
    result,
    i8x16.shuffle(redGreen, blues, 11, 21, 12, 13, 22, 14, 15, 23, 0, 0, 0, 0, 0, 0, 0, 0),
    0,
    16,
  );
}

/** (a · low half of the factors + b · high half + more) / 65536, rounded down. */
// @ts-ignore: decorator
@inline
function weighed(a: v128, b: v128, factors: i32, more: i32 = 0): v128 {
  const by = i32x4.splat(factors);
  const low = v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  const high = v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(low, by), i32x4.splat(more)), 16),
    i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(high, by), i32x4.splat(more)), 16),
  );
}
