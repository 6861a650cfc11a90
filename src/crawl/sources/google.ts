/**
 * Google Programmable Search for images: ten results a question, a hundred in all. It filters by licence but does not
 * say the licence of a result, so every picture's licence is `unknown` and passes the gate only where that is allowed.
 */
import { queryFor } from '../categories.js';
import type { LicenceCode } from '../licence.js';
import { fields, list, number, text } from './answer.js';
import type { ListedPicture, Source, SourcePage } from './source.js';

const pageSize = 10;
const mostResults = 100;

/** Google's words for what a licence allows; `(a|b)` asks for either. */
const rights: Partial<Record<LicenceCode, string>> = {
  cc0: 'cc_publicdomain',
  pdm: 'cc_publicdomain',
  'cc-by': 'cc_attribute',
  'cc-by-sa': 'cc_sharealike',
  'cc-by-nc': 'cc_noncommercial',
  'cc-by-nc-sa': 'cc_noncommercial',
  'cc-by-nd': 'cc_nonderived',
  'cc-by-nc-nd': 'cc_nonderived',
};

export function google(endpoint = 'https://www.googleapis.com/customsearch/v1'): Source {
  const question = (query: string, start: number, licences: ReadonlySet<LicenceCode>) => {
    const asked = licences.has('all-rights-reserved')
      ? []
      : [...new Set([...licences].flatMap((code) => rights[code] ?? []))];
    return new URLSearchParams({
      q: query,
      searchType: 'image',
      num: String(pageSize),
      start: String(start),
      safe: 'active',
      ...(asked.length > 0 ? { rights: `(${asked.join('|')})` } : {}),
    });
  };

  return {
    name: 'google',
    pageSize,
    hosts: { name: 'google', hosts: ['www.googleapis.com'], requestsPerSecond: 1, concurrency: 2 },

    async prepare({ keys }) {
      keys.require('GOOGLE_API_KEY', 'google');
      keys.require('GOOGLE_SEARCH_ENGINE_ID', 'google');
    },

    describe: (category, licences) => `GET ${endpoint}?${question(queryFor(category, 'google'), 1, licences)}`,

    async ask(category, cursor, { api, keys, licences }): Promise<SourcePage> {
      const start = (cursor as number | undefined) ?? 1;
      const url = new URL(endpoint);
      const search = question(queryFor(category, 'google'), start, licences);
      search.set('key', keys.require('GOOGLE_API_KEY', 'google'));
      search.set('cx', keys.require('GOOGLE_SEARCH_ENGINE_ID', 'google'));
      url.search = search.toString();
      const answer = fields(await api.json(url));
      const next = number(fields(list(fields(answer.queries).nextPage)[0]).startIndex);
      const pictures = list(answer.items).map(fields).flatMap(listed);
      const more = pictures.length > 0 && next !== undefined && next > start && next + pageSize - 1 <= mostResults;
      return { pictures, next: more ? next : undefined };
    },
  };
}

function listed(item: Record<string, unknown>): ListedPicture[] {
  const imageUrl = text(item.link);
  if (imageUrl === undefined) return [];
  return [
    {
      sourceId: imageUrl,
      imageUrl,
      pageUrl: text(fields(item.image).contextLink),
      author: text(item.displayLink),
      licence: 'unknown',
      title: text(item.title),
      description: text(item.snippet),
    },
  ];
}
