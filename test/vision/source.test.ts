import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCatalog } from '../../src/catalog/index.js';
import { UsageError } from '../../src/errors.js';
import { extractFeatures } from '../../src/vision/extract.js';
import { loadFeatures } from '../../src/vision/load-features.js';
import { openFolderPictures, openPictures, type Picture, type PictureSource } from '../../src/vision/source.js';
import { writePictures } from './test-pictures.js';
import { tinyModel } from './tiny-model.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowerbird-source-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function list(source: PictureSource): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for await (const picture of source.pictures()) pictures.push(picture);
  return pictures;
}

describe('a source of pictures', () => {
  it('reads a folder: categories in order, hidden files and earlier features passed over, misnamed files kept', async () => {
    await writePictures(join(folder, 'pictures'), 4, 2);
    await mkdir(join(folder, 'pictures/category 0/deeper'));
    await writeFile(join(folder, 'pictures/category 0/deeper/x.jpg'), 'x');
    await writeFile(join(folder, 'pictures/category 1/notes.txt'), 'x');
    await writeFile(join(folder, 'pictures/category 1/.hidden'), 'x');
    await writeFile(join(folder, 'pictures/README.md'), 'x');
    await writeFile(join(folder, 'pictures/loose.PNG'), 'x');
    await mkdir(join(folder, 'pictures/features/resnet50'), { recursive: true });
    await writeFile(join(folder, 'pictures/features/resnet50/meta.json'), '{}');
    const source = await openFolderPictures(join(folder, 'pictures'));
    const found = await list(source);
    expect(found).toHaveLength(source.count);
    expect(found.map(({ id, category }) => [id, category])).toEqual([
      ['category 0/000.jpeg', 'category 0'],
      ['category 0/002.webp', 'category 0'],
      ['category 0/deeper/x.jpg', 'category 0'],
      ['category 1/001.png', 'category 1'],
      ['category 1/003.jpeg', 'category 1'],
      ['category 1/notes.txt', 'category 1'],
      ['loose.PNG', undefined],
    ]);
  });

  it('refuses what is no folder, and folders without pictures', async () => {
    await expect(openPictures(join(folder, 'absent'))).rejects.toThrow(UsageError);
    await mkdir(join(folder, 'empty'));
    await expect(openPictures(join(folder, 'empty'))).rejects.toThrow(/holds no pictures/);
  });

  it('reads the kept pictures of a workspace from its catalog, which is free for others meanwhile', async () => {
    const workspace = join(folder, 'pictures');
    const [kept] = await writePictures(workspace, 3, 1);
    const catalog = await openCatalog(workspace);
    const base = { category: 'finch', source: 'test', imageUrl: 'http://localhost/x', licence: 'cc0' };
    catalog.recordPage(
      [
        { ...base, id: 'one', sourceId: '1', rank: 1 },
        { ...base, id: 'two', sourceId: '2', rank: 2 },
      ],
      { category: 'finch', source: 'test', state: 'exhausted', nextRank: 3 },
    );
    catalog.move({ id: 'one', from: 'found', to: 'fetched', path: kept });
    catalog.move({ id: 'one', from: 'fetched', to: 'checked' }, { id: 'one', from: 'checked', to: 'kept' });
    await catalog.close();
    const source = await openPictures(workspace);
    await (await openCatalog(workspace)).close();
    await extractFeatures(source, await tinyModel(folder), join(folder, 'out'), { workers: 1 });
    await source.close();
    const { ids, paths, categories } = await loadFeatures(join(folder, 'out'));
    expect([ids, paths, categories]).toEqual([['one'], [kept], ['finch']]);
    expect((await readdir(join(workspace, 'features'))).length).toBe(0);
  });
});
