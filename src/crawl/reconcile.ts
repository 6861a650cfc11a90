/**
 * Brings files and catalog together again before a crawl goes on: half-written files and files nobody knows are removed,
 * and a picture whose file is missing or has the wrong size is fetched again.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog, PictureRow } from '../catalog/index.js';
import { partialFolder, picturesFolder } from './download.js';

export async function reconcile(catalog: Catalog): Promise<void> {
  const root = join(catalog.folder, picturesFolder);
  await removeAll(join(root, partialFolder), await readdir(join(root, partialFolder)));
  const unvisited = new Set((await readdir(root)).filter((name) => /^[0-9a-f]{2}$/.test(name)));
  let folder = '';
  let files = new Set<string>();
  const sql = 'SELECT id, path, state, bytes, frames FROM picture WHERE path IS NOT NULL ORDER BY path';
  for await (const row of catalog.query(sql)) {
    const picture = row as unknown as PictureRow;
    const [, inFolder, name] = picture.path!.split('/');
    if (inFolder !== folder) {
      await removeAll(join(root, folder), files);
      folder = inFolder;
      files = new Set(unvisited.delete(folder) ? await readdir(join(root, folder)) : []);
    }
    const present = files.delete(name);
    const needed = picture.state === 'fetched' || picture.state === 'checked' || picture.state === 'kept';
    if (!needed || (present && (await isWhole(join(root, folder, name), picture)))) continue;
    if (present) files.add(name);
    catalog.move({ id: picture.id, from: picture.state, to: 'found', path: '' });
  }
  await removeAll(join(root, folder), files);
  for (const name of unvisited) await removeAll(join(root, name), await readdir(join(root, name)));
}

async function removeAll(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) await rm(join(folder, name), { force: true });
}

/** The first frame of an animation is a file of its own, whose size is not recorded. */
async function isWhole(file: string, { bytes, frames }: PictureRow): Promise<boolean> {
  const { size } = await stat(file);
  return (frames ?? 1) > 1 ? size > 0 : size === bytes;
}
