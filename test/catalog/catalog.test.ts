import { appendFileSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applySegment } from '../../src/catalog/apply-segment.js';
import { type Catalog, type FoundPicture, openCatalog, pictureId } from '../../src/catalog/index.js';
import { encodeRecord } from '../../src/catalog/journal-record.js';

let folder: string;
const opened: Catalog[] = [];
async function open(): Promise<Catalog> {
  const catalog = await openCatalog(folder);
  opened.push(catalog);
  return catalog;
}

function found(name: string, rank: number, category = 'Blue Jay'): FoundPicture {
  return {
    id: pictureId(category, 'flickr', name),
    category,
    source: 'flickr',
    sourceId: name,
    rank,
    imageUrl: `https://example.org/${name}.jpg`,
    licence: 'cc-by',
    title: `<b>${name}</b> 'quoted' \u0000 \ud800`,
    tags: ['blue', 'jay, bird', 'カナダ'],
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-catalog-'));
});
afterEach(async () => {
  for (const catalog of opened.splice(0)) await catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const row of rows) result.push(row);
  return result;
}

describe('catalog', () => {
  it('remembers the last pause that each host asked for, as long as it lasts', async () => {
    const catalog = await open();
    catalog.recordPause('a.example', 5000);
    catalog.recordPause('b.example', 0);
    catalog.recordPause('c.example', 9000);
    catalog.recordPause('c.example', 1000);
    await catalog.close();
    const pauses = (await (await open()).pauses()).sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(pauses.map(({ name }) => name)).toEqual(['a.example', 'c.example']);
    for (const [k, asked] of [5000, 1000].entries()) {
      expect(pauses[k].seconds).toBeGreaterThan(asked - 500);
      expect(pauses[k].seconds).toBeLessThanOrEqual(asked);
    }
  });

  it('goes back to where it was when a segment of its journal cannot be brought in', async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const file = join(folder, 'segment');
    writeFileSync(file, '');
    // There are no tables here.
    await expect(applySegment(connection, { file, number: 1 })).rejects.toThrow('meta');
    await connection.run('BEGIN TRANSACTION');
    await connection.run('COMMIT');
    connection.closeSync();
  });

  it('carries a picture from found to kept and lists it by category and rank', async () => {
    const catalog = await open();
    const pictures = [found('b', 2), found('a', 1), found('c', 3, 'Auk')];
    catalog.recordPage(pictures, {
      category: 'Blue Jay',
      source: 'flickr',
      nextRank: 4,
      state: 'open',
      cursor: '{"page":2}',
    });
    for (const { id } of pictures)
      catalog.move(
        { id, from: 'found', to: 'fetched', path: `pictures/${id}.jpg`, sha256: 'ff', bytes: 12, attempts: 2 },
        { id, from: 'fetched', to: 'checked', width: 640, height: 480 },
        { id, from: 'checked', to: 'kept' },
      );
    const kept = await all(catalog.kept());
    expect(kept.map((picture) => [picture.category, picture.id])).toEqual([
      ['Auk', pictures[2].id],
      ['Blue Jay', pictures[1].id],
      ['Blue Jay', pictures[0].id],
    ]);
    expect(kept[0].path).toBe(`pictures/${pictures[2].id}.jpg`);
    const [row] = await all(catalog.pictures({ where: 'id = $1', values: [pictures[0].id] }));
    expect(row).toMatchObject({
      state: 'kept',
      attempts: 2,
      bytes: 12,
      width: 640,
      tags: ['blue', 'jay, bird', 'カナダ'],
    });
    expect(row.title).toBe("<b>b</b> 'quoted'  \ufffd");
    expect(await catalog.lane('Blue Jay', 'flickr')).toEqual({
      category: 'Blue Jay',
      source: 'flickr',
      nextRank: 4,
      state: 'open',
      cursor: '{"page":2}',
    });
  });

  it('leaves a picture that is found a second time as it was', async () => {
    const catalog = await open();
    const lane = { category: 'Blue Jay', source: 'flickr', nextRank: 2, state: 'open' } as const;
    catalog.recordPage([found('a', 1), found('a', 9)], lane);
    catalog.move({ id: found('a', 1).id, from: 'found', to: 'failed', reason: 'timeout' });
    await catalog.sync();
    catalog.recordPage([found('a', 7)], { ...lane, nextRank: 8, state: 'exhausted' });
    const rows = await all(catalog.pictures());
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ rank: 1, state: 'failed', reason: 'timeout' });
    expect((await catalog.lane('Blue Jay', 'flickr'))?.state).toBe('exhausted');
  });

  it('clears the reason when a failed picture is tried again, and the path when its file is gone', async () => {
    const catalog = await open();
    const { id } = found('a', 1);
    catalog.recordPage([found('a', 1)], { category: 'Blue Jay', source: 'flickr', nextRank: 2, state: 'open' });
    catalog.move({ id, from: 'found', to: 'failed', reason: 'timeout', detail: 'slow', attempts: 3 });
    await catalog.sync();
    catalog.move({ id, from: 'failed', to: 'found' }, { id, from: 'found', to: 'fetched', path: 'x.jpg' });
    const [fetched] = await all(catalog.pictures());
    expect(fetched).toMatchObject({ state: 'fetched', attempts: 3, path: 'x.jpg' });
    expect(fetched.reason).toBeUndefined();
    catalog.move({ id, from: 'fetched', to: 'dropped', reason: 'too-small', path: '' });
    const [dropped] = await all(catalog.pictures());
    expect(dropped).toMatchObject({ state: 'dropped', reason: 'too-small' });
    expect(dropped.path).toBeUndefined();
  });

  it('marks duplicates and forgets the marks without touching states', async () => {
    const catalog = await open();
    const [a, b] = [found('a', 1), found('b', 2)];
    catalog.recordPage([a, b], { category: 'Blue Jay', source: 'flickr', nextRank: 3, state: 'open' });
    catalog.markDuplicates({ id: b.id, duplicateOf: a.id, duplicateBy: 'exact', duplicateDetail: 'same file' });
    const [, marked] = await all(catalog.pictures());
    expect(marked).toMatchObject({ state: 'found', duplicateOf: a.id, duplicateBy: 'exact' });
    catalog.move({ id: b.id, from: 'found', to: 'fetched', path: 'b.jpg' });
    expect((await all(catalog.pictures()))[1]).toMatchObject({ state: 'fetched', duplicateOf: a.id });
    catalog.markDuplicates({ id: b.id });
    expect((await all(catalog.pictures()))[1].duplicateOf).toBeUndefined();
    expect(await all(catalog.pictures({ order: 'rank DESC', limit: 1 }))).toMatchObject([{ id: b.id }]);
  });

  it.each([false, true])(
    'takes over a catalog that dropped its duplicates (for looking only: %s)',
    async (readOnly) => {
      const [a, b] = [found('a', 1), found('b', 2)];
      const first = await openCatalog(folder);
      first.recordPage([a, b], { category: 'Blue Jay', source: 'flickr', nextRank: 3, state: 'open' });
      await first.close();
      const instance = await DuckDBInstance.create(join(folder, 'catalog.duckdb'));
      const connection = await instance.connect();
      await connection.run('CREATE TABLE old AS SELECT * EXCLUDE (duplicate_by, duplicate_detail) FROM picture');
      await connection.run('DROP TABLE picture');
      await connection.run('ALTER TABLE old RENAME TO picture');
      await connection.run(
        `UPDATE picture SET state = 'dropped', reason = 'duplicate-perceptual', detail = 'alike', duplicate_of = '${a.id}' WHERE id = '${b.id}'`,
      );
      connection.closeSync();
      instance.closeSync();
      const second = await openCatalog(folder, { readOnly });
      opened.push(second);
      const row = (await all(second.pictures())).find(({ id }) => id === b.id)!;
      expect(row).toMatchObject({
        state: 'kept',
        duplicateOf: a.id,
        duplicateBy: 'perceptual',
        duplicateDetail: 'alike',
      });
      expect(row.reason).toBeUndefined();
    },
  );

  it('refuses a move the state machine does not have', async () => {
    const catalog = await open();
    expect(() => catalog.move({ id: 'x', from: 'found', to: 'kept' })).toThrow('cannot go from found to kept');
  });

  it('replays a journal that was never applied, without its torn last record', async () => {
    const first = await open();
    first.recordPage([found('a', 1)], { category: 'Blue Jay', source: 'flickr', nextRank: 2, state: 'open' });
    await first.close();
    opened.pop();
    // What a killed process leaves: a segment with whole lines and half a line.
    const line = {
      n: 1,
      event: 'state',
      moment: new Date().toISOString(),
      id: found('a', 1).id,
      state: 'failed',
      reason: 'gone',
    };
    const record = encodeRecord([line]);
    appendFileSync(join(folder, 'catalog-journal', '000000007.jsonl'), Buffer.concat([record, record.subarray(0, 30)]));
    const second = await open();
    const [row] = await all(second.pictures());
    expect(row).toMatchObject({ state: 'failed', reason: 'gone' });
    expect(readdirSync(join(folder, 'catalog-journal'))).toEqual(['applied']);
    second.move({ id: row.id, from: 'failed', to: 'found' });
    expect((await all(second.pictures()))[0].state).toBe('found');
  });

  it('does not apply a segment twice when only its removal was lost', async () => {
    const first = await open();
    const { id } = found('a', 1);
    first.recordPage([found('a', 1)], { category: 'Blue Jay', source: 'flickr', nextRank: 2, state: 'open' });
    await first.sync();
    first.move({ id, from: 'found', to: 'failed', reason: 'timeout' });
    await first.close();
    opened.pop();
    const stale = { n: 0, event: 'state', moment: new Date().toISOString(), id, state: 'kept' };
    appendFileSync(join(folder, 'catalog-journal', '000000001.jsonl'), encodeRecord([stale]));
    expect((await all((await open()).pictures()))[0].state).toBe('failed');
  });

  it('says that it is in use instead of opening twice', async () => {
    await open();
    await expect(openCatalog(folder)).rejects.toMatchObject({ code: 'BOWERBIRD_CATALOG_IN_USE' });
  });

  it('names the folder when a catalog must exist and does not', async () => {
    await expect(openCatalog(join(folder, 'nowhere'), { mustExist: true })).rejects.toMatchObject({
      code: 'BOWERBIRD_NO_CATALOG',
    });
  });

  it('takes tens of thousands of events and answers queries in between', async () => {
    const catalog = await open();
    for (let start = 0; start < 20_000; start += 500) {
      const page = Array.from({ length: 500 }, (_, i) => found(`p${start + i}`, start + i + 1));
      catalog.recordPage(page, { category: 'Blue Jay', source: 'flickr', nextRank: start + 501, state: 'open' });
      catalog.move(...page.map(({ id }) => ({ id, from: 'found', to: 'dropped', reason: 'licence' }) as const));
      if (start % 5000 === 0) {
        const [row] = await all(catalog.query('SELECT count(*) AS n FROM picture'));
        expect(row.n).toBe(start + 500);
      }
    }
    const [row] = await all(catalog.query("SELECT count(*) AS n FROM picture WHERE state = 'dropped'"));
    expect(row.n).toBe(20_000);
  });

  it('lets go of its file when it is closed, also where a question was not listened to until its end', async () => {
    const catalog = await open();
    const page = Array.from({ length: 5000 }, (_, i) => found(`p${i}`, i + 1));
    catalog.recordPage(page, { category: 'Blue Jay', source: 'flickr', nextRank: 5001, state: 'open' });
    for await (const row of catalog.pictures()) {
      expect(row.rank).toBe(1);
      break;
    }
    expect((await catalog.lane('Blue Jay', 'flickr'))?.nextRank).toBe(5001);
    await catalog.close();
    expect(readdirSync(folder)).not.toContain('catalog.duckdb.wal');
    if (process.platform === 'linux') expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([]);
  });
});

/** Paths of the files that this process has open (on Linux). */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').map((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`);
    } catch {
      return '';
    }
  });
}
