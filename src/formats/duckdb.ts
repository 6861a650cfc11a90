/** A database in memory, to read and write tables in formats that DuckDB knows. */
import type { DuckDBConnection } from '@duckdb/node-api';

export interface MemoryDatabase {
  readonly connection: DuckDBConnection;
  close(): void;
}

/** @param memory the most it takes, in MiB */
export async function openMemoryDatabase(memory = 1024): Promise<MemoryDatabase> {
  // Loaded when it is needed: most who read files never do.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memory}MiB`,
    threads: '2',
    // Extensions would be fetched from the network.
    autoinstall_known_extensions: 'false',
  });
  const connection = await instance.connect();
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A file's name in a statement: of one file, not a pattern for several. */
export function databaseFile(file: string): string {
  return `'${file.replaceAll("'", "''").replace(/[[*?]/g, '[$&]')}'`;
}
