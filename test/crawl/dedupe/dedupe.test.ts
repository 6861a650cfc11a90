import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCatalog } from '../../../src/catalog/index.js';
import { crawl, createSource, dedupe, Keys } from '../../../src/crawl/index.js';
import { writeNpy } from '../../../src/formats/index.js';
import { type Backend, createBackend, Matrix } from '../../../src/linalg/index.js';
import { allPictures, fastNetwork, temporaryFolder } from '../web/crawling.js';
import { edits } from '../web/edits.js';
import { texture } from '../web/pictures.js';

const folder = temporaryFolder();
const workspace = join(folder.path, 'workspace');
const photos = join(folder.path, 'photos');
let backend: Backend;

/** Writes a picture file and returns its path. */
async function place(path: string, bytes: Buffer): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, bytes);
}

const original = (seed: number) => texture(seed, 260, 200).jpeg({ quality: 95 }).toBuffer();

beforeAll(async () => {
  backend = await createBackend({ device: 'wasm', threads: 1 });
  for (let seed = 0; seed < 24; seed++)
    await place(join(photos, 'Auk', `a${String(seed).padStart(2, '0')}.jpg`), await original(seed));
  // An exact copy in the same category, and edited copies in another one.
  await place(join(photos, 'Auk', 'z-copy.jpg'), await original(3));
  for (const [i, edit] of Object.values(edits).entries())
    await place(join(photos, 'Jay', `b${i}.jpg`), await edit(await original(5 + i)));
  for (let seed = 40; seed < 50; seed++) await place(join(photos, 'Jay', `c${seed}.jpg`), await original(seed));
  await place(join(folder.path, 'auxiliary', 'x.jpg'), await edits.resized(await original(41)));
  await place(join(folder.path, 'auxiliary', 'list.txt'), Buffer.from('x.jpg'));
  await place(
    join(folder.path, 'test', 'y.png'),
    await sharp(await original(43))
      .png()
      .toBuffer(),
  );
  await place(join(folder.path, 'other', 'z.jpg'), await original(99));
  await crawl({
    workspace,
    categories: [{ name: 'Auk' }, { name: 'Jay' }],
    sources: [createSource(`folder:${photos}`)],
    keys: new Keys({}),
    network: fastNetwork,
  });
});
afterAll(() => {
  backend.dispose();
  folder.remove();
});

const duplicateTitles = async () =>
  (await allPictures(workspace)).filter((row) => row.duplicateOf !== undefined).map((row) => row.title);

describe('finding duplicates', () => {
  const copies = Object.keys(edits).length;

  it('finds exact and edited copies, within and across categories, and explains each', async () => {
    const summary = await dedupe({ workspace });
    expect(summary).toMatchObject({
      compared: 25 + copies + 10,
      removed: { exact: 1, perceptual: copies, features: 0 },
      acrossCategories: copies,
    });
    const rows = await allPictures(workspace);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const duplicates = rows.filter((row) => row.duplicateOf !== undefined);
    expect(duplicates.map((row) => row.title)).toEqual(expect.arrayContaining(['z-copy']));
    for (const row of duplicates) {
      expect(byId.get(row.duplicateOf!)?.duplicateOf).toBeUndefined();
      expect(row.duplicateDetail).toMatch(
        row.duplicateBy === 'exact'
          ? /same SHA-256/
          : /hashes differ in \d+ of 63 bits .* pixels correlate to [01]\.\d+/,
      );
    }
    expect(byId.get(duplicates.find((row) => row.title === 'z-copy')!.duplicateOf!)?.title).toBe('a03');
  });

  it('leaves every picture in its state, and duplicates out of those that are used', async () => {
    const rows = await allPictures(workspace);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['kept']));
    const catalog = await openCatalog(workspace, { readOnly: true });
    const used: string[] = [];
    for await (const { id } of catalog.kept()) used.push(id);
    await catalog.close();
    expect(used.sort()).toEqual(rows.flatMap(({ id, duplicateOf }) => (duplicateOf ? [] : [id])).sort());
  });

  it('says the same when run again, and something else with other limits', async () => {
    const before = await duplicateTitles();
    await dedupe({ workspace });
    expect(await duplicateTitles()).toEqual(before);
    await dedupe({ workspace, radius: 0, likeness: 1 });
    expect(await duplicateTitles()).toEqual(['z-copy']);
    await dedupe({ workspace });
    expect(await duplicateTitles()).toEqual(before);
  });

  it('changes nothing in a dry run', async () => {
    const before = await allPictures(workspace);
    const summary = await dedupe({ workspace, radius: 0, likeness: 1, dryRun: true });
    expect(summary.removed.perceptual).toBe(0);
    expect(await allPictures(workspace)).toEqual(before);
  });

  it('removes what repeats an auxiliary picture', async () => {
    const summary = await dedupe({ workspace, auxiliary: [join(folder.path, 'auxiliary')] });
    expect(summary.againstAuxiliary).toBe(1);
    const row = (await allPictures(workspace)).find((picture) => picture.title === 'c41');
    expect(row?.duplicateDetail).toContain('the auxiliary picture');
  });

  it('fails when a picture is in the test set, names the pair, and changes nothing', async () => {
    const before = await allPictures(workspace);
    const c43 = before.find((picture) => picture.title === 'c43')!;
    const run = dedupe({ workspace, test: [join(folder.path, 'test')] });
    await expect(run).rejects.toMatchObject({
      code: 'BOWERBIRD_TEST_LEAK',
      message: expect.stringMatching(new RegExp(`${c43.id}.*y\\.png`)),
    });
    expect(await allPictures(workspace)).toEqual(before);
    const summary = await dedupe({ workspace, test: [join(folder.path, 'test')], dropLeaks: true });
    expect(summary.merges.some(({ removed }) => removed === c43.id)).toBe(true);
  });

  it('fails when an auxiliary picture is in the test set', async () => {
    await place(join(folder.path, 'leaky', 'same.jpg'), await edits['re-encoded'](await original(43)));
    await expect(
      dedupe({
        workspace,
        test: [join(folder.path, 'test')],
        auxiliary: [join(folder.path, 'leaky')],
        dropLeaks: false,
      }),
    ).rejects.toMatchObject({
      code: 'BOWERBIRD_TEST_LEAK',
      pairs: expect.arrayContaining([expect.objectContaining({ removed: expect.stringContaining('same.jpg') })]),
    });
  });

  it('passes where the test pictures are others', async () => {
    await expect(dedupe({ workspace, test: [join(folder.path, 'other')] })).resolves.toBeDefined();
  });

  it('compares features too: of the kept pictures, and with those of test pictures', async () => {
    await dedupe({ workspace });
    const kept: string[] = [];
    const catalog = await openCatalog(workspace);
    for await (const { id } of catalog.kept()) kept.push(id);
    await catalog.close();
    const features = Matrix.zeros(kept.length, 16, 'float32');
    for (let i = 0; i < kept.length; i++) for (let j = 0; j < 16; j++) features.set(i, j, Math.sin(i * 7.3 + j * j));
    features.row(9).set(features.row(4).map((value) => value * 1.01 + 0.001));
    const [file, ids, test] = ['web.npy', 'ids.txt', 'test.npy'].map((name) => join(folder.path, name));
    await writeNpy(file, features);
    writeFileSync(ids, `${kept.join('\n')}\n`);
    const summary = await dedupe({ workspace, features: file, ids, backend, threshold: 0.05 });
    expect(summary.removed.features).toBe(1);
    expect(summary.merges.find(({ method }) => method === 'features')).toMatchObject({
      explanation: expect.stringMatching(/features are 0\.0\d+ apart/),
    });
    const leak = Matrix.zeros(2, 16, 'float32');
    leak.row(1).set(features.row(12));
    leak.row(0).fill(1);
    await writeNpy(test, leak);
    await expect(
      dedupe({ workspace, features: file, ids, testFeatures: test, backend, threshold: 0.05 }),
    ).rejects.toMatchObject({
      code: 'BOWERBIRD_TEST_LEAK',
      message: expect.stringContaining('test.npy, row 1'),
    });
  });

  it('reads the folder that feature extraction writes', async () => {
    const rows = (await allPictures(workspace)).filter((row) => row.state === 'kept');
    const extracted = join(folder.path, 'features');
    mkdirSync(extracted, { recursive: true });
    const half = rows.length >> 1;
    for (const [shard, count] of [
      [0, half],
      [1, rows.length - half],
    ] as const) {
      const part = Matrix.zeros(count, 4, 'float32');
      for (let i = 0; i < count; i++) part.row(i).set([1, Math.cos(shard * 100 + i), Math.sin(3 * i + shard), shard]);
      if (shard === 1) part.row(0).set([1, Math.cos(1), Math.sin(3), 0]);
      await writeNpy(join(extracted, `shard-0000${shard}.npy`), part);
    }
    const lines = rows.map(
      (row, i) => `${row.id},${row.path},${row.category},${i < half ? 0 : 1},${i < half ? i : i - half}`,
    );
    writeFileSync(join(extracted, 'index.csv'), ['id,path,category,shard,row', ...lines, ''].join('\n'));
    const summary = await dedupe({ workspace, features: extracted, backend, threshold: 0.001, radius: 0, likeness: 1 });
    const names = new Set([rows[1].id, rows[half].id]);
    expect(
      summary.merges.some(
        ({ removed, stays, method }) => method === 'features' && names.has(removed) && names.has(stays),
      ),
    ).toBe(true);
  });
});
