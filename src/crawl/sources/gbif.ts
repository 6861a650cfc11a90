/**
 * GBIF: photographs attached to occurrence records. The category's words are first matched to a taxon, by scientific
 * name, else by a vernacular name; then its occurrences with still images are walked.
 */
import { queryFor } from '../categories.js';
import { licenceOf } from '../licence.js';
import { fields, list, number, required, text } from './answer.js';
import type { ListedPicture, Source, SourceContext, SourcePage } from './source.js';

const pageSize = 300;
/** The occurrence search ends here. */
const mostResults = 100_000;

interface GbifCursor {
  taxon: string;
  offset: number;
}

export function gbif(endpoint = 'https://api.gbif.org/v1/'): Source {
  const base = endpoint.endsWith('/') ? endpoint : `${endpoint}/`;
  const address = (path: string, parameters: Record<string, string>) => {
    const url = new URL(path, base);
    url.search = new URLSearchParams(parameters).toString();
    return url;
  };

  async function taxonOf(query: string, context: SourceContext): Promise<string | undefined> {
    const match = fields(await context.api.json(address('species/match', { name: query })));
    if ((text(match.matchType) ?? 'NONE') === 'EXACT' && text(match.usageKey)) return text(match.usageKey);
    const found = fields(
      await context.api.json(
        address('species/search', { q: query, qField: 'VERNACULAR', rank: 'SPECIES', status: 'ACCEPTED', limit: '5' }),
      ),
    );
    for (const result of list(found.results).map(fields)) if (text(result.nubKey)) return text(result.nubKey);
    return text(match.matchType) === 'FUZZY' ? text(match.usageKey) : undefined;
  }

  return {
    name: 'gbif',
    pageSize,
    hosts: { name: 'gbif', hosts: ['*.gbif.org'], requestsPerSecond: 2, concurrency: 2 },

    describe: (category) =>
      `GET ${address('species/match', { name: queryFor(category, 'gbif') })}, then ${address('occurrence/search', { mediaType: 'StillImage', limit: String(pageSize) })}&taxonKey=…`,

    async ask(category, cursor, context): Promise<SourcePage> {
      let position = cursor as GbifCursor | undefined;
      if (!position) {
        const taxon = await taxonOf(queryFor(category, 'gbif'), context);
        if (taxon === undefined) return { pictures: [] };
        position = { taxon, offset: 0 };
      }
      const parameters = {
        mediaType: 'StillImage',
        taxonKey: position.taxon,
        limit: String(pageSize),
        offset: String(position.offset),
      };
      const answer = fields(await context.api.json(address('occurrence/search', parameters)));
      const occurrences = list(required(answer.results, 'gbif', 'results')).map(fields);
      const offset = position.offset + occurrences.length;
      const more =
        occurrences.length > 0 &&
        answer.endOfRecords !== true &&
        offset + pageSize <= Math.min(mostResults, (number(answer.count) ?? 0) + pageSize);
      return { pictures: occurrences.flatMap(listed), next: more ? { taxon: position.taxon, offset } : undefined };
    },
  };
}

function listed(occurrence: Record<string, unknown>): ListedPicture[] {
  const key = text(occurrence.key);
  if (key === undefined) return [];
  const names = [text(occurrence.vernacularName), text(occurrence.species), text(occurrence.scientificName)].filter(
    (name) => name !== undefined,
  );
  return list(occurrence.media)
    .map(fields)
    .flatMap((media, index) => {
      const imageUrl = text(media.identifier);
      if (imageUrl === undefined || (text(media.type) ?? 'StillImage') !== 'StillImage') return [];
      const licenceText = text(media.license) ?? text(occurrence.license);
      return [
        {
          sourceId: `${key}/${index}`,
          imageUrl,
          pageUrl: text(media.references) ?? `https://www.gbif.org/occurrence/${encodeURIComponent(key)}`,
          author: text(media.creator) ?? text(media.rightsHolder) ?? text(occurrence.recordedBy),
          licence: licenceOf(licenceText),
          licenceUrl: licenceText?.startsWith('http') ? licenceText : undefined,
          title: text(media.title) ?? names[0],
          tags: [...new Set(names)],
          description: text(media.description) ?? text(occurrence.occurrenceRemarks),
          takenAt: text(media.created) ?? text(occurrence.eventDate),
        },
      ];
    });
}
