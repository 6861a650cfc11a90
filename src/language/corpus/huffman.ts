/** Canonical Huffman codes of 1 to 20 bits as bzip2 stores them: code lengths, each as a difference to the one before. */
import { FormatError } from '../../errors.js';
import type { BitReader } from './bits.js';

const LONGEST = 20;
/** Codes up to this long are decoded by one look-up; they are nearly all. */
const DIRECT = 10;

export interface HuffmanTable {
  decode(bits: BitReader): number;
}

export function readHuffmanTable(bits: BitReader, file: string, symbols: number): HuffmanTable {
  const lengths = new Uint8Array(symbols);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    for (;;) {
      if (length < 1 || length > LONGEST)
        throw new FormatError(file, bits.offset, `bzip2: a code of ${length} bits, expected 1 to ${LONGEST}`);
      if (bits.read(1) === 0) break;
      length += bits.read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return huffmanTable(lengths, file);
}

function huffmanTable(lengths: Uint8Array, file: string): HuffmanTable {
  const counts = new Uint32Array(LONGEST + 2);
  for (const length of lengths) counts[length]++;
  /** For each length: its first code, and where its symbols begin in `sorted`. */
  const firstCode = new Uint32Array(LONGEST + 2);
  const firstIndex = new Uint32Array(LONGEST + 2);
  for (let length = 1; length <= LONGEST; length++) {
    firstCode[length + 1] = (firstCode[length] + counts[length]) * 2;
    firstIndex[length + 1] = firstIndex[length] + counts[length];
  }
  const sorted = new Uint16Array(lengths.length);
  const position = firstIndex.slice();
  for (let symbol = 0; symbol < lengths.length; symbol++) sorted[position[lengths[symbol]]++] = symbol;
  /** By the next DIRECT bits: symbol · 32 + length, 0 where the code is longer or there is none. */
  const direct = new Uint16Array(1 << DIRECT);
  for (let length = 1; length <= DIRECT; length++)
    for (let k = 0; k < counts[length]; k++) {
      const start = (firstCode[length] + k) << (DIRECT - length);
      const entry = sorted[firstIndex[length] + k] * 32 + length;
      direct.fill(entry, start, start + (1 << (DIRECT - length)));
    }
  return {
    decode(bits) {
      const window = bits.peek20();
      const entry = direct[window >>> (LONGEST - DIRECT)];
      if (entry !== 0) {
        bits.take(entry & 31);
        return entry >>> 5;
      }
      for (let length = 1; length <= LONGEST; length++) {
        const index = (window >>> (LONGEST - length)) - firstCode[length];
        if (index >= 0 && index < counts[length]) {
          bits.take(length);
          return sorted[firstIndex[length] + index];
        }
      }
      throw new FormatError(file, bits.offset, 'bzip2: a bit pattern that stands for no symbol');
    },
  };
}
