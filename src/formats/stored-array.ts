/**
 * Reads an array whose place and layout in a file are known: whole, or only a range of its rows (the first axis). In
 * Fortran order the element (i, j) of an n-row array lies at i + j n, so a row range is one piece of every column.
 */
import { endianness } from 'node:os';
import { ArgumentError, FormatError, MemoryError } from '../errors.js';
import {
  type ArrayData,
  type ArrayDtype,
  elementCount,
  itemBytes,
  type NdArray,
  type NumericDtype,
  typedArray,
} from './array.js';
import type { RandomAccessFile } from './file.js';
import { bfloatToFloats } from './float16.js';

/** Shape and element type, known without reading the elements. */
export interface ArrayHeader {
  readonly shape: readonly number[];
  readonly dtype: ArrayDtype;
}

export interface StoredArray extends ArrayHeader {
  /** First byte of the elements. */
  readonly offset: number;
  /** Bytes of one element. */
  readonly width: number;
  readonly bigEndian: boolean;
  readonly fortranOrder: boolean;
  /** Elements are bfloat16, read as float32. */
  readonly bfloat16?: boolean;
}

/** First row and the row after the last. */
export type RowRange = readonly [start: number, end: number];

export const hostIsBigEndian = endianness() === 'BE';

/** Elements are read and decoded this many bytes at a time. */
const chunkBytes = 2 ** 20;

/**
 * Refuses a shape whose elements do not lie within the file, before anything is allocated for them.
 * @returns the bytes the elements take
 */
export function checkExtent(file: RandomAccessFile, stored: StoredArray): number {
  const { shape, width, offset } = stored;
  const whole = shape.filter((size) => size !== 0).reduce((product, size) => product * size, width);
  if (whole > Number.MAX_SAFE_INTEGER)
    throw new FormatError(file.name, offset, `the shape (${shape.join(', ')}) has more elements than can be counted`);
  const bytes = shape.includes(0) ? 0 : whole;
  if (offset + bytes > file.size)
    throw new FormatError(
      file.name,
      offset,
      `expected ${bytes} bytes for shape (${shape.join(', ')}) of ${stored.dtype}, but the file ends at byte ${file.size}`,
      'The file is truncated or damaged; fetch or write it again.',
    );
  return bytes;
}

export function checkRows(shape: readonly number[], rows: RowRange): void {
  const [start, end] = rows;
  if (shape.length === 0) throw new ArgumentError('a scalar has no rows to choose from');
  if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= shape[0]))
    throw new ArgumentError(`rows ${start}…${end} do not lie within 0…${shape[0]}`);
}

export interface ReadArrayOptions {
  /** Only the rows [start, end) along the first axis; the rest of the file is not read. */
  rows?: RowRange;
  /** Stops a long read. */
  signal?: AbortSignal;
}

/** The array, or its rows [start, end), in C order. */
export async function readStored(
  file: RandomAccessFile,
  stored: StoredArray,
  options: ReadArrayOptions = {},
): Promise<NdArray> {
  const { rows, signal } = options;
  if (rows) checkRows(stored.shape, rows);
  const { dtype } = stored;
  const [start, end] = rows ?? [0, stored.shape[0] ?? 1];
  const shape = rows ? [end - start, ...stored.shape.slice(1)] : stored.shape;
  const rowLength = elementCount(stored.shape.slice(1));
  const length = (end - start) * rowLength;
  if (length === 0) return { shape, dtype, data: allocate(file, dtype, 0) };
  const data = allocate(file, dtype, length);
  if (stored.fortranOrder && stored.shape.length > 1) await readColumns(file, stored, start, end, data, signal);
  else await readRun(file, stored, start * rowLength, data, signal);
  return { shape, dtype, data };
}

/** Consecutive elements as they lie in the file, the first one `first` elements from the start. */
async function readRun(
  file: RandomAccessFile,
  stored: StoredArray,
  first: number,
  data: ArrayData,
  signal?: AbortSignal,
): Promise<void> {
  const { width, dtype } = stored;
  const step = Math.max(1, Math.floor(chunkBytes / width));
  for (let done = 0; done < data.length; done += step) {
    signal?.throwIfAborted();
    const count = Math.min(step, data.length - done);
    const offset = stored.offset + (first + done) * width;
    if (Array.isArray(data) || stored.bfloat16) {
      const bytes = await file.read(offset, count * width, 'array elements');
      const part = decode(file, stored, bytes, offset);
      for (let i = 0; i < count; i++) data[done + i] = part[i];
    } else {
      const bytes = new Uint8Array(data.buffer, data.byteOffset + done * width, count * width);
      await file.readInto(bytes, offset, 'array elements');
      normalize(bytes, dtype as NumericDtype, stored.bigEndian);
    }
  }
}

/** Rows [start, end) of an array in Fortran order. */
async function readColumns(
  file: RandomAccessFile,
  stored: StoredArray,
  start: number,
  end: number,
  data: ArrayData,
  signal?: AbortSignal,
): Promise<void> {
  const { width } = stored;
  const [rows, ...rest] = stored.shape;
  const columns = elementCount(rest);
  // Columns are read several at a time, the unwanted rows between them included, where those are few; else one by one.
  const worthwhile = rows * width <= 2 ** 14 || (end - start) * 16 >= rows;
  const together = worthwhile ? Math.floor(chunkBytes / (rows * width)) : 0;
  const pieceRows = together > 0 ? end - start : Math.max(1, Math.floor(chunkBytes / width));
  for (let column = 0; column < columns; column += Math.max(1, together)) {
    signal?.throwIfAborted();
    const count = Math.min(Math.max(1, together), columns - column);
    for (let top = start; top < end; top += pieceRows) {
      const height = Math.min(pieceRows, end - top);
      const offset = stored.offset + (column * rows + top) * width;
      const bytes = await file.read(offset, ((count - 1) * rows + height) * width, 'array elements');
      const part = decode(file, stored, bytes, offset);
      for (let j = 0; j < count; j++) {
        const target = rowMajorIndex(column + j, rest);
        for (let i = 0; i < height; i++) data[(top - start + i) * columns + target] = part[j * rows + i];
      }
    }
  }
}

/** Index in C order of the element whose index in Fortran order is `index`. */
function rowMajorIndex(index: number, shape: readonly number[]): number {
  if (shape.length === 1) return index;
  let remaining = index;
  let stride = elementCount(shape);
  let result = 0;
  for (const size of shape) {
    stride /= size;
    result += (remaining % size) * stride;
    remaining = Math.floor(remaining / size);
  }
  return result;
}

/** Elements from their bytes, which lie at `offset`. */
export function decode(
  file: RandomAccessFile,
  stored: StoredArray,
  bytes: Uint8Array<ArrayBuffer>,
  offset: number,
): ArrayData {
  const { dtype, width } = stored;
  if (dtype === 'bytes') return decodeBytes(bytes, width);
  if (dtype === 'string') return decodeUnicode(file, bytes, width, stored.bigEndian, offset);
  if (stored.bfloat16) {
    if (hostIsBigEndian) swapBytes(bytes, 2);
    const halves = typedArray('uint16', bytes.buffer);
    const floats = new Float32Array(halves.length);
    bfloatToFloats(halves, floats);
    return floats;
  }
  normalize(bytes, dtype, stored.bigEndian);
  return typedArray(dtype, bytes.buffer);
}

/** Puts numbers into this machine's byte order, and booleans to 0 and 1. */
export function normalize(bytes: Uint8Array, dtype: NumericDtype, bigEndian: boolean): void {
  if (dtype === 'bool') for (let i = 0; i < bytes.length; i++) bytes[i] = bytes[i] === 0 ? 0 : 1;
  else if (bigEndian !== hostIsBigEndian) swapBytes(bytes, itemBytes[dtype]);
}

export function swapBytes(bytes: Uint8Array, width: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (width === 2) buffer.swap16();
  else if (width === 4) buffer.swap32();
  else if (width === 8) buffer.swap64();
}

function decodeBytes(bytes: Uint8Array<ArrayBuffer>, width: number): string[] {
  const buffer = Buffer.from(bytes.buffer);
  return Array.from({ length: bytes.length / width }, (_, i) => {
    let end = (i + 1) * width;
    while (end > i * width && bytes[end - 1] === 0) end--;
    return buffer.toString('latin1', i * width, end);
  });
}

function decodeUnicode(
  file: RandomAccessFile,
  bytes: Uint8Array<ArrayBuffer>,
  width: number,
  bigEndian: boolean,
  offset: number,
): string[] {
  if (bigEndian !== hostIsBigEndian) swapBytes(bytes, 4);
  const points = new Uint32Array(bytes.buffer);
  const wide = points.findIndex((point) => point > 0x10ffff);
  if (wide >= 0)
    throw new FormatError(
      file.name,
      offset + wide * 4,
      `expected a Unicode character, found 0x${points[wide].toString(16)}`,
    );
  const characters = width / 4;
  return Array.from({ length: points.length / characters }, (_, i) => {
    let end = (i + 1) * characters;
    while (end > i * characters && points[end - 1] === 0) end--;
    let text = '';
    for (let at = i * characters; at < end; at += 4096)
      text += String.fromCodePoint(...points.subarray(at, Math.min(end, at + 4096)));
    return text;
  });
}

function allocate(file: RandomAccessFile, dtype: ArrayDtype, length: number): ArrayData {
  if (dtype === 'string' || dtype === 'bytes') return new Array<string>(length).fill('');
  const bytes = length * itemBytes[dtype];
  try {
    return typedArray(dtype, new ArrayBuffer(bytes));
  } catch {
    throw new MemoryError(bytes, `reading ${file.name} at once`, 'Read a range of rows at a time.');
  }
}
