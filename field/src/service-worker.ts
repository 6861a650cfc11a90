/**
 * Keeps the site for use without a network. The export writes a list of the files before this script, so that any change of the
 * site is a change of the script, which browsers look for. A new version waits until the page asks for it; pages that are open
 * keep the files of theirs.
 */
import { largeCache } from './large-files.js';

declare const self: ServiceWorkerGlobalScope & { site: { version: string; files: string[]; large: string[] } };

const { version, files, large } = self.site;
const base = self.registration.scope;
const address = (path: string) => new URL(path, base).href;
const prefix = `field:${new URL(base).pathname}:`;
const own = `${prefix}${version}`;
const page = address('index.html');
const known = new Set(files.map(address));

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('message', ({ data }) => {
  if (data === 'take-over') self.skipWaiting();
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(base)) return;
  event.respondWith(answer(request));
});

async function install(): Promise<void> {
  const before = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== own);
  const cache = await caches.open(own);
  try {
    for (let at = 0; at < files.length; at += 8)
      await Promise.all(files.slice(at, at + 8).map((path) => keep(cache, path, before)));
  } catch (error) {
    // Half a site would be of no use, and the room it takes is missing elsewhere.
    await caches.delete(own);
    const full = (error as Error).name === 'QuotaExceededError';
    for (const client of await self.clients.matchAll({ includeUncontrolled: true }))
      client.postMessage({ kind: 'not-kept', full });
    throw error;
  }
}

/** A file with its hash in its name is taken from an earlier version where that has it. */
async function keep(cache: Cache, path: string, before: readonly string[]): Promise<void> {
  const url = address(path);
  if (/[-/][0-9a-zA-Z_-]{8,}\.\w+$/.test(path))
    for (const name of before) {
      const found = await (await caches.open(name)).match(url);
      if (found) return cache.put(url, found);
    }
  const answer = await fetch(url, { cache: 'no-cache' });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  await cache.put(url, answer);
}

async function activate(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== own) await caches.delete(name);
  const kept = await caches.open(largeCache(base));
  const wanted = new Set(large.map(address));
  for (const { url } of await kept.keys()) if (!wanted.has(url)) await kept.delete(url);
  await self.clients.claim();
}

async function answer(request: Request): Promise<Response> {
  const { origin, pathname } = new URL(request.url);
  const url = request.mode === 'navigate' ? page : `${origin}${pathname}`;
  const wanted = url === base ? page : url;
  const found = known.has(wanted) || wanted === page ? await (await caches.open(own)).match(wanted) : undefined;
  return isolated(found ?? (await fetch(request)));
}

/** With the headers that let the page use threads; it asks no other host for anything. */
function isolated(response: Response): Response {
  if (response.type === 'opaque' || response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-embedder-policy', 'require-corp');
  headers.set('cross-origin-resource-policy', 'same-origin');
  const { status, statusText } = response;
  return new Response(status === 204 || status === 304 ? null : response.body, { status, statusText, headers });
}
