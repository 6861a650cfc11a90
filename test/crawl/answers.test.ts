/** What becomes of the answers of picture sources, given straight to them: whole ones, poor ones, and where they go on. */
import { describe, expect, it } from 'vitest';
import { Keys, type LicenceCode, type Source, type SourceContext } from '../../src/crawl/index.js';
import { createSource } from '../../src/crawl/sources/index.js';
import { testKeys } from './web/crawling.js';

interface Asked {
  urls: URL[];
  context: SourceContext;
}

/** A context whose questions are answered with these, one after the other; the last one again and again. */
function answering(answers: readonly unknown[], licences: readonly LicenceCode[] = ['cc0', 'pdm', 'cc-by']): Asked {
  const urls: URL[] = [];
  const json = async (url: URL, options?: { validate?: (answer: unknown) => void }) => {
    const answer = answers[Math.min(urls.length, answers.length - 1)];
    urls.push(url);
    options?.validate?.(answer);
    return answer;
  };
  const context = { api: { json }, keys: new Keys(testKeys), licences: new Set(licences) } as unknown as SourceContext;
  return { urls, context };
}

const ask = (source: Source, answers: readonly unknown[], cursor?: unknown) => {
  const asked = answering(answers);
  return source.ask({ name: 'Blue Jay' }, cursor, asked.context).then((page) => ({ ...page, urls: asked.urls }));
};

describe('openverse', () => {
  const source = createSource('openverse', {});
  const result = {
    id: 'a',
    url: 'https://x.org/a.jpg',
    license: 'by-sa',
    tags: [{ name: 'bird' }, { name: '' }, 'odd'],
  };

  it('takes the licence from its address, else from its name', async () => {
    const results = [
      { ...result, license_url: 'https://creativecommons.org/licenses/by/2.0/' },
      result,
      { ...result, license: undefined },
      { ...result, mature: true },
      { ...result, id: undefined },
      { ...result, url: ' ' },
    ];
    const { pictures, next } = await ask(source, [{ results, page_count: 1 }]);
    expect(pictures.map(({ licence }) => licence)).toEqual(['cc-by', 'cc-by-sa', 'unknown']);
    expect(pictures[1]).toMatchObject({ sourceId: 'a', imageUrl: 'https://x.org/a.jpg', tags: ['bird'] });
    expect(next).toBeUndefined();
  });

  it('asks for the licences that pass, and goes on while there are pages', async () => {
    const { next, urls } = await ask(source, [{ results: [result], page_count: 3 }], 2);
    expect(next).toBe(3);
    expect(Object.fromEntries(urls[0].searchParams)).toEqual({
      ...{ q: 'Blue Jay', license: 'cc0,pdm,by', page: '2', page_size: '20' },
    });
    expect((await ask(source, [{ results: [result], page_count: 3 }], 3)).next).toBeUndefined();
    expect((await ask(source, [{ results: [], page_count: 9 }])).next).toBeUndefined();
    await expect(ask(source, [{}])).rejects.toMatchObject({ kind: 'unexpected-answer' });
  });
});

describe('gbif', () => {
  const source = createSource('gbif', {});
  const exact = { matchType: 'EXACT', usageKey: 7 };

  it('takes a fuzzy match of the scientific name only where no vernacular name matches', async () => {
    const end = { results: [], endOfRecords: true };
    const taxonOf = async (match: object, found: object) =>
      (await ask(source, [match, found, end])).urls.at(-1)!.searchParams.get('taxonKey');
    expect((await ask(source, [exact, end])).urls[1].searchParams.get('taxonKey')).toBe('7');
    expect(await taxonOf({ matchType: 'FUZZY', usageKey: 8 }, { results: [{}, { nubKey: 9 }] })).toBe('9');
    expect(await taxonOf({ matchType: 'FUZZY', usageKey: 8 }, { results: [] })).toBe('8');
    expect((await ask(source, [{ matchType: 'NONE', usageKey: 8 }, { results: [] }])).pictures).toEqual([]);
  });

  it('lists the pictures of a record with what the record says where they say nothing', async () => {
    const occurrence = {
      ...{ key: 5, species: 'Cyanocitta cristata', scientificName: 'Cyanocitta cristata', vernacularName: 'Jay' },
      ...{ license: 'http://creativecommons.org/licenses/by/4.0/', recordedBy: 'Ann', eventDate: '2020-05-01' },
      occurrenceRemarks: 'at dusk',
      media: [
        { identifier: 'https://x.org/1.jpg', type: 'StillImage' },
        { identifier: 'https://x.org/2.mp3', type: 'Sound' },
        {
          identifier: 'https://x.org/3.jpg',
          license: 'CC0_1_0',
          title: 'Own',
          creator: 'Bob',
          references: 'https://x.org/3',
        },
      ],
    };
    const { pictures } = await ask(source, [exact, { results: [occurrence, { media: occurrence.media }] }]);
    const shared = { tags: ['Jay', 'Cyanocitta cristata'], description: 'at dusk', takenAt: '2020-05-01' };
    expect(pictures).toEqual([
      {
        ...{ sourceId: '5/0', imageUrl: 'https://x.org/1.jpg', pageUrl: 'https://www.gbif.org/occurrence/5' },
        ...{ author: 'Ann', licence: 'cc-by', licenceUrl: occurrence.license, title: 'Jay', ...shared },
      },
      {
        ...{ sourceId: '5/2', imageUrl: 'https://x.org/3.jpg', pageUrl: 'https://x.org/3' },
        ...{ author: 'Bob', licence: 'cc0', licenceUrl: undefined, title: 'Own', ...shared },
      },
    ]);
  });

  it('goes on until its records end', async () => {
    const at = (offset: number) => ({ taxon: '7', offset });
    const results = Array.from({ length: 300 }, (_, key) => ({ key }));
    expect((await ask(source, [{ results, count: 700 }], at(300))).next).toEqual(at(600));
    expect((await ask(source, [{ results, count: 600 }], at(300))).next).toEqual(at(600));
    expect((await ask(source, [{ results, count: 599 }], at(300))).next).toBeUndefined();
    expect((await ask(source, [{ results, count: 700, endOfRecords: true }], at(300))).next).toBeUndefined();
    expect((await ask(source, [{ results: [], count: 700 }], at(300))).next).toBeUndefined();
    expect((await ask(source, [{ results, count: 1e6 }], at(99_600))).next).toBeUndefined();
  });
});

describe('inaturalist', () => {
  const source = createSource('inaturalist', {});

  it('lists the photographs of an observation in a size to learn from, without a licence as reserved', async () => {
    const observation = {
      ...{ id: 3, species_guess: 'Jay', description: 'in oak', observed_on: '2021-02-03', tags: ['oak', ''] },
      ...{ taxon: { preferred_common_name: 'Blue Jay', name: 'Cyanocitta cristata' }, user: { login: 'ann b' } },
      photos: [
        { id: 1, url: 'https://x.org/1/square.jpeg', license_code: 'cc-by-nc' },
        { id: 2, url: 'https://x.org/2/square.png' },
        { id: 4 },
      ],
    };
    const { pictures, next } = await ask(source, [{ results: [observation], total_results: 1 }]);
    expect(pictures.map(({ sourceId, imageUrl, licence }) => [sourceId, imageUrl, licence])).toEqual([
      ['3/1', 'https://x.org/1/large.jpeg', 'cc-by-nc'],
      ['3/2', 'https://x.org/2/large.png', 'all-rights-reserved'],
    ]);
    expect(pictures[0]).toMatchObject({
      ...{
        author: 'ann b',
        authorUrl: 'https://www.inaturalist.org/people/ann%20b',
        title: 'Jay',
        takenAt: '2021-02-03',
      },
      ...{ tags: ['Blue Jay', 'Cyanocitta cristata', 'oak'], pageUrl: 'https://www.inaturalist.org/observations/3' },
    });
    expect(next).toBeUndefined();
  });

  it('walks by votes to the 10,000th observation, and from there by number', async () => {
    const results = [{ id: 50 }, { id: 40 }];
    const next = async (cursor: object | undefined, total: number, some: object[] = results) =>
      (await ask(source, [{ results: some, total_results: total }], cursor)).next;
    expect(await next(undefined, 201)).toEqual({ page: 2 });
    expect(await next({ page: 1 }, 200)).toBeUndefined();
    expect(await next({ page: 49 }, 20_000)).toEqual({ page: 50 });
    expect(await next({ page: 50 }, 20_000)).toEqual({ below: 2 ** 31 - 1 });
    expect(await next({ page: 50 }, 10_000)).toBeUndefined();
    expect(await next({ below: 60 }, 20_000)).toEqual({ below: 40 });
    expect(await next({ below: 40 }, 20_000)).toBeUndefined();
    expect(await next({ below: 60 }, 20_000, [])).toBeUndefined();
    const { urls, slice } = await ask(source, [{ results, total_results: 2 }], { below: 60 });
    expect([urls[0].searchParams.get('id_below'), urls[0].searchParams.get('order_by'), slice]).toEqual([
      '60',
      'id',
      true,
    ]);
  });

  it('asks for all licences where any passes', async () => {
    const licencesOf = async (licences: LicenceCode[]) => {
      const { urls, context } = answering([{ results: [] }], licences);
      await source.ask({ name: 'Jay' }, undefined, context);
      return urls[0].searchParams.get('photo_license');
    };
    expect(await licencesOf(['cc0', 'pdm', 'cc-by'])).toBe('cc0,cc-by');
    expect(await licencesOf(['cc0', 'unknown'])).toBeNull();
    expect(await licencesOf(['cc0', 'all-rights-reserved'])).toBeNull();
  });
});

describe('wikimedia', () => {
  const source = createSource('wikimedia', { contact: 'me@example.org' });
  const page = (pageid: number, index: number, info: object) => ({
    ...{ pageid, index, title: `File:Jay ${pageid}.jpg` },
    imageinfo: [{ mime: 'image/jpeg', url: `https://x.org/${pageid}.jpg`, user: 'Ann B', ...info }],
  });

  it('lists what can be shown, in the order of the search, with names from the file where there are none', async () => {
    const metadata = {
      ...{
        ObjectName: { value: 'A <b>jay</b>' },
        Artist: { value: '<i>Bob</i>' },
        Categories: { value: 'Jays|Birds' },
      },
      LicenseShortName: { value: 'CC BY-SA 4.0' },
    };
    const pages = [
      page(2, 2, {}),
      page(1, 1, { thumburl: 'https://x.org/1-small.jpg', extmetadata: metadata }),
      page(3, 3, { mime: 'image/svg+xml' }),
    ];
    const { pictures, next } = await ask(source, [
      { batchcomplete: true, query: { pages }, continue: { gsroffset: 50 } },
    ]);
    expect(pictures).toMatchObject([
      { sourceId: '1', imageUrl: 'https://x.org/1-small.jpg', title: 'A jay', author: 'Bob', licence: 'cc-by-sa' },
      { sourceId: '2', imageUrl: 'https://x.org/2.jpg', title: 'Jay 2', author: 'Ann B', licence: 'unknown' },
    ]);
    expect(pictures[0].tags).toEqual(['Jays', 'Birds']);
    expect(pictures[1].authorUrl).toBe('https://commons.wikimedia.org/wiki/User:Ann%20B');
    expect(next).toBe(50);
    const { next: stuck } = await ask(
      source,
      [{ batchcomplete: true, query: { pages }, continue: { gsroffset: 50 } }],
      50,
    );
    expect(stuck).toBeUndefined();
  });

  it('puts a batch together from several answers', async () => {
    const first = { query: { pages: [{ pageid: 1, index: 1 }] }, continue: { iistart: 'later', gsroffset: 0 } };
    const second = { query: { pages: [page(1, 1, {})] }, batchcomplete: true };
    const { pictures, urls } = await ask(source, [first, second]);
    expect(pictures.map(({ sourceId }) => sourceId)).toEqual(['1']);
    expect(urls[1].searchParams.get('iistart')).toBe('later');
  });

  it.each([
    ['maxlag', 'server'],
    ['ratelimited', 'server'],
    ['badvalue', 'unexpected-answer'],
  ])('says whether asking again may help: %s', async (code, kind) => {
    await expect(ask(source, [{ error: { code, info: 'no' } }])).rejects.toMatchObject({ kind });
  });
});

describe('google', () => {
  const source = createSource('google', {});
  const answer = (startIndex: number) => ({
    queries: { nextPage: [{ startIndex }] },
    items: [{ link: 'https://x.org/1.jpg' }, {}],
  });

  it('ends at the hundredth picture, and where it goes in circles', async () => {
    expect((await ask(source, [answer(91)], 81)).next).toBe(91);
    expect((await ask(source, [answer(101)], 91)).next).toBeUndefined();
    expect((await ask(source, [answer(11)], 11)).next).toBeUndefined();
    const { pictures, urls } = await ask(source, [answer(11)]);
    expect(pictures).toMatchObject([{ sourceId: 'https://x.org/1.jpg', licence: 'unknown' }]);
    expect(urls[0].searchParams.get('rights')).toBe('(cc_publicdomain|cc_attribute)');
  });
});

describe('flickr', () => {
  const licences = {
    stat: 'ok',
    licenses: {
      license: [
        { id: 4, name: 'Attribution License' },
        { id: '0', name: 'All Rights Reserved' },
      ],
    },
  };

  it('takes the largest size below the original, and says whose the picture is', async () => {
    const photo = {
      id: 9,
      owner: '1@N2',
      pathalias: 'ann',
      license: 4,
      tags: 'blue jay',
      dateupload: '86400',
      url_m: 'https://x.org/m.jpg',
    };
    const photos = {
      total: 5,
      photo: [
        { ...photo, url_o: 'https://x.org/o.jpg' },
        { ...photo, id: 10, url_l: 'https://x.org/l.jpg', pathalias: undefined, license: 3, ownername: 'Ann' },
        { ...photo, id: 11, media: 'video' },
        { id: 12 },
      ],
    };
    const { pictures, urls, next } = await ask(createSource('flickr', {}), [licences, { stat: 'ok', photos }]);
    expect(pictures).toMatchObject([
      {
        ...{ sourceId: '9', imageUrl: 'https://x.org/m.jpg', author: 'ann', licence: 'cc-by', tags: ['blue', 'jay'] },
        ...{ pageUrl: 'https://www.flickr.com/photos/ann/9', publishedAt: '1970-01-02T00:00:00.000Z' },
      },
      { sourceId: '10', imageUrl: 'https://x.org/l.jpg', author: 'Ann', licence: 'unknown' },
    ]);
    expect(pictures[1].authorUrl).toBe('https://www.flickr.com/photos/1%40N2');
    expect(urls[1].searchParams.get('license')).toBe('4');
    expect(next).toBeUndefined();
  });

  it.each([
    [105, 'server'],
    [1, 'unexpected-answer'],
  ])('says whether asking again may help: code %i', async (code, kind) => {
    const run = ask(createSource('flickr', {}), [{ stat: 'fail', code, message: 'no' }]);
    await expect(run).rejects.toMatchObject({ kind });
  });
});
