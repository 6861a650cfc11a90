import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createSource, Keys } from '../../src/crawl/index.js';
import { allPictures, crawlFake, fastNetwork } from './web/crawling.js';
import { freshWeb } from './web/fresh.js';
import { listAll, sourceContext } from './web/listing.js';

const { web, folder } = await freshWeb();

const apiRequests = () => web.requests.filter(({ path }) => !path.startsWith('/picture') && path !== '/robots.txt');

describe('flickr', () => {
  it('records title, tags, author, licence, dates and page', async () => {
    web.options = { results: 3 };
    await crawlFake(web, { workspace: folder.path, perCategory: 3 });
    const [first] = await allPictures(folder.path);
    expect(first).toMatchObject({
      source: 'flickr',
      sourceId: '10000000',
      rank: 1,
      state: 'kept',
      title: 'Blue Jay <script>alert(0)</script>',
      description: 'Seen near the pond, number 0',
      tags: ['bird', 'nature', 'pond'],
      author: 'Jo "Bird" Watcher',
      authorUrl: 'https://www.flickr.com/photos/jo',
      pageUrl: 'https://www.flickr.com/photos/jo/10000000',
      licence: 'cc-by',
      licenceUrl: 'https://creativecommons.org/licenses/by/2.0/',
      publishedAt: new Date(1_735_000_000_000).toISOString(),
      takenAt: '2013-09-21 10:11:12',
      mediaType: 'image/jpeg',
      width: 72,
      height: 72,
      frames: 1,
    });
    expect(first.comments).toBeUndefined();
  });

  it('records comments when asked to', async () => {
    web.options = { results: 2 };
    await crawlFake(web, { workspace: folder.path, perCategory: 2, comments: true });
    const rows = await allPictures(folder.path);
    expect(JSON.parse(rows[1].comments!)).toEqual([
      { author: 'Ann', text: 'Lovely bird & light', date: '2014-05-13T16:53:20.000Z' },
    ]);
  });

  it('reads beyond 4,000 results by slices of dates, each picture once', async () => {
    // Pictures are not downloaded here: a page of 250 answers would hide what is asked.
    web.options = { results: 9100 };
    const source = createSource('flickr', { endpoints: web.endpoints });
    const ids = await listAll(source, 'Blue Jay');
    expect(ids.length).toBeGreaterThan(9100);
    expect(new Set(ids).size).toBe(9100);
    const pages = apiRequests()
      .map(({ path }) => new URL(path, 'http://x').searchParams)
      .filter((query) => query.get('method') === 'flickr.photos.search');
    expect(
      Math.max(...pages.map((query) => Number(query.get('page')) * Number(query.get('per_page')))),
    ).toBeLessThanOrEqual(4000);
  });

  it('finds all of 6,000 pictures that were uploaded within one day, most of them listed before', async () => {
    // Narrowing down to the day takes many questions that bring nothing new.
    web.options = {
      results: 6000,
      fault: () => 'gone',
      uploadedAt: (index) => (index < 30 ? 1_150_000_000 + index * 1.8e7 : 1_100_000_000 + ((index * 14) % 86_400)),
    };
    await crawlFake(web, { workspace: folder.path, perCategory: 6000 });
    const rows = await allPictures(folder.path);
    expect(new Set(rows.map((row) => row.sourceId)).size).toBe(6000);
    expect(rows).toHaveLength(6000);
  }, 120_000);

  it('is given up where it answers without end that there is more', async () => {
    web.options = {
      interfere: (request, response) => {
        if (!request.url?.includes('photos.search')) return false;
        response.end(JSON.stringify({ stat: 'ok', photos: { page: 1, total: 1e9, photo: [] } }));
        return true;
      },
    };
    await crawlFake(web, { workspace: folder.path, perCategory: 10 });
    expect(web.requests.length).toBeLessThan(500);
  });

  it('keeps each picture once when the list shifts between pages', async () => {
    web.options = { results: 700, shifting: true };
    const source = createSource('flickr', { endpoints: web.endpoints });
    const listed = await listAll(source, 'Blue Jay');
    expect(listed.length).toBeGreaterThan(new Set(listed).size);
    web.forget();
    web.options = { results: 270, shifting: true };
    await crawlFake(web, { workspace: folder.path, perCategory: 1000 });
    const rows = await allPictures(folder.path);
    expect(new Set(rows.map((row) => row.sourceId)).size).toBe(rows.length);
    expect(rows.map((row) => row.rank)).toEqual(rows.map((_, i) => i + 1));
  });

  it('stops with a clear error when the key is refused, without repeating the key', async () => {
    const run = crawlFake(web, { workspace: folder.path, keys: new Keys({ FLICKR_API_KEY: 'wrong-secret-key' }) });
    await expect(run).rejects.toMatchObject({
      code: 'BOWERBIRD_KEY_REFUSED',
      message: expect.not.stringContaining('wrong-secret-key'),
    });
  });

  it('says which key is missing', async () => {
    const run = crawlFake(web, { workspace: folder.path, keys: new Keys({}) });
    await expect(run).rejects.toMatchObject({
      code: 'BOWERBIRD_KEY_MISSING',
      message: expect.stringContaining('FLICKR_API_KEY'),
    });
  });

  it('survives throttling, errors and nonsense of the API', async () => {
    web.options = {
      results: 260,
      interfere: (request, response, tries) => {
        if (tries > 3 || !request.url?.includes('photos.search')) return false;
        if (tries === 1) response.writeHead(429, { 'retry-after': '0' }).end();
        else if (tries === 2) response.writeHead(200).end('<html>proxy error</html>');
        else response.end(JSON.stringify({ stat: 'fail', code: 105, message: 'Service currently unavailable' }));
        return true;
      },
    };
    const summary = await crawlFake(web, { workspace: folder.path, perCategory: 260 });
    expect(summary).toMatchObject({ kept: 260, unanswered: [] });
  });
});

describe('an API that means harm', () => {
  it.each([
    ['never stops sending', (response: ServerResponse) => endless(response)],
    [
      'redirects into a private network',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    ],
    ['sends records of all the wrong types', (response: ServerResponse) => response.end(nonsense)],
    ['nests without end', (response: ServerResponse) => response.end(`{"stat":"ok","photos":${'['.repeat(1e6)}`)],
  ])('that %s costs only its own answers', async (_what, answer) => {
    web.options = {
      results: 3,
      interfere: (request, response) => {
        if (!request.url?.includes('photos.search')) return false;
        answer(response);
        return true;
      },
    };
    const summary = await crawlFake(web, {
      workspace: folder.path,
      sources: ['flickr', 'gbif'],
      perCategory: 4,
      network: { ...fastNetwork, totalTimeout: 5 },
    });
    expect(summary.sources.find(({ source }) => source === 'gbif')?.kept).toBeGreaterThanOrEqual(2);
    expect(summary.sources.find(({ source }) => source === 'flickr')?.kept ?? 0).toBe(0);
  });
});

const nonsense = JSON.stringify({
  stat: 'ok',
  photos: {
    total: 'many',
    photo: [
      null,
      7,
      [],
      { id: {} },
      { id: 1, url_m: 5 },
      { id: '2', url_m: 'x', tags: 9, title: ['a'], license: {}, description: 3 },
    ],
  },
});

function endless(response: ServerResponse): void {
  const block = Buffer.alloc(2 ** 20, '[');
  const more = () => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', more);
  more();
}

const realRecords = '../shared/data/flickr/metadata.tsv';
describe.skipIf(!existsSync(realRecords))('real Flickr records (skipped where ../shared/data/flickr is absent)', () => {
  it('pass through licence gate, catalog and back unchanged', async () => {
    const licenceIds: Record<string, string> = {
      'by-nc-sa': '1',
      by: '4',
      'by-sa': '5',
      'by-nc': '1',
      'by-nd': '1',
      'by-nc-nd': '1',
    };
    const records = readFileSync(realRecords, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [id, page, , title, , owner, licence, tags] = line.split('\t');
        return {
          id: page.split('/').at(-1) ?? id,
          title,
          owner,
          license: licenceIds[/licenses\/([a-z-]+)\//.exec(licence)?.[1] ?? ''] ?? '0',
          tags: (tags ?? '').split(',').join(' '),
        };
      });
    // Some of the real records appear twice, some have lost their page.
    const whole = records.filter(({ id }) => id !== '');
    web.options = { results: whole.length, flickrRecords: whole };
    await crawlFake(web, { workspace: folder.path, perCategory: 1000, licences: ['cc-by', 'cc-by-sa'] });
    const rows = await allPictures(folder.path);
    const once = whole.filter((record, i) => whole.findIndex(({ id }) => id === record.id) === i);
    const expected = once.filter(({ license }) => license === '4' || license === '5');
    expect(expected.length).toBeGreaterThan(50);
    expect(rows.map((row) => row.sourceId)).toEqual(expected.map((record) => record.id));
    expect(rows.map((row) => row.title ?? '')).toEqual(expected.map((record) => record.title.trim()));
    expect(rows.map((row) => (row.tags ?? []).join(' '))).toEqual(expected.map((record) => record.tags.trim()));
    expect(rows.map((row) => row.author)).toEqual(expected.map((record) => record.owner.trim()));
    expect(new Set(rows.map((row) => row.licence))).toEqual(new Set(['cc-by', 'cc-by-sa']));
  });
});

describe('the licence gate', () => {
  it('drops what is not allowed even where the source cannot filter, and says why', async () => {
    web.options = { results: 10 };
    await crawlFake(web, { workspace: folder.path, sources: ['inaturalist'], perCategory: 100, licences: ['cc-by'] });
    const rows = await allPictures(folder.path);
    // Every observation has one photograph under cc-by and one with all rights reserved.
    expect(rows.filter((row) => row.reason === 'licence')).toHaveLength(10);
    expect(rows.find((row) => row.reason === 'licence')?.detail).toBe('its licence is all-rights-reserved');
    expect(rows.filter((row) => row.state !== 'dropped').every((row) => row.licence === 'cc-by')).toBe(true);
  });
});

describe('wikimedia', () => {
  it('puts batches together from several answers, in order of rank, as plain words', async () => {
    web.options = { results: 120 };
    await crawlFake(web, { workspace: folder.path, sources: ['wikimedia'], perCategory: 200 });
    const rows = await allPictures(folder.path);
    // Every tenth result is a drawing.
    expect(rows).toHaveLength(108);
    expect(rows.slice(0, 3).map((row) => row.sourceId)).toEqual(['5000', '5001', '5002']);
    expect(rows[0]).toMatchObject({
      author: 'X & Y',
      description: 'A bird on a branch',
      tags: ['Birds', 'Quality images'],
      licence: 'cc-by-sa',
      licenceUrl: 'https://creativecommons.org/licenses/by-sa/4.0',
      takenAt: '2013-04-01',
    });
  });

  it('wants to know whom to contact', async () => {
    const source = createSource('wikimedia', { endpoints: web.endpoints });
    await expect(source.prepare?.({} as never)).rejects.toThrow(/contact/);
  });

  it('waits when the servers lag behind', async () => {
    web.options = {
      results: 5,
      interfere: (_request, response, tries) => {
        if (tries > 1) return false;
        response
          .writeHead(200, { 'retry-after': '1' })
          .end(JSON.stringify({ error: { code: 'maxlag', info: 'Waiting for a database server' } }));
        return true;
      },
    };
    expect((await crawlFake(web, { workspace: folder.path, sources: ['wikimedia'], perCategory: 5 })).kept).toBe(5);
  });
});

describe('inaturalist', () => {
  it('walks past 10,000 observations by their ids', async () => {
    web.options = { results: 10_600 };
    const source = createSource('inaturalist', { endpoints: web.endpoints });
    const ids = await listAll(source, 'Blue Jay');
    expect(new Set(ids).size).toBe(2 * 10_600);
  });

  it('asks for a larger size than the square it is shown, and reads comments', async () => {
    web.options = { results: 1 };
    const source = createSource('inaturalist', { endpoints: web.endpoints });
    const context = sourceContext();
    const page = await source.ask({ name: 'Blue Jay' }, undefined, context);
    expect(page.pictures[0].imageUrl).toMatch(/\/large\.jpg$/);
    expect(page.pictures[0]).toMatchObject({
      author: 'Ann B.',
      licence: 'cc-by',
      tags: ['Blue Jay', 'Cyanocitta cristata', 'garden'],
      takenAt: '2020-05-06',
    });
    expect(await source.comments?.({ sourceId: page.pictures[0].sourceId } as never, context)).toEqual([
      { author: 'bob', text: 'Nice find', date: '2020-05-08T00:00:00+00:00' },
    ]);
  });
});

describe('openverse', () => {
  it('takes what an anonymous caller may have, and no adult pictures', async () => {
    web.options = { results: 1000 };
    const summary = await crawlFake(web, { workspace: folder.path, sources: ['openverse'], perCategory: 1000 });
    expect(summary.kept).toBe(239);
    expect((await allPictures(folder.path))[0]).toMatchObject({ licence: 'cc0', author: 'StartAgain', tags: ['bird'] });
  });

  it('goes deeper with a registered client, whose token appears nowhere', async () => {
    web.options = { results: 130 };
    const keys = new Keys({ OPENVERSE_CLIENT_ID: 'client', OPENVERSE_CLIENT_SECRET: 'very-secret' });
    const summary = await crawlFake(web, { workspace: folder.path, sources: ['openverse'], perCategory: 130, keys });
    expect(summary.kept).toBe(129);
    expect(keys.redact('Bearer secret-openverse-token, very-secret')).toBe('Bearer [key], [key]');
  });
});

describe('gbif', () => {
  it('finds the taxon by its vernacular name and walks its pictures', async () => {
    web.options = { results: 310 };
    await crawlFake(web, { workspace: folder.path, sources: ['gbif'], perCategory: 500 });
    const rows = await allPictures(folder.path);
    expect(rows).toHaveLength(310);
    expect(rows[0]).toMatchObject({
      licence: 'cc-by',
      author: 'Maker',
      title: 'Blue Jay',
      takenAt: '2021-03-04',
      pageUrl: 'https://www.inaturalist.org/photos/0',
    });
    expect(apiRequests().map(({ path }) => path.split('?')[0])).toEqual([
      '/gbif/v1/species/match',
      '/gbif/v1/species/search',
      '/gbif/v1/occurrence/search',
      '/gbif/v1/occurrence/search',
    ]);
  });

  it('has nothing for a name that is no taxon', async () => {
    const summary = await crawlFake(web, {
      workspace: folder.path,
      sources: ['gbif'],
      categories: ['Nothing'],
      perCategory: 5,
    });
    expect(summary).toMatchObject({ kept: 0, short: [{ category: 'Nothing', kept: 0, wanted: 5 }], unanswered: [] });
  });
});

describe('google', () => {
  it('reads a hundred results and keeps none whose licence is not known to be allowed', async () => {
    web.options = { results: 500 };
    const strict = await crawlFake(web, { workspace: folder.path, sources: ['google'], perCategory: 200 });
    expect(strict).toMatchObject({ kept: 0, dropped: { licence: 100 } });
    expect(apiRequests()[0].path).toContain('rights=');
  });

  it('keeps them where unknown licences are allowed', async () => {
    web.options = { results: 15 };
    const summary = await crawlFake(web, {
      workspace: folder.path,
      sources: ['google'],
      perCategory: 15,
      licences: ['unknown'],
    });
    expect(summary.kept).toBe(15);
  });
});

describe('several sources', () => {
  it('share a category equally, and fill in for one that has less', async () => {
    web.options = { results: 12 };
    const summary = await crawlFake(web, {
      workspace: folder.path,
      sources: ['flickr', 'gbif', 'wikimedia'],
      perCategory: 33,
    });
    // Wikimedia has eleven, since one of its twelve is a drawing.
    expect(summary.sources.map(({ source, kept }) => [source, kept])).toEqual([
      ['flickr', 11],
      ['gbif', 11],
      ['wikimedia', 11],
    ]);
    const more = await crawlFake(web, {
      workspace: folder.path,
      sources: ['flickr', 'gbif', 'wikimedia'],
      perCategory: 35,
      resume: true,
    });
    expect(more.sources.map(({ source, kept }) => [source, kept])).toEqual([
      ['flickr', 12],
      ['gbif', 12],
      ['wikimedia', 11],
    ]);
  });
});
