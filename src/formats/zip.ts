/**
 * The directory of a zip archive, classic or zip64: which members there are and where they lie. Everything is checked
 * before it is used: members that overlap, lie outside the file, repeat a name or promise impossible sizes are refused.
 */
import { FormatError } from '../errors.js';
import type { RandomAccessFile } from './file.js';

export interface ZipMember {
  readonly name: string;
  readonly compressed: boolean;
  readonly crc: number;
  /** Bytes in the archive, and after inflating. */
  readonly storedSize: number;
  readonly size: number;
  /** Where the local header starts, and the byte that the member's data must not reach beyond. */
  readonly offset: number;
  readonly limit: number;
}

const endSignature = 0x06054b50;
const end64Signature = 0x06064b50;
const locator64Signature = 0x07064b50;
const recordSignature = 0x02014b50;
const localSignature = 0x04034b50;
const endLength = 22;
/** A byte of deflated data never expands to more than this. */
const largestExpansion = 1032;

interface Directory {
  offset: number;
  length: number;
  count: number;
}

/** The members in the order of the directory. */
export async function readZipDirectory(file: RandomAccessFile): Promise<ZipMember[]> {
  const directory = await findDirectory(file);
  const bytes = Buffer.from(await file.read(directory.offset, directory.length, 'the zip directory'));
  const members: ZipMember[] = [];
  const names = new Set<string>();
  let position = 0;
  for (let index = 0; index < directory.count; index++) {
    const { member, length } = readRecord(file, bytes, position, directory.offset);
    if (names.has(member.name))
      throw new FormatError(file.name, directory.offset + position, `the zip member "${member.name}" occurs twice`);
    names.add(member.name);
    members.push(member);
    position += length;
  }
  return withoutOverlap(file, members, directory.offset);
}

/** Where the data of a member starts, from its local header, which must agree with the directory. */
export async function locateMember(file: RandomAccessFile, member: ZipMember): Promise<number> {
  const fixed = Buffer.from(await file.read(member.offset, 30, 'a zip member header'));
  if (fixed.readUInt32LE(0) !== localSignature)
    throw new FormatError(file.name, member.offset, `expected the zip member "${member.name}" here`);
  const nameLength = fixed.readUInt16LE(26);
  const start = member.offset + 30 + nameLength + fixed.readUInt16LE(28);
  const name = decodeName(await file.read(member.offset + 30, nameLength, 'a zip member name'), fixed.readUInt16LE(6));
  if (name !== member.name)
    throw new FormatError(
      file.name,
      member.offset + 30,
      `expected the zip member "${member.name}" as in the directory, found "${name}"`,
    );
  if (start + member.storedSize > member.limit)
    throw new FormatError(
      file.name,
      start,
      `expected ${member.storedSize} bytes of "${member.name}", but the next part of the archive starts at byte ${member.limit}`,
    );
  return start;
}

async function findDirectory(file: RandomAccessFile): Promise<Directory> {
  const tailLength = Math.min(file.size, endLength + 0xffff);
  const tailStart = file.size - tailLength;
  const tail = Buffer.from(await file.read(tailStart, tailLength, 'the end of the zip archive'));
  for (let at = tailLength - endLength; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endSignature || at + endLength + tail.readUInt16LE(at + 20) !== tailLength) continue;
    const classic = {
      count: tail.readUInt16LE(at + 10),
      length: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
    const large = await findDirectory64(file, tailStart + at);
    const directory = large ?? classic;
    if (!large && (tail.readUInt16LE(at + 4) !== 0 || tail.readUInt16LE(at + 8) !== classic.count))
      throw new FormatError(file.name, tailStart + at, 'expected a zip archive in one part, found one of several');
    if (directory.offset + directory.length > tailStart + at)
      throw new FormatError(
        file.name,
        tailStart + at,
        `the zip directory would lie at byte ${directory.offset} with length ${directory.length}, outside the file`,
      );
    if (directory.count * 46 > directory.length)
      throw new FormatError(
        file.name,
        tailStart + at,
        `${directory.count} zip members cannot be listed in ${directory.length} bytes`,
      );
    return directory;
  }
  throw new FormatError(
    file.name,
    tailStart,
    'expected a zip archive: no end-of-directory record was found',
    'The file is truncated, or not a .npz file at all.',
  );
}

/** The zip64 end record, when its locator stands before the classic one. */
async function findDirectory64(file: RandomAccessFile, endOffset: number): Promise<Directory | undefined> {
  if (endOffset < 20) return undefined;
  const locator = Buffer.from(await file.read(endOffset - 20, 20));
  if (locator.readUInt32LE(0) !== locator64Signature) return undefined;
  const offset = large(file, locator, 8, endOffset - 20);
  const record = Buffer.from(await file.read(offset, 56, 'the zip64 end record'));
  if (record.readUInt32LE(0) !== end64Signature)
    throw new FormatError(file.name, offset, 'expected the zip64 end record here');
  return {
    count: large(file, record, 32, offset),
    length: large(file, record, 40, offset),
    offset: large(file, record, 48, offset),
  };
}

function readRecord(
  file: RandomAccessFile,
  bytes: Buffer,
  position: number,
  base: number,
): { member: ZipMember; length: number } {
  const fail = (problem: string, hint?: string): never => {
    throw new FormatError(file.name, base + position, problem, hint);
  };
  if (position + 46 > bytes.length || bytes.readUInt32LE(position) !== recordSignature)
    fail('expected a record of the zip directory here');
  const flags = bytes.readUInt16LE(position + 8);
  const method = bytes.readUInt16LE(position + 10);
  const nameEnd = position + 46 + bytes.readUInt16LE(position + 28);
  const extraEnd = nameEnd + bytes.readUInt16LE(position + 30);
  const end = extraEnd + bytes.readUInt16LE(position + 32);
  if (end > bytes.length) fail('this record reaches beyond the zip directory');
  const name = decodeName(bytes.subarray(position + 46, nameEnd), flags);
  if (flags & 0x2041)
    fail(`the zip member "${name}" is encrypted`, 'Extract it and write it again without a password.');
  if (method !== 0 && method !== 8)
    fail(
      `the zip member "${name}" uses compression method ${method}; expected 0 (stored) or 8 (deflated)`,
      'Write the file with numpy.savez or numpy.savez_compressed.',
    );
  let extra = findExtra64(bytes.subarray(nameEnd, extraEnd));
  // A zip64 field stands in the extra data, in this order, exactly when the 32-bit one is saturated.
  const wide = (at: number): number => {
    const value = bytes.readUInt32LE(position + at);
    if (value !== 0xffffffff) return value;
    if (extra.length < 8) fail(`the zip64 sizes of "${name}" are missing`);
    const result = large(file, extra, 0, base + position);
    extra = extra.subarray(8);
    return result;
  };
  const size = wide(24);
  const storedSize = wide(20);
  const offset = wide(42);
  if (method === 0 && storedSize !== size)
    fail(`the stored zip member "${name}" promises ${size} bytes but occupies ${storedSize}`);
  if (size > storedSize * largestExpansion)
    fail(`the zip member "${name}" promises ${size} bytes, which ${storedSize} deflated bytes cannot hold`);
  const crc = bytes.readUInt32LE(position + 16);
  return {
    member: { name, compressed: method === 8, crc, storedSize, size, offset, limit: 0 },
    length: end - position,
  };
}

/** Fills in where each member must end: at the next one, or at the directory. */
function withoutOverlap(file: RandomAccessFile, members: ZipMember[], directoryOffset: number): ZipMember[] {
  const sorted = [...members].sort((a, b) => a.offset - b.offset);
  const limits = new Map<ZipMember, number>();
  sorted.forEach((member, i) => {
    const limit = sorted[i + 1]?.offset ?? directoryOffset;
    if (member.offset + 30 + member.storedSize > limit)
      throw new FormatError(
        file.name,
        member.offset,
        `the zip member "${member.name}" of ${member.storedSize} bytes overlaps what starts at byte ${limit}`,
      );
    limits.set(member, limit);
  });
  return members.map((member) => ({ ...member, limit: limits.get(member)! }));
}

/** The zip64 field (identifier 1) among the extra fields, or nothing. */
function findExtra64(extra: Buffer): Buffer {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return extra.subarray(0, 0);
}

function large(file: RandomAccessFile, bytes: Buffer, at: number, offset: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new FormatError(file.name, offset, `the zip64 size or offset ${value} is impossible`);
  return Number(value);
}

/** Flag 11 marks UTF-8; without it names are in an old code page, of which only the ASCII part is in use. */
function decodeName(bytes: Uint8Array, flags: number): string {
  return Buffer.from(bytes).toString(flags & 0x800 ? 'utf8' : 'latin1');
}
