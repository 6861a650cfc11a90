import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawlWords, startChild } from './web/child.js';
import { contents } from './web/contents.js';
import { crawlFake, pictureFiles, temporaryFolder } from './web/crawling.js';
import { generator } from './web/pictures.js';
import { FakeWeb } from './web/server.js';

const long = Boolean(process.env.BOWERBIRD_LONG);
const kills = long ? 20 : 5;
const perQuery = long ? 400 : 120;
const wanted = long ? 300 : 90;

let web: FakeWeb;
beforeAll(async () => {
  web = await FakeWeb.start();
});
afterAll(() => web.stop());

describe('a crawl that is killed', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove, 120_000);

  it(`at ${kills} random moments and resumed ends like an undisturbed one`, { timeout: 600_000 }, async () => {
    const faults = [
      'error-once',
      'gone',
      'html',
      'truncated',
      'cut-once',
      'bomb',
      'redirect-once',
      'placeholder',
      'noai',
    ];
    web.options = {
      results: perQuery,
      fault: (query, index) => {
        const random = generator(index * 31 + query.length);
        return random() < 0.2 ? faults[Math.floor(random() * faults.length)] : 'none';
      },
    };
    const categories = join(folder.path, 'names.txt');
    writeFileSync(categories, 'Auk\nBlue Jay\nCarolina Wren\n');
    const words = (workspace: string, more: string[]) =>
      crawlWords(web, workspace, categories, ['--per-category', String(wanted), ...more]);

    const whole = join(folder.path, 'whole');
    const undisturbed = await startChild(words(whole, [])).finished;
    expect(undisturbed.code, undisturbed.stderr).toBe(3);
    const requests = web.requests.length;

    web.forget();
    const killed = join(folder.path, 'killed');
    const random = generator(7);
    let deaths = 0;
    for (let run = 0; run < kills; run++) {
      const { child, finished } = startChild(words(killed, run === 0 ? [] : ['--resume']));
      // Each run may make a random number of requests before it dies, some none at all.
      const target = web.requests.length + Math.floor((random() * (1.6 * requests)) / kills);
      const watch = setInterval(() => {
        if (web.requests.length >= target) setTimeout(() => child.kill('SIGKILL'), random() * 30);
      }, 1);
      const end = await finished;
      clearInterval(watch);
      if (end.signal === 'SIGKILL') deaths++;
      else expect(end.code, end.stderr).toBe(3);
    }
    const last = await startChild(words(killed, ['--resume'])).finished;
    expect(last.code, last.stderr).toBe(3);
    expect(deaths).toBeGreaterThanOrEqual(Math.floor(kills * 0.6));
    expect(await contents(killed)).toEqual(await contents(whole));
    console.log(`${deaths} kills over ${requests} requests; ${web.requests.length} requests in the killed runs`);
  });
});

describe('resuming', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove, 120_000);

  it('is refused without the option where a crawl has begun', async () => {
    web.options = { results: 5 };
    await crawlFake(web, { workspace: folder.path, perCategory: 3 });
    await expect(crawlFake(web, { workspace: folder.path, perCategory: 3 })).rejects.toMatchObject({
      code: 'BOWERBIRD_USAGE',
    });
  });

  it('asks for nothing when nothing is missing', async () => {
    web.forget();
    await crawlFake(web, { workspace: folder.path, perCategory: 3, resume: true });
    expect(web.requests).toEqual([]);
  });

  it('takes further pictures from those already listed before it asks again', async () => {
    web.forget();
    const summary = await crawlFake(web, { workspace: folder.path, perCategory: 5, resume: true });
    expect(summary.kept).toBe(5);
    expect(web.requests.filter(({ path }) => path.startsWith('/flickr'))).toEqual([]);
    expect(web.requests.filter(({ path }) => path.startsWith('/picture'))).toHaveLength(2);
  });

  it('retries what failed for a passing reason, and nothing else', async () => {
    const other = temporaryFolder();
    try {
      web.options = {
        results: 6,
        fault: (_query, index) => ['error-always', 'gone', 'none', 'none', 'none', 'none'][index],
      };
      const first = await crawlFake(web, { workspace: other.path, perCategory: 6 });
      expect(first.failed).toEqual({ gone: 1, server: 1 });
      // The host has recovered: the address that always failed now serves the picture.
      web.forget();
      web.options = { ...web.options, recovered: true };
      const second = await crawlFake(web, { workspace: other.path, perCategory: 6, resume: true });
      expect(second.failed).toEqual({ gone: 1 });
      expect(second.kept).toBe(5);
      expect(web.requests.filter(({ path }) => path.startsWith('/picture/'))).toHaveLength(1);
    } finally {
      other.remove();
    }
  });

  it('goes on with a source whose API had failed, from where it stood', async () => {
    const other = temporaryFolder();
    try {
      web.forget();
      web.options = {
        results: 600,
        interfere: (request, response) => {
          if (!request.url?.includes('&page=2')) return false;
          response.writeHead(500).end();
          return true;
        },
      };
      const first = await crawlFake(web, { workspace: other.path, perCategory: 600 });
      expect(first.unanswered).toMatchObject([{ source: 'flickr', category: 'Blue Jay', kind: 'server' }]);
      expect(first.kept).toBe(250);
      web.options = { results: 600 };
      web.forget();
      const second = await crawlFake(web, { workspace: other.path, perCategory: 600, resume: true });
      expect(second).toMatchObject({ kept: 600, unanswered: [], short: [] });
      expect(web.requests.filter(({ path }) => /&page=1(&|$)/.test(path))).toEqual([]);
    } finally {
      other.remove();
    }
  });

  it('stops on demand, says so, and loses nothing', async () => {
    const other = temporaryFolder();
    try {
      web.options = { results: 200 };
      const abort = new AbortController();
      const run = crawlFake(web, {
        workspace: other.path,
        perCategory: 200,
        signal: abort.signal,
        onProgress: ({ stage, done }) => stage === 'crawl' && done >= 20 && abort.abort(),
      });
      await expect(run).rejects.toMatchObject({ code: 'BOWERBIRD_INTERRUPTED' });
      const summary = await crawlFake(web, { workspace: other.path, perCategory: 200, resume: true });
      expect(summary.kept).toBe(200);
      expect(Object.keys(pictureFiles(other.path))).toHaveLength(200);
    } finally {
      other.remove();
    }
  });
});
