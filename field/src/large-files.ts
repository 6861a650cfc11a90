/**
 * The large files of the site, network and engine, kept in this browser: fetched once, checked against their hash, with a
 * report of how far it is. Where there is no room to keep them they are used all the same.
 */
import type { SiteFile } from './site.js';

export interface Fetched {
  bytes: Uint8Array<ArrayBuffer>;
  kept: boolean;
}

/** @param base address of the site */
export async function largeFile(base: string, file: SiteFile, onProgress: (bytes: number) => void): Promise<Fetched> {
  const url = new URL(file.path, base).href;
  const cache = await caches.open(largeCache(base)).catch(() => undefined);
  const before = await cache?.match(url).catch(() => undefined);
  if (before) {
    const bytes = new Uint8Array(await before.arrayBuffer());
    if (bytes.length === file.bytes) {
      onProgress(bytes.length);
      return { bytes, kept: true };
    }
  }
  const bytes = await download(url, file, onProgress);
  const kept = await cache?.put(url, new Response(bytes)).then(
    () => true,
    () => false,
  );
  return { bytes, kept: kept ?? false };
}

/** One for each site: several may lie on one host. */
export function largeCache(base: string): string {
  return `field-large:${new URL('./', base).pathname}`;
}

async function download(
  url: string,
  file: SiteFile,
  onProgress: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(url);
  if (!answer.ok || !answer.body) throw new Error(`${file.path}: ${answer.status} ${answer.statusText}`);
  const bytes = new Uint8Array(file.bytes);
  const reader = answer.body.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > bytes.length) throw new Error(`${file.path} is larger than it should be`);
    bytes.set(value, at);
    at += value.length;
    onProgress(at);
  }
  // Hashes are computed only on hosts that browsers trust; others can change the page itself.
  if (at !== bytes.length || (crypto.subtle && (await hexHash(bytes)) !== file.sha256))
    throw new Error(`${file.path} is not the file it should be; reload the page`);
  return bytes;
}

async function hexHash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
