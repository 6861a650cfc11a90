/**
 * A table of attributes: one row a category, one column an attribute. Columns of numbers from 0 to 1, or all from 0 to 100,
 * are taken as they are; other columns of numbers are brought to 0…1, each by its own range; a column of words becomes one
 * column for each of its words. An empty field says nothing and takes its column's mean.
 */
import { FormatError } from '../../errors.js';
import { readCsv } from '../../formats/index.js';
import { Matrix } from '../../linalg/index.js';
import type { NamedVectors } from './match.js';

/** Words of one column; more are names or sentences, which no other category shares. */
const mostWords = 50;

/** A CSV file (tabs in a `.tsv`) with a header; the first column, or the one called `name` or `category`, holds the names. */
export async function readAttributeTable(file: string): Promise<NamedVectors> {
  const { header = [], rows } = await readCsv(file, { delimiter: /\.tsv$/i.test(file) ? '\t' : ',' });
  const named = header.findIndex((title) => /^(?:name|category|species|class)$/i.test(title.trim()));
  const key = Math.max(0, named);
  if (header.length < 2 || rows.length === 0)
    throw new FormatError(
      file,
      undefined,
      rows.length === 0 ? 'has no row below its header' : 'has no column beside the names',
      'Expected a header, then a line for each category: its name, then its attributes.',
    );
  const names = rows.map((row) => row[key].trim());
  requireNames(file, names);
  const columns = header.flatMap((title, j) =>
    j === key
      ? []
      : expand(
          file,
          title,
          rows.map((row) => row[j].trim()),
        ),
  );
  const shares = columns.every(({ values }) => values.every((value) => !(value < 0 || value > 100)));
  const vectors = Matrix.zeros(rows.length, columns.length, 'float32');
  for (const [j, { values }] of columns.entries()) {
    const known = values.filter((value) => !Number.isNaN(value));
    const [least, most] = [Math.min(...known), Math.max(...known)];
    const [offset, scale] = shares || (least >= 0 && most <= 1) ? [0, 1] : [least, most - least || 1];
    const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
    for (const [i, value] of values.entries())
      vectors.set(i, j, ((Number.isNaN(value) ? mean : value) - offset) / scale);
  }
  return { names, vectors, columns: columns.map(({ title }) => title) };
}

interface Column {
  title: string;
  values: number[];
}

/** Numbers as they are, NaN where nothing is known; words as columns of 0 and 1. */
function expand(file: string, title: string, fields: readonly string[]): Column[] {
  const numbers = fields.map((field) => (field === '' || /^(?:na|nan|\?)$/i.test(field) ? Number.NaN : Number(field)));
  const unknown = fields.map((field) => field === '' || /^(?:na|nan|\?)$/i.test(field));
  if (unknown.every(Boolean)) return [];
  if (numbers.every((value, i) => unknown[i] || Number.isFinite(value))) return [{ title, values: numbers }];
  const words = [...new Set(fields.filter((_, i) => !unknown[i]))].sort();
  if (words.length > mostWords)
    throw new FormatError(
      file,
      undefined,
      `the column "${title}" holds ${words.length} different texts, such as "${words[0]}"`,
      `Attributes are numbers, or words of at most ${mostWords} kinds: remove the column.`,
    );
  return words.map((word) => ({
    title: `${title}: ${word}`,
    values: fields.map((field, i) => (unknown[i] ? Number.NaN : field === word ? 1 : 0)),
  }));
}

export function requireNames(file: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const [row, name] of names.entries()) {
    if (name === '') throw new FormatError(file, undefined, `row ${row + 1} has no name`);
    if (seen.has(name)) throw new FormatError(file, undefined, `"${name}" is there a second time`);
    seen.add(name);
  }
}
