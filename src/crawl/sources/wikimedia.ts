/**
 * Wikimedia Commons: the search of the MediaWiki API over files, with licence, author and description from their
 * `extmetadata`. Asked serially, with a User-Agent that names a contact, as its terms require.
 */
import { UsageError } from '../../errors.js';
import { queryFor } from '../categories.js';
import { plainText } from '../html.js';
import { licenceOf } from '../licence.js';
import { FetchFailure } from '../network/failure.js';
import { fields, list, number, text } from './answer.js';
import type { ListedPicture, Source, SourceContext, SourcePage } from './source.js';

const pageSize = 50;
/** Wide enough for any network; originals of a hundred megapixels are common there. */
const pictureWidth = 1024;
/** MediaWiki hands out the properties of one batch in several answers; more than this means it goes in circles. */
const mostParts = 20;
const raster = ['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/gif'];

export interface WikimediaOptions {
  endpoint?: string;
  /** A mail address or page where the operator can be reached. */
  contact?: string;
}

export function wikimedia(options: WikimediaOptions = {}): Source {
  const endpoint = options.endpoint ?? 'https://commons.wikimedia.org/w/api.php';

  /** One batch of search results, put together from as many answers as it takes. */
  async function batch(parameters: URLSearchParams, context: SourceContext) {
    const pages = new Map<string, Record<string, unknown>>();
    let more: Record<string, unknown> | undefined;
    for (let part = 0; part < mostParts; part++) {
      const url = new URL(endpoint);
      const question = new URLSearchParams(parameters);
      for (const [name, value] of Object.entries(more ?? {})) question.set(name, String(value));
      url.search = question.toString();
      const answer = fields(await context.api.json(url, { validate }));
      for (const page of list(fields(answer.query).pages).map(fields)) {
        const id = text(page.pageid) ?? text(page.title) ?? '';
        pages.set(id, { ...pages.get(id), ...page });
      }
      more = answer.continue ? fields(answer.continue) : undefined;
      if (answer.batchcomplete || more === undefined) break;
    }
    return { pages: [...pages.values()], next: number(more?.gsroffset) };
  }

  return {
    name: 'wikimedia',
    pageSize,
    hosts: { name: 'wikimedia', hosts: ['*.wikimedia.org', '*.wikipedia.org'], requestsPerSecond: 2, concurrency: 1 },

    async prepare() {
      if (!options.contact)
        throw new UsageError(
          'Wikimedia Commons asks every program to say who runs it, and no contact is given',
          'Give your mail address or a page about your project with --contact, as crawl.contact in bowerbird.yaml, or as BOWERBIRD_CONTACT.',
        );
    },

    describe: (category) => `GET ${endpoint}?${searchParameters(queryFor(category, 'wikimedia'), 0)}`,

    async ask(category, cursor, context): Promise<SourcePage> {
      const offset = (cursor as number | undefined) ?? 0;
      const { pages, next } = await batch(searchParameters(queryFor(category, 'wikimedia'), offset), context);
      const ranked = pages.sort((a, b) => (number(a.index) ?? 0) - (number(b.index) ?? 0));
      return { pictures: ranked.flatMap(listed), next: next !== undefined && next > offset ? next : undefined };
    },
  };
}

function searchParameters(query: string, offset: number): URLSearchParams {
  return new URLSearchParams({
    action: 'query',
    format: 'json',
    formatversion: '2',
    maxlag: '5',
    generator: 'search',
    gsrsearch: `filetype:bitmap ${query}`,
    gsrnamespace: '6',
    gsrlimit: String(pageSize),
    gsroffset: String(offset),
    prop: 'imageinfo',
    iiprop: 'url|size|mime|user|timestamp|extmetadata',
    iiurlwidth: String(pictureWidth),
  });
}

function validate(answer: unknown): void {
  if (fields(answer).error) throw refused(fields(fields(answer).error));
}

function refused(error: Record<string, unknown>): FetchFailure {
  const code = text(error.code) ?? 'unknown';
  const passing = [
    'maxlag',
    'ratelimited',
    'readonly',
    'internal_api_error_DBQueryError',
    'cirrussearch-too-busy-error',
  ].includes(code);
  return new FetchFailure(
    passing ? 'server' : 'unexpected-answer',
    `wikimedia answered: ${text(error.info) ?? code} (${code})`,
  );
}

function listed(page: Record<string, unknown>): ListedPicture[] {
  const info = fields(list(page.imageinfo)[0]);
  const id = text(page.pageid);
  const imageUrl = text(info.thumburl) ?? text(info.url);
  if (id === undefined || imageUrl === undefined || !raster.includes(text(info.mime) ?? '')) return [];
  const metadata = fields(info.extmetadata);
  const value = (name: string) => {
    const found = text(fields(metadata[name]).value);
    return found && plainText(found);
  };
  const licenceUrl = value('LicenseUrl');
  const named = [licenceUrl, value('License'), value('LicenseShortName')]
    .map(licenceOf)
    .find((code) => code !== 'unknown');
  const user = text(info.user);
  return [
    {
      sourceId: id,
      imageUrl,
      pageUrl: text(info.descriptionurl),
      author: value('Artist') ?? user,
      authorUrl: user && `https://commons.wikimedia.org/wiki/User:${encodeURIComponent(user)}`,
      licence: named ?? 'unknown',
      licenceUrl,
      title: value('ObjectName') ?? text(page.title)?.replace(/^File:|\.\w+$/g, ''),
      tags: value('Categories')?.split('|'),
      description: value('ImageDescription'),
      publishedAt: text(info.timestamp),
      takenAt: value('DateTimeOriginal'),
    },
  ];
}
