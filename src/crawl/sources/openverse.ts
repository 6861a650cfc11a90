/**
 * Openverse: openly licensed pictures gathered from many collections. Without registration 20 pictures a page and at
 * most 240 in all; with OPENVERSE_CLIENT_ID and OPENVERSE_CLIENT_SECRET more of both.
 */
import { queryFor } from '../categories.js';
import { type LicenceCode, licenceOf } from '../licence.js';
import { FetchFailure } from '../network/failure.js';
import { fields, list, number, required, text } from './answer.js';
import type { ListedPicture, Source, SourceContext, SourcePage } from './source.js';

const anonymousPage = 20;
const registeredPage = 100;

export function openverse(endpoint = 'https://api.openverse.org/v1/'): Source {
  const base = endpoint.endsWith('/') ? endpoint : `${endpoint}/`;
  let token: { value: string; expires: number } | undefined;

  const question = (query: string, page: number, pageSize: number, licences: ReadonlySet<LicenceCode>) => {
    const url = new URL('images/', base);
    const codes = [...licences].flatMap((code) =>
      code === 'cc0' || code === 'pdm' ? [code] : code.startsWith('cc-') ? [code.slice(3)] : [],
    );
    url.search = new URLSearchParams({
      q: query,
      license: codes.join(','),
      page: String(page),
      page_size: String(pageSize),
    }).toString();
    return url;
  };

  async function authorization(context: SourceContext): Promise<Record<string, string> | undefined> {
    const id = context.keys.get('OPENVERSE_CLIENT_ID');
    if (id === undefined) return undefined;
    if (!token || token.expires < Date.now()) {
      const form = {
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: context.keys.require('OPENVERSE_CLIENT_SECRET', 'openverse'),
      };
      const answer = fields(await context.api.json(new URL('auth_tokens/token/', base), { form }));
      const value = required(text(answer.access_token), 'openverse', 'an access token');
      context.keys.addSecret(value);
      token = { value, expires: Date.now() + ((number(answer.expires_in) ?? 3600) - 60) * 1000 };
    }
    return { authorization: `Bearer ${token.value}` };
  }

  return {
    name: 'openverse',
    pageSize: anonymousPage,
    hosts: { name: 'openverse', hosts: ['*.openverse.org'], requestsPerSecond: 1, concurrency: 2 },

    describe: (category, licences) => `GET ${question(queryFor(category, 'openverse'), 1, anonymousPage, licences)}`,

    async ask(category, cursor, context): Promise<SourcePage> {
      const page = (cursor as number | undefined) ?? 1;
      const headers = await authorization(context);
      const url = question(
        queryFor(category, 'openverse'),
        page,
        headers ? registeredPage : anonymousPage,
        context.licences,
      );
      let answer: Record<string, unknown>;
      try {
        answer = fields(await context.api.json(url, headers ? { headers } : {}));
      } catch (error) {
        // Openverse refuses to page deeper than it allows; what came before still counts.
        const deep = page > 1 && error instanceof FetchFailure && ['refused', 'unexpected-answer'].includes(error.kind);
        if (deep) return { pictures: [] };
        throw error;
      }
      const results = list(required(answer.results, 'openverse', 'results'));
      const more = results.length > 0 && page < (number(answer.page_count) ?? 0);
      return { pictures: results.map(fields).flatMap(listed), next: more ? page + 1 : undefined };
    },
  };
}

function listed(result: Record<string, unknown>): ListedPicture[] {
  const id = text(result.id);
  const imageUrl = text(result.url);
  if (id === undefined || imageUrl === undefined || result.mature === true) return [];
  const licenceUrl = text(result.license_url);
  const byUrl = licenceOf(licenceUrl);
  return [
    {
      sourceId: id,
      imageUrl,
      pageUrl: text(result.foreign_landing_url),
      author: text(result.creator),
      authorUrl: text(result.creator_url),
      licence: byUrl === 'unknown' ? licenceOf(text(result.license)) : byUrl,
      licenceUrl,
      title: text(result.title),
      tags: list(result.tags).flatMap((tag) => text(fields(tag).name) ?? []),
      publishedAt: text(result.indexed_on),
    },
  ];
}
