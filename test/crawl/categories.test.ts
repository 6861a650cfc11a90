import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCategories, queryFor } from '../../src/crawl/categories.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

async function read(name: string, text: string) {
  await writeFile(join(folder, name), text);
  return loadCategories(folder, join(folder, name));
}

describe('the categories to look for', () => {
  it('are names, one a line, with other names behind them', async () => {
    expect(await read('names.txt', '\ufeffRook\tCorvus frugilegus| |crow\r\n\r\nAuk\t\t| \nJay, blue\n')).toEqual([
      { name: 'Rook', aliases: ['Corvus frugilegus', 'crow'] },
      { name: 'Auk' },
      { name: 'Jay, blue' },
    ]);
    expect(await read('names.csv', '"Jay, blue",Cyanocitta\nAuk\n')).toEqual([
      { name: 'Jay, blue', aliases: ['Cyanocitta'] },
      { name: 'Auk' },
    ]);
  });

  it('are a table with words to search for, for all sources or for one', async () => {
    const table = 'Name,alias,aliases,query,query_flickr\nRook,,a|b,,\nAuk,razorbill,,,\nJay,x,,jay bird,garrulus\n';
    const categories = (await read('table.csv', table))!;
    expect(categories).toEqual([
      { name: 'Rook', aliases: ['a', 'b'] },
      { name: 'Auk', aliases: ['razorbill'], query: 'razorbill' },
      { name: 'Jay', aliases: ['x'], query: 'jay bird', queries: { flickr: 'garrulus' } },
    ]);
    const words = (source: string) => categories.map((category) => queryFor(category, source));
    expect(words('flickr')).toEqual(['Rook', 'razorbill', 'garrulus']);
    expect(words('gbif')).toEqual(['Rook', 'razorbill', 'jay bird']);
  });

  it('must be there, once each', async () => {
    expect(await loadCategories(join(folder, 'nowhere'))).toBeUndefined();
    await expect(loadCategories(folder, join(folder, 'absent'))).rejects.toMatchObject({
      code: 'BOWERBIRD_CATEGORIES',
    });
    await expect(read('empty.txt', '\n \n')).rejects.toThrow('there is no category in it');
    await expect(read('twice.txt', 'Rook\nAuk\nRook\n')).rejects.toThrow('"Rook" appears twice');
    await expect(read('nameless.csv', 'name,query\nRook,x\n,y\n')).rejects.toThrow('this row has no name');
    await writeFile(join(folder, 'categories.csv'), 'Auk\n');
    expect(await loadCategories(folder)).toEqual([{ name: 'Auk' }]);
  });
});
