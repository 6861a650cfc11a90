// Baseline JPEG files (ITU-T T.81) of three components, decoded to the bytes that libjpeg gives with its defaults: the accurate
// integer transform of Loeffler, Ligtenberg and Moschytz (1989) with constants of 13 bits, chroma interpolated between its
// neighbours, colours of JFIF. Headers are read, and memory is laid out, by src/decoding/small-jpeg.ts.

// The plan, in words of four bytes: units across and down, then for each component these.
const COMPONENTS: usize = 3;
const FIELDS: usize = 32;
const ACROSS: usize = 0;
const DOWN: usize = 4;
const PLANE: usize = 8;
const STRIDE: usize = 12;
/** Steps of the coefficients and where they belong, in the order of the file: 64 of the one, then 64 of the other. */
const STEPS: usize = 16;
const PLACES: usize = 256;
const FIRST_CODES: usize = 20;
const OTHER_CODES: usize = 24;
const LAST: usize = 28;

// Codes: length and symbol for each beginning of 9 bits; then for each length the largest code and what to add to one to find
// its symbol; then the symbols.
const SHORT: i32 = 9;
const LARGEST: usize = 1024;
const ADDED: usize = LARGEST + 17 * 4;
const SYMBOLS: usize = ADDED + 17 * 4;

const block = memory.data(256, 16);
const turned = memory.data(256, 16);

/** Fills the planes. Returns the end of the data, where a marker is, or 0 where they are not as they should be. */
export function decodeScan(plan: usize, at: usize, end: usize): usize {
  const across = load<i32>(plan);
  const down = load<i32>(plan, 4);
  // The last `count` bits of the buffer are next; the last `padding` of them are not in the file.
  let buffer: u64 = 0;
  let count = 0;
  let padding = 0;
  for (let unitY = 0; unitY < down; unitY++)
    for (let unitX = 0; unitX < across; unitX++)
      for (let c: usize = 0; c < COMPONENTS; c++) {
        const component = plan + 8 + c * FIELDS;
        const columns = load<i32>(component, ACROSS);
        const rows = load<i32>(component, DOWN);
        const stride = load<i32>(component, STRIDE);
        const steps = <usize>load<u32>(component, STEPS);
        for (let part = 0; part < columns * rows; part++) {
          for (let k: usize = 0; k < 256; k += 16) v128.store(block + k, i32x4.splat(0));
          let codes = <usize>load<u32>(component, FIRST_CODES);
          let most = 0;
          for (let k = 0; k < 64; k++) {
            if (count < 32) {
              const four = at + 4 <= end ? bswap(load<u32>(at)) : 0xffffffff;
              if (((~four - 0x01010101) & four & 0x80808080) === 0) {
                buffer = (buffer << 32) | four;
                count += 32;
                at += 4;
              } else
                for (; count <= 56; count += 8) {
                  let byte: u64 = at < end ? load<u8>(at) : 0xff;
                  if (byte !== 0xff) at++;
                  else if (at + 1 < end && load<u8>(at, 1) === 0) at += 2;
                  else {
                    byte = 0;
                    padding += 8;
                  }
                  buffer = (buffer << 8) | byte;
                }
            }
            let symbol = <i32>load<u16>(codes + ((<usize>(buffer >> (count - SHORT)) & ((1 << SHORT) - 1)) << 1));
            if (symbol !== 0) {
              count -= symbol >> 8;
              symbol &= 255;
            } else {
              let length: i32 = SHORT + 1;
              let code = 0;
              for (; length <= 16; length++) {
                code = <i32>(buffer >> (count - length)) & ((1 << length) - 1);
                if (code <= load<i32>(codes + (length << 2), LARGEST)) break;
              }
              if (length > 16) return 0;
              count -= length;
              symbol = load<u8>(codes + code + load<i32>(codes + (length << 2), ADDED), SYMBOLS);
            }
            const size = symbol & 15;
            count -= size;
            const bits = <i32>(buffer >> count) & ((1 << size) - 1);
            let value = size > 0 && bits >> (size - 1) === 0 ? bits - (1 << size) + 1 : bits;
            if (k === 0) {
              value += load<i32>(component, LAST);
              store<i32>(component, value, LAST);
              codes = load<u32>(component, OTHER_CODES);
            } else {
              const skipped = symbol >> 4;
              if (size === 0) {
                if (skipped < 15) break;
                k += 15;
                continue;
              }
              k += skipped;
              if (k > 63) return 0;
              most = k;
            }
            const step = steps + (k << 2);
            store<i32>(block + load<i32>(step, PLACES), value * load<i32>(step));
          }
          const x = unitX * columns + (part % columns);
          const y = unitY * rows + part / columns;
          const target = load<u32>(component, PLANE) + (y * stride + x) * 8;
          if (most === 0) even(target, stride);
          else transform(target, stride);
        }
      }
  const left = count - padding;
  return left < 0 || left > 7 ? 0 : at;
}

/** A block of which only the mean is known. */
function even(target: usize, stride: usize): void {
  const value = (((load<i32>(block) << 2) + 16) >> 5) + 128;
  const row = i8x16.splat(<i8>min(255, max(0, value)));
  for (let y = 0; y < 8; y++, target += stride) v128.store64_lane(target, row, 0);
}

function transform(target: usize, stride: usize): void {
  halfPass(turned, block, 11);
  halfPass(turned + 128, block + 16, 11);
  halfPass(block, turned, 18);
  halfPass(block + 128, turned + 16, 18);
  const middle = i32x4.splat(128);
  for (let row: usize = block; row < block + 256; row += 32, target += stride) {
    const words = i16x8.narrow_i32x4_s(
      i32x4.add(v128.load(row), middle),
      i32x4.add(v128.load(row, 16), middle),
    );
    v128.store64_lane(target, i8x16.narrow_i16x8_u(words, words), 0);
  }
}

// @ts-ignore: decorator
@inline
function times(values: v128, factor: i32): v128 {
  return i32x4.mul(values, i32x4.splat(factor));
}

/** Four columns of eight numbers, transformed, rounded to 2^-shift, and laid down as rows. */
function halfPass(target: usize, source: usize, shift: i32): void {
  const in0 = v128.load(source);
  const in1 = v128.load(source, 32);
  const in2 = v128.load(source, 64);
  const in3 = v128.load(source, 96);
  const in4 = v128.load(source, 128);
  const in5 = v128.load(source, 160);
  const in6 = v128.load(source, 192);
  const in7 = v128.load(source, 224);
  // Half of the rounding goes into all sums by way of these two.
  const half = i32x4.splat(1 << (shift - 1));
  const sum = i32x4.add(i32x4.shl(i32x4.add(in0, in4), 13), half);
  const difference = i32x4.add(i32x4.shl(i32x4.sub(in0, in4), 13), half);
  const both = times(i32x4.add(in2, in6), 4433);
  const low = i32x4.sub(both, times(in6, 15137));
  const high = i32x4.add(both, times(in2, 6270));
  const even0 = i32x4.add(sum, high);
  const even3 = i32x4.sub(sum, high);
  const even1 = i32x4.add(difference, low);
  const even2 = i32x4.sub(difference, low);

  const in73 = i32x4.add(in7, in3);
  const in51 = i32x4.add(in5, in1);
  const odd = times(i32x4.add(in73, in51), 9633);
  const by73 = i32x4.sub(odd, times(in73, 16069));
  const by51 = i32x4.sub(odd, times(in51, 3196));
  const by71 = times(i32x4.add(in7, in1), -7373);
  const by53 = times(i32x4.add(in5, in3), -20995);
  const odd3 = i32x4.add(times(in7, 2446), i32x4.add(by71, by73));
  const odd2 = i32x4.add(times(in5, 16819), i32x4.add(by53, by51));
  const odd1 = i32x4.add(times(in3, 25172), i32x4.add(by53, by73));
  const odd0 = i32x4.add(times(in1, 12299), i32x4.add(by71, by51));

  storeTurned(
    target,
    i32x4.shr_s(i32x4.add(even0, odd0), shift),
    i32x4.shr_s(i32x4.add(even1, odd1), shift),
    i32x4.shr_s(i32x4.add(even2, odd2), shift),
    i32x4.shr_s(i32x4.add(even3, odd3), shift),
  );
  storeTurned(
    target + 16,
    i32x4.shr_s(i32x4.sub(even3, odd3), shift),
    i32x4.shr_s(i32x4.sub(even2, odd2), shift),
    i32x4.shr_s(i32x4.sub(even1, odd1), shift),
    i32x4.shr_s(i32x4.sub(even0, odd0), shift),
  );
}

/** Columns a, b, c and d of four rows, 32 bytes from row to row. */
// @ts-ignore: decorator
@inline
function storeTurned(target: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  const lowerAb = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const lowerCd = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(target, v128.shuffle<i64>(ab, cd, 0, 2));
  v128.store(target, v128.shuffle<i64>(ab, cd, 1, 3), 32);
  v128.store(target, v128.shuffle<i64>(lowerAb, lowerCd, 0, 2), 64);
  v128.store(target, v128.shuffle<i64>(lowerAb, lowerCd, 1, 3), 96);
}

/**
 * Pixels of the planes: red, green and blue. Where the planes of chroma have half the width, or half of both, they are `wide`
 * and `high`, and each pixel takes three quarters of the nearest sample, and one of the next, in either direction.
 * Writes up to 21 bytes beyond the last pixel. `rows` has room for two rows of bytes and one of words, and 64 bytes more.
 */
export function colours(result: usize, width: i32, height: i32, plan: usize, wide: i32, high: i32, rows: usize): void {
  const first = plan + 8;
  const luma = <usize>load<u32>(first, PLANE);
  const lumaStride = <usize>load<u32>(first, STRIDE);
  const stride = <usize>load<u32>(first + FIELDS, STRIDE);
  const columns = wide > 1 ? (width + 1) >> 1 : width;
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
