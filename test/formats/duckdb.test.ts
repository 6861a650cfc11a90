import { describe, expect, it } from 'vitest';
import { databaseFile, openMemoryDatabase } from '../../src/formats/duckdb.js';

describe('the name of a file in a statement', () => {
  it('is quoted, and stands for that file alone though it looks like a pattern', () => {
    expect(databaseFile('/a/list.csv')).toBe("'/a/list.csv'");
    expect(databaseFile("o'clock [1]*?.csv")).toBe("'o''clock [[]1][*][?].csv'");
  });
});

describe('a database in memory', () => {
  const settings = async (memory?: number) => {
    const database = await openMemoryDatabase(memory);
    try {
      const asked = ['memory_limit', 'threads', 'autoinstall_known_extensions'];
      const reader = await database.connection.runAndReadAll(
        `SELECT ${asked.map((name) => `current_setting('${name}')`).join(', ')}`,
      );
      return reader.getRows()[0].map(String);
    } finally {
      database.close();
    }
  };

  it('takes no more memory than it is given, two threads, and nothing from the network', async () => {
    expect(await settings()).toEqual(['1.0 GiB', '2', 'false']);
    expect((await settings(256))[0]).toBe('256.0 MiB');
  });

  it('answers no more once it is closed', async () => {
    const database = await openMemoryDatabase(64);
    database.close();
    await expect((async () => database.connection.run('SELECT 1'))()).rejects.toThrow();
  });
});
