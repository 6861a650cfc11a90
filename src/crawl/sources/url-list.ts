/**
 * A list of addresses in a CSV, JSON-lines or Parquet file. Columns, by any of their usual names: the address, and
 * optionally category, id, title, tags, description, author, licence and page. DuckDB reads all three formats.
 */
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { BowerbirdError, FormatError, UsageError } from '../../errors.js';
import { databaseFile, type MemoryDatabase, openMemoryDatabase } from '../../formats/index.js';
import { type Category, queryFor } from '../categories.js';
import { licenceOf } from '../licence.js';
import { list, text } from './answer.js';
import type { Source, SourcePage } from './source.js';

const pageSize = 500;

const columnNames = {
  url: ['url', 'image_url', 'imageurl', 'link', 'identifier', 'src'],
  category: ['category', 'class', 'label', 'name', 'species'],
  id: ['id', 'image_id', 'photo_id'],
  title: ['title', 'caption', 'text'],
  tags: ['tags', 'keywords'],
  description: ['description'],
  author: ['author', 'creator', 'owner', 'ownername', 'rightsholder'],
  licence: ['licence', 'license', 'license_url', 'licence_url', 'rights'],
  page: ['page', 'page_url', 'source_url', 'references', 'landing_url'],
} as const;
type Field = keyof typeof columnNames;

export function urlList(file: string): Source {
  let opening: Promise<{ connection: DuckDBConnection; hasCategory: boolean }> | undefined;
  let database: MemoryDatabase | undefined;

  /** The list is copied once into a table of its own, so that asking for each category does not parse the file again. */
  async function open() {
    database = await openMemoryDatabase(256);
    const { connection } = database;
    const reader = readerFor(file);
    const described = await wrap(file, connection.runAndReadAll(`DESCRIBE SELECT * FROM ${reader}`));
    const present = described.getRows().map((row) => String(row[0]));
    const column = (field: Field) =>
      present.find((name) => (columnNames[field] as readonly string[]).includes(name.toLowerCase()));
    if (!column('url'))
      throw new FormatError(
        file,
        undefined,
        `no column holds addresses; it has ${present.join(', ')}`,
        `Name the column one of: ${columnNames.url.join(', ')}.`,
      );
    const selected = (Object.keys(columnNames) as Field[]).map((field) => {
      const name = column(field);
      return `${name ? `"${name.replaceAll('"', '""')}"` : 'NULL'} AS ${field}`;
    });
    await wrap(
      file,
      connection.run(
        `CREATE TABLE list AS SELECT row_number() OVER () AS position, * FROM (SELECT ${selected.join(', ')} FROM ${reader}) WHERE url IS NOT NULL`,
      ),
    );
    return { connection, hasCategory: column('category') !== undefined };
  }
  const opened = () => {
    opening ??= open();
    return opening;
  };

  return {
    // A cursor is a position in one file, so another file is another source.
    name: `urls:${file}`,
    pageSize,
    chosenByUser: true,

    async prepare() {
      if (!existsSync(file))
        throw new BowerbirdError('BOWERBIRD_SOURCE', `the list of addresses ${file} does not exist`);
      await opened();
    },

    describe: (category) => `read ${file}, rows of "${queryFor(category, 'urls')}"`,

    async ask(category: Category, cursor): Promise<SourcePage> {
      const { connection, hasCategory } = await opened();
      const after = (cursor as number | undefined) ?? 0;
      const condition = hasCategory ? 'category::VARCHAR = $2 AND ' : '$2 IS NOT NULL AND ';
      const sql = `SELECT * FROM list WHERE ${condition}position > $1 ORDER BY position LIMIT ${pageSize}`;
      const reader = await connection.runAndReadAll(sql, [after, queryFor(category, 'urls')]);
      const rows = reader.getRowObjectsJS() as Record<Field | 'position', unknown>[];
      const pictures = rows.flatMap((row) => {
        const imageUrl = text(row.url);
        if (imageUrl === undefined) return [];
        const licence = text(row.licence);
        return [
          {
            sourceId: text(row.id) ?? imageUrl,
            imageUrl,
            pageUrl: text(row.page),
            author: text(row.author),
            licence: licenceOf(licence),
            licenceUrl: licence?.startsWith('http') ? licence : undefined,
            title: text(row.title),
            tags: tagsOf(row.tags),
            description: text(row.description),
          },
        ];
      });
      return { pictures, next: rows.length === pageSize ? Number(rows[rows.length - 1].position) : undefined };
    },

    async categories() {
      const { connection, hasCategory } = await opened();
      if (!hasCategory)
        throw new UsageError(
          `${file} has no column for the category`,
          `Add one (${columnNames.category.join(', ')}), or name the categories with --categories.`,
        );
      const names = await connection.runAndReadAll(
        'SELECT category::VARCHAR FROM list WHERE category IS NOT NULL GROUP BY 1 ORDER BY min(position)',
      );
      return names.getRows().map(([name]) => ({ name: String(name) }));
    },

    async close() {
      await opening?.catch(() => undefined);
      database?.close();
    },
  };
}

function readerFor(file: string): string {
  const quoted = databaseFile(file);
  switch (extname(file.replace(/\.gz$/, '')).toLowerCase()) {
    case '.csv':
      return `read_csv(${quoted}, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"')`;
    case '.tsv':
      return `read_csv(${quoted}, all_varchar = true, header = true, delim = '\\t', quote = '')`;
    case '.jsonl':
    case '.ndjson':
      return `read_json(${quoted}, format = 'newline_delimited')`;
    case '.parquet':
      return `read_parquet(${quoted})`;
    default:
      throw new UsageError(
        `${file} is not a list of addresses`,
        'Lists end in .csv, .tsv, .jsonl, .ndjson or .parquet.',
      );
  }
}

async function wrap<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new FormatError(file, undefined, (error as Error).message.split('\n')[0]);
  }
}

function tagsOf(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return list(value).flatMap((tag) => text(tag) ?? []);
  return text(value)
    ?.split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter(Boolean);
}
