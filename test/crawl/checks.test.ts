import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkPicture } from '../../src/crawl/check.js';
import { windowOf } from '../../src/crawl/grey.js';
import { plainText } from '../../src/crawl/html.js';
import { licenceOf, parseLicences } from '../../src/crawl/licence.js';
import { hashOf } from '../../src/crawl/perceptual-hash.js';
import { expectPicture } from '../../src/crawl/picture-type.js';
import { readable } from '../../src/crawl/readable.js';
import { processorTime } from '../processor-time.js';
import { allPictures, crawlFake, pictureFiles, temporaryFolder } from './web/crawling.js';
import { pngBomb, texture } from './web/pictures.js';
import { FakeWeb } from './web/server.js';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const encoders = {
  jpeg: () => texture(1, 120, 90).jpeg(),
  'progressive jpeg': () => texture(1, 120, 90).jpeg({ progressive: true }),
  png: () => texture(1, 120, 90).png(),
  webp: () => texture(1, 120, 90).webp(),
  gif: () => texture(1, 120, 90).gif(),
  avif: () => texture(1, 120, 90).avif({ effort: 0 }),
  tiff: () => texture(1, 120, 90).tiff({ compression: 'lzw' }),
};

async function check(bytes: Buffer, options = {}) {
  expectPicture(bytes);
  const file = join(folder.path, 'picture');
  writeFileSync(file, bytes);
  return checkPicture(file, options);
}

describe('checking a picture', () => {
  it.each(Object.entries(encoders))('accepts a whole %s and measures it', async (_name, encode) => {
    expect(await check(await encode().toBuffer())).toMatchObject({ width: 120, height: 90, frames: 1 });
  });

  it.each(Object.entries(encoders))('refuses a %s that lacks its last tenth', async (_name, encode) => {
    const bytes = await encode().toBuffer();
    await expect(check(bytes.subarray(0, Math.floor(bytes.length * 0.9)))).rejects.toMatchObject({
      reason: 'does-not-decode',
    });
  });

  it.each(['jpeg', 'progressive jpeg', 'webp'] as const)('refuses a %s cut short and closed again', async (name) => {
    for (const part of [0.3, 0.6, 0.9]) {
      const bytes = Buffer.from(await encoders[name]().toBuffer());
      let closed = Buffer.concat([bytes.subarray(0, Math.floor(bytes.length * part)), Buffer.from([0xff, 0xd9])]);
      if (name === 'webp') {
        closed = closed.subarray(0, closed.length & ~1);
        closed.writeUInt32LE(closed.length - 8, 4);
      }
      await expect(check(closed)).rejects.toMatchObject({ reason: 'does-not-decode' });
    }
  });

  it('keeps a JPEG with bytes too many between its parts, which many cameras write', async () => {
    const bytes = await encoders.jpeg().toBuffer();
    const scan = bytes.indexOf(Buffer.from([0xff, 0xda]));
    const odd = Buffer.concat([bytes.subarray(0, scan), Buffer.alloc(5), bytes.subarray(scan)]);
    expect(await check(odd)).toMatchObject({ width: 120, height: 90 });
  });

  it('refuses a bomb by its header, without unpacking it', async () => {
    const refused = () => expect(check(pngBomb())).rejects.toMatchObject({ reason: 'too-many-pixels' });
    expect(await processorTime(refused)).toBeLessThan(1000);
  });

  it('refuses what is too small, on its shorter side', async () => {
    const bytes = await texture(1, 400, 60).jpeg().toBuffer();
    await expect(check(bytes)).rejects.toMatchObject({
      reason: 'too-small',
      message: expect.stringContaining('400 × 60'),
    });
    expect(await check(bytes, { minimumSide: 60 })).toMatchObject({ width: 400, height: 60 });
  });

  it('counts sides as they are seen, after the orientation a camera recorded', async () => {
    const bytes = await texture(1, 120, 90).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await check(bytes)).toMatchObject({ width: 90, height: 120 });
  });

  it('counts the frames of an animation', async () => {
    expect(await check(await animation())).toMatchObject({ frames: 3, width: 80, height: 80 });
  });
});

describe('the type of a picture', () => {
  it.each([
    ['<!DOCTYPE html><html>', 'the content is a web page'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', 'it is an SVG drawing'],
    ['<?xml version="1.0"?> <svg>', 'it is an SVG drawing'],
    ['<!--ftypavif--><svg xmlns="http://www.w3.org/2000/svg">', 'it is an SVG drawing'],
    ['%PDF-1.7', 'it is a PDF'],
    ['', 'the content is an empty file'],
  ])('of %j is refused: %s, whatever its name says', (text, expected) => {
    expect(() => expectPicture(Buffer.from(text))).toThrow(expected);
  });
});

describe('words of strangers', () => {
  it('lose what turns writing around, and keep every script', () => {
    expect(readable('photo \u202egpj.exe\u202c of \u2066a jay\u2069\u0007')).toBe('photo gpj.exe of a jay ');
    for (const text of ['שלום, ציפור', 'طائر\u200f!', '日本のカケス', 'Grünspecht\nEiche'])
      expect(readable(text)).toBe(text);
  });
});

describe('an animation', () => {
  let web: FakeWeb;
  beforeAll(async () => {
    web = await FakeWeb.start();
  });
  afterAll(() => web.stop());

  it('is kept as its first frame', async () => {
    const root = join(folder.path, 'photos', 'Jay');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'moving.gif'), await animation());
    const workspace = join(folder.path, 'workspace');
    await crawlFake(web, {
      workspace,
      sources: [`folder:${join(folder.path, 'photos')}`],
      categories: ['Jay'],
      licences: undefined,
    });
    const [row] = await allPictures(workspace);
    expect(row).toMatchObject({
      state: 'kept',
      frames: 3,
      mediaType: 'image/gif',
      path: expect.stringMatching(/\.png$/),
    });
    expect(Object.keys(pictureFiles(workspace))).toHaveLength(1);
    const stored = sharp(readFileSync(join(workspace, row.path!)));
    expect(await stored.metadata()).toMatchObject({ format: 'png', width: 80, height: 80 });
    const [red] = await stored.raw().toBuffer();
    expect(red).toBeGreaterThan(200);
    // A second run finds everything in place.
    expect(
      (
        await crawlFake(web, {
          workspace,
          sources: [`folder:${join(folder.path, 'photos')}`],
          categories: ['Jay'],
          licences: undefined,
          resume: true,
        })
      ).kept,
    ).toBe(1);
  });
});

async function animation(): Promise<Buffer> {
  const frame = (background: string) =>
    sharp({ create: { width: 80, height: 80, channels: 3, background } })
      .png()
      .toBuffer();
  return sharp(await Promise.all(['#ff0000', '#00ff00', '#0000ff'].map(frame)), { join: { animated: true } })
    .gif({ loop: 0 })
    .toBuffer();
}

describe('the perceptual hash', () => {
  const hash = async (image: Sharp) => hashOf(await image.resize(32, 32, { fit: 'fill' }).greyscale().raw().toBuffer());
  const differing = (a: string, b: string) =>
    (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2).replaceAll('0', '').length;

  it('is that of the low frequencies, computed straight from the definition', async () => {
    const grey = await texture(5, 32, 32).greyscale().raw().toBuffer();
    const frequency = (u: number, v: number) => {
      let sum = 0;
      for (let y = 0; y < 32; y++)
        for (let x = 0; x < 32; x++)
          sum +=
            grey[y * 32 + x] * Math.cos(((2 * x + 1) * u * Math.PI) / 64) * Math.cos(((2 * y + 1) * v * Math.PI) / 64);
      return sum;
    };
    const values = Array.from({ length: 64 }, (_, i) => frequency(i % 8, i >> 3));
    const median = values.slice(1).sort((a, b) => a - b)[31];
    const bits = values.map((value, i) => (i > 0 && value > median ? '1' : '0'));
    expect(hashOf(grey)).toBe(
      BigInt(`0b${bits.toReversed().join('')}`)
        .toString(16)
        .padStart(16, '0'),
    );
  });

  it('sees a window of the picture where it lies, each side in its own direction', () => {
    // A plane is the same however it is resampled, but for half a pixel at the edges.
    const plane = Uint8Array.from({ length: 64 * 64 }, (_, i) => 2 * (i % 64) + (i >> 6));
    const window = windowOf(plane, 0.25, 0.5, 0.375, 8);
    for (let y = 0; y < 8; y++)
      for (let x = 0; x < 8; x++)
        expect(window[y * 8 + x]).toBeCloseTo(2 * (16 + 3 * (x + 0.5) - 0.5) + (32 + 3 * (y + 0.5) - 0.5), 9);
    const whole = windowOf(plane, 0, 0, 1, 128);
    expect([whole[0], whole[127], whole[127 * 128], whole.at(-1)]).toEqual([0, 126, 63, 189]);
  });

  it('hardly changes with encoding and size, and differs between pictures', async () => {
    const original = await hash(texture(3, 300, 200));
    const copy = await texture(3, 300, 200).resize(150).jpeg({ quality: 40 }).toBuffer();
    expect(differing(original, await hash(sharp(copy)))).toBeLessThanOrEqual(4);
    expect(differing(original, await hash(texture(4, 300, 200)))).toBeGreaterThan(16);
  });
});

describe('licences', () => {
  it.each([
    ['https://creativecommons.org/licenses/by-sa/2.0/', 'cc-by-sa'],
    ['http://creativecommons.org/licenses/by-nc/4.0/legalcode', 'cc-by-nc'],
    ['https://creativecommons.org/publicdomain/zero/1.0/', 'cc0'],
    ['https://creativecommons.org/publicdomain/mark/1.0/', 'pdm'],
    ['CC BY-SA 4.0', 'cc-by-sa'],
    ['cc-by-nc-nd', 'cc-by-nc-nd'],
    ['by-nc-sa', 'cc-by-nc-sa'],
    ['CC_BY_4_0', 'cc-by'],
    ['CC0_1_0', 'cc0'],
    ['CC0', 'cc0'],
    ['Public domain', 'pdm'],
    ['Attribution-NonCommercial-ShareAlike License', 'cc-by-nc-sa'],
    ['Attribution License', 'cc-by'],
    ['All Rights Reserved', 'all-rights-reserved'],
    ['© 2020 Somebody', 'all-rights-reserved'],
    ['No known copyright restrictions', 'unknown'],
    ['GFDL', 'unknown'],
    ['abbey', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is %s', (text, code) => {
    expect(licenceOf(text)).toBe(code);
  });

  it('of a user are checked', () => {
    expect(parseLicences(['CC-BY', 'cc0'])).toEqual(['cc-by', 'cc0']);
    expect(parseLicences(['any'])).toContain('all-rights-reserved');
    expect(() => parseLicences(['cc-bye'])).toThrow(/not a licence/);
  });
});

describe('descriptions in HTML', () => {
  it('become plain words', () => {
    expect(
      plainText('<p>A &amp; B<br/>by <a href="x">C&#39;s</a></p><script>alert(1)</script> &lt;3 &unknown; &#x1F426;'),
    ).toBe("A & B by C's <3 &unknown; 🐦");
  });

  it('keep the numbers of characters that do not exist', () => {
    const none = '&#0; &#xd800; &#57343; &#x110000; &#9999999;';
    expect(plainText(none)).toBe(none);
    expect(plainText('&#xD7FF;&#xe000;&#x10FFFF;')).toBe('\ud7ff\ue000\u{10ffff}');
  });

  it('cannot take long', async () => {
    const spent = await processorTime(() => {
      for (const piece of ['<', '<script>', '<br', '&#', ' ', '<a <']) plainText(piece.repeat(200_000));
    });
    expect(spent).toBeLessThan(2000);
  });
});
