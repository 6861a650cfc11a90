/**
 * Flickr: `flickr.photos.search` by relevance. Beyond 4,000 results Flickr silently repeats itself, so deeper questions
 * are cut into ranges of upload dates, halved until each has at most 4,000 results.
 */
import { BowerbirdError } from '../../errors.js';
import { type Category, queryFor } from '../categories.js';
import { plainText } from '../html.js';
import { type LicenceCode, licenceOf } from '../licence.js';
import { FetchFailure } from '../network/failure.js';
import { epoch, fields, list, number, required, text } from './answer.js';
import type { Comment, Cursor, ListedPicture, Source, SourceContext, SourcePage } from './source.js';

const pageSize = 250;
const mostResults = 4000;
/** Flickr opened in February 2004. */
const firstUpload = Date.UTC(2004, 1, 1) / 1000;
const extras =
  'description,license,date_upload,date_taken,owner_name,tags,path_alias,media,url_l,url_c,url_z,url_m,url_o';
/** The largest of these that a picture has; originals last, for they can be enormous. */
const sizes = ['url_l', 'url_c', 'url_z', 'url_m', 'url_o'];

interface Range {
  from: number;
  to: number;
}

interface FlickrCursor {
  page: number;
  /** Upload times still to be searched, the first one now; absent while the plain question still serves. */
  ranges?: Range[];
}

export function flickr(endpoint = 'https://api.flickr.com/services/rest/'): Source {
  const licenceNames = new Map<string, { code: LicenceCode; url?: string }>();

  async function call(
    context: SourceContext,
    method: string,
    parameters: Record<string, string>,
  ): Promise<Record<string, unknown>> {
    const url = new URL(endpoint);
    url.search = new URLSearchParams({
      method,
      api_key: context.keys.require('FLICKR_API_KEY', 'flickr'),
      format: 'json',
      nojsoncallback: '1',
      ...parameters,
    }).toString();
    return fields(await context.api.json(url, { validate: (answer) => accept(fields(answer), context) }));
  }

  async function loadLicences(context: SourceContext): Promise<void> {
    if (licenceNames.size > 0) return;
    const answer = await call(context, 'flickr.photos.licenses.getInfo', {});
    for (const entry of list(fields(answer.licenses).license).map(fields)) {
      const id = text(entry.id);
      const url = text(entry.url);
      const code =
        id === '0'
          ? 'all-rights-reserved'
          : licenceOf(url) !== 'unknown'
            ? licenceOf(url)
            : licenceOf(text(entry.name));
      if (id !== undefined) licenceNames.set(id, { code, url });
    }
  }

  async function search(
    category: Category,
    context: SourceContext,
    page: number,
    range?: Range,
  ): Promise<Record<string, unknown>> {
    await loadLicences(context);
    const ids = [...licenceNames].filter(([, { code }]) => context.licences.has(code)).map(([id]) => id);
    const dates: Record<string, string> = range
      ? { min_upload_date: String(range.from), max_upload_date: String(range.to) }
      : {};
    const answer = await call(context, 'flickr.photos.search', {
      ...searchParameters(category),
      license: ids.join(','),
      page: String(page),
      ...dates,
    });
    return required(answer.photos ? fields(answer.photos) : undefined, 'flickr', 'photos');
  }

  return {
    name: 'flickr',
    pageSize,
    hosts: { name: 'flickr', hosts: ['*.flickr.com', '*.staticflickr.com'], requestsPerSecond: 1, concurrency: 4 },

    async prepare({ keys }) {
      keys.require('FLICKR_API_KEY', 'flickr');
    },

    describe(category, licences) {
      const query = new URLSearchParams({ method: 'flickr.photos.search', ...searchParameters(category), page: '1' });
      return `GET ${endpoint}?${query}, licences ${[...licences].join(' ')}`;
    },

    async ask(category, cursor, context): Promise<SourcePage> {
      const { page, ranges } = (cursor as FlickrCursor | undefined) ?? { page: 1 };
      const photos = await search(category, context, page, ranges?.[0]);
      const total = number(photos.total) ?? 0;
      if (ranges && page === 1 && total > mostResults && ranges[0].to > ranges[0].from)
        return {
          pictures: [],
          slice: true,
          next: { page: 1, ranges: [...halves(ranges[0]), ...ranges.slice(1)] } satisfies FlickrCursor,
        };
      const pictures = list(photos.photo)
        .map(fields)
        .flatMap((photo) => listed(photo, licenceNames));
      const next = following(page, list(photos.photo).length, total, ranges);
      return { pictures, next, slice: ranges !== undefined };
    },

    async comments(picture, context): Promise<Comment[]> {
      const answer = await call(context, 'flickr.photos.comments.getList', { photo_id: picture.sourceId });
      return list(fields(answer.comments).comment)
        .map(fields)
        .flatMap((comment) => {
          const words = text(comment._content);
          return words
            ? [{ author: text(comment.authorname), text: plainText(words), date: epoch(comment.datecreate) }]
            : [];
        });
    },
  };
}

/** Flickr reports errors in answers that look like success to HTTP. */
function accept(answer: Record<string, unknown>, { keys }: SourceContext): void {
  if (answer.stat === 'ok') return;
  const code = number(answer.code) ?? -1;
  const message = `flickr answered: ${text(answer.message) ?? 'no reason given'} (code ${code})`;
  if (code === 100)
    throw new BowerbirdError('BOWERBIRD_KEY_REFUSED', keys.redact(message), { hint: 'Check FLICKR_API_KEY.' });
  const passing = [0, 10, 105, 106, 201].includes(code);
  throw new FetchFailure(passing ? 'server' : 'unexpected-answer', message);
}

function searchParameters(category: Category): Record<string, string> {
  return {
    text: queryFor(category, 'flickr'),
    sort: 'relevance',
    media: 'photos',
    content_types: '0',
    safe_search: '1',
    extras,
    per_page: String(pageSize),
  };
}

/** The next page of this question, the next range of dates, or the cut into ranges once 4,000 results are read. */
function following(page: number, received: number, total: number, ranges?: Range[]): Cursor | undefined {
  const readable = Math.min(total, mostResults);
  if (received > 0 && page * pageSize < readable) return { page: page + 1, ...(ranges ? { ranges } : {}) };
  if (ranges) return ranges.length > 1 ? { page: 1, ranges: ranges.slice(1) } : undefined;
  if (total <= mostResults) return undefined;
  return { page: 1, ranges: halves({ from: firstUpload, to: Math.floor(Date.now() / 1000) }) };
}

/** The newer half first. */
function halves({ from, to }: Range): Range[] {
  const middle = Math.floor((from + to) / 2);
  return [
    { from: middle + 1, to },
    { from, to: middle },
  ];
}

function listed(
  photo: Record<string, unknown>,
  licences: ReadonlyMap<string, { code: LicenceCode; url?: string }>,
): ListedPicture[] {
  const id = text(photo.id);
  const size = sizes.find((name) => text(photo[name]));
  if (id === undefined || size === undefined || (text(photo.media) ?? 'photo') !== 'photo') return [];
  const owner = text(photo.pathalias) ?? text(photo.owner);
  const licence = licences.get(text(photo.license) ?? '');
  const description = text(fields(photo.description)._content);
  return [
    {
      sourceId: id,
      imageUrl: text(photo[size])!,
      pageUrl: owner && `https://www.flickr.com/photos/${encodeURIComponent(owner)}/${encodeURIComponent(id)}`,
      author: text(photo.ownername) ?? owner,
      authorUrl: owner && `https://www.flickr.com/photos/${encodeURIComponent(owner)}`,
      licence: licence?.code ?? 'unknown',
      licenceUrl: licence?.url,
      title: text(photo.title),
      tags: text(photo.tags)?.split(/\s+/),
      description: description && plainText(description),
      publishedAt: epoch(photo.dateupload),
      takenAt: text(photo.datetaken),
    },
  ];
}
