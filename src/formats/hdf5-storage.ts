/**
 * Whether all of a dataset's elements are in an HDF5 file. The library gives zeros for chunks it does not find, and the
 * tree that leads to them (version 1, the one MATLAB writes) has no checksum: one changed byte hides a part of the data.
 * So the tree is walked here, and every chunk that the shape asks for must be where the library would look for it.
 * Layout after the HDF5 File Format Specification 3.0, III.A.1, IV.A.1 and IV.A.2.i.
 */
import { readSync } from 'node:fs';

export interface StoredDataset {
  /** Address of the object header, as an object reference holds it. */
  address: number;
  shape: readonly number[];
  elementBytes: number;
}

const messages = { externalFiles: 7, layout: 8, filters: 11, continuation: 16 } as const;
const layouts = { compact: 0, contiguous: 1, chunked: 2 } as const;
const undefinedAddress = 0xffffffffffffffffn;
const mostBlocks = 10_000;

interface Message {
  type: number;
  body: Buffer;
}

/** An open HDF5 file by its bytes. */
export class Hdf5Bytes {
  readonly #descriptor: number;
  readonly #base: number;
  readonly #size: number;
  /** Entries that a node of a chunk index has room for. */
  readonly nodeEntries: number;

  /** @param size bytes of the file */
  constructor(descriptor: number, size: number) {
    this.#descriptor = descriptor;
    this.#size = size;
    let base = 0;
    while (!this.#signed(base)) {
      base = base === 0 ? 512 : base * 2;
      if (base >= size) throw new Error('no superblock');
    }
    this.#base = base;
    const superblock = this.read(0, 28);
    // Files of version 1 say how large nodes are; 64 is what version 0 stands for, and later ones rarely use these nodes.
    this.nodeEntries = superblock[8] === 1 ? 2 * superblock.readUInt16LE(24) : 64;
    const [offsets, lengths] = superblock[8] < 2 ? [superblock[13], superblock[14]] : [superblock[9], superblock[10]];
    if (offsets !== 8 || lengths !== 8) throw new Error(`addresses of ${offsets} bytes are not read`);
  }

  #signed(at: number): boolean {
    const bytes = Buffer.alloc(8);
    readSync(this.#descriptor, bytes, 0, 8, at);
    return bytes.toString('latin1') === '\x89HDF\r\n\x1a\n';
  }

  read(address: number, length: number): Buffer {
    const at = this.#base + address;
    if (!(address >= 0 && length >= 0 && at + length <= this.#size))
      throw new Error(`${length} bytes at ${address} lie outside the file`);
    const bytes = Buffer.alloc(length);
    if (readSync(this.#descriptor, bytes, 0, length, at) !== length) throw new Error('the file became shorter');
    return bytes;
  }
}

/** What is wrong with the storage of a dataset, in words that follow its name, or undefined. @throws Error on damage */
export function storageProblem(file: Hdf5Bytes, dataset: StoredDataset): string | undefined {
  const found = headerMessages(file, dataset.address);
  if (found.some(({ type }) => type === messages.externalFiles)) return 'lies in other files, which are not read';
  const layout = found.find(({ type }) => type === messages.layout)?.body;
  if (!layout) return 'has no layout';
  const count = dataset.shape.reduce((product, size) => product * size, 1);
  // Layouts of other versions lead to structures with checksums, which the library checks.
  if (layout[0] !== 3 || count === 0) return undefined;
  if (layout[1] === layouts.contiguous) {
    const address = layout.readBigUInt64LE(2);
    const bytes = Number(layout.readBigUInt64LE(10));
    if (address === undefinedAddress) return 'has no elements in the file';
    return bytes === count * dataset.elementBytes
      ? undefined
      : `has ${bytes} bytes in the file, ${count * dataset.elementBytes} belong to its shape`;
  }
  return layout[1] === layouts.chunked ? chunkProblem(file, dataset, layout, filterCount(found)) : undefined;
}

function headerMessages(file: Hdf5Bytes, address: number): Message[] {
  const start = file.read(address, 16);
  const modern = start.toString('latin1', 0, 4) === 'OHDR';
  const found: Message[] = [];
  const blocks: [address: number, length: number][] = [];
  let order = 0;
  if (modern) {
    const flags = start[5];
    let at = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    const width = 1 << (flags & 3);
    const length = file.read(address + at, width).readUIntLE(0, Math.min(6, width));
    at += width;
    order = flags & 4 ? 2 : 0;
    blocks.push([address + at, length]);
  } else blocks.push([address + 16, start.readUInt32LE(8)]);
  for (let i = 0; i < blocks.length; i++) {
    if (i > mostBlocks) throw new Error('an object header has no end');
    const bytes = file.read(...blocks[i]);
    const head = modern ? 4 + order : 8;
    for (let at = 0; at + head <= bytes.length; ) {
      const type = modern ? bytes[at] : bytes.readUInt16LE(at);
      const size = bytes.readUInt16LE(at + (modern ? 1 : 2));
      const body = bytes.subarray(at + head, at + head + size);
      at += head + size;
      if (type !== messages.continuation) found.push({ type, body });
      else {
        const [next, length] = [Number(body.readBigUInt64LE(0)), Number(body.readBigUInt64LE(8))];
        // Continued blocks of the newer kind stand between a signature and a checksum.
        blocks.push(modern ? [next + 4, length - 8] : [next, length]);
      }
    }
  }
  return found;
}

function filterCount(found: readonly Message[]): number {
  return found.find(({ type }) => type === messages.filters)?.body[1] ?? 0;
}

function chunkProblem(
  file: Hdf5Bytes,
  { shape, elementBytes }: StoredDataset,
  layout: Buffer,
  filters: number,
): string | undefined {
  const rank = layout[2] - 1;
  if (rank !== shape.length) return `has chunks of ${rank} axes for a shape of ${shape.length}`;
  const chunk = shape.map((_, axis) => layout.readUInt32LE(11 + 4 * axis));
  if (chunk.some((size) => size === 0)) return 'has chunks without elements';
  const expected = shape.reduce((product, size, axis) => product * Math.ceil(size / chunk[axis]), 1);
  const root = layout.readBigUInt64LE(3);
  const tree: ChunkTree = {
    file,
    shape,
    chunk,
    filters,
    bytes: chunk.reduce((product, size) => product * size, elementBytes),
    last: undefined,
    found: 0,
    ranges: [],
  };
  if (root !== undefinedAddress) walk(tree, Number(root), undefined, undefined, undefined);
  if (tree.found !== expected) return `has ${tree.found} of ${expected} chunks in the file`;
  const ranges = tree.ranges.sort((a, b) => a.start - b.start);
  const overlap = ranges.some(({ start }, i) => i > 0 && start < ranges[i - 1].end);
  return overlap ? 'has chunks that lie over one another' : undefined;
}

interface ChunkTree {
  readonly file: Hdf5Bytes;
  readonly shape: readonly number[];
  readonly chunk: readonly number[];
  readonly filters: number;
  /** Of a chunk before any filter. */
  readonly bytes: number;
  /** The chunk seen last; the next must come after it. */
  last: bigint[] | undefined;
  found: number;
  /** Parts of the file that chunks and nodes occupy, which must lie apart. */
  readonly ranges: { start: number; end: number }[];
}

/** Counts the chunks under a node that lie in [from, before), where the library's search can find them. */
function walk(
  tree: ChunkTree,
  address: number,
  level: number | undefined,
  from: bigint[] | undefined,
  before: bigint[] | undefined,
): void {
  const rank = tree.shape.length;
  const keyBytes = 8 + 8 * (rank + 1);
  const head = tree.file.read(address, 24);
  if (head.toString('latin1', 0, 4) !== 'TREE' || head[4] !== 1 || (level !== undefined && head[5] !== level))
    throw new Error('the index of chunks is damaged');
  const entries = head.readUInt16LE(6);
  const room = Math.max(entries, tree.file.nodeEntries);
  tree.ranges.push({ start: address, end: address + 24 + room * (keyBytes + 8) + keyBytes });
  const bytes = tree.file.read(address + 24, entries * (keyBytes + 8) + keyBytes);
  const keyAt = (i: number) => Array.from({ length: rank + 1 }, (_, axis) => offsetAt(bytes, i * (keyBytes + 8), axis));
  for (let i = 0; i < entries; i++) {
    const at = i * (keyBytes + 8);
    const key = keyAt(i);
    const next = keyAt(i + 1);
    if (compare(key, next) >= 0) throw new Error('the index of chunks is out of order');
    const child = Number(bytes.readBigUInt64LE(at + keyBytes));
    if (head[5] > 0) walk(tree, child, head[5] - 1, later(from, key), earlier(before, next));
    else if (compare(key, from ?? key) >= 0 && (!before || compare(key, before) < 0))
      countChunk(tree, key, child, bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4));
  }
}

function countChunk(tree: ChunkTree, key: bigint[], address: number, stored: number, skipped: number): void {
  if (tree.last && compare(key, tree.last) <= 0) throw new Error('the index of chunks is out of order');
  tree.last = key;
  // The last offset is that of a byte inside an element, and no chunk begins there.
  if (key[tree.shape.length] !== 0n) throw new Error('the index of chunks is damaged');
  if (tree.chunk.some((size, axis) => key[axis] % BigInt(size) !== 0n)) return;
  if (tree.shape.some((size, axis) => key[axis] >= BigInt(size))) return;
  const all = 2 ** tree.filters - 1;
  if (skipped > all) throw new Error('a chunk names filters that the variable does not have');
  if (skipped === all && stored !== tree.bytes) throw new Error(`a chunk of ${stored} bytes should have ${tree.bytes}`);
  tree.ranges.push({ start: address, end: address + stored });
  tree.found++;
}

function offsetAt(bytes: Buffer, key: number, axis: number): bigint {
  return bytes.readBigUInt64LE(key + 8 + 8 * axis);
}

function compare(a: readonly bigint[], b: readonly bigint[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

function later(a: bigint[] | undefined, b: bigint[]): bigint[] {
  return a && compare(a, b) > 0 ? a : b;
}

function earlier(a: bigint[] | undefined, b: bigint[]): bigint[] {
  return a && compare(a, b) < 0 ? a : b;
}
