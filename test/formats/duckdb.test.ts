import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../src/formats/duckdb.js';

describe('the name of a file in a statement', () => {
  it('is quoted, and stands for that file alone though it looks like a pattern', () => {
    expect(databaseFile('/a/list.csv')).toBe("'/a/list.csv'");
    expect(databaseFile("o'clock [1]*?.csv")).toBe("'o''clock [[]1][*][?].csv'");
  });
});
