/**
 * Data elements of MATLAB version 5: a tag (type and length) and the data, padded to eight bytes; data of up to four
 * bytes may lie within the tag itself.
 */
import { FormatError } from '../errors.js';
import { itemBytes, type NumericData, type NumericDtype } from './array.js';
import { hostIsBigEndian, swapBytes } from './stored-array.js';

export const dataTypes = {
  int8: 1,
  uint8: 2,
  int16: 3,
  uint16: 4,
  int32: 5,
  uint32: 6,
  float32: 7,
  float64: 9,
  int64: 12,
  uint64: 13,
  matrix: 14,
  compressed: 15,
  utf8: 16,
  utf16: 17,
  utf32: 18,
} as const;

const numericTypes = new Map<number, NumericDtype>(
  (['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64', 'int64', 'uint64'] as const).map(
    (dtype) => [dataTypes[dtype], dtype],
  ),
);

const views: Record<string, new (buffer: ArrayBuffer, offset: number, length: number) => NumericData> = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** How many nested values may still be read from a file. */
export interface Allowance {
  nested: number;
}

export interface Element {
  readonly type: number;
  /** Of the data within the cursor's bytes. */
  readonly start: number;
  readonly length: number;
}

/** Where the bytes come from: `base` is the file offset of the first one, `element` that of the deflated variable. */
export type Origin = { base: number; element?: undefined } | { element: number; base?: undefined };

/** Walks over the elements in a range of bytes. */
export class ElementCursor {
  readonly file: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly littleEndian: boolean;
  position: number;
  readonly end: number;
  readonly allowance: Allowance;
  private readonly view: DataView<ArrayBuffer>;
  private readonly origin: Origin;

  constructor(
    file: string,
    bytes: Uint8Array<ArrayBuffer>,
    littleEndian: boolean,
    origin: Origin,
    allowance: Allowance,
    start = 0,
    end = bytes.length,
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
  ) {
    this.file = file;
    this.bytes = bytes;
    this.littleEndian = littleEndian;
    this.origin = origin;
    this.allowance = allowance;
    this.position = start;
    this.end = end;
    this.view = view;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  /** A cursor over the data of an element. */
  inside(element: Element): ElementCursor {
    const { file, bytes, littleEndian, origin, allowance, view } = this;
    const end = element.start + element.length;
    return new ElementCursor(file, bytes, littleEndian, origin, allowance, element.start, end, view);
  }

  /** The next element; the cursor moves behind it and its padding. */
  next(what: string): Element {
    const tag = this.position;
    if (this.remaining < 8) throw this.error(`expected ${what}, but only ${this.remaining} bytes are left`);
    const word = this.view.getUint32(tag, this.littleEndian);
    if (word >>> 16 !== 0) {
      const length = word >>> 16;
      if (length > 4) throw this.error(`expected ${what}; its tag holds ${length} bytes, at most 4 fit there`);
      this.position = tag + 8;
      return { type: word & 0xffff, start: tag + 4, length };
    }
    const length = this.view.getUint32(tag + 4, this.littleEndian);
    if (tag + 8 + length > this.end)
      throw this.error(`expected ${what} of ${length} bytes, but only ${this.remaining - 8} are left`);
    // The padding of the last element may be missing.
    this.position = Math.min(this.end, tag + 8 + Math.ceil(length / 8) * 8);
    return { type: word, start: tag + 8, length };
  }

  /** The next element's 32-bit integers, which must be of the given data type. */
  integers(what: string, type: 'int32' | 'uint32'): number[] {
    const element = this.next(what);
    if (element.type !== dataTypes[type])
      throw this.error(`expected ${what} as ${type}, found data type ${element.type}`);
    if (element.length % 4 !== 0)
      throw this.error(`${element.length} bytes of ${what} are not a whole number of ${type} values`);
    const values: number[] = [];
    for (let at = element.start; at < element.start + element.length; at += 4)
      values.push(
        type === 'int32' ? this.view.getInt32(at, this.littleEndian) : this.view.getUint32(at, this.littleEndian),
      );
    return values;
  }

  /** The next element's numbers, in this machine's byte order; they share storage with the bytes where they can. */
  numbers(what: string, expected?: readonly NumericDtype[]): { dtype: NumericDtype; data: NumericData } {
    return this.asNumbers(this.next(what), what, expected);
  }

  /** The numbers of an element, each of which is decoded once only. */
  asNumbers(element: Element, what: string, expected?: readonly NumericDtype[]) {
    const dtype = numericTypes.get(element.type);
    if (dtype === undefined || (expected && !expected.includes(dtype)))
      throw this.error(`expected ${what} as ${expected?.join(' or ') ?? 'numbers'}, found data type ${element.type}`);
    const width = itemBytes[dtype];
    if (element.length % width !== 0)
      throw this.error(`${element.length} bytes of ${what} are not a whole number of ${dtype} values`);
    const end = element.start + element.length;
    if (this.littleEndian === hostIsBigEndian) swapBytes(this.bytes.subarray(element.start, end), width);
    const offset = this.bytes.byteOffset + element.start;
    const aligned = offset % width === 0;
    const buffer = aligned ? this.bytes.buffer : this.bytes.slice(element.start, end).buffer;
    return { dtype, data: new views[dtype](buffer, aligned ? offset : 0, element.length / width) };
  }

  /** The next element as bytes, one character each, without the zeros at its end. */
  asciiText(what: string): string {
    const { start, length } = this.next(what);
    let end = start + length;
    while (end > start && this.bytes[end - 1] === 0) end--;
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, end - start).toString('latin1');
  }

  error(problem: string, hint?: string): FormatError {
    const { base, element } = this.origin;
    if (base !== undefined) return new FormatError(this.file, base + this.position, problem, hint);
    return new FormatError(this.file, element, `${problem} (byte ${this.position} of the inflated variable)`, hint);
  }
}
