import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawl, createSource, dedupe, Keys } from '../../src/crawl/index.js';
import { planPhotos } from '../../src/demo/photos.js';
import { openPhotoSite, type PhotoSite } from '../../src/demo/site.js';
import { aviary } from '../../src/demo/species.js';
import { allPictures } from '../crawl/web/crawling.js';

const { test } = aviary(4, 4);
const photos = planPhotos(test, { seed: 5, perSpecies: 12, repeated: 0.1, dead: 0.2 });
const asked = test[0];
const own = photos.filter((photo) => photo.asked === asked);

let site: PhotoSite;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-site-'));
  site = await openPhotoSite(photos, { seed: 5 });
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the photo site', () => {
  it('answers the flickr source: all living photos come with title, tags, author and licence; dead ones are gone', async () => {
    const summary = await crawl({
      workspace: folder,
      categories: [{ name: asked.name }],
      sources: [createSource('flickr', { endpoints: { flickr: site.endpoint } })].map((source) => ({
        ...source,
        hosts: { ...source.hosts!, requestsPerSecond: 1e6 },
      })),
      keys: new Keys({ FLICKR_API_KEY: site.apiKey }),
      network: {
        userAgent: 'bowerbird/test (test@example.org)',
        allowedAddresses: ['127.0.0.0/8'],
        firstBackoff: 0.01,
      },
    });
    const dead = own.filter(({ dead }) => dead).length;
    expect(dead).toBeGreaterThan(0);
    expect(summary.kept).toBe(own.length - dead);
    expect(summary.failed).toEqual({ gone: dead });
    const rows = (await allPictures(folder)).filter(({ state }) => state === 'kept');
    for (const row of rows) {
      const photo = own.find(({ id }) => id === row.sourceId)!;
      expect(row.title).toBe(photo.caption.title);
      expect(row.tags).toEqual(photo.caption.tags);
      expect(row.author).toBeTruthy();
      expect(['cc-by', 'cc-by-sa', 'cc0']).toContain(row.licence);
      expect(row.imageUrl).toBe(site.address(photo));
    }
  });

  it('holds near-duplicates that the removal of duplicates finds', async () => {
    const repeated = own.filter(({ repeats }) => repeats).length;
    const { merges } = await dedupe({ workspace: folder, radius: 6, likeness: 0.95 });
    const rows = await allPictures(folder);
    const photoOf = (id: string) => own.find((photo) => photo.id === rows.find((row) => row.id === id)!.sourceId)!;
    expect(merges).toHaveLength(repeated);
    for (const { removed, stays } of merges) {
      const [a, b] = [photoOf(removed), photoOf(stays)];
      expect(a.repeats === b.id || b.repeats === a.id).toBe(true);
    }
  });

  it('refuses a wrong key, an unknown method and an unknown picture as Flickr does', async () => {
    const ask = async (query: string) => (await (await fetch(`${site.endpoint}?${query}`)).json()) as object;
    expect(await ask('method=flickr.photos.search&api_key=wrong')).toMatchObject({ stat: 'fail', code: 100 });
    expect(await ask(`method=flickr.nothing&api_key=${site.apiKey}`)).toMatchObject({ stat: 'fail', code: 112 });
    expect((await fetch(new URL('/photos/1.jpg', site.endpoint))).status).toBe(404);
  });

  it('hands out results page by page', async () => {
    const page = async (number: number) => {
      const query = new URLSearchParams({
        method: 'flickr.photos.search',
        api_key: site.apiKey,
        text: asked.name,
        per_page: '5',
        page: String(number),
      });
      const answer = await fetch(`${site.endpoint}?${query}`);
      return ((await answer.json()) as { photos: { total: number; photo: { id: string }[] } }).photos;
    };
    const [first, second] = [await page(1), await page(2)];
    expect(first.total).toBe(own.length);
    expect([...first.photo, ...second.photo].map(({ id }) => id)).toEqual(own.slice(0, 10).map(({ id }) => id));
  });
});
