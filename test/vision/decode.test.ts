import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { decodeBytes, decodePicture, defaultLimits } from '../../src/vision/decode.js';
import { PictureError } from '../../src/vision/errors.js';
import { checkPreprocessing, createNormalizer, type Preprocessing, presets } from '../../src/vision/preprocessing.js';
import { temporaryFolder } from '../temporary-folder.js';
import { numbers } from './keras-json.js';

const plain: Preprocessing = checkPreprocessing({
  ...presets.unit,
  size: [32, 48],
  resize: 'stretch',
  shorterSide: 32,
});

/** Four blocks of colour, top left to bottom right: red, green, blue, yellow; 96 × 64, so that a turn shows. */
function blocks(width = 96, height = 64): { data: Buffer; raw: { width: number; height: number; channels: 3 } } {
  const colours = [
    [200, 30, 30],
    [30, 200, 30],
    [30, 30, 200],
    [200, 200, 30],
  ];
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set(colours[(y * 2 >= height ? 2 : 0) + (x * 2 >= width ? 1 : 0)], (y * width + x) * 3);
  return { data, raw: { width, height, channels: 3 } };
}

function image() {
  const { data, raw } = blocks();
  return sharp(data, { raw });
}

/** Colour in the middle of each quarter: red, green, blue, yellow for an upright picture. */
function quarters(pixels: Uint8Array, [height, width]: readonly [number, number] = plain.size): number[][] {
  return [1, 3].flatMap((v) =>
    [1, 3].map((h) => {
      const at = (Math.floor((v * height) / 4) * width + Math.floor((h * width) / 4)) * 3;
      return [...pixels.subarray(at, at + 3)];
    }),
  );
}

const upright = [
  [200, 30, 30],
  [30, 200, 30],
  [30, 30, 200],
  [200, 200, 30],
];

function expectQuarters(found: number[][], expected: number[][], within: number) {
  for (let i = 0; i < 4; i++)
    for (let c = 0; c < 3; c++) expect(Math.abs(found[i][c] - expected[i][c])).toBeLessThanOrEqual(within);
}

async function fault(bytes: Uint8Array, limits = defaultLimits): Promise<string> {
  const error = await decodeBytes(bytes, plain, limits).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PictureError);
  return (error as PictureError).fault;
}

describe('formats', () => {
  it.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)('reads %s', async (format) => {
    const bytes = await image().toFormat(format, { quality: 95 }).toBuffer();
    expectQuarters(quarters(await decodeBytes(bytes, plain)), upright, 12);
  });

  it('turns every EXIF orientation upright', async () => {
    // What a camera held that way would store, made by undoing the turn that the tag asks for.
    const stored: Record<number, (picture: Sharp) => Sharp> = {
      1: (p) => p,
      2: (p) => p.flop(),
      3: (p) => p.rotate(180),
      4: (p) => p.flip(),
      5: (p) => p.rotate(270).flop(),
      6: (p) => p.rotate(270),
      7: (p) => p.rotate(90).flop(),
      8: (p) => p.rotate(90),
    };
    for (const [tag, turn] of Object.entries(stored)) {
      const { data, info } = await turn(image()).raw().toBuffer({ resolveWithObject: true });
      const bytes = await sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } })
        .withMetadata({ orientation: Number(tag) })
        .jpeg({ quality: 95 })
        .toBuffer();
      expectQuarters(quarters(await decodeBytes(bytes, plain)), upright, 12);
    }
  });

  it('reads CMYK as the colours that were meant, where ink can show them', async () => {
    const muted = { r: 180, g: 140, b: 100 };
    const picture = sharp({ create: { width: 40, height: 40, channels: 3, background: muted } });
    const bytes = await picture.toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
    expect(await sharp(bytes).metadata()).toMatchObject({ space: 'cmyk', channels: 4 });
    expectQuarters(quarters(await decodeBytes(bytes, plain)), Array(4).fill([180, 140, 100]), 10);
  });

  it('reads 16 bits a channel as 8', async () => {
    const bytes = await image().toColourspace('rgb16').png().toBuffer();
    expect((await sharp(bytes).metadata()).depth).toBe('ushort');
    expectQuarters(quarters(await decodeBytes(bytes, plain)), upright, 2);
  });

  it('reads grey pictures, of 8 and 16 bits, as three equal channels', async () => {
    for (const space of ['b-w', 'grey16'] as const) {
      const bytes = await image().toColourspace(space).png().toBuffer();
      for (const [r, g, b] of quarters(await decodeBytes(bytes, plain))) expect([g, b]).toEqual([r, r]);
    }
  });

  it('reads palettes and one-bit pictures', async () => {
    const palette = await image().png({ palette: true, colours: 4 }).toBuffer();
    expectQuarters(quarters(await decodeBytes(palette, plain)), upright, 12);
    const bits = await image().threshold(128).toColourspace('b-w').png({ palette: true, colours: 2 }).toBuffer();
    expect((await decodeBytes(bits, plain)).length).toBe(32 * 48 * 3);
  });

  it('lays transparent pixels over the background', async () => {
    const clear = sharp({
      create: { width: 20, height: 20, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    });
    const half = sharp({
      create: { width: 20, height: 20, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
    });
    expect(quarters(await decodeBytes(await clear.png().toBuffer(), plain))[0]).toEqual([255, 255, 255]);
    const blended = quarters(await decodeBytes(await half.webp({ lossless: true }).toBuffer(), plain))[0];
    expectQuarters([blended, blended, blended, blended], Array(4).fill([255, 127, 127]), 3);
    const black = { ...plain, background: [0, 0, 0] as const };
    expect(quarters(await decodeBytes(await clear.png().toBuffer(), black))[0]).toEqual([0, 0, 0]);
    const grey = await sharp(Buffer.from([0, 0]), { raw: { width: 1, height: 1, channels: 2 } })
      .png()
      .toBuffer();
    expect(quarters(await decodeBytes(grey, plain))[0]).toEqual([255, 255, 255]);
  });

  it('takes the first frame of an animation', async () => {
    const { data } = blocks();
    const frames = Buffer.concat([data, Buffer.alloc(data.length, 255), Buffer.alloc(data.length, 0)]);
    const animated = sharp(frames, { raw: { width: 96, height: 192, channels: 3, pageHeight: 64 } });
    for (const bytes of [
      await animated.clone().gif().toBuffer(),
      await animated.clone().webp({ lossless: true }).toBuffer(),
    ]) {
      expect((await sharp(bytes, { animated: true }).metadata()).pages).toBe(3);
      expectQuarters(quarters(await decodeBytes(bytes, plain)), upright, 12);
    }
  });
});

describe('resizing', () => {
  /** White with a red cross in the exact middle. */
  async function crossed(width: number, height: number): Promise<Buffer> {
    const mark = { input: { create: { width: 20, height: 20, channels: 3 as const, background: '#f00' } } };
    return sharp({ create: { width, height, channels: 3, background: '#fff' } })
      .composite([{ ...mark, left: Math.round(width / 2) - 10, top: Math.round(height / 2) - 10 }])
      .png()
      .toBuffer();
  }
  const square = checkPreprocessing({ ...presets.unit, size: [64, 64], shorterSide: 64, resize: 'crop' });
  const middle = (pixels: Uint8Array) => [...pixels.subarray((32 * 64 + 32) * 3, (32 * 64 + 32) * 3 + 3)];

  it('keeps the middle when cropping, whichever side is longer', async () => {
    for (const [width, height] of [
      [200, 100],
      [100, 200],
      [100, 100],
    ]) {
      const pixels = await decodeBytes(await crossed(width, height), square);
      expect(middle(pixels)).toEqual([255, 0, 0]);
      expect([...pixels.subarray(0, 3)]).toEqual([255, 255, 255]);
    }
  });

  it('shows less of the picture when the shorter side is larger than the network', async () => {
    const red = (pixels: Uint8Array) => {
      let count = 0;
      for (let i = 0; i < pixels.length; i += 3) if (pixels[i + 1] < 128) count++;
      return count;
    };
    const bytes = await crossed(160, 160);
    const near = red(await decodeBytes(bytes, { ...square, shorterSide: 128 }));
    const far = red(await decodeBytes(bytes, square));
    // The cross is 20 of 160 pixels: 8 of 64, or 16 of 128.
    expect(far).toBe(8 * 8);
    expect(near).toBe(16 * 16);
  });

  it('stretches, and pads with the background', async () => {
    const bytes = await sharp({ create: { width: 100, height: 50, channels: 3, background: '#00f' } })
      .png()
      .toBuffer();
    const stretched = await decodeBytes(bytes, { ...square, resize: 'stretch' });
    expect([...stretched.subarray(0, 3)]).toEqual([0, 0, 255]);
    const padded = await decodeBytes(bytes, { ...square, resize: 'pad', background: [10, 20, 30] });
    expect([...padded.subarray(0, 3)]).toEqual([10, 20, 30]);
    expect(middle(padded)).toEqual([0, 0, 255]);
  });

  it('copes with pictures of one pixel and with extreme sides', async () => {
    for (const [width, height] of [
      [1, 1],
      [3000, 1],
      [1, 3000],
    ]) {
      const bytes = await sharp({ create: { width, height, channels: 3, background: '#08f' } })
        .png()
        .toBuffer();
      expect(middle(await decodeBytes(bytes, { ...square, shorterSide: 72 }))).toEqual([0, 136, 255]);
    }
  });
});

describe('the decoder', () => {
  const folder = temporaryFolder();

  it('refuses a picture with more pixels than allowed, before it is decoded', async () => {
    const bytes = await image().png().toBuffer();
    expect(await fault(bytes, { ...defaultLimits, maxPixels: 6143 })).toBe('too-large');
    expect((await decodeBytes(bytes, plain, { ...defaultLimits, maxPixels: 6144 })).length).toBe(32 * 48 * 3);
  });

  it('refuses half a picture', async () => {
    const next = numbers(5);
    const noise = Buffer.from(Array.from({ length: 64 * 64 * 3 }, () => (next() + 1) * 127));
    for (const format of ['jpeg', 'png', 'webp', 'gif', 'tiff'] as const) {
      const bytes = await sharp(noise, { raw: { width: 64, height: 64, channels: 3 } })
        .toFormat(format)
        .toBuffer();
      expect(await fault(bytes.subarray(0, bytes.length >> 1))).toBe('damaged');
    }
  });

  it('refuses files that are something else, saying what', async () => {
    expect(await fault(Buffer.from(''))).toBe('empty');
    expect(await fault(Buffer.from('<!DOCTYPE html><html>not found</html>'))).toBe('not-a-picture');
    expect(await fault(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe('unsupported-format');
    expect(await fault(Buffer.from('%PDF-1.7'))).toBe('unsupported-format');
    expect(await fault(Buffer.from('{"error": 404}'))).toBe('not-a-picture');
    expect(await fault(Buffer.from('BM and more'))).toBe('unsupported-format');
    expect(await fault(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0'))).toBe('unsupported-format');
    expect(await fault(Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0'))).toBe('not-a-picture');
    expect(await fault(Buffer.from('plain words'))).toBe('not-a-picture');
  });

  it('refuses missing files, folders, and files that are too large', async () => {
    const missing = decodePicture(join(folder, 'absent.jpg'), plain);
    await expect(missing).rejects.toMatchObject({ fault: 'missing' });
    await expect(decodePicture(folder, plain)).rejects.toMatchObject({ fault: 'not-a-picture' });
    const file = join(folder, 'large.png');
    await writeFile(file, await image().png().toBuffer());
    const limits = { ...defaultLimits, maxBytes: 10 };
    await expect(decodePicture(file, plain, limits)).rejects.toMatchObject({ fault: 'too-large' });
    expect((await decodePicture(file, plain)).bytes).toBeGreaterThan(10);
  });
});

describe('normalizing', () => {
  it('is (pixel · scale − mean) / deviation in the order of channels and axes that is asked for', () => {
    const p = checkPreprocessing({
      ...presets.unit,
      size: [1, 2],
      shorterSide: 1,
      channelOrder: 'BGR',
      scale: 0.5,
      mean: [1, 2, 3],
      deviation: [2, 4, 8],
    });
    const pixels = Uint8Array.of(10, 20, 30, 40, 50, 60);
    const first = new Float32Array(6);
    createNormalizer(p, 'NCHW')(pixels, 0, first, 0);
    expect([...first]).toEqual([(15 - 1) / 2, (30 - 1) / 2, (10 - 2) / 4, (25 - 2) / 4, (5 - 3) / 8, (20 - 3) / 8]);
    const last = new Float32Array(7);
    createNormalizer(p, 'NHWC')(pixels, 0, last, 1);
    expect([...last]).toEqual([0, 7, 2, 0.25, 14.5, 5.75, 2.125]);
  });

  it('is the same for every number of pixels, at every place in a batch', () => {
    for (const size of [
      [1, 1],
      [1, 4],
      [3, 3],
      [2, 5],
      [4, 6],
    ] as const)
      for (const channelOrder of ['RGB', 'BGR'] as const)
        for (const layout of ['NCHW', 'NHWC'] as const) {
          const p = checkPreprocessing({ ...presets.imagenet, size, shorterSide: Math.min(...size), channelOrder });
          const [pixels, given] = [size[0] * size[1], size[0] * size[1] * 3];
          const bytes = Uint8Array.from({ length: 3 * given + 1 }, (_, i) => i * 37).subarray(1);
          const found = new Float32Array(3 * given);
          const wanted = new Float32Array(3 * given);
          const normalize = createNormalizer(p, layout);
          for (let picture = 0; picture < 3; picture++) {
            normalize(bytes, picture * given, found, picture * given);
            for (let i = 0; i < given; i++) {
              const [pixel, colour] = [Math.floor(i / 3), i % 3];
              const channel = channelOrder === 'RGB' ? colour : 2 - colour;
              const place = layout === 'NCHW' ? channel * pixels + pixel : 3 * pixel + channel;
              const value = bytes[picture * given + i];
              wanted[picture * given + place] = (value * p.scale - p.mean[channel]) / p.deviation[channel];
            }
          }
          expect(found).toEqual(wanted);
        }
  });

  it('refuses preprocessing that makes no sense, naming the field', () => {
    const check = (fields: object) => () => checkPreprocessing({ ...presets.imagenet, ...fields } as Preprocessing);
    expect(check({ size: [0, 224] })).toThrow(/"size"/);
    expect(check({ shorterSide: 100 })).toThrow(/"shorterSide" is 100; expected a whole number from 224/);
    expect(check({ deviation: [1, 0, 1] })).toThrow(/"deviation"/);
    expect(check({ resize: 'zoom' })).toThrow(/crop, stretch, pad/);
    expect(check({ meen: [1, 1, 1] })).toThrow(/unknown field "meen"/);
  });
});
