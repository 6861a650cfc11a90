/** The records of a table as texts by column, whatever the format of the file. */
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { FormatError, MemoryError, UsageError } from '../errors.js';
import { csvRecords, fileError } from '../formats/index.js';
import { ParquetFile } from './parquet.js';

export interface TableRecord {
  readonly cells: Readonly<Record<string, string>>;
  /** In words: `line 7`. */
  readonly where: string;
}

export interface TableRecords {
  readonly header: readonly string[];
  readonly records: readonly TableRecord[];
}

/** A list is held in memory; no list of pictures is longer. */
const largestText = 2 ** 29;

export async function readRecords(file: string, signal?: AbortSignal): Promise<TableRecords> {
  switch (extname(file).toLowerCase()) {
    case '.csv':
      return fromCsv(file, ',', true, signal);
    case '.tsv':
      return fromCsv(file, '\t', false, signal);
    case '.jsonl':
    case '.ndjson':
      return fromLines(file);
    case '.parquet':
      return fromParquet(file);
    default:
      throw new UsageError(`${file} is no table`, 'Tables end in .csv, .tsv, .jsonl, .ndjson or .parquet.');
  }
}

async function fromCsv(file: string, delimiter: string, quotes: boolean, signal?: AbortSignal): Promise<TableRecords> {
  let header: string[] | undefined;
  const records: TableRecord[] = [];
  let line = 0;
  for await (const { fields, offset } of csvRecords(file, { delimiter, quotes })) {
    line++;
    if (!header) {
      header = fields.map((name) => name.trim());
      const twice = header.find((name, i) => header!.indexOf(name) !== i);
      if (twice !== undefined) throw new FormatError(file, 0, `the column "${twice}" is there twice`);
      continue;
    }
    if (fields.length !== header.length)
      throw new FormatError(
        file,
        offset,
        `record ${line} has ${fields.length} fields, the header has ${header.length}`,
        'Are fields with commas in quotes?',
      );
    signal?.throwIfAborted();
    records.push({ cells: cellsOf(header, fields), where: `record ${line}` });
  }
  if (!header) throw new FormatError(file, 0, 'is empty; a header with the names of columns was expected');
  return { header, records };
}

/** Without a prototype, so that a column named for one of its fields is a column. */
function cellsOf(header: readonly string[], fields: readonly string[]): Record<string, string> {
  const cells: Record<string, string> = Object.create(null);
  for (const [c, name] of header.entries()) cells[name] = fields[c];
  return cells;
}

async function fromLines(file: string): Promise<TableRecords> {
  const header = new Set<string>();
  const records: TableRecord[] = [];
  for (const [i, line] of (await readText(file)).split('\n').entries()) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      throw new FormatError(file, undefined, `line ${i + 1} is not JSON: ${(error as Error).message}`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new FormatError(file, undefined, `line ${i + 1} holds no object`);
    const entries = Object.entries(value).filter(([, cell]) => ['string', 'number', 'boolean'].includes(typeof cell));
    for (const [name] of entries) header.add(name);
    const names = entries.map(([name]) => name);
    records.push({
      cells: cellsOf(
        names,
        entries.map(([, cell]) => String(cell)),
      ),
      where: `line ${i + 1}`,
    });
  }
  return { header: [...header], records };
}

async function fromParquet(file: string): Promise<TableRecords> {
  const parquet = await ParquetFile.open(file);
  try {
    const simple = parquet.columns.filter(({ type }) => !/^(BLOB|STRUCT|MAP)|\[\]$/.test(type)).map(({ name }) => name);
    const rows = await parquet.texts(simple);
    return {
      header: simple,
      records: rows.map((row, i) => ({ cells: cellsOf(simple, row), where: `row ${i + 1}` })),
    };
  } finally {
    await parquet.close();
  }
}

/** A whole text file that is not larger than texts may be. */
export async function readText(file: string): Promise<string> {
  const found = await stat(file).catch((error) => {
    throw fileError(file, error, 'opened');
  });
  if (found.size > largestText) throw new MemoryError(found.size, `reading ${file}`, 'Divide it into smaller files.');
  return readFile(file, 'utf8');
}

export async function readJson(file: string): Promise<unknown> {
  const text = await readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FormatError(file, undefined, `is not JSON: ${(error as Error).message}`);
  }
}
