/**
 * iNaturalist: research-grade observations of a taxon with their photographs, most-voted first. A search ends at 10,000
 * observations; beyond that the observations are walked by descending id.
 */
import { queryFor } from '../categories.js';
import { type LicenceCode, licenceCodes, licenceOf } from '../licence.js';
import { fields, list, number, required, text } from './answer.js';
import type { Comment, ListedPicture, Source, SourcePage } from './source.js';

const pageSize = 200;
const mostResults = 10_000;

interface INaturalistCursor {
  page?: number;
  /** Observations older than this id, once the ranked search is used up. */
  below?: number;
}

export function inaturalist(endpoint = 'https://api.inaturalist.org/v1/'): Source {
  const question = (query: string, cursor: INaturalistCursor, licences: ReadonlySet<LicenceCode>) => {
    const url = new URL('observations', endpoint.endsWith('/') ? endpoint : `${endpoint}/`);
    const order: Record<string, string> =
      cursor.below === undefined
        ? { order_by: 'votes', page: String(cursor.page ?? 1) }
        : { order_by: 'id', id_below: String(cursor.below) };
    url.search = new URLSearchParams({
      taxon_name: query,
      photos: 'true',
      quality_grade: 'research',
      per_page: String(pageSize),
      order: 'desc',
      ...order,
      ...(licences.has('all-rights-reserved') || licences.has('unknown')
        ? {}
        : { photo_license: [...licences].filter((code) => code !== 'pdm').join(',') }),
    }).toString();
    return url;
  };

  return {
    name: 'inaturalist',
    pageSize,
    hosts: {
      name: 'inaturalist',
      hosts: ['*.inaturalist.org', 'inaturalist-open-data.s3.amazonaws.com'],
      requestsPerSecond: 1,
      concurrency: 2,
    },

    describe: (category, licences) => `GET ${question(queryFor(category, 'inaturalist'), {}, licences)}`,

    async ask(category, cursor, context): Promise<SourcePage> {
      const position = (cursor as INaturalistCursor | undefined) ?? { page: 1 };
      const answer = fields(
        await context.api.json(question(queryFor(category, 'inaturalist'), position, context.licences)),
      );
      const observations = list(required(answer.results, 'inaturalist', 'results')).map(fields);
      return {
        pictures: observations.flatMap(listed),
        slice: position.below !== undefined,
        next: following(position, observations, number(answer.total_results) ?? 0),
      };
    },

    async comments(picture, context): Promise<Comment[]> {
      const [observation] = picture.sourceId.split('/');
      const url = new URL(
        `observations/${encodeURIComponent(observation)}`,
        endpoint.endsWith('/') ? endpoint : `${endpoint}/`,
      );
      const answer = fields(await context.api.json(url));
      return list(fields(list(answer.results)[0]).comments)
        .map(fields)
        .flatMap((comment) => {
          const body = text(comment.body);
          return body ? [{ author: text(fields(comment.user).login), text: body, date: text(comment.created_at) }] : [];
        });
    },
  };
}

function following(
  position: INaturalistCursor,
  observations: Record<string, unknown>[],
  total: number,
): INaturalistCursor | undefined {
  if (position.below !== undefined) {
    const oldest = Math.min(...observations.map((observation) => number(observation.id) ?? Number.POSITIVE_INFINITY));
    return observations.length > 0 && oldest < position.below ? { below: oldest } : undefined;
  }
  const page = position.page ?? 1;
  if (observations.length > 0 && page * pageSize < Math.min(total, mostResults)) return { page: page + 1 };
  return total > mostResults ? { below: 2 ** 31 - 1 } : undefined;
}

function listed(observation: Record<string, unknown>): ListedPicture[] {
  const id = text(observation.id);
  if (id === undefined) return [];
  const taxon = fields(observation.taxon);
  const user = fields(observation.user);
  const login = text(user.login);
  const names = [text(taxon.preferred_common_name), text(taxon.name)].filter((name) => name !== undefined);
  return list(observation.photos)
    .map(fields)
    .flatMap((photo) => {
      const square = text(photo.url);
      const photoId = text(photo.id);
      if (square === undefined || photoId === undefined) return [];
      const code = text(photo.license_code);
      const licence =
        code === undefined
          ? 'all-rights-reserved'
          : (licenceCodes as readonly string[]).includes(code)
            ? (code as LicenceCode)
            : licenceOf(code);
      return [
        {
          sourceId: `${id}/${photoId}`,
          // The answer names the 75-pixel square; the same address with "large" is at most 1,024 pixels wide.
          imageUrl: square.replace(/\/square\.(\w+)/, '/large.$1'),
          pageUrl: `https://www.inaturalist.org/observations/${encodeURIComponent(id)}`,
          author: text(user.name) ?? login,
          authorUrl: login && `https://www.inaturalist.org/people/${encodeURIComponent(login)}`,
          licence,
          title: text(observation.species_guess) ?? names[0],
          tags: [...names, ...list(observation.tags).flatMap((tag) => text(tag) ?? [])],
          description: text(observation.description),
          publishedAt: text(observation.created_at),
          takenAt: text(observation.observed_on),
        },
      ];
    });
}
