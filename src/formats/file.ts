/**
 * Bounded random access to the bytes of a file, on disk or in memory. A read beyond the end is an error that names the
 * file, the offset and what was expected there, so that no reader trusts a length it found in a file.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { BowerbirdError, FileError, FormatError } from '../errors.js';

export interface RandomAccessFile {
  /** The path, for messages. */
  readonly name: string;
  readonly size: number;
  /** Going back means reading again from the beginning. @default false */
  readonly sequential?: boolean;
  /**
   * Exactly `length` bytes from `offset` on, in memory of the caller's own.
   * @param what names the part being read in the error, such as `the header`
   */
  read(offset: number, length: number, what?: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Fills `target` from `offset` on. */
  readInto(target: Uint8Array, offset: number, what?: string): Promise<void>;
  close(): Promise<void>;
}

/** Readers take a path, which they open and close, or an open file, which they leave open. */
export type FileSource = string | RandomAccessFile;

/** One system call reads at most this much; longer ones fail on some systems. */
const largestRead = 2 ** 26;

/** A file that answers only for bytes that it has; how they are fetched is left to `fill`. */
export abstract class BoundedFile implements RandomAccessFile {
  readonly name: string;
  readonly size: number;

  constructor(name: string, size: number) {
    this.name = name;
    this.size = size;
  }

  async read(offset: number, length: number, what = 'data'): Promise<Uint8Array<ArrayBuffer>> {
    this.check(offset, length, what);
    const target = new Uint8Array(length);
    await this.fill(target, offset);
    return target;
  }

  async readInto(target: Uint8Array, offset: number, what = 'data'): Promise<void> {
    this.check(offset, target.length, what);
    await this.fill(target, offset);
  }

  abstract close(): Promise<void>;
  protected abstract fill(target: Uint8Array, offset: number): Promise<void>;

  private check(offset: number, length: number, what: string): void {
    if (!Number.isSafeInteger(offset) || offset < 0 || !Number.isSafeInteger(length) || length < 0)
      throw new FormatError(this.name, undefined, `${what} would lie at byte ${offset} with length ${length}`);
    if (offset + length > this.size)
      throw new FormatError(
        this.name,
        offset,
        `expected ${length} bytes of ${what}, but the file ends at byte ${this.size}`,
        'The file is truncated or damaged; fetch or write it again.',
      );
  }
}

class DiskFile extends BoundedFile {
  private readonly handle: FileHandle;

  constructor(path: string, size: number, handle: FileHandle) {
    super(path, size);
    this.handle = handle;
  }

  protected async fill(target: Uint8Array, offset: number): Promise<void> {
    for (let done = 0; done < target.length; ) {
      const length = Math.min(target.length - done, largestRead);
      const { bytesRead } = await this.handle.read(target, done, length, offset + done).catch((error) => {
        throw fileError(this.name, error, 'read');
      });
      if (bytesRead === 0)
        throw new FormatError(
          this.name,
          offset + done,
          `the file became shorter than ${this.size} bytes while it was read`,
        );
      done += bytesRead;
    }
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

class MemoryFile extends BoundedFile {
  private readonly bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    super(name, bytes.length);
    this.bytes = bytes;
  }

  protected async fill(target: Uint8Array, offset: number): Promise<void> {
    target.set(this.bytes.subarray(offset, offset + target.length));
  }

  async close(): Promise<void> {}
}

/** @throws FileError when the path is absent, forbidden or not a regular file */
export async function openFile(path: string): Promise<RandomAccessFile> {
  const handle = await open(path, 'r').catch((error) => {
    throw fileError(path, error, 'opened');
  });
  try {
    const status = await handle.stat();
    if (!status.isFile())
      throw new FileError(path, `expected a file, found ${status.isDirectory() ? 'a folder' : 'something else'}`);
    return new DiskFile(path, status.size, handle);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Bytes in memory, read like a file. They are not copied, and must not change while it is used. */
export function memoryFile(bytes: Uint8Array, name = 'memory'): RandomAccessFile {
  return new MemoryFile(name, bytes);
}

/** Runs `use` on an open file; closes it afterwards when it was given as a path. */
export async function withFile<T>(source: FileSource, use: (file: RandomAccessFile) => Promise<T>): Promise<T> {
  if (typeof source !== 'string') return use(source);
  const file = await openFile(source);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

const reasons: Record<string, [problem: string, hint?: string]> = {
  ENOENT: ['no such file or folder', 'Check the path.'],
  EACCES: ['permission denied', 'Check the permissions of the file and its folder.'],
  EPERM: ['not permitted', 'Check the permissions of the file and its folder.'],
  EEXIST: ['a file of this name is there already', 'Choose another name.'],
  EISDIR: ['it is a folder, expected a file'],
  ENOTDIR: ['a part of the path is a file, expected a folder'],
  ENOSPC: ['no space left on the disk', 'Free some space and run the command again.'],
  EROFS: ['the disk is read-only'],
  EMFILE: ['too many open files'],
};

/** Turns a system error into one that names the file and says what to do. */
export function fileError(path: string, cause: unknown, verb: 'opened' | 'read' | 'written'): FileError {
  if (cause instanceof FileError) return cause;
  const error = cause as NodeJS.ErrnoException;
  const [problem, hint] = reasons[error.code ?? ''] ?? [error.message];
  return new FileError(path, `cannot be ${verb}: ${problem}`, { hint, cause });
}

/** A disk that is full or cannot be written, or a folder that is away, is no defect, wherever it was noticed. */
export function namedFileError(error: unknown): unknown {
  const { path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof BowerbirdError || typeof path !== 'string' || typeof syscall !== 'string') return error;
  const reading = ['scandir', 'stat', 'lstat', 'read', 'realpath', 'readlink'].includes(syscall);
  return fileError(path, error, reading ? 'read' : syscall === 'open' ? 'opened' : 'written');
}
