/** Tables of text and of numbers in CSV files: read with their header, written with quotes only where they are needed. */
import { FormatError } from '../errors.js';
import { type ArrayOf, type Dtype, Matrix, type RealArray } from '../linalg/index.js';
import { type PendingFile, writeBeside } from './atomic.js';
import { type CsvOptions, type CsvRecord, csvRecords } from './csv-records.js';
import type { FileSource } from './file.js';

export interface CsvTableOptions extends CsvOptions {
  /** Whether the first record names the columns. @default true */
  header?: boolean;
}

export interface CsvTable {
  /** Names of the columns; absent when read with `header: false`. */
  header?: string[];
  rows: string[][];
}

/** Reads a whole table as text; every row must have as many fields as the first. */
export async function readCsv(source: FileSource, options: CsvTableOptions = {}): Promise<CsvTable> {
  const rows: string[][] = [];
  for await (const { fields } of rectangular(source, options)) rows.push(fields);
  return options.header === false ? { rows } : { header: rows.shift() ?? [], rows };
}

export interface CsvMatrixOptions<D extends Dtype> extends CsvOptions {
  /** Whether the first record names the columns; `auto` when it holds something that is not a number. @default 'auto' */
  header?: boolean | 'auto';
  /** Names or positions of the columns to take. @default all */
  columns?: readonly (string | number)[];
  /** @default 'float64' */
  dtype?: D;
}

/**
 * Reads a table of numbers, row by row; `nan` and `inf` are numbers too.
 * @example const { matrix, header } = await readCsvMatrix('features.csv', { columns: ['width', 'height'] });
 */
export async function readCsvMatrix<D extends Dtype = 'float64'>(
  source: FileSource,
  options: CsvMatrixOptions<D> = {},
): Promise<{ header?: string[]; matrix: Matrix<ArrayOf<D>> }> {
  const file = typeof source === 'string' ? source : source.name;
  const { dtype = 'float64' as D, columns } = options;
  let header: string[] | undefined;
  let chosen: number[] | undefined;
  let data: RealArray = Matrix.zeros(1, 1024, dtype).data;
  let rows = 0;
  for await (const record of rectangular(source, options)) {
    if (chosen === undefined) {
      const named = options.header ?? 'auto';
      if (named === true || (named === 'auto' && record.fields.some((field) => parseNumber(field) === undefined)))
        header = record.fields;
      chosen = chooseColumns(file, columns, header, record.fields.length);
      if (header) continue;
    }
    const start = rows * chosen.length;
    if (start + chosen.length > data.length) data = grown(data, start + chosen.length);
    chosen.forEach((column, j) => {
      const value = parseNumber(record.fields[column]);
      if (value === undefined) throw notANumber(file, record, column, header);
      data[start + j] = value;
    });
    rows++;
  }
  const width = chosen?.length ?? 0;
  const matrix = new Matrix(data.subarray(0, rows * width) as ArrayOf<D>, rows, width);
  return header ? { header: chosen!.map((column) => header[column]), matrix } : { matrix };
}

export type CsvValue = string | number | bigint | boolean | null | undefined;

/** Writes a table, from rows as they come or from a matrix; numbers keep all their digits. */
export async function writeCsv(
  path: string,
  rows: Iterable<readonly CsvValue[]> | AsyncIterable<readonly CsvValue[]> | Matrix,
  options: { header?: readonly string[]; delimiter?: string } = {},
): Promise<void> {
  const { header, delimiter = ',' } = options;
  await writeBeside(path, async (file) => {
    const lines = new LineBuffer(file, delimiter);
    if (header) await lines.add(header);
    if (rows instanceof Matrix) for (let i = 0; i < rows.rows; i++) await lines.add(Array.from(rows.row(i)));
    else for await (const row of rows) await lines.add(row);
    await lines.flush();
  });
}

/** Collects lines so that the file is written in large pieces. */
class LineBuffer {
  private text = '';
  private readonly file: PendingFile;
  private readonly line: (values: readonly CsvValue[]) => string;

  constructor(file: PendingFile, delimiter: string) {
    this.file = file;
    this.line = csvLines(delimiter);
  }

  async add(values: readonly CsvValue[]): Promise<void> {
    this.text += `${this.line(values)}\n`;
    if (this.text.length > 2 ** 18) await this.flush();
  }

  async flush(): Promise<void> {
    await this.file.append(Buffer.from(this.text));
    this.text = '';
  }
}

/** How a record is written on a line, without the line's end. */
export function csvLines(delimiter = ','): (values: readonly CsvValue[]) => string {
  const special = new RegExp(`["\\r\\n\\u{${delimiter.codePointAt(0)!.toString(16)}}]|^\\s|\\s$`, 'u');
  const field = (value: CsvValue) => {
    if (typeof value === 'number') return formatNumber(value);
    const text = String(value ?? '');
    return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return (values) => {
    const line = values.map(field).join(delimiter);
    // A single empty field must not look like a blank line.
    return values.length === 1 && line === '' ? '""' : line;
  };
}

async function* rectangular(source: FileSource, options: CsvOptions): AsyncGenerator<CsvRecord> {
  let width: number | undefined;
  for await (const record of csvRecords(source, options)) {
    width ??= record.fields.length;
    if (record.fields.length !== width)
      throw new FormatError(
        typeof source === 'string' ? source : source.name,
        record.offset,
        `expected ${width} fields as in the first record, found ${record.fields.length}`,
      );
    yield record;
  }
}

function chooseColumns(
  file: string,
  columns: readonly (string | number)[] | undefined,
  header: string[] | undefined,
  width: number,
): number[] {
  if (columns === undefined) return Array.from({ length: width }, (_, i) => i);
  return columns.map((column) => {
    const index = typeof column === 'number' ? column : (header?.indexOf(column) ?? -1);
    if (Number.isInteger(index) && index >= 0 && index < width) return index;
    const hint = header
      ? `The columns are: ${header.slice(0, 20).join(', ')}.`
      : `There are ${width} columns and no header.`;
    throw new FormatError(file, 0, `there is no column ${JSON.stringify(column)}`, hint);
  });
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const words = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
]);

function parseNumber(field: string): number | undefined {
  const text = field.trim();
  if (decimal.test(text)) return Number(text);
  const value = words.get(text.replace(/^[+-]/, '').toLowerCase());
  return value !== undefined && text.startsWith('-') ? -value : value;
}

function formatNumber(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

function grown(data: RealArray, needed: number): RealArray {
  const length = Math.max(needed, data.length * 2);
  const larger = data instanceof Float64Array ? new Float64Array(length) : new Float32Array(length);
  larger.set(data);
  return larger;
}

function notANumber(file: string, record: CsvRecord, column: number, header: string[] | undefined): FormatError {
  const name = header ? `"${header[column]}"` : column;
  return new FormatError(
    file,
    record.offset,
    `expected a number in column ${name} of the record that starts here, found ${JSON.stringify(record.fields[column].slice(0, 40))}`,
  );
}
