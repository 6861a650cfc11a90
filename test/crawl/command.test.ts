import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCategories } from '../../src/crawl/index.js';
import { crawlWords, startChild } from './web/child.js';
import { freshWeb } from './web/fresh.js';

const { web, folder } = await freshWeb();

const run = (...words: string[]) => startChild(words).finished;

function namesFile(text = 'Blue Jay\nAuk\n'): string {
  const file = join(folder.path, 'names.txt');
  writeFileSync(file, text);
  return file;
}

describe('categories', () => {
  it('are one per line, as they stand', async () => {
    expect(await loadCategories(folder.path, namesFile('\ufeffBlue Jay\r\n\r\nFinch, house\r\n'))).toEqual([
      { name: 'Blue Jay' },
      { name: 'Finch, house' },
    ]);
  });

  it('have other words to search for in a table', async () => {
    writeFileSync(
      join(folder.path, 'categories.csv'),
      'name,query,query_gbif\nBlue Jay,"blue jay, bird",Cyanocitta cristata\nAuk,,\n',
    );
    expect(await loadCategories(folder.path)).toEqual([
      { name: 'Blue Jay', query: 'blue jay, bird', queries: { gbif: 'Cyanocitta cristata' } },
      { name: 'Auk' },
    ]);
  });

  it('must be there, and each once', async () => {
    expect(await loadCategories(folder.path)).toBeUndefined();
    await expect(loadCategories(folder.path, namesFile('\n\n'))).rejects.toThrow(/no category/);
    await expect(loadCategories(folder.path, namesFile('a\nb\na\n'))).rejects.toThrow(/"a" appears twice/);
    await expect(loadCategories(folder.path, join(folder.path, 'none'))).rejects.toThrow(/cannot be read/);
  });
});

describe('bowerbird crawl', () => {
  it('says what it would ask without asking, or needing a key', async () => {
    const words = crawlWords(web, join(folder.path, 'new'), namesFile(), [
      '--dry-run',
      '--per-category',
      '600',
      '--source',
      'gbif',
    ]);
    const { code, stdout } = await startChild(words, { FLICKR_API_KEY: '' }).finished;
    expect(code).toBe(0);
    const plan = JSON.parse(stdout);
    expect(
      plan.map(({ category, source, questions, pictures }: Record<string, unknown>) => [
        category,
        source,
        questions,
        pictures,
      ]),
    ).toEqual([
      ['Blue Jay', 'flickr', 2, 300],
      ['Blue Jay', 'gbif', 1, 300],
      ['Auk', 'flickr', 2, 300],
      ['Auk', 'gbif', 1, 300],
    ]);
    expect(plan[0].question).toMatch(/flickr\.photos\.search.*Blue\+Jay/);
    expect(web.requests).toEqual([]);
    expect(existsSync(join(folder.path, 'new'))).toBe(false);
  });

  it('ends with 0 when all went well, prints one JSON document, and leaves a catalog to ask', async () => {
    web.options = { results: 4 };
    const workspace = join(folder.path, 'workspace');
    const result = await startChild(crawlWords(web, workspace, namesFile(), ['--per-category', '4'])).finished;
    expect([result.code, JSON.parse(result.stdout).kept]).toEqual([0, 8]);
    const query = await run(
      'catalog',
      'query',
      '--workspace',
      workspace,
      'SELECT category, count(*) AS n FROM picture GROUP BY 1 ORDER BY 1',
    );
    expect(query.stdout).toBe('category\tn\nAuk\t4\nBlue Jay\t4\n');
  });

  it('ends with 3 when some pictures failed, and lists them', async () => {
    web.options = { results: 3, fault: (_query, index) => ['none', 'gone', 'none'][index] };
    const words = crawlWords(web, join(folder.path, 'workspace'), namesFile()).filter((word) => word !== '--json');
    const { code, stderr, stdout } = await startChild(words).finished;
    expect(code).toBe(3);
    expect(stderr).toMatch(/2 pictures or questions failed:\n.*gone\/flickr-.*404 \[gone\]/);
    expect(stdout).toContain('flickr: 6 found, 4 kept, 0 dropped, 2 failed');
    expect(stdout).toContain('Blue Jay: 2 of 100');
  });

  it.each([
    [['--source', 'flicker'], /"flicker" is not a source/],
    [['--source', 'urls'], /needs a path/],
    [['--source', 'folder:nowhere'], /not a folder/],
    [['--licence', 'free'], /"free" is not a licence/],
    [['--rate', 'flickr'], /NAME=VALUE/],
    [['--rate', 'flickr=0'], /above zero/],
    [['--allow-address', 'localhost'], /not an address range/],
  ])('explains %j', async (words, message) => {
    const { code, stderr } = await run('crawl', join(folder.path, 'w'), '--categories', namesFile(), ...words);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/defect/);
  });

  it('wants categories', async () => {
    const { code, stderr } = await run('crawl', join(folder.path, 'w'), '--source', 'openverse');
    expect([code, stderr.includes('no categories are given')]).toEqual([2, true]);
  });

  it('stops on Ctrl-C with 130', async () => {
    web.options = { results: 200, fault: () => 'slow-always' };
    const { child, finished } = startChild(crawlWords(web, join(folder.path, 'workspace'), namesFile()));
    while (web.requests.length <= 6) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
  });
});

describe('bowerbird dedupe and catalog', () => {
  it('explain a workspace that is none', async () => {
    mkdirSync(join(folder.path, 'empty'));
    for (const words of [
      ['dedupe', join(folder.path, 'empty')],
      ['catalog', 'query', '--workspace', join(folder.path, 'empty'), 'SELECT 1'],
    ]) {
      const { code, stderr } = await run(...words);
      expect([code, stderr.includes('BOWERBIRD_NO_CATALOG')]).toEqual([1, true]);
    }
    expect((await run('dedupe')).code).toBe(2);
    expect((await run('catalog', 'export')).code).toBe(2);
  });

  it('wait for a catalog that is in use, and say for whom', async () => {
    web.options = { results: 200, fault: () => 'slow-always' };
    const workspace = join(folder.path, 'workspace');
    const { child, finished } = startChild(crawlWords(web, workspace, namesFile()));
    while (web.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    const query = run('catalog', 'query', '--workspace', workspace, 'SELECT 42 AS answer');
    await new Promise((resolve) => setTimeout(resolve, 2500));
    child.kill('SIGKILL');
    await finished;
    const { stdout, stderr, code } = await query;
    expect([code, stdout]).toEqual([0, 'answer\n42\n']);
    expect(stderr).toContain(`waiting for process ${child.pid}, which has the catalog open`);
  });
});
