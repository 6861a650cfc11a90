// Pixels of three channels enlarged: each new one lies between two neighbouring pixels of a row and between two rows. Tables
// say where: for every place along a side the byte offsets of the first and of the second, and the weight of the second in
// 4096ths. Along a row the second is the one after the first, whatever is said, or has the weight 0.

const BITS: i32 = 12;

/** Reads eight and writes four bytes for each pixel: both ends need some bytes more than they have pixels for. */
export function enlarge(result: usize, data: usize, width: i32, across: usize, height: i32, down: usize): void {
  const half = i32x4.splat(1 << (BITS - 1));
  const end = across + 12 * <usize>width;
  for (let y = 0; y < height; y++, down += 12) {
    const above = data + load<u32>(down);
    const below = data + load<u32>(down, 4);
    const lower = load<i32>(down, 8);
    const upper = (1 << BITS) - lower;
    for (let place = across; place < end; place += 12, result += 3) {
      const first = load<u32>(place);
      const right = load<i32>(place, 8);
      const lowerRight = (lower * right) >> BITS;
      const upperRight = (upper * right) >> BITS;
      const sum = i32x4.add(
        i32x4.add(weighed(above + first, upper - upperRight, upperRight), half),
        weighed(below + first, lower - lowerRight, lowerRight),
      );
      const words = i16x8.narrow_i32x4_s(i32x4.shr_s(sum, BITS), sum);
      store<u32>(result, i32x4.extract_lane(i8x16.narrow_i16x8_u(words, words), 0));
    }
  }
}

/** Two neighbouring pixels, each channel with its weight, added. */
// @ts-ignore: decorator
@inline
function weighed(first: usize, ofFirst: i32, ofSecond: i32): v128 {
  const pixels = v128.load64_zero(first);
  const pairs = i8x16.shuffle(pixels, pixels, 0, 3, 1, 4, 2, 5, 6, 7, 0, 3, 1, 4, 2, 5, 6, 7);
  return i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(pairs), i32x4.splat(ofFirst | (ofSecond << 16)));
}
