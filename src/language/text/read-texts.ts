/** The texts of pictures from the files they come in: lines, columns of a table, JSON lines, string arrays. */
import { readFile } from 'node:fs/promises';
import { FormatError, UsageError } from '../../errors.js';
import { csvRecords, fileError, openNpz, readNpy, toStrings } from '../../formats/index.js';
import type { PictureText } from '../../text/index.js';

export interface ReadTextsOptions {
  /**
   * Columns of a table that hold text, by the names of its first line or by number from 1 on (then there is no line of
   * names). @default the columns named title, tags, description and comments
   */
  columns?: readonly string[];
  /** The array of an `.npz` file. @default 'web_texts' */
  array?: string;
}

const usual = ['title', 'tags', 'description', 'comments'];

/** One text for each picture, in the order of the file. */
export async function readTexts(path: string, options: ReadTextsOptions = {}): Promise<PictureText[]> {
  const texts = await read(path, options);
  if (texts.length === 0)
    throw new FormatError(
      path,
      undefined,
      'the file holds no texts',
      'Give a text for each web picture, in their order.',
    );
  return texts;
}

async function read(path: string, options: ReadTextsOptions): Promise<PictureText[]> {
  const extension = /\.[a-z]+$/i.exec(path)?.[0].toLowerCase();
  switch (extension) {
    case '.tsv':
      return readTable(path, '\t', false, options.columns);
    case '.csv':
      return readTable(path, ',', true, options.columns);
    case '.jsonl':
      return (await lines(path)).map((line, i) => fromJson(line, i, path));
    case '.npy':
      return toStrings(await readNpy(path), { file: path });
    case '.npz':
      return readArchive(path, options.array ?? 'web_texts');
    default:
      return lines(path);
  }
}

async function readArchive(path: string, name: string): Promise<string[]> {
  const archive = await openNpz(path);
  try {
    return toStrings(await archive.read(name), { file: path, name });
  } finally {
    await archive.close();
  }
}

async function readTable(
  path: string,
  delimiter: string,
  quotes: boolean,
  columns: readonly string[] | undefined,
): Promise<PictureText[]> {
  const numbered = columns?.every((column) => /^[1-9]\d*$/.test(column)) ?? false;
  let chosen = numbered ? columns?.map((column) => Number(column) - 1) : undefined;
  const texts: PictureText[] = [];
  let widest = 0;
  for await (const { fields } of csvRecords(path, { delimiter, quotes })) {
    if (!chosen) {
      chosen = chooseColumns(fields, columns, path);
      continue;
    }
    // Real tables leave out empty columns at the end of a line: a picture without title and tags.
    widest = Math.max(widest, fields.length);
    texts.push(chosen.map((column) => fields[column] ?? '').join('\n'));
  }
  const beyond = numbered ? chosen?.find((column) => column >= widest) : undefined;
  if (beyond !== undefined && texts.length > 0)
    throw new UsageError(`${path} has no column ${beyond + 1}: its longest line has ${widest}`);
  return texts;
}

function chooseColumns(names: readonly string[], columns: readonly string[] | undefined, path: string): number[] {
  const found = names.map((name) => name.trim().toLowerCase());
  const wanted = columns?.map((column) => column.toLowerCase()) ?? usual.filter((name) => found.includes(name));
  const missing = wanted.find((name) => !found.includes(name));
  if (missing !== undefined || wanted.length === 0)
    throw new UsageError(
      `${path} has no column ${missing ?? usual.join(' or ')}; its first line names ${names.slice(0, 10).join(', ')}`,
      'Choose columns with --columns: their names, or their numbers where the file has no line of names.',
    );
  return wanted.map((name) => found.indexOf(name));
}

function fromJson(line: string, index: number, path: string): PictureText {
  if (line === '') return '';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new FormatError(path, undefined, `line ${index + 1} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FormatError(path, undefined, `line ${index + 1}: expected an object with title, tags and comments`);
  const field = (name: string) => textsOf((value as Record<string, unknown>)[name]);
  return {
    title: [...field('title'), ...field('description')].join('\n'),
    tags: field('tags'),
    comments: field('comments'),
  };
}

/** A string, or the strings of a list; anything else counts as no text. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(textsOf) : [];
}

async function lines(path: string): Promise<string[]> {
  const whole = await readFile(path, 'utf8').catch((error) => {
    throw fileError(path, error, 'opened');
  });
  // Some programs begin every text with a byte order mark.
  const text = whole.replace(/^\ufeff/, '');
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
