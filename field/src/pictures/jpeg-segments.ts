/**
 * The segments of a JPEG file up to and between its scans (ITU-T T.81, annex B): frame, tables, restart interval, and what
 * applications left: orientation (EXIF), colour profile (ICC), colour transform (Adobe).
 */
import { PictureError, UncommonJpeg } from './errors.js';

export interface Component {
  readonly id: number;
  /** Sampling factors. */
  readonly h: number;
  readonly v: number;
  readonly table: number;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly progressive: boolean;
  readonly components: readonly Component[];
  readonly mostH: number;
  readonly mostV: number;
}

/** Codes of up to sixteen bits: for eight bits at a time from `quick` (length · 256 + symbol), longer ones by their limits. */
export interface HuffmanTable {
  readonly quick: Uint16Array;
  readonly limits: Int32Array;
  readonly offsets: Int32Array;
  readonly symbols: Uint8Array;
}

export interface ScanHeader {
  /** Indices into the frame's components, with the tables of each. */
  readonly parts: readonly { component: number; dc: number; ac: number }[];
  readonly spectralStart: number;
  readonly spectralEnd: number;
  readonly high: number;
  readonly low: number;
  /** Where the coded data begins. */
  readonly from: number;
}

export interface Application {
  /** EXIF, 1 to 8. */
  orientation: number;
  profile?: Uint8Array;
  jfif: boolean;
  /** What Adobe's segment says of the colours: 0 none, 1 YCbCr, 2 YCCK. */
  adobe?: number;
}

export class Segments {
  readonly quantization: (Uint16Array | undefined)[] = [];
  readonly dcTables: (HuffmanTable | undefined)[] = [];
  readonly acTables: (HuffmanTable | undefined)[] = [];
  readonly application: Application = { orientation: 1, jfif: false };
  frame?: Frame;
  restartInterval = 0;
  readonly #bytes: Uint8Array;
  readonly #profileParts = new Map<number, Uint8Array>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads segments from `at` to the next scan; undefined at the end of the picture. */
  nextScan(at: number): ScanHeader | undefined {
    const bytes = this.#bytes;
    let position = at;
    for (;;) {
      while (position < bytes.length && bytes[position] !== 0xff) position++;
      while (position < bytes.length && bytes[position] === 0xff) position++;
      if (position >= bytes.length) throw new PictureError('damaged', 'the file ends before the picture does');
      const marker = bytes[position++];
      if (marker === 0xd9) return undefined;
      if (marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8)) continue;
      const length = (bytes[position] << 8) | bytes[position + 1];
      const [start, end] = [position + 2, position + length];
      if (!(length >= 2) || end > bytes.length) throw new PictureError('damaged', 'the file ends inside a segment');
      const segment = bytes.subarray(start, end);
      if (marker === 0xda) return this.#scan(segment, end);
      this.#segment(marker, segment);
      position = end;
    }
  }

  #segment(marker: number, segment: Uint8Array): void {
    if (marker === 0xdb) this.#quantization(segment);
    else if (marker === 0xc4) this.#huffman(segment);
    else if (marker === 0xdd) this.restartInterval = (segment[0] << 8) | segment[1];
    else if (marker === 0xc0 || marker === 0xc1 || marker === 0xc2) this.#frame(segment, marker === 0xc2);
    else if (marker >= 0xc3 && marker <= 0xcf && marker !== 0xc8) throw new UncommonJpeg('an uncommon kind of JPEG');
    else if (marker === 0xe0 && startsWith(segment, 'JFIF\0')) this.application.jfif = true;
    else if (marker === 0xe1 && startsWith(segment, 'Exif\0\0'))
      this.application.orientation = orientation(segment.subarray(6));
    else if (marker === 0xe2 && startsWith(segment, 'ICC_PROFILE\0')) this.#profile(segment);
    else if (marker === 0xee && startsWith(segment, 'Adobe')) this.application.adobe = segment[11];
  }

  #frame(segment: Uint8Array, progressive: boolean): void {
    if (this.frame) throw new PictureError('damaged', 'the file holds two pictures in one');
    if (segment[0] !== 8) throw new UncommonJpeg(`${segment[0]} bits for each sample`);
    const height = (segment[1] << 8) | segment[2];
    const width = (segment[3] << 8) | segment[4];
    const count = segment[5];
    if (width === 0 || height === 0 || segment.length < 6 + 3 * count || count === 0)
      throw new PictureError('damaged', 'the frame of the picture makes no sense');
    const components = Array.from({ length: count }, (_, i): Component => {
      const [id, sampling, table] = segment.subarray(6 + 3 * i, 9 + 3 * i);
      return { id, h: sampling >> 4, v: sampling & 15, table };
    });
    if (components.some(({ h, v, table }) => h < 1 || h > 4 || v < 1 || v > 4 || table > 3))
      throw new PictureError('damaged', 'the frame of the picture makes no sense');
    if (count !== 1 && count !== 3) throw new UncommonJpeg(`${count} colour components`);
    const mostH = Math.max(...components.map(({ h }) => h));
    const mostV = Math.max(...components.map(({ v }) => v));
    this.frame = { width, height, progressive, components, mostH, mostV };
  }

  #quantization(segment: Uint8Array): void {
    for (let at = 0; at < segment.length; ) {
      const [wide, slot] = [segment[at] >> 4, segment[at] & 15];
      at++;
      if (slot > 3 || at + 64 * (wide + 1) > segment.length) throw new PictureError('damaged', 'a table is cut off');
      const table = new Uint16Array(64);
      for (let k = 0; k < 64; k++, at += wide + 1)
        table[zigzag[k]] = wide ? (segment[at] << 8) | segment[at + 1] : segment[at];
      this.quantization[slot] = table;
    }
  }

  #huffman(segment: Uint8Array): void {
    for (let at = 0; at < segment.length; ) {
      const [kind, slot] = [segment[at] >> 4, segment[at] & 15];
      const counts = segment.subarray(at + 1, at + 17);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const symbols = segment.subarray(at + 17, at + 17 + total);
      if (slot > 3 || kind > 1 || symbols.length < total || total > 256)
        throw new PictureError('damaged', 'a table is cut off');
      (kind === 0 ? this.dcTables : this.acTables)[slot] = huffmanTable(counts, symbols);
      at += 17 + total;
    }
  }

  #profile(segment: Uint8Array): void {
    const [part, parts] = [segment[12], segment[13]];
    this.#profileParts.set(part, segment.subarray(14));
    if (this.#profileParts.size < parts) return;
    const pieces = [...this.#profileParts].sort(([a], [b]) => a - b).map(([, piece]) => piece);
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.application.profile = whole;
  }

  #scan(segment: Uint8Array, from: number): ScanHeader {
    const { frame } = this;
    if (!frame) throw new PictureError('damaged', 'the picture begins without a frame');
    const count = segment[0];
    if (count < 1 || count > frame.components.length || segment.length < 4 + 2 * count)
      throw new PictureError('damaged', 'a scan makes no sense');
    const parts = Array.from({ length: count }, (_, i) => {
      const component = frame.components.findIndex(({ id }) => id === segment[1 + 2 * i]);
      if (component < 0) throw new PictureError('damaged', 'a scan is of a component that is not there');
      return { component, dc: segment[2 + 2 * i] >> 4, ac: segment[2 + 2 * i] & 15 };
    });
    const [spectralStart, spectralEnd, bits] = segment.subarray(1 + 2 * count, 4 + 2 * count);
    if (spectralStart > spectralEnd || spectralEnd > 63) throw new PictureError('damaged', 'a scan makes no sense');
    return { parts, spectralStart, spectralEnd, high: bits >> 4, low: bits & 15, from };
  }
}

/** Where the k-th coefficient of a block lies, row by row. */
export const zigzag = Uint8Array.from({ length: 64 }, (_, k) => place(k));

function place(k: number): number {
  let [row, column] = [0, 0];
  for (let i = 0; i < k; i++) {
    const up = (row + column) % 2 === 0;
    if (up && column === 7) row++;
    else if (up && row === 0) column++;
    else if (up) [row, column] = [row - 1, column + 1];
    else if (row === 7) column++;
    else if (column === 0) row++;
    else [row, column] = [row + 1, column - 1];
  }
  return row * 8 + column;
}

function huffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const quick = new Uint16Array(256);
  const limits = new Int32Array(17).fill(-1);
  const offsets = new Int32Array(17);
  let [code, index] = [0, 0];
  for (let length = 1; length <= 16; length++) {
    const count = counts[length - 1];
    offsets[length] = index - code;
    for (let i = 0; i < count; i++, code++, index++)
      if (length <= 8) {
        const first = code << (8 - length);
        quick.fill(length * 256 + symbols[index], first, first + (1 << (8 - length)));
      }
    if (count > 0) limits[length] = code - 1;
    code <<= 1;
  }
  return { quick, limits, offsets, symbols: symbols.slice() };
}

function startsWith(bytes: Uint8Array, letters: string): boolean {
  return [...letters].every((letter, i) => bytes[i] === letter.charCodeAt(0));
}

/** Tag 0x0112 of the first directory of a TIFF header; 1, upright, where there is none. */
function orientation(tiff: Uint8Array): number {
  if (tiff.length < 14) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const little = view.getUint16(0) === 0x4949;
  const directory = view.getUint32(4, little);
  if (directory + 2 > tiff.length) return 1;
  const entries = view.getUint16(directory, little);
  for (let i = 0; i < entries; i++) {
    const at = directory + 2 + 12 * i;
    if (at + 12 > tiff.length) return 1;
    if (view.getUint16(at, little) !== 0x0112) continue;
    const value = view.getUint16(at + 8, little);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
