/**
 * The sources' APIs as far as the crawl uses them, with the record shapes of the real services and their limits: silent
 * repeats beyond 4,000 results, pages in several parts, refusals beyond a depth.
 */
import type { IncomingMessage } from 'node:http';

export interface FakeApiOptions {
  /** Results per query. @default 40 */
  results?: number;
  /** The fault of the i-th picture of a query. @default always `none` */
  fault?(query: string, index: number): string;
  /** Real Flickr records to serve instead of made-up ones. */
  flickrRecords?: readonly Record<string, string>[];
  flickrKey?: string;
  /** Host of the pictures. @default the API's */
  pictureHost?: string;
  /** When the i-th result of Flickr was uploaded, in seconds. @default evenly over 2005 … 2024 */
  uploadedAt?(index: number, results: number): number;
  /** Lets the list shift by one between any two pages, as a live site does. */
  shifting?: boolean;
}

interface Served extends FakeApiOptions {
  base(path: string): string;
}

interface Reply {
  status: number;
  body: unknown;
}

type FakeApi = (request: IncomingMessage, url: URL, options: Served) => Reply;

const reply = (body: unknown, status = 200): Reply => ({ status, body });

export function pictureName(api: string, query: string, index: number): string {
  return `${api}-${query.replace(/[^A-Za-z0-9]/g, '_')}-${index}`;
}

function address(options: Served, api: string, query: string, index: number): string {
  const fault = options.fault?.(query, index) ?? 'none';
  const url = options.base(`/picture/${fault}/${pictureName(api, query, index)}.jpg`);
  return options.pictureHost ? url.replace('127.0.0.1', options.pictureHost) : url;
}

const flickrLicences = [
  { id: 0, name: 'All Rights Reserved', url: '' },
  { id: 1, name: 'CC BY-NC-SA 2.0', url: 'https://creativecommons.org/licenses/by-nc-sa/2.0/' },
  { id: 4, name: 'CC BY 2.0', url: 'https://creativecommons.org/licenses/by/2.0/' },
  { id: 5, name: 'CC BY-SA 2.0', url: 'https://creativecommons.org/licenses/by-sa/2.0/' },
  { id: 7, name: 'No known copyright restrictions', url: 'https://www.flickr.com/commons/usage/' },
  { id: 9, name: 'Public Domain Dedication (CC0)', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
  { id: 10, name: 'Public Domain Mark', url: 'https://creativecommons.org/publicdomain/mark/1.0/' },
];

/** Upload times spread evenly over 2005 … 2024, newest first in the index. */
const evenly = (index: number, results: number) =>
  Math.floor(1_735_000_000 - (index * 630_000_000) / Math.max(1, results));

function flickr(_request: IncomingMessage, url: URL, options: Served): Reply {
  const query = (name: string) => url.searchParams.get(name) ?? '';
  if (query('api_key') !== (options.flickrKey ?? 'test-flickr-key'))
    return reply({
      stat: 'fail',
      code: 100,
      message: `Invalid API Key (Key has invalid format: ${query('api_key')})`,
    });
  if (query('method') === 'flickr.photos.licenses.getInfo')
    return reply({ licenses: { license: flickrLicences }, stat: 'ok' });
  if (query('method') === 'flickr.photos.comments.getList') {
    const comment = {
      id: '1',
      author: '1@N01',
      authorname: 'Ann',
      datecreate: '1400000000',
      permalink: '',
      _content: 'Lovely <b>bird</b> &amp; light',
    };
    return reply({ comments: { photo_id: query('photo_id'), comment: [comment] }, stat: 'ok' });
  }
  const results = options.results ?? 40;
  const allowed = query('license') === '' ? undefined : query('license').split(',');
  const from = Number(query('min_upload_date') || 0);
  const to = Number(query('max_upload_date') || 1e12);
  const uploadedAt = options.uploadedAt ?? evenly;
  const indices = Array.from({ length: results }, (_, i) => i).filter((i) => {
    const record = options.flickrRecords?.[i % options.flickrRecords.length];
    const uploaded = uploadedAt(i, results);
    return uploaded >= from && uploaded <= to && (!allowed || allowed.includes(record?.license ?? '4'));
  });
  const perPage = Number(query('per_page'));
  const pages = Math.ceil(indices.length / perPage);
  // Past 4,000 results Flickr repeats its last page and says nothing.
  const page = Math.min(Number(query('page')), Math.max(1, Math.floor(4000 / perPage)));
  const shift = options.shifting && page > 1 ? 1 : 0;
  const photo = indices.slice((page - 1) * perPage - shift, page * perPage - shift).map((i) => {
    const record = options.flickrRecords?.[i % options.flickrRecords.length];
    return {
      id: record?.id ?? String(10_000_000 + i),
      owner: '12345678@N00',
      secret: 'dc8301ccc0',
      server: '2888',
      farm: 3,
      title: record?.title ?? `${query('text')} <script>alert(${i})</script>`,
      ispublic: 1,
      isfriend: 0,
      isfamily: 0,
      license: record?.license ?? '4',
      description: { _content: record ? '' : `<i>Seen</i> near the pond, number ${i}` },
      dateupload: String(uploadedAt(i, results)),
      datetaken: '2013-09-21 10:11:12',
      datetakengranularity: 0,
      datetakenunknown: '0',
      ownername: record?.owner ?? 'Jo "Bird" Watcher',
      tags: record?.tags ?? 'bird nature pond',
      pathalias: 'jo',
      media: 'photo',
      media_status: 'ready',
      url_m: address(options, 'flickr', query('text'), i),
      height_m: 72,
      width_m: 72,
    };
  });
  return reply({
    photos: { page: Number(query('page')), pages, perpage: perPage, total: indices.length, photo },
    stat: 'ok',
  });
}

function wikimedia(_request: IncomingMessage, url: URL, options: Served): Reply {
  const query = (url.searchParams.get('gsrsearch') ?? '').replace('filetype:bitmap ', '');
  const offset = Number(url.searchParams.get('gsroffset') ?? 0);
  const limit = Number(url.searchParams.get('gsrlimit'));
  const results = options.results ?? 40;
  const second = url.searchParams.has('iistart');
  const pages = [];
  for (let i = offset; i < Math.min(offset + limit, results); i++) {
    // MediaWiki hands out the image information of one batch in two answers.
    const withInfo = second === i >= offset + limit / 2;
    pages.push({
      pageid: 5000 + i,
      ns: 6,
      title: `File:${query} ${i}.jpg`,
      index: i + 1,
      imagerepository: 'local',
      ...(withInfo ? { imageinfo: [wikimediaInfo(options, query, i)] } : {}),
    });
  }
  // The order of pages is not that of the ranks.
  pages.reverse();
  const again = { iistart: 'x', gsroffset: offset, continue: 'gsroffset||' };
  const next = offset + limit < results ? { gsroffset: offset + limit, continue: 'gsroffset||' } : undefined;
  return reply({
    ...(second ? { batchcomplete: true } : {}),
    ...(second ? (next ? { continue: next } : {}) : { continue: again }),
    query: { pages },
  });
}

function wikimediaInfo(options: Served, query: string, i: number) {
  const value = (text: string) => ({ value: text, source: 'commons-desc-page' });
  return {
    timestamp: '2014-05-01T10:00:00Z',
    user: 'Some User',
    size: 123456,
    width: 4000,
    height: 3000,
    thumburl: address(options, 'wikimedia', query, i),
    url: 'https://upload.wikimedia.org/original.jpg',
    descriptionurl: `https://commons.wikimedia.org/wiki/File:${i}.jpg`,
    mime: i % 10 === 9 ? 'image/svg+xml' : 'image/jpeg',
    extmetadata: {
      ObjectName: value(`${query} ${i}`),
      Artist: value('<a href="//commons.wikimedia.org/wiki/User:X" title="User:X">X &amp; Y</a>'),
      ImageDescription: value('<p>A bird<br>on a <b>branch</b></p>'),
      Categories: value('Birds|Quality images'),
      LicenseShortName: value('CC BY-SA 4.0'),
      License: value('cc-by-sa-4.0'),
      LicenseUrl: value('https://creativecommons.org/licenses/by-sa/4.0'),
      DateTimeOriginal: value('2013-04-01'),
    },
  };
}

function inaturalist(_request: IncomingMessage, url: URL, options: Served): Reply {
  const single = /observations\/(\d+)$/.exec(url.pathname)?.[1];
  const results = options.results ?? 40;
  const query = url.searchParams.get('taxon_name') ?? '';
  const observation = (i: number) => ({
    id: 900_000 - i,
    uuid: `u-${i}`,
    species_guess: query,
    description: `Seen <b>${i}</b>`,
    observed_on: '2020-05-06',
    created_at: '2020-05-07T08:00:00+00:00',
    tags: ['garden'],
    comments: [{ id: 1, body: 'Nice find', created_at: '2020-05-08T00:00:00+00:00', user: { login: 'bob' } }],
    taxon: { id: 8229, name: 'Cyanocitta cristata', preferred_common_name: 'Blue Jay', rank: 'species' },
    user: { id: 7, login: 'ann', name: 'Ann B.' },
    photos: [0, 1].map((k) => ({
      id: i * 10 + k,
      license_code: k === 0 ? 'cc-by' : null,
      url: address(options, 'inaturalist', query, i * 2 + k).replace(/([^/]+)\.jpg$/, '$1/square.jpg'),
      attribution: '(c) Ann B., some rights reserved (CC BY)',
      original_dimensions: { width: 2048, height: 1365 },
    })),
  });
  if (single)
    return reply({
      total_results: 1,
      page: 1,
      per_page: 1,
      results: [observation(900_000 - Number(single))],
    });
  const perPage = Number(url.searchParams.get('per_page'));
  const page = Number(url.searchParams.get('page') ?? 1);
  if (page * perPage > 10_000) return reply({ error: 'Result window is too large' }, 403);
  const below = Number(url.searchParams.get('id_below') ?? 1e12);
  const indices = Array.from({ length: results }, (_, i) => i).filter((i) => 900_000 - i < below);
  const chosen = indices.slice((page - 1) * perPage, page * perPage);
  return reply({ total_results: indices.length, page, per_page: perPage, results: chosen.map(observation) });
}

function openverse(request: IncomingMessage, url: URL, options: Served): Reply {
  if (url.pathname.endsWith('/auth_tokens/token/'))
    return reply({
      access_token: 'secret-openverse-token',
      expires_in: 3600,
      token_type: 'Bearer',
      scope: 'read write',
    });
  const registered = request.headers.authorization === 'Bearer secret-openverse-token';
  const size = Number(url.searchParams.get('page_size'));
  const page = Number(url.searchParams.get('page'));
  if (!registered && (size > 20 || size * page > 240))
    return reply({ detail: 'Authentication credentials were not provided.' }, 401);
  const query = url.searchParams.get('q') ?? '';
  const results = options.results ?? 40;
  const chosen = Array.from({ length: results }, (_, i) => i).slice((page - 1) * size, page * size);
  return reply({
    result_count: results,
    page_count: Math.ceil(results / size),
    page_size: size,
    page,
    results: chosen.map((i) => ({
      id: `0cca3a36-${i}`,
      title: `${query} ${i}`,
      indexed_on: '2020-01-01T00:00:00Z',
      foreign_landing_url: `https://www.flickr.com/photos/98833136@N00/${i}`,
      url: address(options, 'openverse', query, i),
      creator: 'StartAgain',
      creator_url: 'https://www.flickr.com/photos/98833136@N00',
      license: i % 2 ? 'by' : 'cc0',
      license_version: i % 2 ? '2.0' : '1.0',
      license_url:
        i % 2 ? 'https://creativecommons.org/licenses/by/2.0/' : 'https://creativecommons.org/publicdomain/zero/1.0/',
      provider: 'flickr',
      source: 'flickr',
      filetype: 'jpg',
      tags: [{ name: 'bird', accuracy: null, unstable__provider: 'flickr' }],
      mature: i === 3,
      height: 768,
      width: 1024,
    })),
  });
}

function gbif(_request: IncomingMessage, url: URL, options: Served): Reply {
  const query = url.searchParams.get('name') ?? url.searchParams.get('q') ?? '';
  if (url.pathname.endsWith('/species/match'))
    return reply(
      /^[A-Z][a-z]+ [a-z]+$/.test(query)
        ? { usageKey: 2482593, matchType: 'EXACT', canonicalName: query }
        : { matchType: 'NONE', confidence: 100 },
    );
  if (url.pathname.endsWith('/species/search'))
    return reply({
      offset: 0,
      limit: 5,
      endOfRecords: true,
      count: 1,
      results: query === 'Nothing' ? [] : [{ key: 1, nubKey: 2482593 }],
    });
  const offset = Number(url.searchParams.get('offset'));
  const limit = Number(url.searchParams.get('limit'));
  const results = options.results ?? 40;
  const chosen = Array.from({ length: results }, (_, i) => i).slice(offset, offset + limit);
  return reply({
    offset,
    limit,
    endOfRecords: offset + limit >= results,
    count: results,
    results: chosen.map((i) => ({
      key: 4_000_000_000 + i,
      species: 'Cyanocitta cristata',
      scientificName: 'Cyanocitta cristata (Linnaeus, 1758)',
      vernacularName: 'Blue Jay',
      license: 'http://creativecommons.org/licenses/by-nc/4.0/legalcode',
      recordedBy: 'Recorder',
      eventDate: '2021-03-04',
      media: [
        {
          type: 'StillImage',
          format: 'image/jpeg',
          references: `https://www.inaturalist.org/photos/${i}`,
          creator: 'Maker',
          license: 'http://creativecommons.org/licenses/by/4.0/',
          rightsHolder: 'Holder',
          identifier: address(options, 'gbif', String(url.searchParams.get('taxonKey')), i),
        },
        { type: 'Sound', identifier: options.base('/sound.mp3') },
      ],
    })),
  });
}

function google(_request: IncomingMessage, url: URL, options: Served): Reply {
  if (url.searchParams.get('key') !== 'test-google-key')
    return reply({ error: { code: 400, message: 'API key not valid.' } }, 400);
  const query = url.searchParams.get('q') ?? '';
  const start = Number(url.searchParams.get('start'));
  const results = Math.min(options.results ?? 40, 1000);
  const chosen = Array.from({ length: results }, (_, i) => i).slice(start - 1, start + 9);
  const nextPage = start + 10 <= results ? [{ startIndex: start + 10, count: 10, searchType: 'image' }] : undefined;
  return reply({
    kind: 'customsearch#search',
    queries: { request: [{ startIndex: start, count: 10 }], ...(nextPage ? { nextPage } : {}) },
    searchInformation: { totalResults: String(results) },
    items: chosen.map((i) => ({
      kind: 'customsearch#result',
      title: `${query} ${i}`,
      htmlTitle: `<b>${query}</b> ${i}`,
      link: address(options, 'google', query, i),
      displayLink: 'www.example.org',
      snippet: `${query} photograph`,
      mime: 'image/jpeg',
      image: {
        contextLink: `https://www.example.org/${i}`,
        height: 800,
        width: 600,
        byteSize: 1000,
        thumbnailLink: '',
      },
    })),
  });
}

export const apis: Record<string, FakeApi> = { flickr, wikimedia, inaturalist, openverse, gbif, google };
