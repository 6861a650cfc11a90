/**
 * Folders of pictures: one sub-folder a category, perhaps below `train`, `val` and `test`, perhaps with a table of what they
 * show (`metadata.csv` of Hugging Face, `pictures.csv` of ours).
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataSet, dataSet, notAPicture, pictureSuffix, type ReadOptions } from './data-set.js';
import type { DataPicture } from './picture.js';
import { readTable } from './read-table.js';

/** Sub-folders that are parts of a set, not categories. */
const splitNames = new Set(['train', 'training', 'val', 'valid', 'validation', 'dev', 'test', 'testing']);
const tables = ['metadata.csv', 'metadata.jsonl', 'metadata.parquet', 'pictures.csv'];

export async function readFolder(folder: string, options: ReadOptions): Promise<DataSet> {
  const own = tables.find((name) => existsSync(join(folder, name)));
  if (own) return readTable(join(folder, own), options, 'an image folder with a table');
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  const splits = folders.filter((name) => splitNames.has(name.toLowerCase())).sort();
  // A set with a category called "test" has others beside it.
  if (splits.length === 0 || splits.length < folders.length) return plainFolder(folder, options);
  const pictures: DataPicture[] = [];
  const notes: string[] = [];
  let tabled = false;
  for (const split of splits) {
    const table = tables.find((name) => existsSync(join(folder, split, name)));
    tabled ||= table !== undefined;
    const part = table
      ? await readTable(join(folder, split, table), options, 'an image folder with a table')
      : await plainFolder(join(folder, split), options);
    notes.push(...part.notes.map((note) => `${split}: ${note}`));
    for (const picture of part.pictures) pictures.push({ ...picture, id: `${split}/${picture.id}`, split });
  }
  const kind = `an image folder with ${splits.join(', ')} inside${tabled ? ', with tables' : ''}`;
  return dataSet(kind, { pictures, notes });
}

async function plainFolder(folder: string, { signal }: ReadOptions): Promise<DataSet> {
  const pictures: DataPicture[] = [];
  const notes: string[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    // Links are not followed: one may lead anywhere.
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && entry.name !== 'Thumbs.db')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    signal?.throwIfAborted();
    const id = file.slice(join(folder, '/').length).replaceAll('\\', '/');
    if (!pictureSuffix.test(file)) continue;
    const other = await notAPicture(file);
    if (other) notes.push(`${id} is no picture but ${other}`);
    else {
      const category = id.includes('/') ? id.slice(0, id.indexOf('/')) : undefined;
      pictures.push({ id, file, ...(category !== undefined && { category }), content: () => readFile(file) });
    }
  }
  const labelled = pictures.some(({ category }) => category !== undefined);
  return dataSet(labelled ? 'an image folder' : 'a folder of pictures without categories', { pictures, notes });
}
