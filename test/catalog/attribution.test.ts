import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { licenceName, writeAttribution } from '../../src/catalog/attribution.js';
import type { Catalog, PictureRow } from '../../src/catalog/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

async function written(name: string, ...pictures: Partial<PictureRow>[]): Promise<string> {
  const catalog = {
    async *pictures() {
      yield* pictures;
    },
  } as unknown as Catalog;
  expect(await writeAttribution(catalog, join(folder, name))).toBe(pictures.length);
  return readFileSync(join(folder, name), 'utf8');
}

const rook: Partial<PictureRow> = {
  path: 'rook/1.jpg',
  category: 'rook',
  title: 'A "rook" <here>\nand there',
  author: 'Ada = Byron',
  authorUrl: 'javascript:alert(1)',
  pageUrl: 'https://example.org/1?a=b&c',
  licence: 'cc-by-sa',
  licenceUrl: 'https://creativecommons.org/licenses/by-sa/4.0/',
};

describe('the name of a licence', () => {
  it.each([
    ['cc-by-sa', 'https://creativecommons.org/licenses/by-sa/4.0/', 'CC BY-SA 4.0'],
    ['cc0', 'https://creativecommons.org/publicdomain/zero/1.0', 'CC0 1.0'],
    ['pdm', undefined, 'Public Domain Mark'],
    ['all-rights-reserved', undefined, 'All rights reserved'],
    ['unknown', undefined, 'licence unknown'],
  ])('%s is as people write it', (licence, licenceUrl, name) => {
    expect(licenceName({ licence, licenceUrl } as PictureRow)).toBe(name);
  });
});

describe('attribution', () => {
  it('in a table keeps quotes and lines in their cell, and starts no cell like a formula', async () => {
    const [head, first, second] = (
      await written('list.CSV', rook, { ...rook, title: '=1+1', author: undefined, licence: 'cc0' })
    ).split('\n');
    expect(head).toBe('path,category,title,author,author_url,page,licence,licence_url');
    expect(first).toContain('"A ""rook"" <here> and there","Ada = Byron"');
    expect(second).toContain(`"'=1+1","",`);
    for (const sign of ['+', '-', '@'])
      expect(await written('sign.csv', { ...rook, title: `${sign}x` })).toContain(`"'${sign}x"`);
  });

  it('in a page escapes what came from the web and follows only addresses of the web', async () => {
    const page = await written('list.html', rook, { id: 'x', imageUrl: 'HTTP://example.org/x.jpg', licence: 'cc0' });
    expect(page).toContain('A &#34;rook&#34; &#60;here&#62; and there</a>');
    expect(page).toContain('href="https://example.org/1?a=b&#38;c"');
    expect(page).not.toContain('javascript:');
    expect(page).toContain('by Ada = Byron,');
    expect(page).toMatch(
      /x: <a href="HTTP:\/\/example.org\/x.jpg" rel="nofollow">Untitled<\/a> by unknown author, CC0/,
    );
    expect(page.endsWith('</ul>\n</html>\n')).toBe(true);
  });

  it('in a text has one line for each picture', async () => {
    const text = await written('list.txt', rook, {
      ...rook,
      title: undefined,
      author: undefined,
      licenceUrl: undefined,
    });
    expect(text.split('\n')).toEqual([
      'rook/1.jpg: "A "rook" <here> and there" by Ada = Byron, https://example.org/1?a=b&c, CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/)',
      'rook/1.jpg: "Untitled" by unknown author, https://example.org/1?a=b&c, CC BY-SA',
      '',
    ]);
  });
});
