// How to pass over the coefficients of a block of which only the mean is wanted: several codes at a time, with the numbers that
// follow them.
import { COUNTS, SINGLE_SKIPS, SKIP_BITS, SKIPS, SYMBOLS } from './jpeg-plan';

/** What a beginning tells: bits used up by its codes and their numbers, coefficients passed over, whether the block ends there. */
export const USED: i32 = 63;
export const ENDS: i32 = 6;
export const PASSED: i32 = 7;

/** Most coefficients that are passed over at a time. */
const MOST_PASSED: i32 = 64;

/** Prepares `codes`, whose counts and symbols are there. What is 0 has to be looked up one by one. */
export function prepareSkips(codes: usize): void {
  prepareSingle(codes);
  const mask = (1 << SKIP_BITS) - 1;
  for (let beginning = 0; beginning <= mask; beginning++) {
    let used = 0;
    let passed = 0;
    let ends = 0;
    while (used < SKIP_BITS && ends === 0) {
      const single = <i32>load<u32>(codes + (((beginning << used) & mask) << 2), SINGLE_SKIPS);
      // The number may lie beyond the beginning, but not the code.
      if (single === 0 || (single >> 16) > SKIP_BITS - used) break;
      const sum = passed + ((single >> PASSED) & 127);
      if (sum > MOST_PASSED) break;
      passed = sum;
      used += single & USED;
      ends = single & (1 << ENDS);
    }
    store<u16>(codes + (beginning << 1), used === 0 ? MOST_PASSED << PASSED : used | ends | (passed << PASSED), SKIPS);
  }
}

/** Of one code, and its length in the upper half. */
function prepareSingle(codes: usize): void {
  memory.fill(codes + SINGLE_SKIPS, 0, 4 << SKIP_BITS);
  let code = 0;
  let k: usize = 0;
  for (let length = 1; length <= SKIP_BITS; length++) {
    const rest = SKIP_BITS - length;
    for (let i = <i32>load<u8>(codes + length, COUNTS - 1); i > 0; i--, k++, code++) {
      const symbol = <i32>load<u8>(codes + k, SYMBOLS);
      const size = symbol & 15;
      const zeros = symbol >> 4;
      const ends = size === 0 && zeros < 15;
      const known = (length << 16) | (length + size) | (ends ? 1 << ENDS : (zeros + 1) << PASSED);
      for (let low = 0; low < 1 << rest; low++) store<u32>(codes + (((code << rest) | low) << 2), known, SINGLE_SKIPS);
    }
    code <<= 1;
  }
}
