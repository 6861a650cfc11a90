/** The parts of an HDF5 file that say where the elements of a dataset lie, by hand and with any lie in them. */

export const nowhere = 2n ** 64n - 1n;

/** A superblock of version 0, 1 or 2; version 1 says how many entries half a node has. */
export function superblock(version: number, halfNode = 2, addressBytes = [8, 8]): Buffer {
  const bytes = Buffer.alloc(48);
  bytes.write('\x89HDF\r\n\x1a\n', 'latin1');
  bytes[8] = version;
  bytes.set(addressBytes, version < 2 ? 13 : 9);
  if (version === 1) bytes.writeUInt16LE(halfNode, 24);
  return bytes;
}

export type Message = [type: number, body: Buffer];

/** An object header of version 1. */
export function oldHeader(...messages: Message[]): Buffer {
  const parts = messages.map(([type, body]) => {
    const head = Buffer.alloc(8);
    head.writeUInt16LE(type, 0);
    head.writeUInt16LE(body.length, 2);
    return Buffer.concat([head, body]);
  });
  const start = Buffer.alloc(16);
  start[0] = 1;
  start.writeUInt32LE(Buffer.concat(parts).length, 8);
  return Buffer.concat([start, ...parts]);
}

/** The messages of a header of version 2, which number their order where bit 2 of the flags says so. */
export function newMessages(flags: number, ...messages: Message[]): Buffer {
  return Buffer.concat(
    messages.map(([type, body]) => {
      const head = Buffer.alloc(flags & 4 ? 6 : 4);
      head[0] = type;
      head.writeUInt16LE(body.length, 1);
      return Buffer.concat([head, body]);
    }),
  );
}

/** An object header of version 2; the flags say what stands in it and how wide its length is. */
export function newHeader(flags: number, ...messages: Message[]): Buffer {
  const content = newMessages(flags, ...messages);
  const length = Buffer.alloc(1 << (flags & 3));
  length.writeUIntLE(content.length, 0, Math.min(6, length.length));
  const optional = Buffer.alloc((flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0), 0xee);
  return Buffer.concat([Buffer.from('OHDR'), Buffer.of(2, flags), optional, length, content]);
}

export function continuation(address: number, length: number): Message {
  return [16, words64(address, length)];
}

export function contiguous(address: number | bigint, length: number): Message {
  return [8, Buffer.concat([Buffer.of(3, 1), words64(address, length)])];
}

export function chunked(tree: number | bigint, chunk: number[], elementBytes = 8): Message {
  const sizes = Buffer.from(Uint32Array.from([...chunk, elementBytes]).buffer);
  return [8, Buffer.concat([Buffer.of(3, 2, chunk.length + 1), words64(tree), sizes])];
}

export function filters(count: number): Message {
  return [11, Buffer.of(1, count, 0, 0, 0, 0, 0, 0)];
}

export interface Entry {
  /** Of the chunk's first element; a last offset inside an element may follow. */
  at: number[];
  child: number;
  bytes?: number;
  skipped?: number;
}

/** A node of the index of chunks; `last` is the key behind its last entry. */
export function node(level: number, entries: Entry[], last: number[], signature = 'TREE', kind = 1): Buffer {
  const rank = last.length;
  const key = ({ at, bytes = 48, skipped = 0 }: Omit<Entry, 'child'>) =>
    Buffer.concat([
      Buffer.from(Uint32Array.of(bytes, skipped).buffer),
      words64(...(at.length === rank ? [...at, 0] : at)),
    ]);
  const head = Buffer.alloc(24);
  head.write(signature, 'latin1');
  head[4] = kind;
  head[5] = level;
  head.writeUInt16LE(entries.length, 6);
  const parts = entries.flatMap((entry) => [key(entry), words64(entry.child)]);
  return Buffer.concat([head, ...parts, key({ at: last })]);
}

/** Parts at their addresses, after `base` bytes of something else. */
export function fileOf(parts: [address: number, bytes: Buffer][], base = 0): Buffer {
  const bytes = Buffer.alloc(base + Math.max(...parts.map(([address, part]) => address + part.length)), 0x20);
  for (const [address, part] of parts) part.copy(bytes, base + address);
  return bytes;
}

function words64(...values: (number | bigint)[]): Buffer {
  return Buffer.from(BigUint64Array.from(values, BigInt).buffer);
}
