import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { UncommonJpeg } from '../../field/src/pictures/errors.js';
import { decodeJpeg } from '../../field/src/pictures/jpeg.js';
import { preparePixels } from '../../field/src/pictures/prepare.js';
import { resize } from '../../field/src/pictures/resize.js';
import { Random } from '../../src/linalg/random.js';
import { decodeBytes } from '../../src/vision/decode.js';
import { checkPreprocessing, type Preprocessing, presets } from '../../src/vision/preprocessing.js';

/** Something with edges, gradients and noise. */
function scene(width: number, height: number, seed = 1): Buffer {
  const random = new Random(seed);
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++) {
        const wave = 60 * Math.sin(x / (5 + 9 * c) + y / 31) + (x * (c + 1) + y > width ? 50 : -50);
        data[(y * width + x) * 3 + c] = Math.max(0, Math.min(255, 128 + wave + 12 * random.normal()));
      }
  return data;
}

const raw = (width: number, height: number, seed?: number) =>
  sharp(scene(width, height, seed), { raw: { width, height, channels: 3 } });

function largest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}

const noOther = () => Promise.reject(new Error('this is a JPEG'));

/** The largest difference of a sample between the browser's pixels and the command line's. */
async function difference(picture: Buffer, preprocessing: Preprocessing): Promise<number> {
  return largest(await preparePixels(picture, preprocessing, noOther), await decodeBytes(picture, preprocessing));
}

describe('pictures in the browser', () => {
  it.each(['4:2:0', '4:4:4'])('decodes JPEGs as libjpeg does, bit for bit: %s', async (chromaSubsampling) => {
    for (const progressive of [false, true])
      for (const [width, height] of [
        [161, 97],
        [64, 64],
        [7, 5],
      ]) {
        const file = await raw(width, height).jpeg({ chromaSubsampling, progressive, quality: 88 }).toBuffer();
        const { data } = decodeJpeg(file);
        expect(largest(data, await sharp(file).raw().toBuffer()), `${width}×${height} ${progressive}`).toBe(0);
      }
  });

  it('decodes grey JPEGs, those with restart markers, and those of optimized tables', async () => {
    for (const options of [
      { optimiseCoding: false },
      { trellisQuantisation: true, optimiseScans: true, progressive: true },
    ]) {
      const file = await raw(90, 61).greyscale().jpeg(options).toBuffer();
      const { data } = decodeJpeg(file);
      const wanted = await sharp(file).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
      expect(wanted.info.channels).toBe(3);
      expect(largest(data, wanted.data)).toBe(0);
    }
  });

  it.each([
    [2100, 1500],
    [1031, 777],
    [905, 1407],
    [700, 530],
    [521, 513],
    [300, 257],
    [170, 256],
  ])('gives the network of the command line the same pixels to within 1 of 255: %i × %i', async (width, height) => {
    const file = await raw(width, height).jpeg().toBuffer();
    for (const preset of [presets.imagenet, presets.clip])
      expect(await difference(file, checkPreprocessing(preset))).toBeLessThanOrEqual(1);
  });

  it('turns pictures upright by all eight orientations', async () => {
    for (let orientation = 1; orientation <= 8; orientation++) {
      const file = await raw(640, 410).jpeg().withMetadata({ orientation }).toBuffer();
      expect(await difference(file, presets.imagenet), String(orientation)).toBeLessThanOrEqual(1);
    }
  });

  it('brings the colours of profiles to sRGB', async () => {
    for (const profile of ['p3', 'srgb']) {
      const file = await raw(640, 410).withIccProfile(profile).jpeg().toBuffer();
      expect((await sharp(file).metadata()).hasProfile).toBe(true);
      expect(await difference(file, presets.imagenet), profile).toBeLessThanOrEqual(2);
    }
  });

  it('stretches and pads', async () => {
    for (const resizing of ['stretch', 'pad'] as const)
      for (const [width, height] of [
        [640, 410],
        [150, 90],
        [901, 640],
        [300, 100],
      ]) {
        const file = await raw(width, height).jpeg().toBuffer();
        const preprocessing = checkPreprocessing({ ...presets.imagenet, resize: resizing });
        expect(await difference(file, preprocessing), `${resizing} ${width}×${height}`).toBeLessThanOrEqual(1);
      }
  });

  it('scales by every kernel as libvips does', async () => {
    const [width, height] = [130, 84];
    const data = scene(width, height);
    for (const kernel of ['linear', 'cubic', 'lanczos3'] as const)
      for (const [columns, rows] of [
        [97, 60],
        [41, 33],
        [20, 11],
        [190, 100],
        [130, 50],
      ]) {
        const wanted = await sharp(data, { raw: { width, height, channels: 3 } })
          .resize(columns, rows, { fit: 'fill', kernel })
          .raw()
          .toBuffer();
        const picture = { width, height, data: new Uint8ClampedArray(data) };
        const found = resize(picture, width / columns, height / rows, kernel);
        expect(largest(found.data, wanted), `${kernel} ${columns}×${rows}`).toBeLessThanOrEqual(1);
      }
  });

  describe('that are hostile', () => {
    let file: Buffer;
    beforeAll(async () => {
      file = await raw(200, 150).jpeg().toBuffer();
    });
    const trouble = async (bytes: Uint8Array) =>
      preparePixels(bytes, presets.imagenet, async () => ({
        width: 1,
        height: 1,
        data: new Uint8ClampedArray(3),
      })).then(
        () => 'none',
        (error) => error.trouble ?? String(error),
      );

    it('are refused with a word for it', async () => {
      expect(await trouble(new Uint8Array(0))).toBe('empty');
      expect(await trouble(Buffer.from('<!doctype html><p>not here</p>'))).toBe('not-a-picture');
      expect(await trouble(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe('not-a-picture');
      expect(await trouble(Buffer.from('this is no picture'))).toBe('not-a-picture');
      expect(await trouble(file.subarray(0, file.length >> 1))).toBe('damaged');
      const png = await raw(20, 20).png().toBuffer();
      png.writeUInt32BE(20_000, 16);
      png.writeUInt32BE(20_000, 20);
      expect(await trouble(png)).toBe('too-large');
    });

    it('say so in every case of bytes changed at random, and never hang', async () => {
      const random = new Random(7);
      const seen = new Set<string>();
      for (let i = 0; i < 300; i++) {
        const changed = Buffer.from(file);
        for (let k = 0; k < 1 + random.integer(8); k++) changed[random.integer(changed.length)] = random.integer(256);
        seen.add(await trouble(changed));
      }
      for (const word of seen) expect(['none', 'damaged', 'too-large', 'unsupported', 'not-a-picture']).toContain(word);
      expect(seen.size).toBeGreaterThan(1);
    });

    it('of kinds that are left to the browser are told apart', async () => {
      const cmyk = await raw(40, 30).toColourspace('cmyk').jpeg().toBuffer();
      expect(() => decodeJpeg(cmyk)).toThrow(UncommonJpeg);
    });
  });
});
