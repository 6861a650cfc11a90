import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import type { PictureRow } from '../../src/catalog/index.js';
import { createSource } from '../../src/crawl/index.js';
import { allPictures, crawlFake } from './web/crawling.js';
import { freshWeb } from './web/fresh.js';
import { listAll } from './web/listing.js';
import { jpegNamed, texture } from './web/pictures.js';

const { web, folder } = await freshWeb();

describe('a list of addresses', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      url: web.url(`/picture/none/list-${i}.jpg`),
      category: i % 20 ? 'Jay' : 'Auk',
      title: `No. ${i}, "quoted"`,
      tags: 'a,b',
      license: 'CC BY-SA 2.0',
      author: 'Me',
    }));

  async function crawlList(file: string) {
    const workspace = join(folder.path, 'workspace');
    await crawlFake(web, { workspace, sources: [`urls:${file}`], categories: ['Auk', 'Jay'], licences: undefined });
    return allPictures(workspace);
  }

  async function writeList(format: string, data: ReturnType<typeof rows>): Promise<string> {
    const file = join(folder.path, `list.${format}`);
    const quoted = (row: object) => Object.values(row).map((value) => `"${value.replaceAll('"', '""')}"`);
    if (format === 'csv') {
      writeFileSync(
        file,
        ['url,category,title,tags,license,author', ...data.map((row) => quoted(row).join(','))].join('\n'),
      );
      return file;
    }
    const lines = join(folder.path, 'list.jsonl');
    writeFileSync(lines, data.map((row) => JSON.stringify(row)).join('\n'));
    if (format === 'jsonl') return lines;
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`COPY (SELECT * FROM read_json('${lines}')) TO '${file}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    return file;
  }

  it.each(['csv', 'jsonl', 'parquet'])('is read as %s, in the order of its rows', async (format) => {
    const data = rows(1300);
    const file = await writeList(format, data);
    const source = createSource(`urls:${file}`);
    const jays = data.filter((row) => row.category === 'Jay').map((row) => row.url);
    expect(await listAll(source, 'Jay')).toEqual(jays);
    expect(await source.categories?.()).toEqual([{ name: 'Auk' }, { name: 'Jay' }]);
    await source.close?.();
  });

  it('brings titles, tags, licences and authors along', async () => {
    const pictures = await crawlList(await writeList('csv', rows(21)));
    expect(pictures.map((row) => row.state)).toEqual(pictures.map(() => 'kept'));
    expect(pictures).toHaveLength(21);
    expect(pictures.find((row) => row.category === 'Jay')).toMatchObject({
      title: 'No. 1, "quoted"',
      tags: ['a', 'b'],
      licence: 'cc-by-sa',
      author: 'Me',
    });
  });

  it('names the columns it has when none holds addresses', async () => {
    const file = join(folder.path, 'list.csv');
    writeFileSync(file, 'where,what\nx,y\n');
    await expect(crawlList(file)).rejects.toThrow(/where, what/);
  });

  it('cannot be used to read local files', async () => {
    const file = join(folder.path, 'list.csv');
    writeFileSync(file, 'url,category\nfile:///etc/passwd,Auk\nhttp://10.0.0.1/a.jpg,Auk\n../../etc/passwd,Auk\n');
    const pictures = await crawlList(file);
    expect(pictures.map((row) => row.reason)).toEqual(['bad-address', 'forbidden-address', 'bad-address']);
  });
});

describe('a folder', () => {
  it('gives its sub-folders as categories and copies what is a picture', async () => {
    const root = join(folder.path, 'photos');
    mkdirSync(join(root, 'Auk', 'more'), { recursive: true });
    mkdirSync(join(root, 'Jay'), { recursive: true });
    writeFileSync(join(root, 'Auk', 'b.jpg'), jpegNamed('b'));
    writeFileSync(join(root, 'Auk', 'a.png'), await texture(1, 80, 80).png().toBuffer());
    writeFileSync(join(root, 'Auk', 'more', 'c.jpg'), jpegNamed('c'));
    writeFileSync(join(root, 'Auk', 'notes.txt'), 'seen in May');
    writeFileSync(join(root, 'Jay', 'd.jpg'), jpegNamed('d'));
    const source = createSource(`folder:${root}`);
    expect(await source.categories?.()).toEqual([{ name: 'Auk' }, { name: 'Jay' }]);
    const workspace = join(folder.path, 'workspace');
    const summary = await crawlFake(web, {
      workspace,
      sources: [`folder:${root}`],
      categories: ['Auk', 'Jay'],
      licences: undefined,
    });
    expect(summary).toMatchObject({ kept: 4, dropped: { 'not-an-image': 1 }, failed: {} });
    expect((await allPictures(workspace)).map((row) => row.title)).toEqual(['a', 'b', 'c', 'notes', 'd']);
  });

  it('gives pictures in the order of their names, a page at a time', async () => {
    const root = join(folder.path, 'many');
    mkdirSync(join(root, 'Auk'), { recursive: true });
    const names = Array.from({ length: 510 }, (_, i) => `${String(i).padStart(3, '0')}.jpg`);
    for (const k of names.keys()) writeFileSync(join(root, 'Auk', names[(k * 7) % names.length]), '');
    writeFileSync(join(root, 'Auk', '.hidden.jpg'), '');
    const source = createSource(`folder:${root}`);
    const first = await source.ask({ name: 'Auk' }, undefined, undefined as never);
    const second = await source.ask({ name: 'Auk' }, first.next, undefined as never);
    expect([...first.pictures, ...second.pictures].map(({ imageUrl }) => imageUrl)).toEqual(
      names.map((name) => `Auk/${name}`),
    );
    expect([first.pictures.length, second.next]).toEqual([500, undefined]);
  });

  it('loses no other picture for one that is gone', async () => {
    const source = createSource(`folder:${folder.path}`);
    const read = async () => {
      for await (const _ of source.read!({ imageUrl: 'Auk/gone.jpg' } as PictureRow));
    };
    await expect(read()).rejects.toMatchObject({ kind: 'gone', message: 'Auk/gone.jpg is no longer there' });
  });

  // Rights mean nothing to the superuser.
  it.skipIf(process.getuid?.() === 0)('loses no other picture for one that may not be read', async () => {
    const root = join(folder.path, 'closed');
    mkdirSync(join(root, 'Auk'), { recursive: true });
    for (const name of ['a', 'b']) writeFileSync(join(root, 'Auk', `${name}.jpg`), jpegNamed(name));
    chmodSync(join(root, 'Auk', 'a.jpg'), 0);
    const summary = await crawlFake(web, {
      workspace: join(folder.path, 'workspace'),
      sources: [`folder:${root}`],
      categories: ['Auk'],
      licences: undefined,
    });
    expect(summary).toMatchObject({ kept: 1, failed: { refused: 1 } });
  });
});
