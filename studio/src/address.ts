/** Filters in the address, after the page: #/pictures?category=Ovenbird can be kept, sent and led to. */
import type { PagePath } from './pages.js';

export type Query = Readonly<Record<string, string | undefined>>;

export function queryOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.split('?').slice(1).join('?'));
}

/** What is empty is left out. */
export function pageAddress(page: PagePath, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([key, value]): [string, string][] => (value ? [[key, value]] : []));
  const text = new URLSearchParams(given).toString();
  return `#/${page}${text ? `?${text}` : ''}`;
}
