/**
 * Files that appear whole or not at all: written beside their final name, flushed, then renamed. A killed run leaves at
 * most a `.part` file behind, never half of the real one; whoever writes the file next removes it.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileError } from './file.js';

/** A file being written. Exactly one of `commit` and `discard` ends it. */
export class PendingFile {
  readonly path: string;
  /** Bytes appended so far. */
  position = 0;
  private readonly partPath: string;
  private readonly handle: FileHandle;

  private constructor(path: string, partPath: string, handle: FileHandle) {
    this.path = path;
    this.partPath = partPath;
    this.handle = handle;
  }

  static async create(path: string): Promise<PendingFile> {
    await removeAbandoned(path);
    const partPath = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.part`;
    const handle = await open(partPath, 'wx').catch((error) => {
      throw fileError(path, error, 'written');
    });
    return new PendingFile(path, partPath, handle);
  }

  /** Writes after everything appended before. */
  async append(bytes: Uint8Array): Promise<void> {
    await this.writeAt(bytes, this.position);
    this.position += bytes.length;
  }

  /** Overwrites bytes written earlier, such as a header whose sizes are known only at the end. */
  async writeAt(bytes: Uint8Array, offset: number): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.handle.write(
          bytes,
          done,
          Math.min(bytes.length - done, 2 ** 26),
          offset + done,
        );
        done += bytesWritten;
      }
    } catch (error) {
      throw fileError(this.path, error, 'written');
    }
  }

  /** Flushes and gives the file its name, replacing one that was there. */
  async commit(): Promise<void> {
    try {
      await this.handle.datasync();
      await this.handle.close();
      await renameOver(this.partPath, this.path);
    } catch (error) {
      await this.discard();
      throw fileError(this.path, error, 'written');
    }
  }

  /** Removes what was written; the file that had the name before, if any, is untouched. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => {});
    await unlink(this.partPath).catch(() => {});
  }
}

/**
 * Gives a file another name, replacing one that has it. Windows refuses while anybody, such as a scanner for viruses, has either
 * open, which passes within moments; so it is tried for about two seconds there.
 */
export async function renameOver(from: string, to: string, { platform = process.platform, move = rename } = {}) {
  for (let pause = 10; ; pause *= 2) {
    try {
      return await move(from, to);
    } catch (error) {
      const inUse = ['EPERM', 'EACCES', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (platform !== 'win32' || !inUse || pause > 1000) throw error;
      await wait(pause);
    }
  }
}

/** Runs `write` on a file beside `path`; renames it when `write` returns, removes it when `write` throws. */
export async function writeBeside<T>(path: string, write: (file: PendingFile) => Promise<T>): Promise<T> {
  const file = await PendingFile.create(path);
  let result: T;
  try {
    result = await write(file);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.commit();
  return result;
}

/** Writes a whole file at once. */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  await writeBeside(path, (file) => file.append(typeof data === 'string' ? Buffer.from(data) : data));
}

/** Removes what killed processes left beside a file that they were writing. */
export async function removeAbandoned(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const owner = name.startsWith(prefix) && /^(\d+)[-.]([0-9a-f]{8}\.)?part$/.exec(name.slice(prefix.length))?.[1];
    if (owner && !isAlive(Number(owner))) await rm(join(dirname(path), name), { recursive: true, force: true });
  }
}

function isAlive(owner: number): boolean {
  try {
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
