/**
 * A member of a zip archive as a file of its own. A stored one is a window into the archive; a deflated one is inflated
 * as it is read, going on from the last position or starting again when a read goes back. Reading all of a member in
 * order also checks its CRC.
 */
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { BowerbirdError, FormatError } from '../errors.js';
import { BoundedFile, type RandomAccessFile } from './file.js';
import { locateMember, type ZipMember } from './zip.js';

const chunkBytes = 2 ** 18;

/** Opens a member; closing it leaves the archive open. */
export async function openMember(archive: RandomAccessFile, member: ZipMember): Promise<RandomAccessFile> {
  const start = await locateMember(archive, member);
  return member.compressed ? new InflatedMember(archive, member, start) : new StoredMember(archive, member, start);
}

/** The CRC of the bytes read so far, as long as they were read in order from the first one on. */
class RunningCrc {
  private position = 0;
  private value = 0;
  private readonly member: ZipMember;
  private readonly file: string;

  constructor(file: string, member: ZipMember) {
    this.file = file;
    this.member = member;
  }

  update(bytes: Uint8Array, offset: number): void {
    if (offset === 0) {
      this.position = 0;
      this.value = 0;
    }
    if (offset !== this.position || bytes.length === 0) return;
    this.value = crc32(bytes, this.value);
    this.position += bytes.length;
    if (this.position === this.member.size && this.value !== this.member.crc)
      throw new FormatError(
        this.file,
        undefined,
        `the data is damaged: its CRC is ${this.value.toString(16)}, the archive says ${this.member.crc.toString(16)}`,
        'Fetch or write the file again.',
      );
  }
}

class StoredMember extends BoundedFile {
  private readonly archive: RandomAccessFile;
  private readonly start: number;
  private readonly crc: RunningCrc;

  constructor(archive: RandomAccessFile, member: ZipMember, start: number) {
    super(`${archive.name}[${member.name}]`, member.size);
    this.archive = archive;
    this.start = start;
    this.crc = new RunningCrc(this.name, member);
  }

  protected async fill(target: Uint8Array, offset: number): Promise<void> {
    await this.archive.readInto(target, this.start + offset);
    this.crc.update(target, offset);
  }

  async close(): Promise<void> {}
}

class InflatedMember extends BoundedFile {
  readonly sequential = true;
  private readonly archive: RandomAccessFile;
  private readonly member: ZipMember;
  private readonly start: number;
  private readonly crc: RunningCrc;
  private stream: InflateRaw | undefined;
  private chunks: AsyncIterator<Uint8Array> | undefined;
  /** Inflated and not yet asked for; its first byte is at `position` of the member. */
  private pending: Uint8Array = new Uint8Array(0);
  private position = 0;
  private turn: Promise<void> = Promise.resolve();

  constructor(archive: RandomAccessFile, member: ZipMember, start: number) {
    super(`${archive.name}[${member.name}]`, member.size);
    this.archive = archive;
    this.member = member;
    this.start = start;
    this.crc = new RunningCrc(this.name, member);
  }

  /** Reads share one inflating stream, so they take turns. */
  protected fill(target: Uint8Array, offset: number): Promise<void> {
    const result = this.turn.then(() => this.inflateInto(target, offset));
    this.turn = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    await this.turn;
    this.rewind();
  }

  private async inflateInto(target: Uint8Array, offset: number): Promise<void> {
    if (offset < this.position) this.rewind();
    await this.advance(offset - this.position);
    await this.advance(target.length, target);
    if (this.position === this.size) await this.expectEnd();
  }

  /** Moves on by `count` bytes, copying them to `target` if there is one. */
  private async advance(count: number, target?: Uint8Array): Promise<void> {
    for (let done = 0; done < count; ) {
      if (this.pending.length === 0) await this.next();
      const part = this.pending.subarray(0, count - done);
      target?.set(part, done);
      this.pending = this.pending.subarray(part.length);
      this.position += part.length;
      done += part.length;
    }
  }

  private async next(): Promise<void> {
    const chunk = await this.inflate();
    if (chunk === undefined)
      throw new FormatError(
        this.name,
        this.position,
        `the deflated data ends after ${this.position} bytes; the archive promises ${this.size}`,
      );
    this.crc.update(chunk, this.position);
    this.pending = chunk;
  }

  private async expectEnd(): Promise<void> {
    if (this.pending.length === 0 && (await this.inflate()) === undefined) return;
    throw this.tooLong();
  }

  /** The next inflated bytes; refuses to go on beyond the size that the archive promises. */
  private async inflate(): Promise<Uint8Array | undefined> {
    this.chunks ??= this.open();
    const { done, value } = await this.chunks.next().catch((error) => {
      const { position } = this;
      this.rewind();
      throw error instanceof BowerbirdError
        ? error
        : new FormatError(this.name, position, `the deflated data is damaged: ${(error as Error).message}`);
    });
    if (done) return undefined;
    if (this.position + value.length > this.size) throw this.tooLong();
    return value;
  }

  private open(): AsyncIterator<Uint8Array> {
    const { archive, start } = this;
    const end = start + this.member.storedSize;
    async function* compressed() {
      for (let at = start; at < end; at += chunkBytes)
        yield await archive.read(at, Math.min(chunkBytes, end - at), 'deflated data');
    }
    this.stream = createInflateRaw({ chunkSize: chunkBytes });
    // The error, if any, is also thrown by the iterator.
    pipeline(Readable.from(compressed()), this.stream, () => {});
    return this.stream[Symbol.asyncIterator]();
  }

  private tooLong(): FormatError {
    this.rewind();
    return new FormatError(
      this.name,
      this.size,
      `the deflated data goes on after the ${this.size} bytes that the archive promises`,
    );
  }

  private rewind(): void {
    this.stream?.destroy();
    this.stream = undefined;
    this.chunks = undefined;
    this.pending = new Uint8Array(0);
    this.position = 0;
  }
}
