import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../src/crawl/index.js';
import { crawlWords, startChild } from './web/child.js';
import { temporaryFolder } from './web/crawling.js';
import { FakeWeb } from './web/server.js';

const secret = 'f1ickr-secret-0123456789abcdef';
let web: FakeWeb;
const folder = temporaryFolder();
beforeAll(async () => {
  web = await FakeWeb.start();
});
afterAll(async () => {
  await web.stop();
  folder.remove();
});

describe('keys', () => {
  it('come from a file before the environment, and from nowhere else', () => {
    const file = join(folder.path, 'keys.env');
    writeFileSync(file, '# mine\nexport FLICKR_API_KEY="from file"\nGOOGLE_API_KEY=abc\n');
    const keys = Keys.load(file, { FLICKR_API_KEY: 'from environment', OPENVERSE_CLIENT_ID: 'id' });
    expect([keys.get('FLICKR_API_KEY'), keys.get('GOOGLE_API_KEY'), keys.get('OPENVERSE_CLIENT_ID')]).toEqual([
      'from file',
      'abc',
      'id',
    ]);
    writeFileSync(file, 'FLICKR_KEY=x\n');
    expect(() => Keys.load(file, {})).toThrow(/line 1 does not set a known key/);
    expect(() => Keys.load(join(folder.path, 'none'), {})).toThrow(/cannot be read/);
  });

  it('are in no output, log, catalog, report or export of a run, whatever the API echoes', async () => {
    const names = join(folder.path, 'names.txt');
    writeFileSync(names, 'Jay\nAuk\n');
    const workspace = join(folder.path, 'workspace');
    let asked = 0;
    web.options = {
      results: 6,
      flickrKey: secret,
      fault: (_query, index) => ['none', 'gone', 'error-always', 'html', 'redirect-loop', 'none'][index],
      // Errors and answers that quote the question, key and all.
      interfere: (request, response) => {
        if (!request.url?.includes('photos.search')) return false;
        if (request.url.includes('text=Auk'))
          response
            .writeHead(200)
            .end(JSON.stringify({ stat: 'fail', code: 3, message: `bad question ${request.url}` }));
        else if (asked++ === 0) response.writeHead(500).end(`failed: ${request.url}`);
        else {
          const photo = {
            id: `1-${secret}`,
            title: `echo ${secret}`,
            tags: secret,
            license: '4',
            media: 'photo',
            url_m: web.url(`/picture/none/x.jpg?api_key=${secret}`),
            ownername: `owner ${secret}`,
          };
          response.writeHead(200).end(JSON.stringify({ stat: 'ok', photos: { total: 1, page: 1, photo: [photo] } }));
        }
        return true;
      },
    };
    const environment = { FLICKR_API_KEY: secret, BOWERBIRD_DEBUG: '1' };
    const run = await startChild(
      crawlWords(web, workspace, names, ['--attempts', '2']).filter((word) => word !== '--json'),
      environment,
    ).finished;
    expect(run.code, run.stderr).toBe(3);
    const dry = await startChild([...crawlWords(web, join(folder.path, 'other'), names), '--dry-run'], environment)
      .finished;
    const files = ['p.parquet', 'c.json', 'a.html', 'a.csv', 'a.txt'].map((name) => join(workspace, name));
    const [parquet, croissant, ...attributions] = files;
    for (const attribution of attributions)
      await startChild([
        'catalog',
        'export',
        '--workspace',
        workspace,
        '--parquet',
        parquet,
        '--croissant',
        croissant,
        '--attribution',
        attribution,
      ]).finished;
    const query = await startChild(['catalog', 'query', '--workspace', workspace, 'SELECT * FROM picture']).finished;
    expect(query.stdout).toContain('echo [key]');
    const everything = [run.stdout, run.stderr, dry.stdout, dry.stderr, query.stdout];
    for (const entry of readdirSync(folder.path, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) everything.push(readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(everything.length).toBeGreaterThan(10);
    for (const text of everything) expect(text.includes(secret)).toBe(false);
  });
});
