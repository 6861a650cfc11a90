/** Questions in SQL: their rows, streamed, with values that JSON can hold. */
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBResult, JS } from '@duckdb/node-api';
import { BowerbirdError, UsageError } from '../errors.js';
import { databaseError } from './damage.js';
import { catalogFile } from './files.js';
import { type CatalogPatience, openInstance } from './open-instance.js';

export type QueryValue = string | number | boolean | null;
export type QueryRow = Record<string, unknown>;

/** Rows of a question that cannot change anything. The catalog must not be open. */
export async function* readOnlyQuery(
  workspaceFolder: string,
  sql: string,
  patience: CatalogPatience = {},
): AsyncIterable<QueryRow> {
  const file = join(workspaceFolder, catalogFile);
  const instance = await openInstance(file, { ...patience, memoryLimit: 1024, readOnly: true, confined: true });
  try {
    yield* streamed(instance, sql, []);
  } catch (error) {
    const known = databaseError(file, error);
    if (known instanceof BowerbirdError) throw known;
    throw new UsageError(
      `the catalog does not understand this: ${(error as Error).message.split('\n')[0]}`,
      'Its tables are picture and lane; "DESCRIBE picture" lists the columns. Other files cannot be read or written.',
    );
  } finally {
    instance.closeSync();
  }
}

export async function* streamed(
  instance: DuckDBInstance,
  sql: string,
  values: readonly QueryValue[],
): AsyncIterable<QueryRow> {
  const connection = await instance.connect();
  try {
    const result = await connection.stream(sql, [...values]);
    let ended = false;
    try {
      for await (const rows of result.yieldRowObjectJs())
        for (const row of rows) {
          for (const name of Object.keys(row)) row[name] = plain(row[name]);
          yield row;
        }
      ended = true;
    } finally {
      if (!ended) await abandon(connection, result);
    }
  } finally {
    connection.closeSync();
  }
}

/**
 * Ends a result that nobody reads on. Until it is garbage it would keep the database open, which then writes what it
 * knows into the file once more, over what others have written since.
 */
async function abandon(connection: DuckDBConnection, result: DuckDBResult): Promise<void> {
  connection.interrupt();
  try {
    while ((await result.fetchChunk())?.rowCount);
  } catch {
    // Interrupted, as it was asked to be.
  }
}

function plain(value: JS): JS {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return value;
}
