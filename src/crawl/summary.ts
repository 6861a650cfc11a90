/** What a crawl brought, from the catalog. */
import type { Catalog } from '../catalog/index.js';
import type { Category } from './categories.js';

export interface CrawlSummary {
  kept: number;
  dropped: Record<string, number>;
  failed: Record<string, number>;
  /** Pictures known but not needed. */
  inReserve: number;
  sources: { source: string; found: number; kept: number; dropped: number; failed: number }[];
  /** Categories that have fewer pictures than asked for. */
  short: { category: string; kept: number; wanted: number }[];
  /** Sources that could not be asked to the end for a category. */
  unanswered: { source: string; category: string; kind: string; detail: string }[];
  /** The first failed pictures, for people. */
  failures: { source: string; category: string; url: string; kind: string; detail: string }[];
}

const shownFailures = 50;

export async function summarize(
  catalog: Catalog,
  options: { categories: readonly Category[] },
  perCategory: number,
): Promise<CrawlSummary> {
  const states = await catalog.all<{ state: string; reason: string | null; n: number }>(
    'SELECT state, reason, count(*) AS n FROM picture GROUP BY ALL ORDER BY n DESC, reason',
  );
  const counts = (state: string) =>
    Object.fromEntries(states.filter((row) => row.state === state).map((row) => [row.reason ?? 'unknown', row.n]));
  const sum = (chosen: string[]) =>
    states.filter((row) => chosen.includes(row.state)).reduce((total, row) => total + row.n, 0);
  const kept = new Map(
    (
      await catalog.all<{ category: string; n: number }>(
        "SELECT category, count(*) AS n FROM picture WHERE state = 'kept' GROUP BY 1",
      )
    ).map((row) => [row.category, row.n]),
  );
  return {
    kept: sum(['kept']),
    dropped: counts('dropped'),
    failed: counts('failed'),
    inReserve: sum(['found', 'fetched', 'checked']),
    sources:
      await catalog.all(`SELECT source, count(*) AS found, count(*) FILTER (state = 'kept') AS kept, count(*) FILTER (state = 'dropped') AS dropped,
         count(*) FILTER (state = 'failed') AS failed FROM picture GROUP BY 1 ORDER BY 1`),
    short: options.categories
      .map(({ name }) => ({ category: name, kept: kept.get(name) ?? 0, wanted: perCategory }))
      .filter((row) => row.kept < row.wanted),
    unanswered: await catalog.all(
      "SELECT source, category, reason AS kind, detail FROM lane WHERE state = 'failed' ORDER BY source, category",
    ),
    failures:
      await catalog.all(`SELECT source, category, image_url AS url, reason AS kind, detail FROM picture WHERE state = 'failed'
         ORDER BY source, category, rank LIMIT ${shownFailures}`),
  };
}
