import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawlWords, startChild } from './web/child.js';
import { temporaryFolder } from './web/crawling.js';
import { FakeWeb } from './web/server.js';

const long = Boolean(process.env.BOWERBIRD_LONG);
const [few, many] = long ? [1000, 50_000] : [500, 2000];

let web: FakeWeb;
const folder = temporaryFolder();
beforeAll(async () => {
  web = await FakeWeb.start({ quiet: true });
});
afterAll(async () => {
  await web.stop();
  folder.remove();
}, 120_000);

async function peakOf(count: number): Promise<number> {
  const list = join(folder.path, `${count}.csv`);
  const names = join(folder.path, 'names.txt');
  const lines = Array.from({ length: count }, (_, i) => `${web.url(`/picture/none/p${i}.jpg`)},birds`);
  writeFileSync(list, ['url,category', ...lines].join('\n'));
  writeFileSync(names, 'birds\n');
  const words = crawlWords(
    web,
    join(folder.path, String(count)),
    names,
    ['--per-category', String(count)],
    `urls:${list}`,
  );
  const { code, stdout, stderr, peakMemory } = await startChild(words).finished;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).kept).toBe(count);
  return peakMemory;
}

describe.skipIf(process.platform !== 'linux')('memory (measured on Linux only)', () => {
  it(`stays flat from ${few} to ${many} pictures`, { timeout: 1_800_000 }, async () => {
    const small = await peakOf(few);
    const large = await peakOf(many);
    console.log(`peak of ${few} pictures ${small.toFixed(0)} MiB, of ${many} ${large.toFixed(0)} MiB`);
    // Buffers of the decoder, of DuckDB and of V8 fill up during the first thousands; they have bounds.
    expect(large).toBeLessThan(small + 150);
    expect(large).toBeLessThan(500);
  });
});
