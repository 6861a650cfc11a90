import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outingCsv } from '../../field/src/csv.js';
import { differences } from '../../field/src/differences.js';
import { GalleryFeatures } from '../../field/src/nearest.js';
import { routeOf } from '../../field/src/site.js';
import { UsageError } from '../../src/errors.js';
import { cardBlocks } from '../../src/field/card.js';
import { quantizedRows } from '../../src/field/gallery.js';
import { exportSite, type Site } from '../../src/field/index.js';
import { bowerbird } from '../workspace/world.js';
import { type FieldWorld, fieldWorld } from './field-world.js';

const siteIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'site.json'), 'utf8')) as Site;
const listing = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

describe('a site', () => {
  let field: FieldWorld;
  beforeAll(async () => {
    field = await fieldWorld();
  }, 120_000);
  afterAll(() => field?.remove());

  it('shows only pictures whose licence is known and allowed', async () => {
    const { folder, summary } = await field.export({ own: undefined });
    expect(siteIn(folder).gallery).toEqual([]);
    expect(existsSync(join(folder, 'pictures'))).toBe(false);
    expect(summary.withheld).toBeGreaterThan(5);
    const noDerivatives = await field.export({ own: { licence: 'cc-by-nd', author: 'Ada Lane' } });
    expect(siteIn(noDerivatives.folder).gallery).toEqual([]);
    const asked = await field.export({
      own: { licence: 'cc-by-nc', author: 'Ada Lane' },
      licences: ['cc-by-nc'],
    });
    const { gallery } = siteIn(asked.folder);
    expect(gallery.length).toBe(asked.summary.pictures);
    expect(new Set(gallery.map(({ set }) => set))).toEqual(new Set(['web', 'auxiliary']));
    for (const { author, licence, file } of gallery) {
      expect([author, licence]).toEqual(['Ada Lane', 'CC BY-NC']);
      expect(existsSync(join(asked.folder, file))).toBe(true);
    }
  });

  it('is the same site, byte for byte, when nothing changed, and leaves nothing of an earlier one', async () => {
    const { folder, summary } = await field.export();
    const before = listing(folder);
    writeFileSync(join(folder, 'pictures', 'old-0123456789.webp'), 'gone');
    const again = await exportSite(field.workspace, folder, {
      precision: 'float32',
      own: { licence: 'cc-by', author: 'Ada Lane' },
    });
    expect(again.version).toBe(summary.version);
    expect(listing(folder)).toEqual(before);
  });

  it('names every file it needs, by relative addresses alone, and no other host', async () => {
    const { folder } = await field.export();
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(address).toMatch(/^\.\//);
      expect(existsSync(join(folder, address)), address).toBe(true);
    }
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/);
    const worker = readFileSync(join(folder, 'service-worker.js'), 'utf8');
    const { files, large } = JSON.parse(/^self\.site = (.*);\n/.exec(worker)![1]);
    expect(new Set([...files, ...large, 'service-worker.js'])).toEqual(
      new Set(listing(folder).filter((name) => /\.\w+$/.test(name))),
    );
  });

  it('does not write over files that are no site', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bowerbird-other-'));
    try {
      mkdirSync(join(folder, 'thesis'));
      await expect(exportSite(field.workspace, folder)).rejects.toThrow(UsageError);
      expect(readdirSync(folder)).toEqual(['thesis']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says what its form costs, and takes the best that fits a budget', async () => {
    const half = await field.export({ precision: 'float16' });
    expect(half.summary.loss).toMatchObject({ pictures: 18, agreement: 1 });
    const roomy = await field.export({ precision: undefined, budget: 50e6 });
    expect(roomy.summary).toMatchObject({ precision: 'float32', distilled: false });
    expect(roomy.summary.bytes).toBeLessThan(50e6);
  });

  it('is written by the command, which finds mistakes first', async () => {
    const run = (...words: string[]) => bowerbird(['export', field.world.folder, ...words]);
    expect(await run('--budget', '12MB')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--budget is for --web'),
    });
    expect(await run('--web', '--budget', 'small')).toMatchObject({ code: 2, stderr: expect.stringContaining('12MB') });
    expect(await run('--web', '--own-pictures', 'cc-by')).toMatchObject({ code: 2 });
    expect(await run('--web', '--licences', 'gpl')).toMatchObject({ code: 2, stderr: expect.stringContaining('gpl') });
    const out = field.world.path('site');
    const done = await run('--web', '--out', out, '--own-pictures', 'cc-by Ada Lane', '--json');
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ out, precision: 'float16', loss: { agreement: 1 } });
    expect(existsSync(join(out, 'service-worker.js'))).toBe(true);
  });
});

describe('parts of the page', () => {
  it('reads a model card as blocks', () => {
    const card =
      '# Birds\n\nTells `two`\napart.\n\n- one **word**\n- web pictures: folder:/home/ada/birds (3), flickr (2)\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n';
    expect(cardBlocks(card)).toEqual([
      { heading: 'Birds' },
      { text: 'Tells two apart.' },
      { list: ['one word', 'web pictures: own folder (3), flickr (2)'] },
      {
        table: [
          ['a', 'b'],
          ['1', '2'],
        ],
      },
    ]);
  });

  it('finds the pictures most alike by the cosine', () => {
    const rows = [
      [1, 0, 0],
      [0.6, 0.8, 0],
      [-1, 0, 0.1],
      [0.1, 0, 9],
    ];
    const gallery = new GalleryFeatures(quantizedRows(rows), 3);
    const near = gallery.nearest([1, 1, 0], 2, (i) => i !== 3);
    expect(near.map(({ picture }) => picture)).toEqual([1, 0]);
    expect(near[1].likeness).toBeCloseTo(1 / Math.sqrt(2), 2);
  });

  it('writes cells that no spreadsheet runs', () => {
    const find = {
      id: '1',
      time: '2026-05-01T10:00:00Z',
      file: '=cmd|"x", y',
      category: 'Finch, "blue"',
      confidence: 0.91234,
    };
    expect(outingCsv([{ ...find, place: { latitude: -3.5, longitude: 9, accuracy: 4.2 } }]).split('\r\n')[1]).toBe(
      '2026-05-01T10:00:00Z,"Finch, ""blue""",0.9123,,-3.500000,9.000000,4,"\'=cmd|""x"", y"',
    );
    expect(outingCsv([{ id: '2', time: 't', file: 'f' }])).toContain('t,none of these,,,,,,f');
  });

  it('finds the attributes in which two categories differ most, where they are known', () => {
    const attributes = { names: ['blue', 'crest', 'tail'], values: [[1, 0.5, 0], [0, 0.4, 0], []] };
    const site = { attributes, categories: ['jay', 'wren', 'unknown'] };
    expect(differences(site, 'jay', 'wren')).toEqual([
      { attribute: 'blue', difference: 1 },
      { attribute: 'crest', difference: expect.closeTo(0.1) },
    ]);
    expect(differences(site, 'jay', 'unknown')).toEqual([]);
    expect(differences({ categories: site.categories }, 'jay', 'wren')).toEqual([]);
  });

  it('takes any address for a page', () => {
    expect(routeOf('')).toEqual({ page: 'name' });
    expect(routeOf('#/about')).toEqual({ page: 'about' });
    expect(routeOf('#/category/Blue%20Jay%2F2')).toEqual({ page: 'category', category: 'Blue Jay/2' });
    expect(routeOf('#/category/%zz')).toEqual({ page: 'category', category: '%zz' });
    expect(routeOf('#/nonsense')).toEqual({ page: 'name' });
  });

  it('has a text in every language for every one in English, with the same gaps', () => {
    const folder = new URL('../../field/src/texts/', import.meta.url);
    const texts = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Record<string, string>;
    const english = texts('en.json');
    const gaps = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    for (const file of readdirSync(folder))
      for (const [key, text] of Object.entries(texts(file))) {
        expect(english, `${file}: ${key}`).toHaveProperty(key);
        expect(gaps(text), `${file}: ${key}`).toEqual(gaps(english[key]));
      }
  });
});
