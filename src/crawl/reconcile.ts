/**
 * Brings files and catalog together again before a crawl goes on. A picture whose file is missing or not what was fetched
 * is fetched again; files that the catalog does not know are moved aside, for they may be all that is left of an earlier
 * one. Links are moved, never followed.
 */
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog, PictureRow } from '../catalog/index.js';
import type { Progress } from '../progress.js';
import { partialFolder, picturesFolder } from './download.js';
import { sha256Of } from './file-hash.js';
import { ownFolder } from './own-folder.js';

/** Inside the folder of pictures. */
export const unknownFolder = '.unknown';

export interface Reconciled {
  /** Files and links that were moved aside. */
  aside: number;
  /** Where they are. */
  folder: string;
  /** Pictures that have to be fetched again. */
  again: number;
}

export interface ReconcileOptions {
  signal?: AbortSignal;
  /** Every file is read from end to end. */
  onProgress?(progress: Progress): void;
}

export async function reconcile(catalog: Catalog, options: ReconcileOptions = {}): Promise<Reconciled> {
  return new Reconciliation(catalog, options).all();
}

class Reconciliation {
  readonly #catalog: Catalog;
  readonly #options: ReconcileOptions;
  readonly #root: string;
  readonly #result: Reconciled;

  constructor(catalog: Catalog, options: ReconcileOptions) {
    this.#catalog = catalog;
    this.#options = options;
    this.#root = ownFolder(join(catalog.folder, picturesFolder));
    this.#result = { aside: 0, folder: join(this.#root, unknownFolder), again: 0 };
  }

  async all(): Promise<Reconciled> {
    await this.#tidyPartial();
    const unvisited = new Set<string>();
    for (const entry of await readdir(this.#root, { withFileTypes: true }))
      if (!/^[0-9a-f]{2}$/.test(entry.name)) continue;
      else if (entry.isDirectory()) unvisited.add(entry.name);
      else await this.#moveAside(entry.name);
    let folder = '';
    let files = new Set<string>();
    let done = 0;
    const total = await this.#catalog.count(needed);
    const sql =
      'SELECT id, path, state, bytes, sha256, frames, file_sha256 AS "fileSha256" FROM picture WHERE path IS NOT NULL ORDER BY path';
    for await (const row of this.#catalog.query(sql)) {
      this.#options.signal?.throwIfAborted();
      const picture = row as unknown as PictureRow;
      const [, inFolder = '', name = ''] = picture.path!.split('/');
      if (inFolder !== folder) {
        await this.#leftOver(folder, files);
        folder = inFolder;
        files = new Set(unvisited.delete(folder) ? await readdir(join(this.#root, folder)) : []);
      }
      const present = files.delete(name);
      if (!['fetched', 'checked', 'kept'].includes(picture.state)) continue;
      this.#options.onProgress?.({ stage: 'check the files', done: done++, total, unit: 'files' });
      if (present && (await isWhole(join(this.#root, folder, name), picture))) continue;
      if (present) await this.#moveAside(`${folder}/${name}`);
      this.#catalog.move({ id: picture.id, from: picture.state, to: 'found', path: '' });
      this.#result.again++;
    }
    await this.#leftOver(folder, files);
    for (const name of unvisited) await this.#leftOver(name, await readdir(join(this.#root, name)));
    return this.#result;
  }

  /** What was being written when a crawl was killed. */
  async #tidyPartial(): Promise<void> {
    const folder = ownFolder(join(this.#root, partialFolder));
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isFile() && /^[0-9a-f]{24}$/.test(entry.name)) await rm(join(folder, entry.name), { force: true });
      else await this.#moveAside(`${partialFolder}/${entry.name}`);
  }

  /**
   * Files that no picture names. A kill between the file and the word about it leaves some: those of pictures that are
   * still to be fetched are replaced then, those of pictures that were given up go.
   */
  async #leftOver(folder: string, names: Iterable<string>): Promise<void> {
    const left = [...names];
    if (left.length === 0) return;
    const known = new Map<unknown, unknown>();
    const sql = `SELECT id, state FROM picture WHERE path IS NULL AND starts_with(id, '${folder}')`;
    for (const { id, state } of await this.#catalog.all<{ id: string; state: string }>(sql)) known.set(id, state);
    for (const name of left) {
      const state = known.get(/^([0-9a-f]{24})\.[a-z]+$/.exec(name)?.[1]);
      const file = join(this.#root, folder, name);
      const regular = (await lstat(file)).isFile();
      if (regular && state === 'found') continue;
      if (regular && (state === 'dropped' || state === 'failed')) await rm(file, { force: true });
      else await this.#moveAside(`${folder}/${name}`);
    }
  }

  async #moveAside(name: string): Promise<void> {
    const { folder } = this.#result;
    ownFolder(folder);
    const taken = new Set(await readdir(folder));
    const plain = name.replace('/', '-').replace(/^\./, '');
    let target = plain;
    for (let number = 2; taken.has(target); number++) target = `${plain}.${number}`;
    await rename(join(this.#root, name), join(folder, target));
    this.#result.aside++;
  }
}

const needed = "path IS NOT NULL AND state IN ('fetched', 'checked', 'kept')";

async function isWhole(file: string, { bytes, sha256, frames, fileSha256 }: PictureRow): Promise<boolean> {
  const found = await lstat(file);
  const original = (frames ?? 1) === 1;
  if (!found.isFile() || found.size === 0 || (original && found.size !== bytes)) return false;
  const wanted = original ? sha256 : fileSha256;
  // Catalogs written before it was recorded do not say what the first frame of an animation was.
  return !wanted || (await sha256Of(file)) === wanted;
}
