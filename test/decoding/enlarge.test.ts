import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { canEnlarge, enlarge } from '../../src/decoding/enlarge.js';
import { perform } from '../../src/decoding/perform.js';
import { jpegFrame } from '../../src/decoding/sniff.js';
import type { PixelTask } from '../../src/decoding/task.js';
import { Random } from '../../src/linalg/index.js';

const limits = { pixels: 1e8, bytes: 1e8, seconds: 30, mebibytes: 4096 };

function taskFor(box: PixelTask['box'], cut?: PixelTask['cut']): PixelTask {
  return { kind: 'pixels', box, fit: 'cover', kernel: 'linear', background: [255, 255, 255], ...(cut && { cut }) };
}

const usual = taskFor({ width: 256, height: 256 }, { left: 16, top: 16, width: 224, height: 224 });

function noise(random: Random, width: number, height: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: width * height * 3 }, () => random.integer(256)));
}

/** All of it by libvips. */
async function expected(picture: Sharp, { box, cut, fit, kernel }: PixelTask): Promise<Buffer> {
  const scaled = picture.toColourspace('srgb').resize({ ...box, fit, kernel, position: 'centre' });
  return (cut ? scaled.extract(cut) : scaled).raw({ depth: 'uchar' }).toBuffer();
}

const pixelsOf = async (input: Buffer, task: PixelTask) =>
  (await perform({ input, task, limits, tolerant: false })).data;

describe('enlarging', () => {
  it('gives the bytes of libvips for pictures of all sizes', async () => {
    const random = new Random(3);
    for (let trial = 0; trial < 150; trial++) {
      const [width, height] = [1 + random.integer(254), 1 + random.integer(254)];
      const task = trial % 3 === 0 ? taskFor({ width: 256, height: 256 + random.integer(60) }) : usual;
      const size = { width, height, channels: 3 } as const;
      if (!canEnlarge(size, task)) continue;
      const data = noise(random, width, height);
      const found = enlarge({ ...size, data }, task);
      const wanted = await expected(sharp(data, { raw: size }), task);
      expect(Buffer.compare(found.data, wanted), `${width} × ${height}`).toBe(0);
    }
  });

  it('gives them where steps are exact fractions and where it hardly enlarges', async () => {
    const random = new Random(4);
    for (const side of [1, 2, 4, 7, 32, 64, 96, 128, 192, 224, 240, 255, 256])
      for (const other of [side, Math.min(255, 2 * side), 255, 300]) {
        const size = { width: side, height: other, channels: 3 } as const;
        if (!canEnlarge(size, usual)) continue;
        const data = noise(random, side, other);
        const wanted = await expected(sharp(data, { raw: size }), usual);
        expect(Buffer.compare(enlarge({ ...size, data }, usual).data, wanted), `${side} × ${other}`).toBe(0);
      }
  });

  it('changes nothing about decoding JPEG files: turned, with a profile, grey, progressive', async () => {
    const random = new Random(5);
    const plain = sharp(noise(random, 150, 101), { raw: { width: 150, height: 101, channels: 3 } });
    const files = {
      plain: await plain.clone().jpeg().toBuffer(),
      progressive: await plain.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
      turned: await plain.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer(),
      profile: await plain.clone().withIccProfile('p3').jpeg().toBuffer(),
      grey: await plain.clone().greyscale().jpeg().toBuffer(),
      cmyk: await plain.clone().toColourspace('cmyk').jpeg().toBuffer(),
    };
    const tall = taskFor({ width: 120, height: 320 });
    for (const [name, file] of Object.entries(files))
      for (const task of [usual, tall, { ...usual, mirror: true }]) {
        const { mirror = false } = task;
        const wanted = await expected(sharp(file, { autoOrient: true }).flop(mirror), task);
        expect(Buffer.compare(await pixelsOf(file, task), wanted), name).toBe(0);
      }
  });

  it('is for enlarging with the linear kernel only', () => {
    const size = { width: 200, height: 150, channels: 3 };
    expect(canEnlarge(size, usual)).toBe(true);
    expect(canEnlarge({ ...size, channels: 1 }, usual)).toBe(false);
    expect(canEnlarge({ ...size, height: 256, width: 300 }, usual)).toBe(true);
    expect(canEnlarge({ ...size, height: 257, width: 300 }, usual)).toBe(false);
    expect(canEnlarge({ ...size, height: 1 }, usual)).toBe(false);
    expect(canEnlarge({ ...size, height: 0 }, usual)).toBe(false);
    for (const other of [{ kernel: 'cubic' }, { fit: 'fill' }, { mirror: true }] as const)
      expect(canEnlarge(size, { ...usual, ...other })).toBe(false);
  });
});

describe('jpegFrame', () => {
  it('reads the size before the picture is turned', async () => {
    const picture = sharp({ create: { width: 31, height: 17, channels: 3, background: '#123' } });
    const file = await picture.jpeg({ progressive: true }).withMetadata({ orientation: 8 }).toBuffer();
    expect(jpegFrame(file)).toEqual({ width: 31, height: 17, channels: 3, exif: true });
  });

  it('says nothing of a file that ends or goes astray before it', async () => {
    const file = await sharp({ create: { width: 31, height: 17, channels: 3, background: '#123' } })
      .jpeg()
      .toBuffer();
    for (let length = 0; length < 100; length++) expect(jpegFrame(file.subarray(0, length))).toBeUndefined();
    expect(jpegFrame(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, ...new Uint8Array(20)]))).toBeUndefined();
    expect(jpegFrame(Buffer.from([0xff, 0xd8, ...new Uint8Array(1000).fill(0xff)]))).toBeUndefined();
  });
});
