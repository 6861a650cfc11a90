/**
 * The web pictures of a workspace in memory: a few words of each, and where in the list the rest is. What the crawl left
 * out comes from the catalog, which only one process may have open: while a run has it, those pictures are missing.
 */
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { hasCatalog, openCatalog, type PictureRow } from '../catalog/index.js';
import type { WebPicture } from '../workspace/index.js';
import { layout, type Workspace } from '../workspace/index.js';
import type { PictureDetails } from './api.js';

export interface ListedPicture {
  id: string;
  /** Relative to the workspace; absent where there is no file. */
  path: string | undefined;
  category: string;
  source: string;
  title: string;
  /** Why the crawl left it out. */
  reason?: string;
  /** The rest of what is known of one that was left out. */
  leftOut?: Pick<PictureDetails, 'detail' | 'author' | 'licence' | 'licenceUrl' | 'pageUrl' | 'tags'>;
  /** Where its line begins in the list of pictures, and how many bytes it has. */
  line?: { from: number; bytes: number };
}

const longestTitle = 160;
const mostLeftOut = 50_000;

/** What the removal of duplicates left, as it is written while it is read: a picture a line. */
export async function listPictures(workspace: Workspace): Promise<ListedPicture[]> {
  const file = workspace.path(layout.pictures);
  if (!existsSync(file)) return [];
  const pictures: ListedPicture[] = [];
  const shared = new Map<string, string>();
  // Thousands of pictures have the same category and source: one text in memory does for all.
  const same = (text: string) => {
    const known = shared.get(text);
    if (known === undefined) shared.set(text, text);
    return known ?? text;
  };
  for await (const { text, from, bytes } of linesOf(file)) {
    const { id, path, category, source, title } = JSON.parse(text) as WebPicture;
    pictures.push({
      id,
      path,
      category: same(category),
      source: same(source),
      title: shortened(title),
      line: { from, bytes },
    });
  }
  return pictures;
}

/** Everything that is known of a picture in the list. */
export async function readListed(workspace: Workspace, { from, bytes }: { from: number; bytes: number }) {
  const handle = await open(workspace.path(layout.pictures));
  try {
    const { buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, from);
    return JSON.parse(buffer.toString('utf8')) as WebPicture;
  } finally {
    await handle.close();
  }
}

/** Pictures that the crawl dropped or that repeat others. The catalog is open for a moment; a run that begins just then waits. */
export async function listLeftOut(workspace: Workspace): Promise<ListedPicture[]> {
  if (!hasCatalog(workspace.folder)) return [];
  const where = "state = 'dropped' OR (state = 'kept' AND duplicate_of IS NOT NULL)";
  const catalog = await openCatalog(workspace.folder, { mustExist: true, readOnly: true, patience: 2 });
  try {
    const pictures: ListedPicture[] = [];
    for await (const row of catalog.pictures({ where, limit: mostLeftOut })) pictures.push(leftOutPicture(row));
    return pictures;
  } finally {
    await catalog.close();
  }
}

function leftOutPicture(row: PictureRow): ListedPicture {
  const { id, path, category, source, title, duplicateBy, author, licence, licenceUrl, pageUrl, tags } = row;
  const detail = duplicateBy ? row.duplicateDetail : row.detail;
  return {
    ...{ id, path, category, source, title: shortened(title) },
    reason: duplicateBy ? `duplicate-${duplicateBy}` : (row.reason ?? 'unknown'),
    leftOut: { detail, author, licence, licenceUrl, pageUrl, ...(tags && { tags: tags.map(String) }) },
  };
}

function shortened(title: string | undefined): string {
  const text = (title ?? '').replaceAll(/\s+/g, ' ').trim();
  return text.length > longestTitle ? `${text.slice(0, longestTitle - 1)}…` : text;
}

async function* linesOf(file: string): AsyncGenerator<{ text: string; from: number; bytes: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let from = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    let start = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
      if (end > start) yield { text: rest.toString('utf8', start, end), from: from + start, bytes: end - start };
      start = end + 1;
    }
    from += start;
    rest = rest.subarray(start);
  }
}
