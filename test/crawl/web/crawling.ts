/** A crawl of the fake web, fast and allowed to reach loopback addresses. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCatalog, type PictureRow } from '../../../src/catalog/index.js';
import { type CrawlOptions, crawl, createSource, Keys } from '../../../src/crawl/index.js';
import type { FakeWeb } from './server.js';

export const testKeys = {
  FLICKR_API_KEY: 'test-flickr-key',
  GOOGLE_API_KEY: 'test-google-key',
  GOOGLE_SEARCH_ENGINE_ID: 'engine',
};

export const fastNetwork = {
  userAgent: 'bowerbird/test (test@example.org)',
  allowedAddresses: ['127.0.0.0/8'],
  groups: [{ name: 'loopback', hosts: ['127.0.0.1'], requestsPerSecond: 1e6, concurrency: 64 }],
  requestsPerSecond: 1e6,
  attempts: 4,
  firstBackoff: 0.01,
  totalTimeout: 1,
};

export interface FakeCrawlOptions extends Partial<Omit<CrawlOptions, 'sources' | 'categories'>> {
  workspace: string;
  sources?: string[];
  categories?: string[];
}

export function crawlFake(web: FakeWeb, options: FakeCrawlOptions) {
  const { sources = ['flickr'], categories = ['Blue Jay'], network, ...rest } = options;
  return crawl({
    keys: new Keys(testKeys),
    licences: ['cc0', 'pdm', 'cc-by', 'cc-by-sa'],
    ...rest,
    network: { ...fastNetwork, ...network },
    categories: categories.map((name) => ({ name })),
    sources: sources.map((name) => createSource(name, { endpoints: web.endpoints, contact: 'test@example.org' })),
  });
}

export async function allPictures(workspace: string): Promise<PictureRow[]> {
  const catalog = await openCatalog(workspace);
  try {
    const rows: PictureRow[] = [];
    for await (const row of catalog.pictures()) rows.push(row);
    return rows;
  } finally {
    await catalog.close();
  }
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'bowerbird-crawl-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Every file below `pictures/`, with its hash. */
export function pictureFiles(workspace: string): Record<string, string> {
  const root = join(workspace, 'pictures');
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(root.length + 1)] = sha256(readFileSync(path));
  }
  return files;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
