/**
 * A streaming bzip2 decoder. A file is one or more streams; a stream is a header, blocks of at most 900 kB (run-length
 * coding, Burrows-Wheeler transform, move-to-front, Huffman codes: Burrows and Wheeler 1994; Seward's bzip2 1.0) and a
 * checksum. One block is held at a time, every checksum is verified, and errors name the byte of the compressed file.
 */
import { FormatError } from '../../errors.js';
import { BitReader } from './bits.js';
import { readHuffmanTable } from './huffman.js';

const BLOCK = 0x314159265359;
const END = 0x177245385090;
const GROUP = 50;
/** Huffman codes have at most 20 bits, so a block of n bytes fits into 2.5 n bytes and its tables. */
const blockBytes = (level: number) => Math.ceil(level * 100_000 * 2.5) + 65_536;

/** Decompressed pieces of a bzip2 file (several streams may follow one another, as in the multistream dumps). */
export async function* decompressBzip2(
  source: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bits = new BitReader(source, file);
  try {
    await bits.want(16);
    do {
      const level = readHeader(bits, file);
      const links = new Uint32Array(level * 100_000);
      let combined = 0;
      for (;;) {
        await bits.want(blockBytes(level));
        const at = bits.offset;
        const magic = bits.read(24) * 2 ** 24 + bits.read(24);
        if (magic === END) {
          const expected = bits.read32();
          if (expected !== combined >>> 0) throw checksum(file, at, expected, combined);
          break;
        }
        if (magic !== BLOCK) throw damaged(file, at, `expected a block, found ${magic.toString(16).padStart(12, '0')}`);
        const expected = bits.read32();
        const piece = expand(links, readBlock(bits, file, links, at));
        const found = crc32(piece);
        if (found !== expected) throw checksum(file, at, expected, found);
        combined = (combined << 1) | (combined >>> 31);
        combined ^= found;
        if (piece.length > 0) yield piece;
      }
      bits.alignToByte();
      await bits.want(16);
    } while (!bits.atEnd);
  } finally {
    await bits.close();
  }
}

function readHeader(bits: BitReader, file: string): number {
  const at = bits.offset;
  const magic = bits.read(24);
  const level = bits.read(8) - 0x30;
  if (magic !== 0x425a68 || level < 1 || level > 9)
    throw damaged(file, at, 'expected a bzip2 header ("BZh1" to "BZh9")');
  return level;
}

interface Block {
  /** Bytes of the transformed block. */
  readonly length: number;
  /** Row of the sorted rotations that is the text itself. */
  readonly origin: number;
}

/** Undoes the Huffman and move-to-front codes; leaves the transformed bytes in the low bits of `links`. */
function readBlock(bits: BitReader, file: string, links: Uint32Array, at: number): Block {
  if (bits.read(1) === 1)
    throw damaged(file, at, 'the block is "randomized", which bzip2 has not written since version 0.9.5');
  const origin = bits.read(24);
  const symbols = readSymbols(bits);
  if (symbols.length === 0) throw damaged(file, bits.offset, 'a block uses no byte values');
  const tables = bits.read(3);
  const selectorCount = bits.read(15);
  if (tables < 2 || tables > 6 || selectorCount === 0)
    throw damaged(file, bits.offset, `${tables} code tables and ${selectorCount} selectors are not possible`);
  const selectors = readSelectors(bits, file, tables, selectorCount);
  const codes = Array.from({ length: tables }, () => readHuffmanTable(bits, file, symbols.length + 2));

  const endOfBlock = symbols.length + 1;
  const front = symbols;
  let length = 0;
  let run = 0;
  let runStep = 1;
  for (let group = 0; ; group++) {
    if (group >= selectorCount) throw damaged(file, bits.offset, 'a block goes on after its last selector');
    const code = codes[selectors[group]];
    for (let i = 0; i < GROUP; i++) {
      const symbol = code.decode(bits);
      if (symbol <= 1) {
        // A run's length is written in bijective base 2: digit 1 or 2 times 1, 2, 4, …
        run += runStep << symbol;
        runStep *= 2;
        if (run > links.length) throw damaged(file, bits.offset, 'a run is longer than its block');
        continue;
      }
      if (run > 0) {
        if (length + run > links.length) throw damaged(file, bits.offset, 'a block is longer than its header allows');
        links.fill(front[0], length, length + run);
        length += run;
        run = 0;
        runStep = 1;
      }
      if (symbol === endOfBlock) {
        if (origin >= length) throw damaged(file, at, `the block's origin ${origin} lies outside its ${length} bytes`);
        return { length, origin };
      }
      if (length >= links.length) throw damaged(file, bits.offset, 'a block is longer than its header allows');
      const value = front[symbol - 1];
      front.copyWithin(1, 0, symbol - 1);
      front[0] = value;
      links[length++] = value;
    }
  }
}

/** The byte values that occur, from a two-level bit map. */
function readSymbols(bits: BitReader): Uint8Array {
  const used = bits.read(16);
  const symbols: number[] = [];
  for (let high = 0; high < 16; high++) {
    if (!(used & (0x8000 >> high))) continue;
    const row = bits.read(16);
    for (let low = 0; low < 16; low++) if (row & (0x8000 >> low)) symbols.push(high * 16 + low);
  }
  return Uint8Array.from(symbols);
}

function readSelectors(bits: BitReader, file: string, tables: number, count: number): Uint8Array {
  const front = Uint8Array.from({ length: tables }, (_, i) => i);
  const selectors = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    let position = 0;
    while (bits.read(1) === 1)
      if (++position >= tables) throw damaged(file, bits.offset, `a selector names more than ${tables} code tables`);
    const table = front[position];
    front.copyWithin(1, 0, position);
    front[0] = table;
    selectors[i] = table;
  }
  return selectors;
}

/** Undoes the Burrows-Wheeler transform and the outer run-length code (four equal bytes, then how many more). */
function expand(links: Uint32Array, { length, origin }: Block): Uint8Array<ArrayBuffer> {
  const starts = new Uint32Array(257);
  for (let i = 0; i < length; i++) starts[(links[i] & 0xff) + 1]++;
  for (let value = 0; value < 256; value++) starts[value + 1] += starts[value];
  for (let i = 0; i < length; i++) links[starts[links[i] & 0xff]++] |= i << 8;
  let out = new Uint8Array(length + (length >> 2) + 256);
  let size = 0;
  let position = links[origin] >>> 8;
  let previous = -1;
  let repeats = 0;
  for (let i = 0; i < length; i++) {
    const entry = links[position];
    position = entry >>> 8;
    const value = entry & 0xff;
    const needed = size + (repeats === 4 ? value : 1);
    if (needed > out.length) {
      const larger = new Uint8Array(Math.max(needed, out.length * 2));
      larger.set(out);
      out = larger;
    }
    if (repeats === 4) {
      out.fill(previous, size, size + value);
      size += value;
      repeats = 0;
      previous = -1;
      continue;
    }
    repeats = value === previous ? repeats + 1 : 1;
    previous = value;
    out[size++] = value;
  }
  return out.subarray(0, size);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

/** CRC-32 with the most significant bit first, as bzip2 uses it. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ bytes[i]];
  return ~crc >>> 0;
}

function damaged(file: string, offset: number, problem: string): FormatError {
  return new FormatError(file, offset, `bzip2: ${problem}`, 'The file is damaged; fetch it again.');
}

function checksum(file: string, offset: number, expected: number, found: number): FormatError {
  const hex = (value: number) => (value >>> 0).toString(16).padStart(8, '0');
  return damaged(file, offset, `the checksum of the data is ${hex(found)}, expected ${hex(expected)}`);
}
