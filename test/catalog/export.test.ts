import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Catalog,
  exportParquet,
  openCatalog,
  pictureId,
  readOnlyQuery,
  writeAttribution,
  writeCroissant,
} from '../../src/catalog/index.js';

const folder = mkdtempSync(join(tmpdir(), 'bowerbird-export-'));
let catalog: Catalog;

const hostile = {
  title: '<img src=x onerror=alert(1)>\n"quoted", & more',
  author: '=HYPERLINK("http://evil")',
  pageUrl: 'javascript:alert(1)',
  authorUrl: 'https://example.org/a"b',
};

beforeAll(async () => {
  catalog = await openCatalog(folder);
  const pictures = ['a', 'b', 'c'].map((name, i) => ({
    id: pictureId('Jay', 'test', name),
    category: 'Jay',
    source: 'test',
    sourceId: name,
    rank: i + 1,
    imageUrl: `https://example.org/${name}.jpg`,
    licence: ['cc-by', 'cc0', 'unknown'][i],
    licenceUrl: [
      'https://creativecommons.org/licenses/by/2.0/',
      'https://creativecommons.org/publicdomain/zero/1.0/',
      undefined,
    ][i],
    tags: ['x', 'y'],
    ...(i === 0 ? hostile : { title: `Plain ${name}`, author: 'Ann', pageUrl: `https://example.org/${name}` }),
  }));
  catalog.recordPage(pictures, { category: 'Jay', source: 'test', nextRank: 4, state: 'exhausted' });
  for (const { id } of pictures.slice(0, 2))
    catalog.move(
      { id, from: 'found', to: 'fetched', path: `pictures/${id.slice(0, 2)}/${id}.jpg`, bytes: 5 },
      { id, from: 'fetched', to: 'checked' },
      { id, from: 'checked', to: 'kept' },
    );
  catalog.move({ id: pictures[2].id, from: 'found', to: 'dropped', reason: 'licence' });
});
afterAll(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('exports', () => {
  it('write every picture to Parquet, readable elsewhere', async () => {
    const file = join(folder, "it's.parquet");
    expect(await exportParquet(catalog, file)).toBe(3);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(
      `SELECT title, tags, state FROM read_parquet('${file.replaceAll("'", "''")}') ORDER BY rank`,
    );
    expect(reader.getRowsJS()).toEqual([
      [hostile.title, ['x', 'y'], 'kept'],
      ['Plain b', ['x', 'y'], 'kept'],
      ['Plain c', ['x', 'y'], 'dropped'],
    ]);
    connection.closeSync();
    instance.closeSync();
  });

  it('describe the table in Croissant: every column, its source, and the hash of the file', async () => {
    const parquet = join(folder, 'table.parquet');
    const file = join(folder, 'croissant.json');
    await exportParquet(catalog, parquet);
    expect(
      await writeCroissant(catalog, file, { parquet, name: 'birds', url: 'https://example.org/birds', creator: 'Us' }),
    ).toBe(2);
    const document = JSON.parse(readFileSync(file, 'utf8'));
    expect(document).toMatchObject({
      '@type': 'sc:Dataset',
      conformsTo: 'http://mlcommons.org/croissant/1.0',
      name: 'birds',
      url: 'https://example.org/birds',
    });
    expect(document.license).toEqual([
      'https://creativecommons.org/licenses/by/2.0/',
      'https://creativecommons.org/publicdomain/zero/1.0/',
    ]);
    const [table, files] = document.distribution;
    expect(table).toMatchObject({
      '@type': 'cr:FileObject',
      contentUrl: 'table.parquet',
      encodingFormat: 'application/x-parquet',
    });
    expect(table.sha256).toBe(createHash('sha256').update(readFileSync(parquet)).digest('hex'));
    expect(files).toMatchObject({ '@type': 'cr:FileSet', includes: 'pictures/*/*' });
    const [records] = document.recordSet;
    const columns: string[] = [];
    for await (const { column_name } of catalog.query(
      "SELECT column_name FROM information_schema.columns WHERE table_name = 'picture' ORDER BY ordinal_position",
    ))
      columns.push(column_name as string);
    expect(records.field.map((field: { name: string }) => field.name)).toEqual(columns);
    for (const field of records.field) {
      expect(field['@id']).toBe(`pictures/${field.name}`);
      expect(field.description, field.name).toBeTruthy();
      expect(field.source).toEqual({ fileObject: { '@id': table['@id'] }, extract: { column: field.name } });
    }
    expect(records.key).toEqual({ '@id': 'pictures/id' });
    expect(records.field.find((field: { name: string }) => field.name === 'tags')).toMatchObject({
      repeated: true,
      dataType: 'sc:Text',
    });
  });

  it('name title, author, source and licence of kept pictures, and treat what they say as data', async () => {
    const read = async (name: string) => {
      expect(await writeAttribution(catalog, join(folder, name))).toBe(2);
      return readFileSync(join(folder, name), 'utf8');
    };
    const html = await read('a.html');
    expect(html).not.toMatch(/<img|javascript:|onerror=alert\(1\)>/);
    expect(html).toContain('&#60;img src=x onerror=alert(1)&#62;');
    expect(html).toContain('<a href="https://creativecommons.org/licenses/by/2.0/" rel="nofollow">CC BY 2.0</a>');
    expect(html).not.toContain('a"b');
    const csv = (await read('a.csv')).trimEnd().split('\n');
    expect(csv).toHaveLength(3);
    expect(csv[1]).toContain(`"'=HYPERLINK(""http://evil"")"`);
    const text = (await read('a.txt')).trimEnd().split('\n');
    expect(text).toHaveLength(2);
    expect(text[1]).toMatch(/: "Plain b" by Ann, https:\/\/example\.org\/b, CC0 1\.0 \(https:/);
  });
});

describe('a question to the catalog', () => {
  it('cannot change it', async () => {
    const other = mkdtempSync(join(tmpdir(), 'bowerbird-query-'));
    await (await openCatalog(other)).close();
    const run = async (sql: string) => {
      for await (const row of readOnlyQuery(other, sql)) return row;
      return undefined;
    };
    expect(await run('SELECT count(*) AS n FROM picture')).toEqual({ n: 0 });
    await expect(run('DROP TABLE picture')).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await expect(run('SELEC 1')).rejects.toThrow(/does not understand/);
    const [written, secret] = [join(other, 'written.csv'), join(other, 'secret.txt')];
    writeFileSync(secret, 'secret');
    for (const sql of [
      `COPY (SELECT 1) TO '${written}'`,
      `EXPORT DATABASE '${written}'`,
      `ATTACH '${written}' AS more`,
      `SELECT 1; COPY (SELECT 1) TO '${written}'`,
      `SELECT * FROM read_text('${secret}')`,
      'SET enable_external_access = true',
    ])
      await expect(run(sql), sql).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    expect(existsSync(written)).toBe(false);
    rmSync(other, { recursive: true, force: true });
  });
});
