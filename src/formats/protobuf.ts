/**
 * The protobuf wire format, as far as ONNX and TensorBoard need it. A message is a run of fields (number, wire type, value); reading
 * yields byte ranges and copies nothing, so that a graph of half a gigabyte can be edited by keeping and dropping ranges.
 */
import { FormatError } from '../errors.js';

export interface Field {
  readonly number: number;
  /** 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes. */
  readonly wireType: number;
  /** The value of a varint (0 for the other types). Negative values come back negative. */
  readonly value: number;
  /** Where the tag begins. */
  readonly from: number;
  /** The content of a length-delimited or fixed-size field: [start, end). */
  readonly start: number;
  readonly end: number;
}

/** Wire bytes together with the name to use in error messages. */
export interface WireSource {
  readonly bytes: Uint8Array;
  readonly file: string;
}

export function* readFields(source: WireSource, start = 0, end = source.bytes.length): Generator<Field> {
  const { bytes, file } = source;
  let position = start;
  const broken = (problem: string) =>
    new FormatError(file, position, problem, 'The file is damaged or is not an ONNX model.');
  const varint = (): number => {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (position >= end) throw broken('the file ends inside a number');
      const byte = bytes[position++];
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        low |= (byte & 0x0f) << 28;
        high = (byte & 0x70) >> 4;
      } else if (shift < 63) high |= (byte & 0x7f) << (shift - 32);
      else high |= (byte & 1) << 31;
      if (byte < 0x80) return (high | 0) * 2 ** 32 + (low >>> 0);
    }
    throw broken('a number has more than ten bytes');
  };
  while (position < end) {
    const from = position;
    const tag = varint();
    const number = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (number < 1) throw broken('a field has no number');
    if (wireType === 0) {
      const value = varint();
      yield { number, wireType, value, from, start: position, end: position };
      continue;
    }
    const length = wireType === 2 ? varint() : wireType === 1 ? 8 : wireType === 5 ? 4 : -1;
    if (length < 0) throw broken(`field ${number} has wire type ${wireType}, which ONNX does not use`);
    const contentStart = position;
    if (contentStart + length > end)
      throw broken(`field ${number} claims ${length} bytes, ${end - contentStart} are left`);
    position = contentStart + length;
    yield { number, wireType, value: 0, from, start: contentStart, end: position };
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function textOf(source: WireSource, field: Field): string {
  return decoder.decode(source.bytes.subarray(field.start, field.end));
}

/** Collects fields; nested messages and tensor data are joined only once, by `finish`. */
export class WireWriter {
  readonly pieces: Uint8Array[] = [];
  length = 0;

  integer(number: number, value: number): this {
    this.push(tag(number, 0));
    return this.push(varintBytes(value));
  }

  integers(number: number, values: readonly number[]): this {
    for (const value of values) this.integer(number, value);
    return this;
  }

  float(number: number, value: number): this {
    this.push(tag(number, 5));
    return this.push(new Uint8Array(Float32Array.of(value).buffer));
  }

  double(number: number, value: number): this {
    this.push(tag(number, 1));
    return this.push(new Uint8Array(Float64Array.of(value).buffer));
  }

  bytes(number: number, content: Uint8Array): this {
    this.push(tag(number, 2));
    this.push(varintBytes(content.length));
    return this.push(content);
  }

  text(number: number, content: string): this {
    return this.bytes(number, encoder.encode(content));
  }

  message(number: number, content: WireWriter): this {
    this.push(tag(number, 2));
    this.push(varintBytes(content.length));
    for (const piece of content.pieces) this.push(piece);
    return this;
  }

  /** Fields that are encoded already, tags included. */
  encoded(content: Uint8Array): this {
    return this.push(content);
  }

  finish(): Uint8Array {
    const joined = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    return joined;
  }

  private push(piece: Uint8Array): this {
    this.pieces.push(piece);
    this.length += piece.length;
    return this;
  }
}

function tag(number: number, wireType: number): Uint8Array {
  return varintBytes(number * 8 + wireType);
}

function varintBytes(value: number): Uint8Array {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number`);
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
