/** The catalog's pictures as a file of lines, which later stages read and which says whether anything changed. */
import { type CatalogPatience, openCatalog, type PictureRow } from '../catalog/index.js';
import type { Category } from '../crawl/index.js';
import { writeFileAtomic } from '../formats/index.js';
import type { WebPicture } from './pictures.js';
import type { Workspace } from './workspace.js';

/**
 * @param duplicates which of the pictures that repeat others are in the list nevertheless
 * @returns the number of pictures of each category that has some
 */
export async function writeCatalogList(
  workspace: Workspace,
  file: string,
  categories: readonly Category[],
  { duplicates, ...patience }: CatalogPatience & { duplicates: 'all' | readonly string[] },
): Promise<Map<string, number>> {
  const wanted = new Set(categories.map(({ name }) => name));
  const taken = (row: PictureRow) => !row.duplicateOf || duplicates === 'all' || duplicates.includes(row.id);
  const counts = new Map<string, number>();
  const lines: string[] = [];
  const catalog = await openCatalog(workspace.folder, { mustExist: true, readOnly: true, ...patience });
  try {
    const order = 'category, source, rank, id';
    for await (const row of catalog.pictures({ where: "state = 'kept'", order })) {
      if (!wanted.has(row.category) || !taken(row)) continue;
      lines.push(`${JSON.stringify(describe(row))}\n`);
      counts.set(row.category, (counts.get(row.category) ?? 0) + 1);
    }
  } finally {
    await catalog.close();
  }
  await writeFileAtomic(workspace.path(file), lines.join(''));
  return counts;
}

function describe(row: PictureRow): WebPicture {
  const { id, category, source, rank, sha256, licence, title, tags, description, author, pageUrl, licenceUrl } = row;
  return {
    ...{ id, path: row.path!, category, source, rank, address: row.imageUrl, sha256: sha256!, licence },
    ...{ title, tags, description, author, pageUrl, licenceUrl },
    ...(row.comments && { comments: (JSON.parse(row.comments) as { text: string }[]).map(({ text }) => text) }),
  };
}
