import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readJpegHeader } from '../../src/decoding/jpeg-header.js';
import { kernels } from '../../src/decoding/picture-memory.js';
import { decodeUsualJpeg } from '../../src/decoding/usual-jpeg.js';
import { Random } from '../../src/linalg/index.js';
import { fuzzReader } from '../fuzz.js';
import { noise, pattern } from '../vision/test-pictures.js';
import { full, half, jfif, type MadeUpJpeg, madeUpJpeg, quarter, segment } from './made-up-jpeg.js';

interface Found {
  width: number;
  height: number;
  data: Buffer;
}

function own(file: Uint8Array): Found | undefined {
  const header = readJpegHeader(file);
  const found = header && decodeUsualJpeg(file, header);
  if (!found) return undefined;
  const { at, width, height } = found;
  return { width, height, data: Buffer.from(new Uint8Array(kernels().memory.buffer, at, 3 * width * height)) };
}

/** Fails where libjpeg warns of anything. */
async function ofLibvips(file: Uint8Array): Promise<Found> {
  const picture = sharp(file, { failOn: 'warning', autoOrient: true }).toColourspace('srgb').raw({ depth: 'uchar' });
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

function same(one: Found, other: Found): boolean {
  return one.width === other.width && one.height === other.height && Buffer.compare(one.data, other.data) === 0;
}

/** Whether the kernels decode a file, which then must be as libvips does it. */
async function isDecoded(file: Uint8Array, name: string): Promise<boolean> {
  const found = own(file);
  if (found) expect(same(found, await ofLibvips(file)), name).toBe(true);
  return found !== undefined;
}

const usual: MadeUpJpeg = { width: 45, height: 39, sampling: quarter, density: 8, largest: 20, step: 8 };

describe('small JPEG files', () => {
  it('have the bytes of libvips in all sizes and qualities, with and without chroma at full size', async () => {
    const random = new Random(1);
    for (let trial = 0; trial < 300; trial++) {
      const [width, height] = [1 + random.integer(70), 1 + random.integer(70)];
      const picture = trial % 2 ? noise(random, width, height, 2 + random.integer(254)) : pattern(trial, width, height);
      const chromaSubsampling = trial % 3 ? '4:2:0' : '4:4:4';
      const file = await picture
        .jpeg({ quality: 1 + random.integer(100), chromaSubsampling, optimiseCoding: trial % 5 > 1 })
        .toBuffer();
      const name = `${width} × ${height}, ${chromaSubsampling}`;
      expect(await isDecoded(file, name), name).toBe(chromaSubsampling === '4:4:4' || width > 4);
    }
  });

  it.each([
    ['full', full],
    ['half', half],
    ['quarter', quarter],
  ])('have them with random coefficients and codes, and chroma at %s size', async (_, sampling) => {
    const random = new Random(2);
    for (let trial = 0; trial < 120; trial++) {
      const [width, height] = [5 + random.integer(60), 1 + random.integer(60)];
      const density = random.integer(30);
      const file = madeUpJpeg(random, { ...usual, width, height, sampling, density, largest: 1 + random.integer(20) });
      expect(await isDecoded(file, `${width} × ${height}`), `${width} × ${height}`).toBe(true);
    }
  });

  it('are left to libvips, or have its bytes, where coefficients are too large for any picture', async () => {
    const random = new Random(3);
    let decoded = 0;
    for (let trial = 0; trial < 300; trial++) {
      const extreme = { density: random.integer(64), largest: 1 << random.integer(10), step: 1 + random.integer(255) };
      const file = madeUpJpeg(random, { ...usual, sampling: [full, half, quarter][trial % 3], ...extreme });
      if (await isDecoded(file, JSON.stringify(extreme))) decoded++;
    }
    expect(decoded).toBeGreaterThan(50);
    expect(decoded).toBeLessThan(250);
  });

  it('with restarts, and with metadata that say nothing of pixels, are decoded', async () => {
    const random = new Random(4);
    const adobe = segment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 1]);
    const comment = segment(0xfe, Buffer.from('a comment'));
    const photoshop = segment(0xed, Buffer.from('Photoshop 3.0\0'));
    for (const segments of [[jfif], [], [adobe], [comment, jfif, photoshop, adobe]])
      expect(await isDecoded(madeUpJpeg(random, { ...usual, segments }), String(segments.length))).toBe(true);
    for (let restart = 1; restart < 12; restart++)
      expect(await isDecoded(madeUpJpeg(random, { ...usual, restart }), `restarts ${restart}`)).toBe(true);
    expect(await isDecoded(Buffer.concat([madeUpJpeg(random, usual), Buffer.from('afterwards')]), 'end')).toBe(true);
  });

  it('that are not quite usual are left to libvips', async () => {
    const random = new Random(5);
    const picture = pattern(1, 60, 45);
    const adobe = (transform: number) => segment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]);
    const oldJfif = jfif.slice();
    oldJfif[9] = 2;
    const made = (other: Partial<MadeUpJpeg>) => madeUpJpeg(random, { ...usual, ...other });
    const files = {
      progressive: await picture.clone().jpeg({ progressive: true }).toBuffer(),
      profile: await picture.clone().withIccProfile('p3').jpeg().toBuffer(),
      grey: await picture.clone().toColourspace('b-w').jpeg().toBuffer(),
      cmyk: await picture.clone().toColourspace('cmyk').jpeg().toBuffer(),
      'red, green, blue': made({ segments: [adobe(0)] }),
      'named so': made({ segments: [], ids: [82, 71, 66] }),
      'a later JFIF': made({ segments: [oldJfif] }),
      'two rows of brightness': made({
        sampling: [
          [1, 2],
          [1, 1],
          [1, 1],
        ],
      }),
      'four of them': made({
        sampling: [
          [4, 1],
          [1, 1],
          [1, 1],
        ],
      }),
      'less brightness': made({
        sampling: [
          [1, 1],
          [2, 2],
          [1, 1],
        ],
      }),
      'without an end': madeUpJpeg(random, usual).subarray(0, -2),
      'with something before its end': Buffer.concat([made({}).subarray(0, -2), Uint8Array.of(1, 2, 0xff, 0xd9)]),
    };
    for (const [name, file] of Object.entries(files)) expect(own(file), name).toBeUndefined();
  });

  it('that end too early are never decoded', async () => {
    const random = new Random(6);
    const file = madeUpJpeg(random, usual);
    for (let length = 0; length < file.length - 2; length++) {
      expect(own(file.subarray(0, length))).toBeUndefined();
      expect(own(Buffer.concat([file.subarray(0, length), Uint8Array.of(0xff, 0xd9)]))).toBeUndefined();
    }
  });
});

it('mutated small JPEG files have the bytes of libvips, or are left to it', async () => {
  const random = new Random(7);
  const seeds = [
    await pattern(3, 60, 45).jpeg().toBuffer(),
    await pattern(4, 33, 70).jpeg({ chromaSubsampling: '4:4:4', optimiseCoding: false }).toBuffer(),
    madeUpJpeg(random, { ...usual, sampling: half }),
    madeUpJpeg(random, { ...usual, density: 40 }),
  ];
  let decoded = 0;
  const cases = Number(process.env.BOWERBIRD_CASES) || 2000;
  await fuzzReader(
    'small-jpeg',
    seeds,
    async (bytes) => {
      if (await isDecoded(bytes, 'mutated')) decoded++;
    },
    { cases },
  );
  expect(decoded).toBeGreaterThan(cases / 40);
});
