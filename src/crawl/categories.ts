/**
 * The categories to look for: one name a line, after a tab (in .csv files a comma) other names with `|` between them; or a
 * CSV table with a column `name` and, where the words to search for differ from the name, `query` (or `alias`), or
 * `query_flickr` and the like for a single source. Its columns `alias` and `aliases` are other names.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BowerbirdError, FormatError } from '../errors.js';
import { csvRecords, memoryFile } from '../formats/index.js';

export interface Category {
  name: string;
  /** Other names, the best first. */
  aliases?: readonly string[];
  /** What to search for. @default the name */
  query?: string;
  /** What to search for at one source. */
  queries?: Readonly<Record<string, string>>;
}

const categoriesFile = 'categories.csv';

export function queryFor(category: Category, source: string): string {
  return category.queries?.[source] ?? category.query ?? category.name;
}

/** From the file named, else from `categories.csv` in the workspace, if there is one. */
export async function loadCategories(workspace: string, file?: string): Promise<Category[] | undefined> {
  const path = file ?? join(workspace, categoriesFile);
  if (file === undefined && !existsSync(path)) return undefined;
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new BowerbirdError('BOWERBIRD_CATEGORIES', `${path} cannot be read: ${(error as Error).message}`, {
      hint: 'It should hold one category name per line, or a CSV table with a column "name".',
    });
  }
  const lines = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/);
  const header = (lines.find((line) => line.trim() !== '') ?? '').split(',').map((cell) => cell.trim().toLowerCase());
  const categories = header.includes('name') ? await fromTable(bytes, path) : await fromLines(bytes, path);
  checkNames(categories, path);
  return categories;
}

async function fromLines(bytes: Buffer, path: string): Promise<Category[]> {
  const categories: Category[] = [];
  const csv = /\.csv$/i.test(path);
  for await (const { fields } of csvRecords(memoryFile(bytes, path), { delimiter: csv ? ',' : '\t', quotes: csv })) {
    const [name, ...rest] = fields.map((field) => field.trim());
    if (name) categories.push({ name, ...otherNames(rest) });
  }
  return categories;
}

function otherNames(cells: readonly (string | undefined)[]): Pick<Category, 'aliases'> {
  const aliases = cells.flatMap((cell) => cell?.split('|') ?? []).map((alias) => alias.trim());
  return aliases.some(Boolean) ? { aliases: aliases.filter(Boolean) } : {};
}

async function fromTable(bytes: Buffer, path: string): Promise<Category[]> {
  const categories: Category[] = [];
  let header: string[] | undefined;
  for await (const { fields, offset } of csvRecords(memoryFile(bytes, path))) {
    if (!header) {
      header = fields.map((cell) => cell.trim().toLowerCase());
      continue;
    }
    const cells = new Map(header.map((column, index) => [column, fields[index]?.trim() ?? '']));
    const name = cells.get('name');
    if (!name) throw new FormatError(path, offset, 'this row has no name');
    const others = otherNames([cells.get('alias'), cells.get('aliases')]);
    const query = cells.get('query') || (cells.get('alias') && others.aliases?.[0]);
    const own = [...cells].filter(([column, text]) => column.startsWith('query_') && text !== '');
    categories.push({
      name,
      ...others,
      ...(query ? { query } : {}),
      ...(own.length > 0 ? { queries: Object.fromEntries(own.map(([column, text]) => [column.slice(6), text])) } : {}),
    });
  }
  return categories;
}

function checkNames(categories: readonly Category[], path: string): void {
  if (categories.length === 0) throw new FormatError(path, undefined, 'there is no category in it');
  const seen = new Set<string>();
  for (const { name } of categories) {
    if (seen.has(name)) throw new FormatError(path, undefined, `"${name}" appears twice`, 'Remove one of the two.');
    seen.add(name);
  }
}
