/** Where pictures come from: a folder with one sub-folder for each category, or the kept pictures of a workspace. */
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type CatalogPatience, hasCatalog, openCatalog } from '../catalog/index.js';
import { UsageError } from '../errors.js';
import { writeBeside } from '../formats/index.js';

export interface Picture {
  /** Unique within the source, and the same every time. */
  readonly id: string;
  /** Relative to the source's folder, with forward slashes. */
  readonly path: string;
  readonly category?: string;
  /** The file itself, where it is in memory; `path` is then a name for people. */
  readonly content?: Uint8Array;
}

export interface PictureSource {
  /** What `path` is relative to. */
  readonly folder: string;
  readonly count: number;
  /** In the same order every time. */
  pictures(): AsyncIterable<Picture>;
  close(): Promise<void>;
}

/** Opens a workspace by its catalog, anything else as a folder of pictures. */
export async function openPictures(folder: string, patience: CatalogPatience = {}): Promise<PictureSource> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory())
    throw new UsageError(
      found ? `${folder} is not a folder` : `there is no folder ${folder}`,
      'Give a workspace, or a folder with one sub-folder of pictures for each category.',
    );
  return hasCatalog(folder) ? openCatalogPictures(folder, patience) : openFolderPictures(folder);
}

const suffixes = new Set(['.jpg', '.jpeg', '.jpe', '.png', '.gif', '.webp', '.tif', '.tiff', '.avif', '.heic', '.bmp']);

/**
 * `folder/category/…/picture`: every file below a category is taken for a picture, so that a damaged or misnamed one is
 * reported rather than passed over; beside the categories only files with a picture's suffix. Hidden files and what an
 * earlier extraction left (`features/`) are not looked at. The id is the path.
 */
export async function openFolderPictures(folder: string): Promise<PictureSource> {
  let count = 0;
  for await (const _ of walkCategories(folder)) count++;
  if (count === 0)
    throw new UsageError(`${folder} holds no pictures`, 'Expected FOLDER/category/picture.jpg and the like.');
  return { folder, count, pictures: () => walkCategories(folder), close: async () => {} };
}

async function* walkCategories(folder: string): AsyncGenerator<Picture> {
  const categories = new Set(await pictureCategories(folder));
  for (const { name, kind } of await entries(folder)) {
    if (kind === 'file' && suffixes.has(extname(name).toLowerCase())) yield { id: name, path: name };
    if (categories.has(name)) yield* walk(folder, name, name);
  }
}

/** Sub-folders that count as categories, by name. */
export async function pictureCategories(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const { name, kind } of await entries(folder))
    if (kind === 'folder' && !(name === 'features' && (await isExtraction(join(folder, name))))) names.push(name);
  return names;
}

/** Whether there is any file in a category of a folder. */
export async function hasPictures(folder: string, category: string): Promise<boolean> {
  for await (const _ of walk(folder, category, category)) return true;
  return false;
}

async function* walk(root: string, below: string, category: string): AsyncGenerator<Picture> {
  for (const { name, kind } of await entries(join(root, below))) {
    const path = `${below}/${name}`;
    if (kind === 'folder') yield* walk(root, path, category);
    else yield { id: path, path, category };
  }
}

/** Sorted by code unit, not by the machine's language. Links to files are followed, links to folders are not. */
async function entries(folder: string): Promise<{ name: string; kind: 'file' | 'folder' }[]> {
  const found: { name: string; kind: 'file' | 'folder' }[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'Thumbs.db') continue;
    if (entry.isDirectory()) found.push({ name: entry.name, kind: 'folder' });
    else if (entry.isFile() || (entry.isSymbolicLink() && !(await leadsToFolder(join(folder, entry.name)))))
      found.push({ name: entry.name, kind: 'file' });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function leadsToFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function isExtraction(folder: string): Promise<boolean> {
  for (const { name, kind } of await entries(folder))
    if (kind === 'folder' && existsSync(join(folder, name, 'meta.json'))) return true;
  return false;
}

/**
 * The kept pictures of a workspace. The list is copied to a temporary file, so that the catalog, which one process at a
 * time can open, is free again while features are computed.
 */
export async function openCatalogPictures(workspace: string, patience: CatalogPatience = {}): Promise<PictureSource> {
  const parent = join(workspace, 'features');
  await mkdir(parent, { recursive: true });
  const temporary = await mkdtemp(join(parent, '.pictures-'));
  const list = join(temporary, 'kept.jsonl');
  const catalog = await openCatalog(workspace, { mustExist: true, readOnly: true, ...patience });
  let count = 0;
  try {
    await writeBeside(list, async (file) => {
      let lines: string[] = [];
      const flush = () => file.append(Buffer.from(lines.join('')));
      for await (const { id, path, category } of catalog.kept()) {
        lines.push(`${JSON.stringify({ id, path, category })}\n`);
        count++;
        if (lines.length < 1000) continue;
        await flush();
        lines = [];
      }
      await flush();
    });
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  } finally {
    await catalog.close();
  }
  return {
    folder: workspace,
    count,
    pictures: () => readLines(list),
    close: () => rm(temporary, { recursive: true, force: true }),
  };
}

async function* readLines(file: string): AsyncGenerator<Picture> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) yield JSON.parse(line) as Picture;
}
