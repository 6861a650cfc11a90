/** The small parts of a crawl: licences, types of files, placeholders, plans, summaries, places, robots. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Catalog, openCatalog, type PictureState, pictureId } from '../../src/catalog/index.js';
import { queryFor } from '../../src/crawl/categories.js';
import { sha256Of } from '../../src/crawl/file-hash.js';
import { plainText } from '../../src/crawl/html.js';
import { Keys } from '../../src/crawl/keys.js';
import { defaultLicences, licenceCodes, licenceOf, parseLicences } from '../../src/crawl/licence.js';
import { FetchFailure } from '../../src/crawl/network/failure.js';
import { HostLimiter } from '../../src/crawl/network/limiter.js';
import { forbiddingTag, RobotsCache, RobotsRules } from '../../src/crawl/network/robots.js';
import { ownFolder } from '../../src/crawl/own-folder.js';
import { expectPicture } from '../../src/crawl/picture-type.js';
import { dropPlaceholders, isPlaceholderAddress, knownPlaceholders } from '../../src/crawl/placeholders.js';
import { planCrawl } from '../../src/crawl/plan.js';
import { Semaphore } from '../../src/crawl/semaphore.js';
import type { Source } from '../../src/crawl/sources/source.js';
import { summarize } from '../../src/crawl/summary.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-crawl-parts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('licences', () => {
  it('are read in the many ways in which they are written', () => {
    const written: Record<string, string[]> = {
      cc0: ['CC0', 'CC0_1_0', 'cc-zero', 'No rights reserved', 'https://creativecommons.org/publicdomain/zero/1.0/'],
      pdm: ['Public domain', 'PDM', 'pd-old', 'PD', 'https://creativecommons.org/publicdomain/mark/1.0/'],
      'cc-by': ['CC BY 2.0', 'by', 'cc_by_3.0', 'Attribution', 'http://creativecommons.org/licenses/by/2.0'],
      'cc-by-sa': ['CC BY-SA 4.0', 'by-sa', 'Attribution-ShareAlike', 'https://creativecommons.org/licences/sa-by/1.0'],
      'cc-by-nc-nd': [
        'CC BY-NC-ND',
        'Attribution NonCommercial NoDerivs',
        'by nc nd 2.0',
        'attribution-noncommercial-noderivatives',
      ],
      'all-rights-reserved': ['All Rights Reserved', '© Ann', 'C', 'Copyright 2020'],
      unknown: [
        '',
        'free for all',
        'https://creativecommons.org/licenses/nc/1.0',
        'bypass',
        'https://creativecommons.org/publicdomain/odd/',
      ],
    };
    for (const [code, texts] of Object.entries(written))
      for (const text of texts) expect(licenceOf(text), text).toBe(code);
    expect(licenceOf(undefined)).toBe('unknown');
    expect(licenceOf('https://creativecommons.org/publicdomain/certification/1.0/us/')).toBe('pdm');
  });

  it('are free by default, and any stands for all', () => {
    expect(defaultLicences).toEqual(['cc0', 'pdm', 'cc-by', 'cc-by-sa']);
    expect(parseLicences(['ANY'])).toEqual(licenceCodes);
    expect(parseLicences(['CC-BY', 'cc-by', 'pdm'])).toEqual(['cc-by', 'pdm']);
    expect(() => parseLicences(['cc-bye'])).toThrow('"cc-bye" is not a licence');
  });
});

describe('what a source sends', () => {
  it('is a picture by its first bytes, with a type and an ending', async () => {
    const picture = sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } });
    for (const [format, mediaType, extension] of [
      ['jpeg', 'image/jpeg', 'jpg'],
      ['png', 'image/png', 'png'],
      ['gif', 'image/gif', 'gif'],
      ['webp', 'image/webp', 'webp'],
      ['tiff', 'image/tiff', 'tif'],
      ['avif', 'image/avif', 'avif'],
    ] as const)
      expect(expectPicture(await picture.clone().toFormat(format).toBuffer())).toEqual({ mediaType, extension });
    expect(() => expectPicture(Buffer.from('<!DOCTYPE html><html>'))).toThrow(
      expect.objectContaining({ reason: 'not-an-image' }),
    );
  });

  it('as HTML becomes words', () => {
    expect(plainText('<p>A <b>jay</b><br>and<br/>more</p><script>x()</script><style>y</style> end')).toBe(
      'A jay and more end',
    );
    expect(plainText('Tom &amp; Ann &lt;3 &quot;x&quot; &apos; &nbsp; &#65;&#x42; &odd; &#0; &#55296;')).toBe(
      'Tom & Ann <3 "x" \' AB &odd; &#0; &#55296;',
    );
    expect(plainText('x'.repeat(30_000))).toHaveLength(20_000);
    expect(plainText('1 < 2 and 3 > 2')).toBe('1 < 2 and 3 > 2');
  });

  it('is searched for by the words for that source, else by those for all, else by the name', () => {
    const category = { name: 'Jay', query: 'blue jay', queries: { gbif: 'Cyanocitta' } };
    expect([queryFor(category, 'gbif'), queryFor(category, 'flickr'), queryFor({ name: 'Jay' }, 'gbif')]).toEqual([
      ...['Cyanocitta', 'blue jay', 'Jay'],
    ]);
  });
});

describe('keys', () => {
  it('are required by name, and kept out of whatever is written, also as parts of addresses', () => {
    const keys = new Keys({ FLICKR_API_KEY: 'se cret/1', GOOGLE_API_KEY: '' });
    expect([keys.get('FLICKR_API_KEY'), keys.get('GOOGLE_API_KEY')]).toEqual(['se cret/1', undefined]);
    expect(keys.require('FLICKR_API_KEY', 'flickr')).toBe('se cret/1');
    expect(() => keys.require('GOOGLE_API_KEY', 'google')).toThrow('google needs a key, and GOOGLE_API_KEY is not set');
    keys.addSecret('abc');
    keys.addSecret('token');
    expect(keys.redact('se cret/1 se%20cret%2F1 abc token')).toBe('[key] [key] abc [key]');
  });

  it('of a file are one a line, quoted or exported, and no others', () => {
    const file = join(folder, 'keys');
    writeFileSync(file, '# mine\r\n\nexport FLICKR_API_KEY = "a b"\nGOOGLE_API_KEY=\'c\'\n');
    const keys = Keys.load(file, { GOOGLE_API_KEY: 'other', OPENVERSE_CLIENT_ID: 'id' });
    expect([keys.get('FLICKR_API_KEY'), keys.get('GOOGLE_API_KEY'), keys.get('OPENVERSE_CLIENT_ID')]).toEqual([
      'a b',
      'c',
      'id',
    ]);
    writeFileSync(file, '\nODD=1\n');
    expect(() => Keys.load(file, {})).toThrow('line 2 does not set a known key');
    expect(() => Keys.load(join(folder, 'absent'), {})).toThrow('cannot be read');
  });
});

describe('folders and files of a crawl', () => {
  it('are real ones', async () => {
    expect(ownFolder(join(folder, 'a', 'b'))).toBe(join(folder, 'a', 'b'));
    mkdirSync(join(folder, 'there'));
    symlinkSync(join(folder, 'there'), join(folder, 'link'));
    expect(() => ownFolder(join(folder, 'link'))).toThrow('is a link');
    writeFileSync(join(folder, 'file'), 'abc');
    expect(() => ownFolder(join(folder, 'file'))).toThrow(expect.objectContaining({ code: 'BOWERBIRD_FILE' }));
    expect(await sha256Of(join(folder, 'file'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('places', () => {
  it('are given in the order in which they were asked for', async () => {
    const places = new Semaphore(2);
    const order: number[] = [];
    const take = (k: number) => places.take().then(() => order.push(k));
    await Promise.all([take(1), take(2)]);
    const waiting = [take(3), take(4)];
    await null;
    expect(order).toEqual([1, 2]);
    places.give();
    await waiting[0];
    expect(order).toEqual([1, 2, 3]);
    places.give();
    await waiting[1];
    places.give();
    await take(5);
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('a plan', () => {
  it('says how many questions and pictures each source gets', () => {
    const source = (name: string, pageSize: number, chosenByUser = false) =>
      ({
        name,
        pageSize,
        chosenByUser,
        describe: ({ name: what }: { name: string }, licences: Set<string>) => `${what} ${licences.size}`,
      }) as unknown as Source;
    const sources = [source('flickr', 4), source('folder', 100, true)];
    const planned = planCrawl({ categories: [{ name: 'jay' }], sources, perCategory: 11 });
    expect(planned).toEqual([
      { category: 'jay', source: 'flickr', question: 'jay 4', questions: 2, pictures: 6 },
      { category: 'jay', source: 'folder', question: 'jay 10', questions: 1, pictures: 5 },
    ]);
    expect(planCrawl({ categories: [{ name: 'jay' }], sources, perCategory: 2, licences: ['cc0'] })[1].question).toBe(
      'jay 1',
    );
  });
});

describe('placeholders', () => {
  it('are known by where a missing picture leads', () => {
    for (const address of [
      'https://live.staticflickr.com/photo_unavailable_l.png',
      'https://i.imgur.com/removed.png',
      'https://imgur.com/removed.png',
      'https://x.org/image-not-found',
      'https://x.org/a/imagenotavailable.gif',
    ])
      expect(isPlaceholderAddress(new URL(address)), address).toBe(true);
    for (const address of [
      'https://x.org/jay.png',
      'https://notimgur.com/removed.png',
      'https://x.org/image-not-found/jay.png',
    ])
      expect(isPlaceholderAddress(new URL(address)), address).toBe(false);
  });
});

describe('a catalog after a crawl', () => {
  let catalog: Catalog;
  const ids: Record<string, string> = {};
  /** Takes a picture to a state by the allowed way. */
  function picture(name: string, category: string, source: string, state: PictureState, more: object = {}): void {
    const id = pictureId(category, source, name);
    ids[name] = id;
    const base = {
      id,
      category,
      source,
      sourceId: name,
      rank: Object.keys(ids).length,
      imageUrl: `https://x/${name}`,
      licence: 'cc0',
    };
    catalog.recordPage([base], { category, source, nextRank: 9, state: 'open' });
    const way: PictureState[] =
      state === 'dropped' || state === 'failed'
        ? [state]
        : (['fetched', 'checked', 'kept'] as const).slice(0, ['found', 'fetched', 'checked', 'kept'].indexOf(state));
    let from: PictureState = 'found';
    for (const to of way) {
      catalog.move({ id, from, to, ...more });
      from = to;
    }
  }
  beforeEach(async () => {
    catalog = await openCatalog(folder);
  });
  afterEach(() => catalog.close());

  it('is counted by source, by reason and by category', async () => {
    picture('a', 'jay', 's1', 'kept');
    picture('b', 'jay', 's2', 'kept');
    picture('c', 'tit', 's1', 'dropped', { reason: 'licence' });
    picture('d', 'tit', 's1', 'dropped', { reason: 'too-small' });
    picture('e', 'tit', 's1', 'dropped', { reason: 'too-small' });
    picture('f', 'tit', 's2', 'failed', { reason: 'gone', detail: 'it is gone' });
    picture('g', 'tit', 's2', 'found');
    picture('h', 'tit', 's2', 'checked');
    catalog.recordPage([], {
      category: 'owl',
      source: 's2',
      nextRank: 1,
      state: 'failed',
      reason: 'server',
      detail: 'down',
    });
    expect(await summarize(catalog, { categories: [{ name: 'jay' }, { name: 'tit' }, { name: 'owl' }] }, 2)).toEqual({
      ...{ kept: 2, dropped: { 'too-small': 2, licence: 1 }, failed: { gone: 1 }, inReserve: 2 },
      sources: [
        { source: 's1', found: 4, kept: 1, dropped: 3, failed: 0 },
        { source: 's2', found: 4, kept: 1, dropped: 0, failed: 1 },
      ],
      short: [
        { category: 'tit', kept: 0, wanted: 2 },
        { category: 'owl', kept: 0, wanted: 2 },
      ],
      unanswered: [{ source: 's2', category: 'owl', kind: 'server', detail: 'down' }],
      failures: [{ source: 's2', category: 'tit', url: 'https://x/f', kind: 'gone', detail: 'it is gone' }],
    });
  });

  it('loses what turned up in several categories, which is known from then on', async () => {
    const [same, other] = ['a'.repeat(64), 'b'.repeat(64)];
    for (const [k, category] of ['jay', 'tit', 'owl'].entries())
      picture(`p${k}`, category, 's', 'kept', { sha256: same, path: `p${k}.jpg` });
    for (const [k, category] of ['jay', 'tit', 'tit'].entries())
      picture(`q${k}`, category, 's', 'kept', { sha256: other, path: `q${k}.jpg` });
    const file = join(folder, 'placeholders.txt');
    writeFileSync(file, `# known\n${'C'.repeat(64)} # an old one\n\n`);
    expect(await knownPlaceholders(catalog)).toEqual(new Set(['c'.repeat(64)]));
    expect((await dropPlaceholders(catalog)).sort()).toEqual(['p0.jpg', 'p1.jpg', 'p2.jpg']);
    expect(await knownPlaceholders(catalog)).toEqual(new Set(['c'.repeat(64), same]));
    const dropped = await catalog.all<{ detail: string }>("SELECT detail FROM picture WHERE state = 'dropped'");
    expect(dropped[0].detail).toBe('the same file was found for 3 categories');
    // Never less than two, whatever is asked for.
    expect((await dropPlaceholders(catalog, { categories: 1 })).sort()).toEqual(['q0.jpg', 'q1.jpg', 'q2.jpg']);
    writeFileSync(file, 'odd\n');
    await expect(knownPlaceholders(catalog)).rejects.toThrow('line 1 is not a SHA-256');
  });
});

describe('what a host allows', () => {
  it('is read group by group', () => {
    const rules = RobotsRules.parse(
      '\ufeffUser-agent: a\rUser-agent: Bowerbird/2.0\nCrawl-delay: 3\nDisallow: /private # no\nAllow:\nSitemap: x\nUser-agent: *\nDisallow: /\nCrawl-delay: odd\n',
    );
    expect(rules.crawlDelay).toBe(3);
    const allows = (path: string) => rules.allows(new URL(path, 'https://x.org'));
    expect([allows('/'), allows('/private/a'), allows('/other?private')]).toEqual([true, false, true]);
    expect(RobotsRules.parse('Disallow: /\n').allows(new URL('https://x.org/'))).toBe(true);
    expect(RobotsRules.parse('User-agent: *\nDisallow: /a%7eb\n').allows(new URL('https://x.org/a~b'))).toBe(false);
    expect(RobotsRules.parse('User-agent: *\nCrawl-delay: 0\n').crawlDelay).toBeUndefined();
    const query = RobotsRules.parse('User-agent: *\nDisallow: /*?x=\nAllow: /$\n');
    expect([query.allows(new URL('https://x.org/a?x=1')), query.allows(new URL('https://x.org/'))]).toEqual([
      false,
      true,
    ]);
  });

  it('is said with an answer, to all or to one crawler', () => {
    expect(forbiddingTag(['noindex'])).toBe('noindex');
    expect(forbiddingTag(['all', 'nofollow, NoAI'])).toBe('noai');
    expect(forbiddingTag(['otherbot: noindex', 'bowerbird: none'])).toBe('none');
    expect(forbiddingTag(['otherbot: noindex'])).toBeUndefined();
    expect(forbiddingTag(['unavailable_after: 25 Jun 2030, noimageai'])).toBe('noimageai');
    expect(forbiddingTag(['max-snippet: 3', ''])).toBeUndefined();
  });

  it('is asked once a host, again after a failure, and of hosts seen lately', async () => {
    const asked: string[] = [];
    let failure: Error | undefined = new FetchFailure('server', 'down');
    const cache = new RobotsCache(async (url) => {
      asked.push(url.href);
      if (failure) throw failure;
      return new RobotsRules([]);
    }, 2);
    const ask = (host: string) => cache.rules(new URL(`https://${host}/x/y`));
    await expect(ask('a')).rejects.toMatchObject({
      kind: 'robots-unreachable',
      message: expect.stringContaining('down'),
    });
    failure = new FetchFailure('bad-address', 'odd');
    await expect(ask('a')).rejects.toBe(failure);
    failure = undefined;
    for (const host of ['a', 'a', 'b', 'c', 'b', 'a']) await ask(host);
    expect(asked.slice(2)).toEqual(['a', 'b', 'c', 'a'].map((host) => `https://${host}/robots.txt`));
  });

  it('ends a wait for a pause that is too long, and at once when it is told to stop', async () => {
    const told: [string, number][] = [];
    const limiter = new HostLimiter({
      groups: [{ name: 'group', hosts: ['*.x.org', 'y.org'], requestsPerSecond: 1000, concurrency: 1 }],
      ...{ maximumPause: 5, onPause: (name: string, seconds: number) => told.push([name, seconds]) },
    });
    const end = await limiter.acquire('a.x.org');
    const stop = new AbortController();
    const waiting = limiter.acquire('y.org', stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    end();
    end();
    limiter.pause('y.org', 6);
    expect(told).toEqual([['group', 6]]);
    await expect(limiter.acquire('b.x.org')).rejects.toMatchObject({ kind: 'throttled', final: true });
    (await limiter.acquire('z.org'))();
  });
});
