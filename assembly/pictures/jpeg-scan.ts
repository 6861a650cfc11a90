// Data of a baseline JPEG scan (ITU-T T.81, annex F) of three components, decoded into their planes. What is not as it should be
// ends it: such files are decoded by others.
import {
  ACROSS,
  ADDED,
  COMPONENTS,
  DOWN,
  FIELDS,
  FIRST,
  FIRST_CODES,
  LARGEST,
  LAST,
  OTHER_CODES,
  PLANE,
  SHORT,
  STEPS,
  STRIDE,
  SYMBOLS,
  UNITS_ACROSS,
  UNITS_DOWN,
} from './jpeg-plan';
import { block, even, MOST, transform } from './jpeg-transform';

// The last `count` bits of the buffer are next; the last `padding` of them are not in the file.
let buffer: u64 = 0;
let count: i32 = 0;
let padding: i32 = 0;
let next: usize = 0;
let end: usize = 0;

/** Fills the planes. Returns the end of the data, where a marker is, or 0 where they are not as they should be. */
export function decodeScan(plan: usize, from: usize, to: usize): usize {
  const across = load<i32>(plan, UNITS_ACROSS);
  const down = load<i32>(plan, UNITS_DOWN);
  buffer = 0;
  count = 0;
  padding = 0;
  next = from;
  end = to;
  for (let unitY = 0; unitY < down; unitY++)
    for (let unitX = 0; unitX < across; unitX++)
      for (let c: usize = 0; c < COMPONENTS; c++) {
        const component = plan + FIRST + c * FIELDS;
        const columns = load<i32>(component, ACROSS);
        const rows = load<i32>(component, DOWN);
        const stride = load<i32>(component, STRIDE);
        for (let row = 0; row < rows; row++)
          for (let column = 0; column < columns; column++) {
            const most = decodeBlock(component);
            if (most < 0) return 0;
            const target = load<u32>(component, PLANE) + ((unitY * rows + row) * stride + unitX * columns + column) * 8;
            if (!(most === 0 ? even(target, stride) : transform(target, stride))) return 0;
          }
      }
  const left = count - padding;
  return left < 0 || left > 7 ? 0 : next;
}

/** Fills the block. Returns the place of its last coefficient in the order of the file, or -1. */
// @ts-ignore: decorator
@inline
function decodeBlock(component: usize): i32 {
  const steps = <usize>load<u32>(component, STEPS);
  for (let k: usize = 0; k < 128; k += 16) v128.store(block + k, i32x4.splat(0));
  let codes = <usize>load<u32>(component, FIRST_CODES);
  let most = 0;
  let sum = 0;
  // Variables of the function are quicker than those of the module.
  let bits = buffer;
  let left = count;
  for (let k = 0; k < 64; k++) {
    if (left < 32) {
      const four = next + 4 <= end ? bswap(load<u32>(next)) : 0xffffffff;
      if (((~four - 0x01010101) & four & 0x80808080) === 0) {
        bits = (bits << 32) | four;
        left += 32;
        next += 4;
      } else {
        buffer = bits;
        count = left;
        refill();
        bits = buffer;
        left = count;
      }
    }
    const known = load<i32>(codes + ((<usize>(bits >> (left - SHORT)) & ((1 << SHORT) - 1)) << 2));
    let value = known >> 16;
    left -= known & 255;
    if (value !== 0) k += (known >> 12) & 15;
    else {
      let symbol = known >> 8;
      if (known === 0) {
        symbol = longSymbol(codes, bits, left);
        if (symbol === 0) return -1;
        left -= symbol >> 8;
        symbol &= 255;
      }
      const size = symbol & 15;
      left -= size;
      const number = <i32>(bits >> left) & ((1 << size) - 1);
      value = size > 0 && number >> (size - 1) === 0 ? number - (1 << size) + 1 : number;
      const skipped = symbol >> 4;
      if (k > 0 && size === 0) {
        if (skipped < 15) break;
        k += 15;
        continue;
      }
      k += skipped;
    }
    if (k === 0) {
      value += load<i32>(component, LAST);
      if (abs(value) > MOST) return -1;
      store<i32>(component, value, LAST);
      codes = load<u32>(component, OTHER_CODES);
    } else {
      if (k > 63) return -1;
      most = k;
    }
    // The place of the coefficient in the block is above its step.
    const step = load<i32>(steps + (k << 2));
    value *= step & 0xffff;
    sum += abs(value);
    store<i16>(block + (step >> 16), <i16>value);
  }
  buffer = bits;
  count = left;
  return sum > MOST ? -1 : most;
}

/** A code of more than 9 bits: its length, and in the lowest byte its symbol. 0 where there is none. */
function longSymbol(codes: usize, bits: u64, left: i32): i32 {
  for (let length = SHORT + 1; length <= 16; length++) {
    const code = <i32>(bits >> (left - length)) & ((1 << length) - 1);
    if (code <= load<i32>(codes + (length << 2), LARGEST))
      return (length << 8) | load<u8>(codes + code + load<i32>(codes + (length << 2), ADDED), SYMBOLS);
  }
  return 0;
}

/** Fills the buffer, also where bytes are 255 or there are none; a marker is not passed over. */
function refill(): void {
  for (; count <= 56; count += 8) {
    let byte: u64 = next < end ? load<u8>(next) : 0xff;
    if (byte !== 0xff) next++;
    else if (next + 1 < end && load<u8>(next, 1) === 0) next += 2;
    else {
      byte = 0;
      padding += 8;
    }
    buffer = (buffer << 8) | byte;
  }
}
