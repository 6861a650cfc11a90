/** Asking a source directly, without a crawl. */
import { jsonApi } from '../../../src/crawl/api.js';
import { Keys, type Source, type SourceContext } from '../../../src/crawl/index.js';
import { HttpClient } from '../../../src/crawl/network/http.js';
import { fastNetwork, testKeys } from './crawling.js';

export function sourceContext(): SourceContext {
  const http = new HttpClient(fastNetwork);
  return {
    api: jsonApi(http, { attempts: 3, firstBackoff: 0.01 }),
    keys: new Keys(testKeys),
    licences: new Set(['cc-by']),
  };
}

/** Ids of everything a source lists. */
export async function listAll(source: Source, name: string): Promise<string[]> {
  const context = sourceContext();
  const ids: string[] = [];
  let cursor: unknown;
  do {
    const page = await source.ask({ name }, cursor, context);
    ids.push(...page.pictures.map((picture) => picture.sourceId));
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}
