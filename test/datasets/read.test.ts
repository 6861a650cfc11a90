/** Sets of pictures as other tools leave them, and every format that we write, read back. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type DataPicture,
  dataFormats,
  importData,
  readData,
  summarizeData,
  writeData,
} from '../../src/datasets/index.js';
import { readCsv } from '../../src/formats/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { darwinCore, inaturalist } from './occurrences.js';
import { drawnSet } from './pictures.js';

const folder = temporaryFolder();
const path = (...parts: string[]) => join(folder, ...parts);
let pictures: DataPicture[];
let contents: Buffer[];

beforeAll(async () => {
  pictures = await drawnSet(path('pictures'));
  contents = await Promise.all(pictures.map(async (picture) => Buffer.from(await picture.content())));
  await writeData(
    path('out'),
    dataFormats.filter((format) => format !== 'label-studio'),
    pictures,
    { name: 'seven' },
  );
});

describe.each([
  ['folder', 'an image folder with a table', true],
  ['csv', 'a table of pictures', true],
  ['coco', 'COCO annotations', true],
  ['webdataset', 'WebDataset, 1 tar file', true],
  ['parquet', 'Parquet with pictures inside, as of Hugging Face', true],
  ['fiftyone', 'a FiftyOne image classification data set', false],
] as const)('what was written as %s', (format, kind, provenance) => {
  it('reads back the same: pictures, categories, weights and provenance', async () => {
    const set = await readData(path('out', format), { root: format === 'csv' ? folder : undefined });
    expect([set.kind, set.notes]).toEqual([kind, []]);
    expect(set.pictures).toHaveLength(7);
    for (const picture of set.pictures) {
      const bytes = Buffer.from(await picture.content());
      const own = pictures[contents.findIndex((content) => content.equals(bytes))];
      expect([picture.category, picture.weight]).toEqual([own.category, own.weight]);
      if (provenance)
        expect([picture.author, picture.page, picture.address, picture.licence]).toEqual([
          own.author,
          own.page,
          own.address,
          own.licence,
        ]);
    }
    await set.close();
  });

  it('is imported as a folder that says the same', async () => {
    const set = await readData(path('out', format), { root: format === 'csv' ? folder : undefined });
    const summary = await importData(set, path('imported', format));
    await set.close();
    expect(summary).toEqual({ pictures: 7, addresses: 0, categories: 3, unlabelled: 0 });
    const again = await readData(path('imported', format));
    expect(summarizeData(again).categories.map((category) => category.pictures)).toEqual([3, 2, 2]);
    for (const { file } of again.pictures)
      expect(contents.some((content) => content.equals(readFileSync(file!)))).toBe(true);
  });
});

describe('folders', () => {
  it('may have train, val and test inside', async () => {
    for (const [i, { file }] of pictures.entries()) {
      const target = path('splits', ['train', 'val', 'test'][i % 3], i < 4 ? 'Jay' : 'Auk');
      mkdirSync(target, { recursive: true });
      cpSync(file!, join(target, `${i}.jpg`));
    }
    writeFileSync(path('splits', 'train', 'Jay', 'notes.txt'), 'about Jay');
    writeFileSync(path('splits', 'train', 'Jay', 'page.jpg'), '<!doctype html>');
    const set = await readData(path('splits'));
    expect(summarizeData(set)).toMatchObject({
      kind: 'an image folder with test, train, val inside',
      pictures: 7,
      splits: { train: 3, val: 2, test: 2 },
      categories: [
        { name: 'Jay', pictures: 4 },
        { name: 'Auk', pictures: 3 },
      ],
      notes: ['train: Jay/page.jpg is no picture but a web page'],
    });
    expect(await importData(set, path('only-train'), { split: 'train' })).toMatchObject({ pictures: 3 });
    expect(readdirSync(path('only-train')).sort()).toEqual(['Auk', 'Jay', 'pictures.csv']);
    await expect(importData(set, path('none'), { split: 'dev' })).rejects.toThrow(/no picture is of the part "dev"/);
  });

  it('may carry the table of Hugging Face, also in each part', async () => {
    for (const split of ['train', 'test']) {
      mkdirSync(path('hub', split), { recursive: true });
      for (const i of [0, 1]) cpSync(pictures[i].file!, path('hub', split, `${i}.jpg`));
      writeFileSync(
        path('hub', split, 'metadata.jsonl'),
        '{"file_name": "0.jpg", "label": "Jay"}\n{"file_name": "1.jpg", "label": "Auk"}\n',
      );
    }
    const { splits, categories } = summarizeData(await readData(path('hub')));
    expect([splits, categories.length]).toEqual([{ test: 2, train: 2 }, 2]);
  });

  it('with a category called test are folders of categories', async () => {
    for (const name of ['test', 'exam']) {
      mkdirSync(path('exams', name), { recursive: true });
      cpSync(pictures[0].file!, path('exams', name, '0.jpg'));
    }
    expect(summarizeData(await readData(path('exams'))).categories.map(({ name }) => name)).toEqual(['exam', 'test']);
  });
});

describe('tables', () => {
  it('name their columns in many ways, or as they are told', async () => {
    mkdirSync(path('tables'));
    writeFileSync(path('tables', 'a.tsv'), 'Filename\tSpecies\tsubset\npictures/0.jpg\tJay "blue"\ttrain\n');
    const tsv = await readData(path('tables', 'a.tsv'), { root: folder });
    expect(tsv.pictures[0]).toMatchObject({ category: 'Jay "blue"', split: 'train' });
    writeFileSync(path('tables', 'b.csv'), 'where,what,label\npictures/0.jpg,Jay,7\n');
    const told = await readData(path('tables', 'b.csv'), { root: folder, image: 'where', label: 'what' });
    expect(told.pictures[0].category).toBe('Jay');
    await expect(readData(path('tables', 'b.csv'), { root: folder })).rejects.toThrow(
      /no column says where pictures are; it has where, what, label/,
    );
    await expect(readData(path('tables', 'b.csv'), { label: 'kind' })).rejects.toThrow(/no column "kind"/);
  });

  it('may be Parquet with paths', async () => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const rows = "SELECT 'pictures/0.jpg' AS path, 'Jay' AS label UNION ALL SELECT 'pictures/1.jpg', 'Auk'";
    await connection.run(`COPY (${rows}) TO '${path('tables', 'c.parquet')}' (FORMAT parquet)`);
    const set = await readData(path('tables', 'c.parquet'), { root: folder });
    expect(set.pictures.map(({ category }) => category)).toEqual(['Jay', 'Auk']);
    // Bytes alone, with labels that nobody names.
    const bytes = `SELECT content AS picture_bytes, 3 AS label FROM read_blob('${path('pictures', '0.jpg')}')`;
    await connection.run(`COPY (${bytes}) TO '${path('tables', 'd.parquet')}' (FORMAT parquet)`);
    const alone = await readData(path('tables', 'd.parquet'));
    expect(alone.pictures.map(({ category, id }) => [category, id])).toEqual([['3', '000000.jpg']]);
    await alone.close();
    connection.closeSync();
    instance.closeSync();
  });
});

describe('occurrences', () => {
  it('of a Darwin Core archive become addresses, by species', async () => {
    const set = await readData(await darwinCore(path('gbif.zip')));
    expect(summarizeData(set)).toMatchObject({
      kind: 'a Darwin Core archive, 3 occurrences',
      addresses: 3,
      categories: [
        { name: 'Cyanocitta cristata', pictures: 2 },
        { name: 'Seiurus aurocapilla', pictures: 1 },
      ],
      notes: ['1 records of multimedia are no pictures on the web', '1 records of multimedia belong to no occurrence'],
    });
    expect(set.addresses[0]).toEqual({
      id: 'https://example.org/1.jpg',
      address: 'https://example.org/1.jpg',
      category: 'Cyanocitta cristata',
      title: 'Jay "at" feeder',
      author: 'Ann Example',
      page: 'https://example.org/1',
      licence: 'http://creativecommons.org/licenses/by/4.0/',
    });
    expect(await importData(set, path('gbif'))).toMatchObject({ pictures: 0, addresses: 3, categories: 2 });
    const { header, rows } = await readCsv(path('gbif', 'addresses.csv'));
    expect(header).toEqual(['url', 'category', 'id', 'title', 'author', 'licence', 'page']);
    expect(rows).toHaveLength(3);
    const named = await readData(path('gbif.zip'), { label: 'vernacularName' });
    expect(named.addresses[0].category).toBe('Blue Jay');
  });

  it('of an iNaturalist export do too', async () => {
    writeFileSync(path('observations.csv'), inaturalist);
    const set = await readData(path('observations.csv'));
    expect(set.kind).toBe('an export of iNaturalist observations');
    expect(set.addresses).toEqual([
      {
        id: '101',
        address: 'https://inaturalist-open-data.s3.amazonaws.com/photos/1/medium.jpg',
        category: 'Cyanocitta cristata',
        page: 'https://www.inaturalist.org/observations/101',
        licence: 'CC-BY-NC',
        author: 'Ann',
        title: 'at the feeder, "again"',
      },
    ]);
    expect(set.notes).toEqual(['record 3: "" is no address on the web']);
    expect((await readData(path('observations.csv'), { label: 'common_name' })).addresses[0].category).toBe('Blue Jay');
  });
});
