/** One source working through one category, with a source that lists what it is told to and pictures that end as they are told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Catalog, openCatalog, type PictureRow } from '../../src/catalog/index.js';
import { Keys } from '../../src/crawl/keys.js';
import { type LaneOptions, LaneRunner } from '../../src/crawl/lane.js';
import { FetchFailure } from '../../src/crawl/network/failure.js';
import { Semaphore } from '../../src/crawl/semaphore.js';
import type { ListedPicture, Source, SourcePage } from '../../src/crawl/sources/source.js';

let folder: string;
let catalog: Catalog;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-lane-'));
  catalog = await openCatalog(folder);
});
afterEach(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

const listed = (name: string, more: Partial<ListedPicture> = {}): ListedPicture => ({
  ...{ sourceId: name, imageUrl: `https://x/${name}`, licence: 'cc0', ...more },
});

/** What was asked, and what was tried. */
interface Told {
  cursors: unknown[];
  tried: string[];
  atOnce: number;
  found: [number, number][];
}

interface Setting {
  pages: (SourcePage | Error)[] | ((cursor: unknown) => SourcePage);
  /** How pictures end that are not kept. */
  ends?: Record<string, 'dropped' | 'failed' | Error>;
  options?: Partial<LaneOptions>;
  signal?: AbortSignal;
  slots?: number;
  category?: string;
}

async function laneOf({ pages, ends = {}, options = {}, signal, slots = 8, category = 'jay' }: Setting) {
  const told: Told = { cursors: [], tried: [], atOnce: 0, found: [] };
  const source = {
    name: 's',
    ask: async (_: unknown, cursor: unknown) => {
      told.cursors.push(cursor);
      const page = typeof pages === 'function' ? pages(cursor) : (pages.shift() ?? { pictures: [] });
      if (page instanceof Error) throw page;
      return page;
    },
  } as unknown as Source;
  let running = 0;
  const process = async (row: PictureRow) => {
    told.tried.push(row.sourceId);
    told.atOnce = Math.max(told.atOnce, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
    const end = ends[row.sourceId];
    if (end instanceof Error) throw end;
    if (end) catalog.move({ id: row.id, from: 'found', to: end, reason: end === 'failed' ? 'timeout' : 'too-small' });
    else
      for (const [from, to] of [
        ['found', 'fetched'],
        ['fetched', 'checked'],
        ['checked', 'kept'],
      ] as const)
        catalog.move({ id: row.id, from, to });
    return end ?? 'kept';
  };
  const runner = await LaneRunner.open({ name: category }, source, {
    ...{ catalog, gate: undefined, slots: new Semaphore(slots), process },
    context: { keys: new Keys({ FLICKR_API_KEY: 'secret-key' }), signal } as never,
    onFound: (_, pictures, dropped) => told.found.push([pictures, dropped]),
    ...options,
  } as LaneOptions);
  return { runner, told };
}
const rows = async () => {
  const all: PictureRow[] = [];
  for await (const row of catalog.pictures({ order: 'rank' })) all.push(row);
  return all;
};
const names = (...from: string[]) => from.map((name) => listed(name));

describe('a lane', () => {
  it('asks page by page until enough pictures are kept, trying no more than it must', async () => {
    const { runner, told } = await laneOf({
      pages: [
        { pictures: names('a', 'b', 'c'), next: { page: 2 } },
        { pictures: names('d', 'e', 'f'), next: { page: 3 } },
      ],
      ends: { b: 'dropped', c: 'failed' },
    });
    await runner.run(3);
    expect([runner.kept, runner.drained, runner.failed]).toEqual([3, false, false]);
    expect(told.cursors).toEqual([undefined, { page: 2 }]);
    expect(told.tried).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(told.found).toEqual([
      [3, 0],
      [3, 0],
    ]);
    expect((await rows()).map(({ sourceId, rank, category, source }) => [sourceId, rank, category, source])).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name, k) => [name, k + 1, 'jay', 's']),
    );
    await runner.run(4);
    expect(told.tried.slice(5)).toEqual(['f']);
  });

  it('ends where the source has no more', async () => {
    const { runner, told } = await laneOf({ pages: [{ pictures: names('a'), next: 1 }, { pictures: names('b') }] });
    await runner.run(9);
    expect([runner.kept, runner.drained, told.cursors.length]).toEqual([2, true, 2]);
    await runner.run(9);
    expect(told.cursors).toHaveLength(2);
    expect((await catalog.lane('jay', 's'))!).toMatchObject({ state: 'exhausted', nextRank: 3, cursor: 'null' });
  });

  it('goes on where an earlier run stood, with the pictures that were left', async () => {
    const first = await laneOf({ pages: [{ pictures: names('a', 'b', 'c'), next: 'here' }] });
    await first.runner.run(1);
    const { runner, told } = await laneOf({ pages: [{ pictures: names('c', 'd') }] });
    expect([runner.kept, runner.drained]).toEqual([1, false]);
    await runner.run(4);
    expect(told.tried).toEqual(['b', 'c', 'd']);
    expect(told.cursors).toEqual(['here']);
    expect((await rows()).map(({ sourceId, rank }) => [sourceId, rank])).toEqual([
      ...[
        ['a', 1],
        ['b', 2],
        ['c', 3],
        ['d', 4],
      ],
    ]);
  });

  it('asks a source again that failed, from where it stood, and keeps keys out of what it says', async () => {
    const failure = new FetchFailure('server', 'https://x/?api_key=secret-key answered 500');
    const first = await laneOf({ pages: [{ pictures: names('a'), next: 2 }, failure] });
    await first.runner.run(5);
    expect([first.runner.failed, first.runner.drained, first.runner.kept]).toEqual([true, false, 1]);
    const lane = (await catalog.lane('jay', 's'))!;
    expect(lane).toMatchObject({ state: 'failed', reason: 'server', cursor: '2' });
    expect(lane.detail).not.toContain('secret-key');
    const again = await laneOf({ pages: [{ pictures: names('b') }] });
    expect(again.runner.failed).toBe(false);
    await again.runner.run(5);
    expect([again.told.cursors, again.runner.kept]).toEqual([[2], 2]);
  });

  it('tries again what failed for a passing reason, and that alone', async () => {
    const first = await laneOf({ pages: [{ pictures: names('a', 'b', 'c') }], ends: { a: 'failed', b: 'dropped' } });
    await first.runner.run(3);
    const { runner, told } = await laneOf({ pages: [] });
    await runner.retryFailed();
    await runner.run(3);
    expect([told.tried, runner.kept]).toEqual([['a'], 2]);
  });

  it('drops at once what its licence forbids and what came before under another name', async () => {
    const { runner, told } = await laneOf({
      pages: [
        {
          pictures: [
            listed('a', { licence: 'cc-by-nc' as never }),
            listed('b', { imageUrl: 'https://x/a' }),
            listed('c', { imageUrl: 'https://x/a' }),
            listed('b'),
          ],
        },
      ],
      options: { gate: new Set(['cc0']) as never },
    });
    await runner.run(5);
    expect(told.tried).toEqual(['b']);
    expect(told.found).toEqual([[3, 2]]);
    expect((await rows()).map(({ sourceId, state, reason }) => [sourceId, state, reason ?? ''])).toEqual([
      ['a', 'dropped', 'licence'],
      ['b', 'kept', ''],
      ['c', 'dropped', 'same-address'],
    ]);
  });

  it('gives up a source that goes in circles, a little later where it walks through slices', async () => {
    const circle = (slice: boolean) => () => ({ pictures: names('a'), next: 1, slice });
    const { runner, told } = await laneOf({ pages: circle(false) });
    await runner.run(5);
    expect([told.cursors.length, runner.drained]).toEqual([21, true]);
    const slices = await laneOf({ pages: circle(true), category: 'wren' });
    await slices.runner.run(5);
    expect(slices.told.cursors).toHaveLength(201);
    // Whoever has something new now and then is heard to the end.
    let page = 0;
    const pages = () =>
      ++page < 60 ? { pictures: page % 15 === 0 ? names(`p${page}`) : [], next: page } : { pictures: [] };
    const fresh = await laneOf({ pages, category: 'finch' });
    await fresh.runner.run(9);
    expect([fresh.told.cursors.length, fresh.runner.kept]).toEqual([60, 3]);
  });

  it('has so many pictures under way as there are places, not more', async () => {
    const many = names(...Array.from({ length: 12 }, (_, k) => `p${k}`));
    const { runner, told } = await laneOf({ pages: [{ pictures: many }], slots: 3 });
    await runner.run(12);
    expect([told.atOnce, runner.kept]).toEqual([3, 12]);
  });

  it('passes on what is no failure of the source, and stops when it is told to', async () => {
    const odd = await laneOf({ pages: [new Error('odd')] });
    await expect(odd.runner.run(1)).rejects.toThrow('odd');
    const disk = await laneOf({
      category: 'wren',
      pages: [{ pictures: names('a', 'b') }],
      ends: { a: new Error('disk full') },
    });
    await expect(disk.runner.run(2)).rejects.toThrow('disk full');
    const stopped = await laneOf({ pages: [], signal: AbortSignal.abort(new Error('stop')) });
    await expect(stopped.runner.run(1)).rejects.toThrow('stop');
    const stop = new AbortController();
    const failing = await laneOf({
      category: 'finch',
      pages: () => {
        stop.abort(new Error('stopped meanwhile'));
        throw new FetchFailure('server', 'down');
      },
      signal: stop.signal,
    });
    await expect(failing.runner.run(9)).rejects.toThrow('stopped meanwhile');
  });

  it('keeps keys out of the catalog, and turns no words around', async () => {
    const hostile = listed('a', {
      title: 'a\u202Ebird',
      tags: ['x\u202Ey', 'secret-key'],
      pageUrl: 'https://x/?k=secret-key',
    });
    const { runner } = await laneOf({ pages: [{ pictures: [hostile] }] });
    await runner.run(1);
    const [row] = await rows();
    expect(row.title).toBe('abird');
    expect(row.tags![0]).toBe('xy');
    expect(JSON.stringify(row)).not.toContain('secret-key');
  });
});
