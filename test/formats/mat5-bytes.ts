/** MATLAB version 5 files by hand, in either byte order and with any lie in them. */
import { deflateSync } from 'node:zlib';

export interface MatBytesOptions {
  bigEndian?: boolean;
}

/** Builds elements in one byte order. */
export class MatBytes {
  private readonly bigEndian: boolean;

  constructor(options: MatBytesOptions = {}) {
    this.bigEndian = options.bigEndian ?? false;
  }

  file(...elements: Uint8Array[]): Buffer {
    const header = Buffer.alloc(128, ' ');
    header.write('MATLAB 5.0 MAT-file, by hand', 'latin1');
    header.fill(0, 116, 124);
    header.set(this.bigEndian ? [0x01, 0x00] : [0x00, 0x01], 124);
    header.write(this.bigEndian ? 'MI' : 'IM', 126, 'latin1');
    return Buffer.concat([header, ...elements]);
  }

  words(...values: number[]): Buffer {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, i) => {
      if (this.bigEndian) bytes.writeUInt32BE(value >>> 0, 4 * i);
      else bytes.writeUInt32LE(value >>> 0, 4 * i);
    });
    return bytes;
  }

  /** A tag with its data, padded; `length` may lie. */
  element(type: number, data: Uint8Array, length = data.length): Buffer {
    return Buffer.concat([this.words(type, length), data, Buffer.alloc((8 - (data.length % 8)) % 8)]);
  }

  /** Data within the tag itself. */
  smallElement(type: number, data: Uint8Array, length = data.length): Buffer {
    const padded = Buffer.alloc(4);
    padded.set(data);
    return Buffer.concat([this.words(((length << 16) | type) >>> 0), padded]);
  }

  doubles(...values: number[]): Buffer {
    const bytes = Buffer.alloc(8 * values.length);
    values.forEach((value, i) => {
      if (this.bigEndian) bytes.writeDoubleBE(value, 8 * i);
      else bytes.writeDoubleLE(value, 8 * i);
    });
    return bytes;
  }

  shorts(...values: number[]): Buffer {
    const bytes = Buffer.alloc(2 * values.length);
    values.forEach((value, i) => {
      if (this.bigEndian) bytes.writeUInt16BE(value, 2 * i);
      else bytes.writeUInt16LE(value, 2 * i);
    });
    return bytes;
  }

  /** A variable from its class, shape, name and the elements that follow. */
  matrix(classNumber: number, shape: number[], name: string, content: Uint8Array[], flags = 0): Buffer {
    const parts = [
      this.element(6, this.words(classNumber | flags, 0)),
      this.element(5, this.words(...shape)),
      name.length <= 4 && name.length > 0
        ? this.smallElement(1, Buffer.from(name))
        : this.element(1, Buffer.from(name)),
      ...content,
    ];
    return this.element(14, Buffer.concat(parts));
  }

  compressed(element: Uint8Array): Buffer {
    const deflated = deflateSync(element);
    return Buffer.concat([this.words(15, deflated.length), deflated]);
  }
}
