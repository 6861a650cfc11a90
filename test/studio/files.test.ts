/** What the studio's server keeps, reads and hands out of a workspace. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { writeNpy } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';
import type { LiveState } from '../../src/studio/api.js';
import { loadAssets } from '../../src/studio/assets.js';
import { exportedFile, exportView, makeExport } from '../../src/studio/export.js';
import { featureRows } from '../../src/studio/feature-rows.js';
import { FileCache, stampOf } from '../../src/studio/file-cache.js';
import { fitIds } from '../../src/studio/history.js';
import { Library } from '../../src/studio/library.js';
import { Live } from '../../src/studio/live.js';
import { cosine, nearestPictures } from '../../src/studio/nearest.js';
import { missing, readBody } from '../../src/studio/routes.js';
import { Thumbnails } from '../../src/studio/thumbnails.js';
import { openWorkspace } from '../../src/workspace/index.js';
import { lockWorkspace } from '../../src/workspace/lock.js';
import { folder, libraryWith, path, useFolder, write } from './written-workspace.js';

useFolder();

describe('values computed from files', () => {
  it('are kept until a file changes, is made or goes', async () => {
    let computed = 0;
    const cache = new FileCache(
      () => [path('a'), path('b')],
      async () => ++computed,
    );
    expect([await cache.get(), await cache.get()]).toEqual([1, 1]);
    write('a', 'one');
    expect(await cache.get()).toBe(2);
    utimesSync(path('a'), 5, 5);
    expect(await cache.get()).toBe(3);
    rmSync(path('a'));
    expect(await cache.get()).toBe(4);
  });

  it('are computed again after a failure', async () => {
    let tries = 0;
    const cache = new FileCache(
      () => [],
      async () => {
        if (++tries === 1) throw new Error('not yet');
        return tries;
      },
    );
    await expect(cache.get()).rejects.toThrow('not yet');
    expect(await cache.get()).toBe(2);
  });

  it('tell files apart by place, size and time', async () => {
    write('a', 'one');
    const before = await stampOf([path('a'), path('b')]);
    expect(before).toMatch(/^3-[\d.]+-\d+\|$/);
    write('b', 'x');
    expect(await stampOf([path('a'), path('b')])).not.toBe(before);
  });
});

describe('features of pictures', () => {
  const rows = [
    [1, 0],
    [0, 2],
    [3, 3],
    [-1, 0],
  ];
  beforeEach(async () => {
    const index = 'id,path,category,shard,row\na,a.jpg,red,0,0\nb,b.jpg,,1,1\nc,c.jpg,blue,1,0\nd,d.jpg,red,0,1\n';
    write('f/index.csv', index);
    await writeNpy(path('f', 'shard-00000.npy'), Matrix.from([rows[0], rows[3]], 'float32'));
    await writeNpy(path('f', 'shard-00001.npy'), Matrix.from([rows[2], rows[1]], 'float32'));
  });

  it('are read shard by shard, those that are wanted', async () => {
    const found: unknown[] = [];
    for await (const { id, category, features } of featureRows(path('f'), (one) => one !== 'a'))
      found.push([id, category, ...Array.from(features)]);
    expect(found).toEqual([
      ['b', '', 0, 2],
      ['c', 'blue', 3, 3],
      ['d', 'red', -1, 0],
    ]);
    for await (const _ of featureRows(path('absent'), () => true)) expect.fail();
  });

  it('are compared by the cosine, the nearest first', async () => {
    expect(cosine([1, 2], [2, 4])).toBeCloseTo(1, 12);
    expect(cosine([1, 0], [0, 3])).toBe(0);
    expect(cosine([0, 0], [1, 1])).toBe(0);
    const found = await nearestPictures(path('f'), [2, 1], 2);
    expect(found.map(({ id }) => id)).toEqual(['c', 'a']);
    expect(found[1].likeness).toBeCloseTo(2 / Math.sqrt(5), 9);
    expect((await nearestPictures(path('f'), [2, 1], 9)).map(({ id }) => id)).toEqual(['c', 'a', 'b', 'd']);
    expect((await nearestPictures(path('f'), [2, 1], 9, (id) => id === 'd'))[0]).toMatchObject({
      id: 'd',
      category: 'red',
    });
  });
});

describe('files', () => {
  it('of the page are those with a known type; those with a hash in their name never change', () => {
    expect(() => loadAssets(path('app'))).toThrow('index.html');
    write('app/index.html', '<html>');
    write('app/app/index-w9xTVYb0.js', 'x');
    write('app/style.css', 'y');
    write('app/secret.txt', 'z');
    const assets = loadAssets(path('app'));
    expect([...assets.keys()].sort()).toEqual(['/app/index-w9xTVYb0.js', '/index.html', '/style.css']);
    expect(assets.get('/app/index-w9xTVYb0.js')).toMatchObject({
      type: 'text/javascript; charset=utf-8',
      lasting: true,
    });
    expect(assets.get('/index.html')).toMatchObject({ type: 'text/html; charset=utf-8', lasting: false });
  });

  it('to be taken away are listed with their sizes, and no others are handed out', async () => {
    const library = libraryWith(undefined);
    expect(await exportView(library)).toMatchObject({ ready: false, report: false, files: [] });
    write('export/b.onnx', '12345');
    write('export/a.txt', '1');
    write('export/.hidden', '1');
    write('export/half.part', '1');
    write('export/folder/x', '1');
    write('report.html', '<p>');
    const view = await exportView(library);
    expect(view.files).toEqual([
      { name: 'a.txt', bytes: 1 },
      { name: 'b.onnx', bytes: 5 },
    ]);
    expect([view.report, view.formats.length]).toEqual([true, 5]);
    expect(view.formats.every(({ description }) => description.length > 10)).toBe(true);
    expect(await exportedFile(library, 'b.onnx')).toMatch(/export.b\.onnx$/);
    for (const name of ['../bowerbird.yaml', 'absent']) expect(await exportedFile(library, name)).toBeUndefined();
    for (const formats of [undefined, [], ['onnx', 'odd'], 'onnx'])
      await expect(makeExport(library, formats)).rejects.toMatchObject({ name: 'ArgumentError' });
  });

  it('of fits are the newest first, by their number and then by their name', async () => {
    for (const [id, about] of [
      ['2020-01-01T00-00-00Z', { sequence: 3 }],
      ['2021-01-01T00-00-00Z', { sequence: 2 }],
      ['2022-01-01T00-00-00Z', {}],
      ['2023-01-01T00-00-00Z', null],
      ['.new-x', {}],
      ['odd name', {}],
    ] as const)
      write(`.bowerbird/fits/${id}/about.json`, JSON.stringify(about));
    const found = await fitIds(await openWorkspace(folder));
    expect(found.map((id) => id.slice(0, 4))).toEqual(['2020', '2021', '2023', '2022']);
  });

  it('that are sent have a limit', async () => {
    const request = (text: string) => new Request('http://x', { method: 'POST', body: text });
    expect(new TextDecoder().decode(await readBody(request('12345'), 5))).toBe('12345');
    await expect(readBody(request('x'.repeat(2 ** 20 + 1)), 2 ** 20)).rejects.toThrow('more than 1 MiB');
    expect(await readBody(new Request('http://x'), 5)).toHaveLength(0);
    expect(missing('such thing')).toEqual({ error: { message: 'there is no such thing' } });
  });
});

describe('small versions of pictures', () => {
  it('have their longest side, are kept, and are made anew when the file changes', async () => {
    write(
      'p.png',
      await sharp({ create: { width: 600, height: 300, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    const thumbnails = new Thumbnails(path('kept'), 1);
    const [small, large] = await Promise.all([
      thumbnails.get(path('p.png'), 'small'),
      thumbnails.get(path('p.png'), 'large'),
    ]);
    expect(await sharp(small.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 240, height: 120 });
    expect(await sharp(large.bytes).metadata()).toMatchObject({ width: 600, height: 300 });
    expect(small.tag).not.toBe(large.tag);
    const kept = path('kept', small.tag.slice(0, 2), `${small.tag}.jpg`);
    await vi.waitFor(() => expect(readFileSync(kept).length).toBe(small.bytes.length), { timeout: 20_000 });
    writeFileSync(kept, 'kept');
    expect(Buffer.from((await thumbnails.get(path('p.png'), 'small')).bytes).toString()).toBe('kept');
    utimesSync(path('p.png'), 5, 5);
    expect((await thumbnails.get(path('p.png'), 'small')).tag).not.toBe(small.tag);
    utimesSync(path('p.png'), 6, 6);
    await expect(thumbnails.get(path('p.png'), 'small', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    write('odd.png', 'no picture');
    await expect(thumbnails.get(path('odd.png'), 'small')).rejects.toThrow();
    expect(await thumbnails.get(path('p.png'), 'large')).toBeDefined();
  });
});

describe('the state of a workspace', () => {
  const parts = (own = false, failure?: string) =>
    [new Library(folder), { own, failure } as never, { version: 'asked' } as never] as const;

  it('changes with its files, and tells of a run at work', async () => {
    const live = new Live(...parts());
    const first = await live.state();
    expect(first).toMatchObject({ running: false, own: false, ask: 'asked' });
    expect(first).not.toHaveProperty('failure');
    write('.bowerbird/decisions.jsonl', '{}\n');
    const second = await live.state();
    expect([second.version === first.version, second.decisions === first.decisions]).toEqual([true, false]);
    write('.bowerbird/stages.json', '{}');
    expect((await live.state()).version).not.toBe(first.version);
    write('.bowerbird/progress.json', '{"done":3}');
    expect(await live.state()).not.toHaveProperty('progress');
    const free = await lockWorkspace(await openWorkspace(folder));
    expect(await live.state()).toMatchObject({ running: true, own: false, progress: { done: 3 } });
    await free();
    write('.bowerbird/progress.json', '{"do');
    expect(await new Live(...parts(true, 'it broke')).state()).toMatchObject({
      running: true,
      own: true,
      failure: 'it broke',
    });
  });

  it('is told to listeners when it changes, until they have gone', async () => {
    const live = new Live(...parts());
    const heard: LiveState[] = [];
    const end = live.listen((state) => heard.push(state));
    await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: 5000 });
    write('.bowerbird/stages.json', '{}');
    await vi.waitFor(() => expect(heard).toHaveLength(2), { timeout: 5000 });
    end();
    expect(heard[0].version).not.toBe(heard[1].version);
  });
});
