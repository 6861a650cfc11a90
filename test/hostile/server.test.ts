/** A photo site that means harm, at random but the same way every time: its API, its picture hosts, its redirects. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawlFake, fastNetwork } from '../crawl/web/crawling.js';
import { faults } from '../crawl/web/faults.js';
import { generator } from '../crawl/web/pictures.js';
import { FakeWeb } from '../crawl/web/server.js';
import { expectWhole } from './check-workspace.js';
import { hostile } from './extent.js';

const rounds = hostile ? 40 : 4;
const secondsEach = 60;

/** Answers of the API that are wrong in ways of their own. */
const answers: ((response: ServerResponse, random: () => number) => void)[] = [
  (response) => response.writeHead(500).end(),
  (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
  (response) => response.writeHead(429, { 'retry-after': '99999999999999999999' }).end(),
  (response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  (response) => response.writeHead(307, { location: 'file:///etc/passwd' }).end(),
  (response) => response.end('null'),
  (response) => response.end(`{"stat":"ok","photos":${'['.repeat(1e5)}`),
  (response) =>
    response.end(JSON.stringify({ stat: 'ok', photos: { total: 1e300, photo: [null, 7, [], { id: {} }] } })),
  (response) => response.end(JSON.stringify({ stat: 'ok', photos: { total: '-1', photo: 'x' } })),
  (response) => response.writeHead(200, { 'content-length': '1000' }).end('{}'),
  (response) => response.destroy(),
  (response, random) => response.end(Buffer.from(Array.from({ length: 3000 }, () => Math.floor(random() * 256)))),
];

let web: FakeWeb;
let folder: string;
beforeAll(async () => {
  web = await FakeWeb.start();
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-hostile-'));
});
afterAll(async () => {
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a hostile site', () => {
  it(
    `costs nothing but its own pictures, in ${rounds} forms`,
    async () => {
      const kinds = Object.keys(faults);
      let slowest = 0;
      for (let round = 0; round < rounds; round++) {
        const random = generator(round);
        const workspace = join(folder, String(round));
        web.forget();
        web.options = {
          results: 30,
          fault: (query, index) => {
            const choose = generator(round * 7919 + index * 31 + query.length);
            return choose() < 0.6 ? kinds[Math.floor(choose() * kinds.length)] : 'none';
          },
          interfere: (request, response) => {
            if (!request.url?.includes('photos.search') || random() > 0.4) return false;
            answers[Math.floor(random() * answers.length)](response, random);
            return true;
          },
        };
        const begun = performance.now();
        const network = { ...fastNetwork, maximumPause: 1 };
        const crawl = (resume: boolean) =>
          crawlFake(web, {
            ...{ workspace, categories: ['Auk', 'Jay'], perCategory: 30, resume, network },
            check: { maximumBytes: 2e6 },
          });
        await crawl(false);
        await expectWhole(workspace);
        await crawl(true);
        const rows = await expectWhole(workspace);
        // Whoever is asked for is asked for by an address that we may reach, and only bytes that decode are kept.
        for (const row of rows)
          expect(row.state === 'kept' ? row.perceptualHash : (row.reason ?? row.state)).toBeTruthy();
        const seconds = (performance.now() - begun) / 1000;
        slowest = Math.max(slowest, seconds);
        expect(seconds).toBeLessThan(secondsEach);
      }
      console.log(`${rounds} hostile sites, the slowest took ${slowest.toFixed(1)} s`);
    },
    rounds * secondsEach * 1000,
  );
});
