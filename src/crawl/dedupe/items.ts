/** The pictures that are compared: kept ones of the workspace, and references that they must not repeat. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalog } from '../../catalog/index.js';
import { BowerbirdError } from '../../errors.js';
import { sha256Of } from '../file-hash.js';
import { greyPicture } from '../grey.js';
import { perceptualHashes } from '../perceptual-hash.js';

export interface Item {
  /** References are never removed; a match with a test picture is a leak. */
  kind: 'test' | 'auxiliary' | 'web';
  /** The id of a kept picture, or the path of a reference. */
  name: string;
  file: string;
  sha256: string;
  perceptualHash: string;
  cropHashes: string;
  category?: string;
  /** An earlier run found it to be a duplicate. */
  marked?: boolean;
}

/**
 * Kept pictures, those that were found to be duplicates before among them, so that other limits can be tried; the
 * best-ranked first, for of two equal ones the better-ranked stays.
 */
export async function keptItems(catalog: Catalog): Promise<Item[]> {
  const items: Item[] = [];
  const order = 'rank, category, source, id';
  for await (const picture of catalog.pictures({ where: "state = 'kept'", order }))
    items.push({
      kind: 'web',
      name: picture.id,
      file: join(catalog.folder, picture.path!),
      sha256: picture.sha256!,
      perceptualHash: picture.perceptualHash!,
      cropHashes: picture.cropHashes!,
      category: picture.category,
      marked: picture.duplicateOf !== undefined,
    });
  return items;
}

/** Every picture below a folder. */
export async function referenceItems(
  folder: string,
  kind: 'test' | 'auxiliary',
  signal?: AbortSignal,
): Promise<Item[]> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory())
    throw new BowerbirdError('BOWERBIRD_REFERENCES', `the ${kind} pictures ${folder} are not a folder`);
  const items: Item[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries
    .filter((one) => one.isFile())
    .sort((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
    signal?.throwIfAborted();
    const file = join(entry.parentPath, entry.name);
    const grey = await greyPicture(file).catch(() => undefined);
    // Lists and notes lie among pictures.
    if (grey) items.push({ kind, name: file, file, sha256: await sha256Of(file), ...perceptualHashes(grey) });
  }
  return items;
}
