/** Zip archives made by hand, in which every field can lie. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface HandmadeMember {
  name: string;
  data: Uint8Array;
  deflate?: boolean;
  /** Fields of the directory record; the true values unless given. */
  method?: number;
  flags?: number;
  crc?: number;
  size?: number;
  storedSize?: number;
  offset?: number;
  /** The name in the local header. */
  localName?: string;
  /** Bytes that the local header claims to have as extra data. */
  localExtra?: number;
  /** Sizes and offset in zip64 extra data. */
  zip64?: boolean;
}

export interface HandmadeZip {
  zip64?: boolean;
  comment?: string;
  count?: number;
  directoryOffset?: number;
  directoryLength?: number;
  disk?: number;
}

export function zipBytes(members: HandmadeMember[], end: HandmadeZip = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const records: Uint8Array[] = [];
  let position = 0;
  for (const member of members) {
    const stored = member.deflate ? deflateRawSync(member.data) : member.data;
    const { flags = 0x800, crc = crc32(member.data), size = member.data.length, storedSize = stored.length } = member;
    const method = member.method ?? (member.deflate ? 8 : 0);
    const offset = member.offset ?? position;
    const localName = Buffer.from(member.localName ?? member.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(localName.length, 26);
    local.writeUInt16LE(member.localExtra ?? 0, 28);
    parts.push(local, localName, stored);
    position += local.length + localName.length + stored.length;
    const name = Buffer.from(member.name);
    const extra = Buffer.alloc(member.zip64 ? 28 : 0);
    if (member.zip64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      wide([size, storedSize, offset]).copy(extra, 4);
    }
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(flags, 8);
    record.writeUInt16LE(method, 10);
    record.writeUInt32LE(crc, 16);
    record.writeUInt32LE(member.zip64 ? 0xffffffff : storedSize, 20);
    record.writeUInt32LE(member.zip64 ? 0xffffffff : size, 24);
    record.writeUInt16LE(name.length, 28);
    record.writeUInt16LE(extra.length, 30);
    record.writeUInt32LE(member.zip64 ? 0xffffffff : offset, 42);
    records.push(record, name, extra);
  }
  const directory = Buffer.concat(records);
  return Buffer.concat([...parts, directory, endRecords(members.length, position, directory.length, end)]);
}

function endRecords(members: number, position: number, length: number, options: HandmadeZip): Uint8Array {
  const { count = members, directoryOffset = position, directoryLength = length, comment = '' } = options;
  const end = Buffer.alloc(22 + comment.length);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(options.disk ?? 0, 4);
  end.writeUInt16LE(options.zip64 ? 0xffff : count, 8);
  end.writeUInt16LE(options.zip64 ? 0xffff : count, 10);
  end.writeUInt32LE(options.zip64 ? 0xffffffff : directoryLength, 12);
  end.writeUInt32LE(options.zip64 ? 0xffffffff : directoryOffset, 16);
  end.writeUInt16LE(comment.length, 20);
  end.write(comment, 22, 'latin1');
  if (!options.zip64) return end;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  wide([count, count, directoryLength, directoryOffset]).copy(end64, 24);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  wide([position + length]).copy(locator, 8);
  return Buffer.concat([end64, locator, end]);
}

function wide(values: number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, i) => {
    bytes.writeBigUInt64LE(BigInt(value), 8 * i);
  });
  return bytes;
}
