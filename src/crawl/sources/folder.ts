/** A local folder with one sub-folder per category, `FOLDER/category/…`; pictures are copied into the workspace. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve, sep } from 'node:path';
import { BowerbirdError } from '../../errors.js';
import { type Category, queryFor } from '../categories.js';
import { FetchFailure } from '../network/failure.js';
import type { Source, SourcePage } from './source.js';

const pageSize = 500;
const ignored = /^(\.|Thumbs\.db$|desktop\.ini$)/i;

export function folder(path: string): Source {
  const root = resolve(path);

  async function folderNames(): Promise<string[]> {
    const entries = await readdir(root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !ignored.test(entry.name))
      .map((entry) => entry.name)
      .sort();
  }

  /** What is searched for elsewhere may be the name of the folder too, but need not. */
  async function folderOf(category: Category): Promise<string | undefined> {
    const names = await folderNames();
    // Some systems write ä as one character, others as two.
    const found = (wanted: string) => names.find((name) => name.normalize() === wanted.normalize());
    return found(queryFor(category, 'folder')) ?? found(category.name);
  }

  return {
    name: `folder:${path}`,
    pageSize,
    chosenByUser: true,

    async prepare() {
      const found = await stat(root).catch(() => undefined);
      if (!found?.isDirectory())
        throw new BowerbirdError('BOWERBIRD_SOURCE', `the source folder:${path} is not a folder`, {
          hint: 'Give a folder that holds one sub-folder of pictures per category.',
        });
    },

    describe: (category) => `read ${join(path, queryFor(category, 'folder'))}`,

    async ask(category, cursor): Promise<SourcePage> {
      const start = (cursor as number | undefined) ?? 0;
      const wanted = await folderOf(category);
      if (wanted === undefined) return { pictures: [] };
      const files = await filesBelow(join(root, wanted));
      const page = files.slice(start, start + pageSize);
      return {
        pictures: page.map((name) => ({
          sourceId: `${wanted}/${name}`,
          imageUrl: `${wanted}/${name}`,
          licence: 'unknown',
          title: basename(name, extname(name)),
        })),
        next: start + page.length < files.length ? start + page.length : undefined,
      };
    },

    read(picture) {
      const file = resolve(root, picture.imageUrl);
      if (!file.startsWith(root + sep))
        throw new BowerbirdError('BOWERBIRD_SOURCE', `${picture.imageUrl} lies outside ${root}`);
      return contentOf(file, picture.imageUrl);
    },

    async categories() {
      return (await folderNames()).map((name) => ({ name }));
    },
  };
}

/** A file that is gone or may not be read fails like a picture that a host refuses; the others are not kept waiting. */
async function* contentOf(file: string, name: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new FetchFailure('gone', `${name} is no longer there`, { cause: error });
    if (code === 'EACCES' || code === 'EPERM')
      throw new FetchFailure('refused', `${name} may not be read`, { cause: error });
    throw error;
  }
}

/** Regular files in name order; links are not followed. */
async function filesBelow(path: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (ignored.test(entry.name)) continue;
    if (entry.isDirectory()) files.push(...(await filesBelow(join(path, entry.name), `${prefix}${entry.name}/`)));
    else if (entry.isFile()) files.push(prefix + entry.name);
  }
  return files;
}
