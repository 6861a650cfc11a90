/**
 * Writes a zip archive member by member. Sizes and CRC of a member are known only after its data, so its local header
 * is corrected then; zip64 fields appear where 32 bits do not suffice.
 */
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import { ArgumentError } from '../errors.js';
import type { PendingFile } from './atomic.js';

interface WrittenMember {
  name: Buffer;
  method: 0 | 8;
  crc: number;
  storedSize: number;
  size: number;
  offset: number;
}

const timeless = { time: 0, date: 0x21 } as const;

export class ZipWriter {
  private readonly file: PendingFile;
  private readonly largest: number;
  private readonly members: WrittenMember[] = [];
  private readonly names = new Set<string>();

  /** @param largest sizes and offsets from here on are written as zip64; lower than its default only in tests */
  constructor(file: PendingFile, largest = 0xffffffff) {
    this.file = file;
    this.largest = largest;
  }

  async add(name: string, chunks: Iterable<Uint8Array>, compress: boolean): Promise<void> {
    const encoded = Buffer.from(name);
    if (encoded.length === 0 || encoded.length > 0xffff || this.names.has(name))
      throw new ArgumentError(
        `${this.file.path}: the member name ${JSON.stringify(name)} is empty, too long or repeated`,
      );
    this.names.add(name);
    const member: WrittenMember = {
      name: encoded,
      method: compress ? 8 : 0,
      crc: 0,
      storedSize: 0,
      size: 0,
      offset: this.file.position,
    };
    await this.file.append(localHeader(member));
    const dataStart = this.file.position;
    function* counted() {
      for (const chunk of chunks) {
        member.crc = crc32(chunk, member.crc);
        member.size += chunk.length;
        yield chunk;
      }
    }
    const data = compress ? deflated(counted()) : counted();
    for await (const chunk of data) await this.file.append(chunk);
    member.storedSize = this.file.position - dataStart;
    await this.file.writeAt(localHeader(member), member.offset);
    this.members.push(member);
  }

  /** Writes the directory, after which the archive is complete. */
  async finish(): Promise<void> {
    const offset = this.file.position;
    for (const member of this.members) await this.file.append(this.record(member));
    const length = this.file.position - offset;
    const count = this.members.length;
    const large = offset >= this.largest || length >= this.largest || count >= Math.min(0xffff, this.largest);
    if (large) await this.file.append(end64(count, length, offset));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(large ? 0xffff : count, 8);
    end.writeUInt16LE(large ? 0xffff : count, 10);
    end.writeUInt32LE(large ? 0xffffffff : length, 12);
    end.writeUInt32LE(large ? 0xffffffff : offset, 16);
    await this.file.append(end);
  }

  /** One record of the directory; saturated fields move into the zip64 extra data. */
  private record(member: WrittenMember): Buffer {
    const wide: number[] = [];
    const narrow = (value: number) => {
      if (value < this.largest) return value;
      wide.push(value);
      return 0xffffffff;
    };
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(45, 4);
    writeCommon(record, 6, member, narrow);
    record.writeUInt32LE(narrow(member.offset), 42);
    const extra = extra64(wide);
    record.writeUInt16LE(extra.length, 30);
    return Buffer.concat([record, member.name, extra]);
  }
}

function deflated(chunks: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const stream = createDeflateRaw({ chunkSize: 2 ** 18 });
  // An error of the source is thrown again where the stream is read.
  pipeline(Readable.from(chunks), stream, () => {});
  return stream;
}

/** Always with zip64 sizes, as numpy writes it, so that its length is known before the sizes are. */
function localHeader(member: WrittenMember): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, member, () => 0xffffffff);
  const extra = extra64([member.size, member.storedSize]);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, member.name, extra]);
}

/** The fields that a local header and a directory record share: version needed to length of the name. */
function writeCommon(target: Buffer, at: number, member: WrittenMember, narrow: (value: number) => number): void {
  target.writeUInt16LE(45, at);
  target.writeUInt16LE(0x800, at + 2);
  target.writeUInt16LE(member.method, at + 4);
  target.writeUInt16LE(timeless.time, at + 6);
  target.writeUInt16LE(timeless.date, at + 8);
  target.writeUInt32LE(member.crc, at + 10);
  // The zip64 extra data holds the size before the stored size; the header has them the other way round.
  target.writeUInt32LE(narrow(member.size), at + 18);
  target.writeUInt32LE(narrow(member.storedSize), at + 14);
  target.writeUInt16LE(member.name.length, at + 22);
}

function extra64(values: number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, i) => {
    extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  });
  return extra;
}

/** The zip64 end record and its locator. */
function end64(count: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(45, 12);
  end.writeUInt16LE(45, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(length), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(offset + length), 64);
  end.writeUInt32LE(1, 72);
  return end;
}
