/** A Parquet file, read by DuckDB: its columns, its texts, and pictures in blocks of rows. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { FormatError } from '../errors.js';
import { databaseFile, type MemoryDatabase, openMemoryDatabase } from '../formats/index.js';

/** Rows whose pictures are read at a time. */
const blockRows = 32;

export class ParquetFile {
  readonly file: string;
  readonly columns: readonly { name: string; type: string }[];
  readonly rows: number;
  readonly #database: MemoryDatabase;
  #block: { start: number; values: readonly (Uint8Array | undefined)[] } | undefined;

  private constructor(
    file: string,
    columns: readonly { name: string; type: string }[],
    rows: number,
    database: MemoryDatabase,
  ) {
    this.file = file;
    this.columns = columns;
    this.rows = rows;
    this.#database = database;
  }

  get #connection(): DuckDBConnection {
    return this.#database.connection;
  }

  static async open(file: string): Promise<ParquetFile> {
    const database = await openMemoryDatabase();
    const { connection } = database;
    try {
      const described = await wrap(file, connection.runAndReadAll(`DESCRIBE SELECT * FROM ${reader(file)}`));
      const columns = described.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
      const counted = await wrap(file, connection.runAndReadAll(`SELECT count(*)::INTEGER FROM ${reader(file)}`));
      return new ParquetFile(file, columns, Number(counted.getRows()[0][0]), database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Values of columns as texts, row by row; what is null is empty. */
  async texts(names: readonly string[]): Promise<string[][]> {
    if (names.length === 0) return Array.from({ length: this.rows }, () => []);
    const selected = names.map((name) => `${quoted(name)}::VARCHAR`).join(', ');
    const found = await wrap(this.file, this.#connection.runAndReadAll(`SELECT ${selected} FROM ${reader(this.file)}`));
    return found.getRows().map((row) => row.map((value) => (value === null ? '' : String(value))));
  }

  /** The text that a writer left beside the columns. */
  async metadata(key: string): Promise<string | undefined> {
    const name = `'${this.file.replaceAll("'", "''")}'`;
    const sql = `SELECT value::BLOB FROM parquet_kv_metadata(${name}) WHERE decode(key) = $1`;
    const found = await wrap(this.file, this.#connection.runAndReadAll(sql, [key]));
    const value = found.getRowsJS()[0]?.[0] as Uint8Array | undefined;
    return value && Buffer.from(value).toString();
  }

  /** The bytes that an expression gives in one row; rows that follow one another are cheap. */
  async bytes(expression: string, row: number): Promise<Uint8Array> {
    if (!this.#block || row < this.#block.start || row >= this.#block.start + this.#block.values.length) {
      const start = row - (row % blockRows);
      const sql = `SELECT ${expression} FROM ${reader(this.file, true)} WHERE file_row_number >= ${start} AND file_row_number < ${start + blockRows} ORDER BY file_row_number`;
      const found = await wrap(this.file, this.#connection.runAndReadAll(sql));
      this.#block = {
        start,
        values: found.getRowsJS().map(([value]) => (value ?? undefined) as Uint8Array | undefined),
      };
    }
    const value = this.#block.values[row - this.#block.start];
    if (!value) throw new FormatError(this.file, undefined, `row ${row + 1} holds no picture`);
    return value;
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function reader(file: string, numbered = false): string {
  return `read_parquet(${databaseFile(file)}${numbered ? ', file_row_number = true' : ''})`;
}

async function wrap<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new FormatError(file, undefined, (error as Error).message.split('\n')[0], 'Write the file again.');
  }
}
