/** The small parts of the catalog: states, texts, names of licences, what its errors mean, where it lies. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { licenceName } from '../../src/catalog/attribution.js';
import { databaseError, isDamage } from '../../src/catalog/damage.js';
import { hasCatalog, moveCatalog } from '../../src/catalog/files.js';
import { type Catalog, exportParquet, openCatalog, pictureId, writeCroissant } from '../../src/catalog/index.js';
import { decodeRecords, encodeRecord } from '../../src/catalog/journal-record.js';
import { openInstance } from '../../src/catalog/open-instance.js';
import { repairCatalog } from '../../src/catalog/repair.js';
import { columnName, fieldName } from '../../src/catalog/schema.js';
import { checkMove, failureKinds, type PictureState, pictureStates, retriableKinds } from '../../src/catalog/states.js';
import { storableColumns } from '../../src/catalog/storable.js';
import { BowerbirdError } from '../../src/errors.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-parts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const jay = {
  id: pictureId('Jay', 'test', 'a'),
  category: 'Jay',
  source: 'test',
  sourceId: 'a',
  rank: 1,
  imageUrl: 'https://x/a',
  licence: 'cc0',
};

describe('the states of a picture', () => {
  it('lead from found to kept, with two ways out, and back where a file is lost or a failure is tried again', () => {
    const allowed = pictureStates.flatMap((from) =>
      pictureStates.flatMap((to) => {
        try {
          checkMove('p', from, to);
          return [`${from} ${to}`];
        } catch (error) {
          expect((error as Error).message).toBe(`picture p cannot go from ${from} to ${to}`);
          return [];
        }
      }),
    );
    expect(allowed).toEqual([
      ...['found fetched', 'found dropped', 'found failed', 'fetched found', 'fetched checked', 'fetched dropped'],
      ...[
        'fetched failed',
        'checked found',
        'checked kept',
        'checked dropped',
        'kept found',
        'kept dropped',
        'failed found',
      ],
    ]);
    expect(pictureStates).toHaveLength(6 satisfies (readonly PictureState[])['length']);
  });

  it('may change for the better where trying again helps', () => {
    const wanted = ['throttled', 'server', 'timeout', 'connection', 'length', 'robots-unreachable'];
    expect([...retriableKinds].sort()).toEqual([...wanted].sort());
    expect(Object.keys(failureKinds)).toHaveLength(12);
  });
});

describe('what sources say', () => {
  it('is kept as text that can be stored, of bounded length', () => {
    const kept = storableColumns({
      ...{ pageUrl: 'a\0b', title: 'x'.repeat(20_000), comments: 'y'.repeat(300_000), rank: 3, author: undefined },
      ...{ tags: [...new Array(300).fill('t'.repeat(300)), 'last'], description: 'half \ud800' },
    });
    expect(Object.keys(kept)).toEqual(['page_url', 'title', 'comments', 'rank', 'tags', 'description']);
    expect([kept.page_url, kept.rank]).toEqual(['ab', 3]);
    expect((kept.title as string).length).toBe(16_384);
    expect((kept.comments as string).length).toBe(200_000);
    expect(kept.tags).toHaveLength(256);
    expect((kept.tags as string[])[0]).toHaveLength(256);
    expect(kept.description).toBe('half \ufffd');
    expect(storableColumns({ tags: [7] }).tags).toEqual(['7']);
  });

  it('has columns whose names are those of the fields', () => {
    expect([columnName('duplicateOf'), fieldName('duplicate_of'), columnName('id')]).toEqual([
      'duplicate_of',
      'duplicateOf',
      'id',
    ]);
  });

  it('of licences is told as people write it', () => {
    const name = (licence: string, licenceUrl?: string) => licenceName({ licence, licenceUrl });
    expect(name('cc-by-sa', 'https://creativecommons.org/licenses/by-sa/4.0/')).toBe('CC BY-SA 4.0');
    expect(name('cc-by', 'https://creativecommons.org/licenses/by/2.0')).toBe('CC BY 2.0');
    expect(name('cc0', 'https://creativecommons.org/publicdomain/zero/1.0/legalcode')).toBe('CC0 1.0');
    expect([name('pdm'), name('all-rights-reserved'), name('unknown')]).toEqual([
      ...['Public Domain Mark', 'All rights reserved', 'licence unknown'],
    ]);
    expect(name('cc-by', 'https://x/v10.20b/')).toBe('CC BY');
  });

  it('gets an id from category, source and the name there, safe as a file name', () => {
    const id = pictureId('Jay', 'flickr', '../1');
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(
      new Set([
        id,
        pictureId('Jay', 'flickr', '2'),
        pictureId('Jay', 'gbif', '../1'),
        pictureId('Tit', 'flickr', '../1'),
      ]).size,
    ).toBe(4);
    expect(pictureId('Jay', 'flickr', '../1')).toBe(id);
  });
});

describe('records of the journal', () => {
  it('are told from pieces that are none', () => {
    const [a, b] = [encodeRecord([{ n: 1 }, { n: 2 }]), encodeRecord([{ n: 3 }])];
    expect(a[0]).toBe(0x1e);
    expect(a.toString('latin1', 1)).toMatch(/^[0-9a-f]{8} \[\{"n":1\},\{"n":2\}\]\n$/);
    expect(decodeRecords(Buffer.concat([a, b]))).toEqual({
      events: [{ n: 1 }, { n: 2 }, { n: 3 }],
      torn: false,
      damaged: 0,
    });
    expect(decodeRecords(Buffer.concat([a, b.subarray(0, -1)]))).toEqual({
      events: [{ n: 1 }, { n: 2 }],
      torn: true,
      damaged: 0,
    });
    expect(decodeRecords(Buffer.concat([a.subarray(0, -3), b]))).toEqual({
      events: [{ n: 3 }],
      torn: false,
      damaged: 1,
    });
    expect(decodeRecords(Buffer.concat([Buffer.from('x'), b]))).toMatchObject({ damaged: 1, events: [{ n: 3 }] });
    expect(decodeRecords(Buffer.alloc(0))).toEqual({ events: [], torn: false, damaged: 0 });
  });
});

describe('errors of the database', () => {
  const of = (message: string, verb?: 'opened') => databaseError('c.duckdb', new Error(message), verb);

  it('are told from each other: a full disk, a damaged file, one that may not be written', () => {
    for (const message of ['IO Error: No space left on device', 'Disk quota exceeded', 'not enough space on the disk'])
      expect(of(message), message).toMatchObject({
        code: 'BOWERBIRD_FILE',
        message: expect.stringContaining('c.duckdb'),
      });
    for (const message of [
      ...['INTERNAL Error: x', 'FATAL Error: x', 'Serialization Error: x', 'IO Error: x', 'Invalid Error: x'],
      ...['Missing Extension Error: x', 'Sequence Error: x', 'x is not a valid DuckDB database', 'was invalidated'],
      ...['checksum failed', 'file is corrupt', 'Could not read it', 'failed to deserialize'],
    ]) {
      const error = of(`${message}\nmore`);
      expect(error, message).toMatchObject({
        code: 'BOWERBIRD_CATALOG',
        hint: expect.stringContaining('catalog repair'),
      });
      expect(isDamage(error)).toBe(true);
      expect((error as Error).message).toBe(`c.duckdb cannot be used: ${message}`);
    }
    for (const message of ['IO Error: Permission denied', 'Read-only file system']) {
      const error = of(message, 'opened');
      expect(error).toMatchObject({ hint: expect.stringContaining('right to write') });
      expect(isDamage(error)).toBe(false);
      expect((error as Error).message).toMatch(/^c\.duckdb cannot be opened/);
    }
  });

  it('that are ours or nothing of these stay as they are', () => {
    const [ours, other] = [new BowerbirdError('BOWERBIRD_X', 'IO Error: x'), new Error('Parser Error: no such column')];
    expect(databaseError('c', ours)).toBe(ours);
    expect(databaseError('c', other)).toBe(other);
    expect(isDamage(other)).toBe(false);
  });
});

describe('the files of a catalog', () => {
  it('are moved together', () => {
    expect(hasCatalog(folder)).toBe(false);
    const into = join(folder, 'into');
    mkdirSync(into);
    mkdirSync(join(folder, 'catalog-journal'));
    writeFileSync(join(folder, 'catalog.duckdb'), 'x');
    expect(hasCatalog(folder)).toBe(true);
    moveCatalog(folder, into);
    expect([hasCatalog(folder), hasCatalog(into), existsSync(join(into, 'catalog-journal'))]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('do not lie below a name with a question mark', async () => {
    const odd = join(folder, 'odd?name');
    mkdirSync(odd);
    await expect(openInstance(join(odd, 'catalog.duckdb'), { memoryLimit: 64 })).rejects.toThrow('"?"');
  });

  it('that are damaged are kept beside a catalog made anew from its journal', async () => {
    const first = await openCatalog(folder);
    const { id } = jay;
    first.recordPage([jay], { category: 'Jay', source: 'test', nextRank: 2, state: 'open' });
    await first.close();
    const whole = await repairCatalog(folder);
    expect([whole.damage, whole.kept]).toEqual([undefined, undefined]);
    await whole.catalog.close();
    for (const number of [1, 2]) {
      writeFileSync(join(folder, 'catalog.duckdb'), 'no database at all');
      const { catalog, damage, kept } = await repairCatalog(folder);
      expect(damage).toContain('catalog.duckdb cannot be opened');
      expect(kept).toBe(join(folder, `catalog.duckdb.damaged-${number}`));
      expect(readFileSync(kept!, 'utf8')).toBe('no database at all');
      expect(await idsOf(catalog)).toEqual([id]);
      await catalog.close();
    }
  });
});

async function idsOf(catalog: Catalog): Promise<string[]> {
  const ids: string[] = [];
  for await (const row of catalog.pictures({})) ids.push(row.id);
  return ids;
}

describe('a description in Croissant', () => {
  it('of pictures under one licence names that one, and speaks of no address or creator that nobody gave', async () => {
    const catalog = await openCatalog(folder);
    const { id } = jay;
    catalog.recordPage([jay], { category: 'Jay', source: 'test', nextRank: 2, state: 'open' });
    catalog.move(
      { id, from: 'found', to: 'fetched', path: 'pictures/a.jpg', bytes: 5 },
      { id, from: 'fetched', to: 'checked' },
      { id, from: 'checked', to: 'kept' },
    );
    mkdirSync(join(folder, 'tables'));
    const parquet = join(folder, 'tables', 't.parquet');
    await exportParquet(catalog, parquet);
    const file = join(folder, 'c.json');
    expect(await writeCroissant(catalog, file, { parquet, name: 'birds' })).toBe(1);
    await catalog.close();
    const document = JSON.parse(readFileSync(file, 'utf8'));
    expect(document.license).toBe('cc0');
    expect(document).not.toHaveProperty('url');
    expect(document).not.toHaveProperty('creator');
    expect(document.datePublished).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(document.description).toMatch(/^1 pictures collected/);
    expect(document.distribution[0]).toMatchObject({
      '@id': 'table',
      name: 't.parquet',
      contentUrl: 'tables/t.parquet',
    });
    expect(document.distribution[1]).toMatchObject({ '@id': 'files', encodingFormat: 'image/*' });
    const context = document['@context'];
    expect(context).toMatchObject({
      ...{ '@language': 'en', '@vocab': 'https://schema.org/', sc: 'https://schema.org/' },
      ...{
        cr: 'http://mlcommons.org/croissant/',
        rai: 'http://mlcommons.org/croissant/RAI/',
        dct: 'http://purl.org/dc/terms/',
      },
      ...{ conformsTo: 'dct:conformsTo', data: { '@id': 'cr:data', '@type': '@json' } },
      ...{
        dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
        examples: { '@id': 'cr:examples', '@type': '@json' },
      },
      ...{ citeAs: 'cr:citeAs', column: 'cr:column', recordSet: 'cr:recordSet', transform: 'cr:transform' },
    });
    const types = Object.fromEntries(
      document.recordSet[0].field.map((one: { name: string; dataType: string }) => [one.name, one.dataType]),
    );
    expect(types).toMatchObject({ rank: 'sc:Integer', bytes: 'sc:Integer', found_at: 'sc:DateTime', title: 'sc:Text' });
    for (const { description, repeated, name } of document.recordSet[0].field) {
      expect(description, name).toMatch(/^.{9,}$/);
      expect(repeated, name).toBe(name === 'tags' ? true : undefined);
    }
  });
});
