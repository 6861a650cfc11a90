/**
 * Where the members of a tar file lie, so that each can be read when it is wanted. Nothing is unpacked, and no path in the archive
 * is ever used as one. Checksums are checked; members that are no plain files (links, devices) are refused.
 */
import { Header, Pax } from 'tar';
import { FormatError } from '../errors.js';
import type { RandomAccessFile } from '../formats/index.js';

export interface TarMember {
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

/** Longer ones are no pictures and no labels. */
const largestMember = 2 ** 28;
/** Of the headers that say more about the next member. */
const largestHeader = 2 ** 20;

export async function* tarMembers(archive: RandomAccessFile): AsyncGenerator<TarMember> {
  let at = 0;
  let path: string | undefined;
  let size: number | undefined;
  while (at + 512 <= archive.size) {
    const header = new Header(Buffer.from(await archive.read(at, 512, 'a header')), 0);
    if (header.nullBlock) return;
    if (!header.cksumValid)
      throw new FormatError(
        archive.name,
        at,
        'the header of a member is damaged',
        'Is it a tar file that is not compressed?',
      );
    const start = at + 512;
    const bytes = size ?? header.size ?? 0;
    if (bytes > archive.size - start)
      throw new FormatError(archive.name, at, `the member ${header.path} would be longer than the file`);
    if (header.type === 'ExtendedHeader' || header.type === 'GlobalExtendedHeader') {
      const pax = Pax.parse((await longText(archive, start, bytes)).toString(), undefined, false);
      if (header.type === 'ExtendedHeader') ({ path, size } = { path: pax.path, size: pax.size });
    } else if (header.type === 'NextFileHasLongPath') {
      path = (await longText(archive, start, bytes)).toString().replace(/\0.*$/s, '');
    } else {
      const name = path ?? header.path ?? '';
      if (!['File', 'OldFile', 'ContiguousFile', 'Directory'].includes(header.type))
        throw new FormatError(archive.name, at, `the member ${name} is no file but a ${header.type}`);
      if (bytes > largestMember)
        throw new FormatError(archive.name, at, `the member ${name} has ${bytes} bytes, ${largestMember} are allowed`);
      if (header.type !== 'Directory') yield { path: name, start, size: bytes };
      path = undefined;
      size = undefined;
    }
    at = start + Math.ceil(bytes / 512) * 512;
  }
  if (at !== archive.size)
    throw new FormatError(archive.name, at, 'the archive ends within a member', 'Fetch it again.');
}

async function longText(archive: RandomAccessFile, start: number, bytes: number): Promise<Buffer> {
  if (bytes > largestHeader) throw new FormatError(archive.name, start, `a header of ${bytes} bytes is too long`);
  return Buffer.from(await archive.read(start, bytes, 'a header'));
}
