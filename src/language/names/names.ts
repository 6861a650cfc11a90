/** Category names and their aliases from a file: one name a line, or columns separated by tabs or commas. */
import { FormatError } from '../../errors.js';
import { csvRecords } from '../../formats/index.js';

export interface CategoryName {
  readonly name: string;
  /** Other names, the best first, for when the name itself has no vector: a Latin genus' common name. */
  readonly aliases: readonly string[];
}

/**
 * Reads names. A line is a name; further columns are aliases, of which one column may hold several separated by `|`. The
 * separator is a tab where there is one, else a comma in files ending in `.csv`. A first line whose first column is
 * `name` (or `category`) is a header.
 */
export async function readNames(path: string): Promise<CategoryName[]> {
  const names: CategoryName[] = [];
  const csv = /\.csv$/i.test(path);
  for await (const { fields } of csvRecords(path, { delimiter: csv ? ',' : '\t', quotes: csv })) {
    const [name, ...rest] = fields.map((field) => field.trim());
    if (names.length === 0 && /^(?:name|category)$/i.test(name)) continue;
    if (!name) continue;
    names.push({
      name,
      aliases: rest
        .flatMap((field) => field.split('|'))
        .map((alias) => alias.trim())
        .filter(Boolean),
    });
  }
  if (names.length === 0)
    throw new FormatError(path, 0, 'the file holds no names', 'Put one category name on each line.');
  return names;
}
