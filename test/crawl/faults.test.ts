import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pictureName } from './web/apis.js';
import { allPictures, crawlFake, pictureFiles, sha256, temporaryFolder } from './web/crawling.js';
import { faults } from './web/faults.js';
import { generator, jpegNamed } from './web/pictures.js';
import { FakeWeb } from './web/server.js';

let web: FakeWeb;
beforeAll(async () => {
  web = await FakeWeb.start();
});
afterAll(() => web.stop());

const kinds = Object.keys(faults);
const stateOf = (outcome: string) =>
  outcome === 'kept'
    ? 'kept'
    : /^(server|gone|refused|timeout|connection|redirect-loop|forbidden-address|bad-address|unexpected-answer)$/.test(
          outcome,
        )
      ? 'failed'
      : 'dropped';

describe('a host that misbehaves', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove, 120_000);

  it('costs exactly the pictures it spoils, each with its reason', async () => {
    // Three categories, because a placeholder shows itself by turning up under several.
    web.options = { results: kinds.length, fault: (_query, index) => kinds[index] };
    const categories = ['Auk', 'Jay', 'Wren'];
    const summary = await crawlFake(web, {
      workspace: folder.path,
      categories,
      perCategory: 1000,
      check: { maximumBytes: 2e6 },
    });
    const rows = await allPictures(folder.path);
    expect(rows).toHaveLength(categories.length * kinds.length);
    const found = Object.fromEntries(
      rows.filter((row) => row.category === 'Jay').map((row) => [kinds[row.rank - 1], row.reason ?? row.state]),
    );
    expect(found).toEqual(Object.fromEntries(kinds.map((kind) => [kind, faults[kind].outcome])));
    for (const row of rows)
      expect([row.state, row.detail !== undefined]).toEqual([
        stateOf(faults[kinds[row.rank - 1]].outcome),
        row.state !== 'kept',
      ]);
    expect(summary.kept).toBe(rows.filter((row) => row.state === 'kept').length);
    expect(summary.failed.gone).toBe(3);
    expect(summary.failures).toHaveLength(rows.filter((row) => row.state === 'failed').length);
  });

  it('leaves no file behind but those of kept pictures, each complete', async () => {
    const rows = await allPictures(folder.path);
    const expected = Object.fromEntries(
      rows
        .filter((row) => row.state === 'kept')
        .map((row) => [
          row.path?.slice('pictures/'.length),
          sha256(jpegNamed(`${pictureName('flickr', row.category, row.rank - 1)}.jpg`)),
        ]),
    );
    expect(pictureFiles(folder.path)).toEqual(expected);
    for (const row of rows.filter(({ state }) => state === 'kept'))
      expect(row.sha256).toBe(sha256(readFileSync(join(folder.path, row.path!))));
    expect(readdirSync(join(folder.path, 'pictures', '.partial'))).toEqual([]);
  });

  it('is not asked again for what it will never give', () => {
    for (const kind of ['gone', 'refused', 'html', 'bomb', 'noai', 'redirect-private'])
      expect(web.tries(`/picture/${kind}/${pictureName('flickr', 'Jay', kinds.indexOf(kind))}.jpg`)).toBe(1);
    expect(web.tries(`/picture/error-always/${pictureName('flickr', 'Jay', kinds.indexOf('error-always'))}.jpg`)).toBe(
      4,
    );
  });
});

/** Faults of every tenth picture; the throttling ones are rare, because each holds the whole host for a second. */
const frequent = kinds.filter((kind) => !/^(none|throttled|slow|silent|endless|announced|placeholder$)/.test(kind));
const rare = ['throttled-seconds', 'throttled-date', 'throttled-bare', 'slow-once', 'silent-once', 'slow-always'];
function faultOf(index: number, rarity: number): string {
  const random = generator(index);
  if (random() >= 0.1) return 'none';
  const chosen = random() < rarity ? rare : frequent;
  return chosen[Math.floor(random() * chosen.length)];
}

describe('many pictures with 10 % faults', () => {
  const long = Boolean(process.env.BOWERBIRD_LONG);
  const count = long ? 10_000 : 600;
  const folder = temporaryFolder();
  afterAll(folder.remove, 120_000);

  it(`has everything that can be had of ${count} exactly once, and the rest with its reason`, async () => {
    web.forget();
    // Several queries, since Flickr shows at most 4,000 results without slicing.
    const categories = Array.from({ length: long ? 5 : 2 }, (_, i) => `Bird ${i}`);
    const each = count / categories.length;
    web.options = {
      results: each,
      fault: (query, index) => faultOf(Number(query.split(' ')[1]) * each + index, long ? 0.02 : 0.05),
    };
    const begun = performance.now();
    const summary = await crawlFake(web, {
      workspace: folder.path,
      categories,
      perCategory: each,
      check: { maximumBytes: 2e6 },
    });
    const seconds = (performance.now() - begun) / 1000;
    const rows = await allPictures(folder.path);
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map((row) => row.id)).size).toBe(count);
    let faulty = 0;
    const files = pictureFiles(folder.path);
    for (const row of rows) {
      const number = Number(row.category.split(' ')[1]) * each + row.rank - 1;
      const fault = faultOf(number, long ? 0.02 : 0.05);
      if (fault !== 'none') faulty++;
      expect([fault, row.reason ?? row.state]).toEqual([fault, faults[fault].outcome]);
      if (row.state === 'kept') {
        expect(files[row.path!.slice('pictures/'.length)]).toBe(
          sha256(jpegNamed(`${pictureName('flickr', row.category, row.rank - 1)}.jpg`)),
        );
        // A good picture is asked for once.
        if (fault === 'none') expect(web.tries(new URL(row.imageUrl).pathname)).toBe(1);
      } else expect(existsSync(join(folder.path, 'pictures', row.id.slice(0, 2), `${row.id}.jpg`))).toBe(false);
    }
    expect(Object.keys(files)).toHaveLength(summary.kept);
    expect(faulty).toBeGreaterThan(count * 0.06);
    console.log(`${count} pictures, ${faulty} faulty, ${summary.kept} kept in ${seconds.toFixed(1)} s`);
  });
});
