// Pixels of three channels enlarged: each new one lies between two neighbouring pixels of a row and between two rows. Tables
// say where: for every place along a side the byte offset of the first of the two, and the weight of the second in 4096ths.

const BITS: i32 = 12;

/**
 * `across` has the offsets of all places, then their weights, both filled up to a multiple of four; the second pixel follows
 * the first, or has the weight 0. `down` has for each row the offsets of two and the weight of the second. Reads up to eight and
 * writes up to 16 bytes beyond the last pixel.
 */
export function enlarge(result: usize, data: usize, width: i32, across: usize, height: i32, down: usize): void {
  const full = (<usize>width + 3) & ~3;
  const weights = across + 4 * full;
  for (let y = 0; y < height; y++, down += 12, result += 3 * <usize>width) {
    const above = data + load<u32>(down);
    const below = data + load<u32>(down, 4);
    const part = load<i32>(down, 8);
    const lower = i32x4.splat(part);
    const upper = i32x4.splat((1 << BITS) - part);
    for (let x: usize = 0; x < full; x += 4) {
      // Both factors are below 2^15: the other half of each pair is 0.
      const right = v128.load(weights + 4 * x);
      const ofAbove = shared(upper, i32x4.shr_s(i32x4.dot_i16x8_s(upper, right), BITS));
      const ofBelow = shared(lower, i32x4.shr_s(i32x4.dot_i16x8_s(lower, right), BITS));
      const places = across + 4 * x;
      const first = <usize>load<u32>(places);
      const second = <usize>load<u32>(places, 4);
      const third = <usize>load<u32>(places, 8);
      const fourth = <usize>load<u32>(places, 12);
      const words = i16x8.narrow_i32x4_s(
        between(above + first, below + first, v128.shuffle<i32>(ofAbove, ofAbove, 0, 0, 0, 0), v128.shuffle<i32>(ofBelow, ofBelow, 0, 0, 0, 0)),
        between(above + second, below + second, v128.shuffle<i32>(ofAbove, ofAbove, 1, 1, 1, 1), v128.shuffle<i32>(ofBelow, ofBelow, 1, 1, 1, 1)),
      );
      const more = i16x8.narrow_i32x4_s(
        between(above + third, below + third, v128.shuffle<i32>(ofAbove, ofAbove, 2, 2, 2, 2), v128.shuffle<i32>(ofBelow, ofBelow, 2, 2, 2, 2)),
        between(above + fourth, below + fourth, v128.shuffle<i32>(ofAbove, ofAbove, 3, 3, 3, 3), v128.shuffle<i32>(ofBelow, ofBelow, 3, 3, 3, 3)),
      );
      const bytes = i8x16.narrow_i16x8_u(words, more);
      v128.store(result + 3 * x, i8x16.shuffle(bytes, bytes, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15));
    }
  }
}

/** Of each row's weight what is left for the first pixel, and above it, what the second gets. */
// @ts-ignore: decorator
@inline
function shared(whole: v128, second: v128): v128 {
  return v128.or(i32x4.sub(whole, second), i32x4.shl(second, 16));
}

/** Two neighbouring pixels of either row, each with its weight, added and rounded. */
// @ts-ignore: decorator
@inline
function between(above: usize, below: usize, ofAbove: v128, ofBelow: v128): v128 {
  const sum = i32x4.add(weighed(above, ofAbove), weighed(below, ofBelow));
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat(1 << (BITS - 1))), BITS);
}

// @ts-ignore: decorator
@inline
function weighed(first: usize, weights: v128): v128 {
  const pixels = v128.load64_zero(first);
  const pairs = i8x16.shuffle(pixels, pixels, 0, 3, 1, 4, 2, 5, 6, 7, 0, 3, 1, 4, 2, 5, 6, 7);
  return i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(pairs), weights);
}
