/**
 * What a stage depends on, as short texts that can be compared: options as they are, files and folders by the hash of
 * their content. Hashes are remembered for files whose size, times and place on disk have not changed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../formats/index.js';

interface Remembered {
  size: number;
  modified: number;
  changed: number;
  inode: number;
  sha256: string;
}

export class Fingerprints {
  readonly #file: string;
  #known: Map<string, Remembered> | undefined;
  #dirty = false;

  /** @param file where hashes are remembered from one command to the next */
  constructor(file: string) {
    this.#file = file;
  }

  /** sha256 of a file's content; undefined where there is no such file. */
  async ofFile(path: string): Promise<string | undefined> {
    const known = await this.#remembered();
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    const { size, mtimeMs: modified, ctimeMs: changed, ino: inode } = found;
    const before = known.get(path);
    if (before?.size === size && before.modified === modified && before.changed === changed && before.inode === inode)
      return before.sha256;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    const sha256 = hash.digest('hex');
    known.set(path, { size, modified, changed, inode, sha256 });
    this.#dirty = true;
    return sha256;
  }

  /** The hash of every file below a folder, by its path in it; hidden files are not looked at. */
  async ofFolder(folder: string): Promise<Map<string, string>> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const paths = entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const hashes = new Map<string, string>();
    for (const path of paths) {
      // A picture that may not be read is one of those that fail, not the end of the run.
      const sha256 = await this.ofFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EACCES' || error.code === 'EPERM') return 'unreadable';
        throw error;
      });
      if (sha256) hashes.set(path.slice(folder.length + 1).replaceAll('\\', '/'), sha256);
    }
    return hashes;
  }

  /** Keeps what was learnt for the next command. */
  async save(): Promise<void> {
    if (!this.#dirty || !this.#known) return;
    this.#dirty = false;
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFileAtomic(this.#file, `${JSON.stringify(Object.fromEntries(this.#known))}\n`);
  }

  async #remembered(): Promise<Map<string, Remembered>> {
    if (this.#known) return this.#known;
    let entries: [string, Remembered][] = [];
    try {
      entries = Object.entries(JSON.parse(await readFile(this.#file, 'utf8')) as Record<string, Remembered>);
    } catch {
      // Without it everything is hashed anew.
    }
    this.#known ??= new Map(entries);
    return this.#known;
  }
}

/** A short hash of any plain value. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value instanceof Map ? [...value] : value) ?? 'undefined')
    .digest('hex')
    .slice(0, 32);
}
