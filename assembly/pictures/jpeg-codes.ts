// Huffman codes of a JPEG file (ITU-T T.81, annex C), prepared for being looked up by the bits that come next.
import { ADDED, COUNTS, LARGEST, SHORT, SYMBOLS } from './jpeg-plan';

/**
 * What 9 bits tell is 0 where the code is longer. Else the lowest byte says how many bits are used up. Where the number that follows
 * the code is among the nine as well, it stands in the upper half, and the zeros before it in bits 12 to 15; else the second byte is
 * the symbol.
 */
export function prepareCodes(codes: usize): void {
  memory.fill(codes, 0, LARGEST);
  let code = 0;
  let k: usize = 0;
  for (let length = 1; length <= 16; length++) {
    const many = <i32>load<u8>(codes + length, COUNTS - 1);
    const place = codes + (length << 2);
    store<i32>(place, <i32>k - code, ADDED);
    store<i32>(place, many > 0 ? code + many - 1 : -1, LARGEST);
    for (let i = 0; i < many; i++, k++, code++)
      if (length <= SHORT) prepareShort(codes, code, length, load<u8>(codes + k, SYMBOLS));
    code <<= 1;
  }
}

function prepareShort(codes: usize, code: i32, length: i32, symbol: i32): void {
  const rest = SHORT - length;
  const size = symbol & 15;
  const first = codes + ((code << rest) << 2);
  for (let low = 0; low < 1 << rest; low++) {
    let known = (symbol << 8) | length;
    if (size > 0 && size <= rest) {
      const bits = low >> (rest - size);
      const value = bits >> (size - 1) === 0 ? bits - (1 << size) + 1 : bits;
      known = (value << 16) | ((symbol >> 4) << 12) | (length + size);
    }
    store<i32>(first + (low << 2), known);
  }
}
