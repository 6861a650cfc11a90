/** The pictures behind the rows, where they are known: who made them, under which licence, and a thumbnail. */
import { resolve } from 'node:path';
import { decode } from '../decoding/index.js';
import { FormatError } from '../errors.js';
import { readCsv } from '../formats/index.js';

export interface ReportPicture {
  /** The picture's file, for the thumbnail. */
  file?: string;
  title?: string;
  tags?: readonly string[];
  author?: string;
  /** Where it was found. */
  source?: string;
  pageUrl?: string;
  licence?: string;
  licenceUrl?: string;
}

/** Finds the pictures in the rows of the problem that a fit folder is about. */
export interface PictureProvider {
  webPicture(row: number, fitFolder: string): Promise<ReportPicture | undefined>;
  /** Absent where only the web pictures are known. */
  testPicture?(row: number, fitFolder: string): Promise<ReportPicture | undefined>;
}

const columns = ['file', 'title', 'tags', 'author', 'source', 'pageUrl', 'licence', 'licenceUrl'] as const;

/**
 * From a CSV file with the columns `row` and any of `file`, `title`, `tags` (with spaces between), `author`, `source`,
 * `pageUrl`, `licence`, `licenceUrl`; files are relative to `folder`.
 */
export async function listedPictures(path: string, folder: string): Promise<PictureProvider> {
  const { header = [], rows } = await readCsv(path);
  const rowColumn = header.indexOf('row');
  if (rowColumn < 0)
    throw new FormatError(
      path,
      undefined,
      `has no column "row"; it has ${header.join(', ')}`,
      `Columns: row, ${columns.join(', ')}.`,
    );
  const pictures = new Map<number, ReportPicture>();
  for (const [i, cells] of rows.entries()) {
    const row = Number(cells[rowColumn] || Number.NaN);
    if (!Number.isInteger(row) || row < 0)
      throw new FormatError(
        path,
        undefined,
        `record ${i + 1} has "${cells[rowColumn]}" in the column "row"`,
        'The rows of the web pictures are whole numbers, counted from 0.',
      );
    const value = (name: string) => cells[header.indexOf(name)] || undefined;
    const { file, tags, ...rest } = Object.fromEntries(columns.map((name) => [name, value(name)]));
    pictures.set(row, {
      ...rest,
      ...(file && { file: resolve(folder, file) }),
      ...(tags && { tags: tags.split(/\s+/) }),
    });
  }
  return { webPicture: async (row) => pictures.get(row) };
}

const thumbnailSize = 200;

/** A small square WebP as a data: address; undefined when the file cannot be read as a picture. */
export async function thumbnail(file: string): Promise<string | undefined> {
  try {
    const { data } = await decode(
      file,
      { kind: 'thumbnail', side: thumbnailSize, fit: 'cover', format: 'webp', quality: 68 },
      { tolerant: true },
    );
    return `data:image/webp;base64,${Buffer.from(data).toString('base64')}`;
  } catch {
    return undefined;
  }
}
