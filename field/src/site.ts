/** What the site says of itself. */
import type { GalleryPicture, Site } from '../../src/field/site.js';

export type { GalleryPicture, Site, SiteFile } from '../../src/field/site.js';

export async function loadSite(): Promise<Site> {
  const answer = await fetch('./site.json');
  if (!answer.ok) throw new Error(`site.json: ${answer.status}`);
  return (await answer.json()) as Site;
}

export function picturesOf({ gallery }: Site, category: string): GalleryPicture[] {
  return gallery.filter((picture) => picture.category === category);
}

/** Pages, by the part of the address after #. */
export type Route = { page: 'name' | 'outing' | 'categories' | 'about' } | { page: 'category'; category: string };

export function routeOf(hash: string): Route {
  const [, page, rest] = /^#\/([a-z]*)(?:\/(.*))?$/.exec(hash) ?? [];
  if (page === 'category' && rest) return { page, category: decoded(rest) };
  return { page: page === 'outing' || page === 'categories' || page === 'about' ? page : 'name' };
}

export function categoryAddress(category: string): string {
  return `#/category/${encodeURIComponent(category)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
