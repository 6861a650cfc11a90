/** The coded data of a scan: bits, Huffman codes and the coefficients of blocks (ITU-T T.81, annexes F and G). */
import { PictureError } from './errors.js';
import { type HuffmanTable, zigzag } from './jpeg-segments.js';

/** Bits of the coded data, most significant first; a zero byte after 0xff is stuffing. */
export class BitReader {
  position: number;
  readonly #bytes: Uint8Array;
  #held = 0;
  #count = 0;
  /** Bits that were asked for after a marker or the end. */
  missing = 0;

  constructor(bytes: Uint8Array, position: number) {
    this.#bytes = bytes;
    this.position = position;
  }

  #fill(): void {
    const bytes = this.#bytes;
    while (this.#count <= 16) {
      let byte = bytes[this.position];
      if (byte === undefined || (byte === 0xff && bytes[this.position + 1] !== 0)) {
        byte = 0;
        this.missing += 8;
        // A few bits are looked at ahead of need; more than that are missing.
        if (this.missing > 1 << 16) throw new PictureError('damaged', 'part of the picture is missing');
      } else this.position += byte === 0xff ? 2 : 1;
      this.#held = ((this.#held << 8) | byte) & 0xffffffff;
      this.#count += 8;
    }
  }

  bits(count: number): number {
    if (count === 0) return 0;
    if (this.#count < count) this.#fill();
    this.#count -= count;
    return (this.#held >>> this.#count) & ((1 << count) - 1);
  }

  symbol(table: HuffmanTable): number {
    if (this.#count < 16) this.#fill();
    const ahead = (this.#held >>> (this.#count - 16)) & 0xffff;
    const quick = table.quick[ahead >> 8];
    if (quick !== 0) {
      this.#count -= quick >> 8;
      return quick & 255;
    }
    for (let length = 9; length <= 16; length++) {
      const code = ahead >> (16 - length);
      if (code <= table.limits[length]) {
        this.#count -= length;
        return table.symbols[code + table.offsets[length]];
      }
    }
    throw new PictureError('damaged', 'the data of the picture makes no sense');
  }

  /** A number of `count` bits, of which a leading zero means negative. */
  signed(count: number): number {
    if (count === 0) return 0;
    const value = this.bits(count);
    return value < 1 << (count - 1) ? value - (1 << count) + 1 : value;
  }

  /** Forgets the bits of the byte that was begun, and passes a restart marker. */
  restart(): void {
    if (this.missing > this.#count) throw new PictureError('damaged', 'part of the picture is missing');
    this.#count = 0;
    this.missing = 0;
    const bytes = this.#bytes;
    while (this.position < bytes.length && bytes[this.position] === 0xff && bytes[this.position + 1] === 0xff)
      this.position++;
    const marker = bytes[this.position + 1];
    if (bytes[this.position] !== 0xff || !(marker >= 0xd0 && marker <= 0xd7))
      throw new PictureError('damaged', 'part of the picture is missing');
    this.position += 2;
  }

  /** To be called after the last block. */
  finish(): void {
    if (this.missing > this.#count) throw new PictureError('damaged', 'part of the picture is missing');
  }
}

/** Decodes one block into `block` at `at`, which is zero before a first pass. */
export type BlockDecoder = (reader: BitReader, block: Int16Array, at: number) => void;

export interface Tables {
  dc?: HuffmanTable;
  ac?: HuffmanTable;
}

function required(table: HuffmanTable | undefined): HuffmanTable {
  if (!table) throw new PictureError('damaged', 'a table is missing');
  return table;
}

/** What a component remembers from block to block. */
export class ComponentDecoder {
  predictor = 0;
  /** Blocks that are known to end here. */
  endOfBand = 0;

  restart(): void {
    this.predictor = 0;
    this.endOfBand = 0;
  }

  baseline({ dc, ac }: Tables): BlockDecoder {
    const [dcTable, acTable] = [required(dc), required(ac)];
    return (reader, block, at) => {
      this.predictor += reader.signed(reader.symbol(dcTable));
      block[at] = this.predictor;
      for (let k = 1; k < 64; k++) {
        const symbol = reader.symbol(acTable);
        const size = symbol & 15;
        if (size === 0) {
          if (symbol !== 0xf0) return;
          k += 15;
          continue;
        }
        k += symbol >> 4;
        if (k > 63) throw new PictureError('damaged', 'the data of the picture makes no sense');
        block[at + zigzag[k]] = reader.signed(size);
      }
    };
  }

  progressive(tables: Tables, start: number, end: number, high: number, low: number): BlockDecoder {
    if (start === 0) {
      if (high > 0)
        return (reader, block, at) => {
          if (reader.bits(1)) block[at] |= 1 << low;
        };
      const table = required(tables.dc);
      return (reader, block, at) => {
        this.predictor += reader.signed(reader.symbol(table));
        block[at] = this.predictor * (1 << low);
      };
    }
    const table = required(tables.ac);
    return high === 0 ? this.#first(table, start, end, low) : this.#refine(table, start, end, low);
  }

  #first(table: HuffmanTable, start: number, end: number, low: number): BlockDecoder {
    return (reader, block, at) => {
      if (this.endOfBand > 0) {
        this.endOfBand--;
        return;
      }
      for (let k = start; k <= end; k++) {
        const symbol = reader.symbol(table);
        const [run, size] = [symbol >> 4, symbol & 15];
        if (size > 0) {
          k += run;
          if (k > 63) throw new PictureError('damaged', 'the data of the picture makes no sense');
          block[at + zigzag[k]] = reader.signed(size) * (1 << low);
        } else if (run === 15) k += 15;
        else {
          this.endOfBand = (1 << run) - 1 + reader.bits(run);
          return;
        }
      }
    };
  }

  #refine(table: HuffmanTable, start: number, end: number, low: number): BlockDecoder {
    const step = 1 << low;
    /** One more bit of a coefficient that is not zero already. */
    const correct = (reader: BitReader, block: Int16Array, index: number) => {
      if (reader.bits(1) && (Math.abs(block[index]) & step) === 0) block[index] += block[index] > 0 ? step : -step;
    };
    return (reader, block, at) => {
      let k = start;
      if (this.endOfBand === 0)
        for (; k <= end; k++) {
          const symbol = reader.symbol(table);
          let run = symbol >> 4;
          let value = 0;
          if ((symbol & 15) > 0) value = reader.bits(1) ? step : -step;
          else if (run < 15) {
            this.endOfBand = (1 << run) + reader.bits(run);
            break;
          }
          for (; k <= end; k++) {
            const index = at + zigzag[k];
            if (block[index] !== 0) correct(reader, block, index);
            else if (run-- === 0) {
              if (value !== 0) block[index] = value;
              break;
            }
          }
        }
      if (this.endOfBand === 0) return;
      for (; k <= end; k++) if (block[at + zigzag[k]] !== 0) correct(reader, block, at + zigzag[k]);
      this.endOfBand--;
    };
  }
}
