import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readJpegHeader } from '../../src/decoding/jpeg-header.js';
import { perform } from '../../src/decoding/perform.js';
import { reducedJpeg, reductionOf } from '../../src/decoding/reduced-jpeg.js';
import type { PixelTask } from '../../src/decoding/task.js';
import { decodeUsualJpeg } from '../../src/decoding/usual-jpeg.js';
import { Random } from '../../src/linalg/index.js';
import { fuzzReader } from '../fuzz.js';
import { noise, pattern } from '../vision/test-pictures.js';
import { full, half, jfif, type MadeUpJpeg, madeUpJpeg, quarter, segment } from './made-up-jpeg.js';

const limits = { pixels: 1e8, bytes: 1e8, seconds: 30, mebibytes: 4096 };

const usual: MadeUpJpeg = { width: 170, height: 150, sampling: quarter, density: 8, largest: 20, step: 8 };
/** Tasks for which such a picture is reduced as far as can be, and less far. */
const eighth = taskFor({ width: 16, height: 16 });
const tasks = [eighth, taskFor({ width: 25, height: 25 }), taskFor({ width: 32, height: 32 })];

function taskFor(box: PixelTask['box'], other: Partial<PixelTask> = {}): PixelTask {
  return { kind: 'pixels', box, fit: 'cover', kernel: 'linear', background: [9, 99, 200], ...other };
}

async function own(file: Uint8Array, task: PixelTask) {
  const header = readJpegHeader(file);
  return header && reducedJpeg(file, header, task);
}

/** All of it by libvips; fails where libjpeg warns of anything. */
function ofLibvips(
  file: Uint8Array,
  { box, cut, fit, kernel, background, mirror = false }: PixelTask,
): Promise<Buffer> {
  const [r, g, b] = background;
  const scaled = sharp(file, { failOn: 'warning', autoOrient: true })
    .toColourspace('srgb')
    .flop(mirror)
    .resize({ ...box, fit, kernel, position: 'centre', background: { r, g, b } });
  return (cut ? scaled.extract(cut) : scaled).raw({ depth: 'uchar' }).toBuffer();
}

/** Whether our decoder reduces a file, whose pixels then must be those of libvips. */
async function isReduced(file: Uint8Array, task: PixelTask, name: string): Promise<boolean> {
  if (!(await own(file, task))) return false;
  const { data } = await perform({ input: file, task, limits, tolerant: false });
  expect(Buffer.compare(data, await ofLibvips(file, task)), name).toBe(0);
  return true;
}

/** With a box that asks for this reduction, and sides that may be anything. */
function randomCase(random: Random, reduction: 2 | 4 | 8) {
  const box = { width: 5 + random.integer(12), height: 5 + random.integer(12) };
  const [least, most] = { 2: [3, 5], 4: [5, 9], 8: [9, 30] }[reduction];
  const shrink = least + random.uniform() * (most - least);
  const side = (length: number) => Math.floor(length * shrink);
  const cut = { left: 1, top: 0, width: box.width - 2, height: box.height - 1 };
  const fit = (['cover', 'fill', 'contain'] as const)[random.integer(3)];
  const kernel = (['linear', 'nearest', 'cubic', 'lanczos3'] as const)[random.integer(4)];
  const other = { fit, kernel, mirror: random.integer(4) === 0, ...(random.integer(2) && { cut }) };
  // One of the sides may be much longer.
  const longer = fit === 'contain' ? 0 : random.integer(40);
  const [more, less] = random.integer(2) ? [longer, 0] : [0, longer];
  return { width: side(box.width) + more, height: side(box.height) + less, task: taskFor(box, other) };
}

describe('the reduction by the decoder', () => {
  it('goes as far as it can, and leaves the last half of powers of two to the kernel', () => {
    const reduction = (width: number, height: number, fit: PixelTask['fit'] = 'cover') =>
      reductionOf({ width, height }, { box: { width: 100, height: 50 }, fit });
    expect([299, 300, 499, 500, 899, 900, 5000].map((side) => reduction(side, side))).toEqual([1, 2, 2, 4, 4, 8, 8]);
    expect(reduction(900, 100)).toBe(1);
    expect(reduction(900, 100, 'fill')).toBe(1);
    expect(reduction(900, 100, 'contain')).toBe(8);
    expect(reduction(4000, 4, 'contain')).toBe(2);
  });
});

describe('large JPEG files', () => {
  it('are left to libvips where the places of rows come out of rounding errors', async () => {
    const reduced = async (height: number, side: number) => {
      const file = await pattern(1, 2 * height, height)
        .jpeg()
        .toBuffer();
      return isReduced(file, taskFor({ width: side, height: side }, { kernel: 'nearest' }), `${height} to ${side}`);
    };
    expect(await reduced(131, 14)).toBe(false);
    expect(await reduced(150, 16)).toBe(true);
    expect(await reduced(190, 20)).toBe(true);
  });

  it.each([8, 4, 2] as const)(
    'have the bytes of libvips at a reduction of %i, in all sizes and qualities',
    async (reduction) => {
      const random = new Random(reduction);
      let reduced = 0;
      for (let trial = 0; trial < 150; trial++) {
        const { width, height, task } = randomCase(random, reduction);
        const picture =
          trial % 2 ? noise(random, width, height, 2 + random.integer(254)) : pattern(trial, width, height);
        const chromaSubsampling = trial % 3 ? '4:2:0' : '4:4:4';
        const quality = 1 + random.integer(100);
        const file = await picture.jpeg({ quality, chromaSubsampling, optimiseCoding: trial % 5 > 1 }).toBuffer();
        const name = `${width} × ${height}, ${chromaSubsampling}, ${quality}, ${JSON.stringify(task)}`;
        expect(reductionOf({ width, height }, task), name).toBe(reduction);
        expect(decodeUsualJpeg(file, readJpegHeader(file)!, reduction), name).toBeDefined();
        if (await isReduced(file, task, name)) reduced++;
      }
      expect(reduced).toBeGreaterThan(75);
    },
  );

  it.each([
    ['full', full],
    ['half', half],
    ['quarter', quarter],
  ])('have them with random coefficients, codes and restarts, and chroma at %s size', async (_, sampling) => {
    const random = new Random(2);
    let reduced = 0;
    for (let trial = 0; trial < 120; trial++) {
      const { width, height, task } = randomCase(random, ([2, 4, 8] as const)[trial % 3]);
      const coefficients = { density: random.integer(64), largest: 1 + random.integer(12) };
      const restart = random.integer(2) * random.integer(12);
      const file = madeUpJpeg(random, { ...usual, width, height, sampling, ...coefficients, step: 3, restart });
      const name = `${width} × ${height}, ${restart}, ${JSON.stringify({ ...coefficients, task })}`;
      expect(decodeUsualJpeg(file, readJpegHeader(file)!, reductionOf({ width, height }, task)), name).toBeDefined();
      if (await isReduced(file, task, name)) reduced++;
    }
    expect(reduced).toBeGreaterThan(60);
  });

  it('are left to libvips, or have its bytes, where coefficients are too large for any picture', async () => {
    const random = new Random(3);
    let reduced = 0;
    for (let trial = 0; trial < 200; trial++) {
      const { width, height, task } = randomCase(random, ([2, 4, 8] as const)[trial % 3]);
      const extreme = { density: random.integer(64), largest: 1 << random.integer(10), step: 1 + random.integer(255) };
      const sampling = [full, half, quarter][random.integer(3)];
      const file = madeUpJpeg(random, { ...usual, width, height, sampling, ...extreme });
      if (await isReduced(file, task, JSON.stringify(extreme))) reduced++;
    }
    expect(reduced).toBeGreaterThan(30);
    expect(reduced).toBeLessThan(170);
  });

  it('are reduced with metadata that say that they are upright, and turned by libvips else', async () => {
    const picture = pattern(3, 300, 211);
    for (let orientation = 1; orientation <= 8; orientation++) {
      const file = await picture
        .clone()
        .jpeg()
        .withMetadata({ orientation })
        .withExifMerge({ IFD0: { Make: 'A' } })
        .toBuffer();
      const task = taskFor({ width: 20, height: 12 });
      const { data } = await perform({ input: file, task, limits, tolerant: false });
      expect(Buffer.compare(data, await ofLibvips(file, task)), String(orientation)).toBe(0);
    }
    const random = new Random(4);
    const withExif = (content: string) =>
      madeUpJpeg(random, { ...usual, segments: [segment(0xe1, Buffer.from(content)), jfif] });
    expect(await isReduced(withExif('http://ns.adobe.com/xap/1.0/\0<x/>'), eighth, 'other metadata')).toBe(true);
    expect(await isReduced(withExif('Exif\0\0nonsense'), eighth, 'damaged metadata')).toBe(true);
    const several = [jfif, segment(0xe2, Buffer.from('MPF\0some'))];
    expect(await isReduced(madeUpJpeg(random, { ...usual, segments: several }), eighth, 'more pictures')).toBe(true);
  });

  it('that are not quite usual are left to libvips', async () => {
    const random = new Random(5);
    const picture = pattern(1, 170, 150);
    const made = madeUpJpeg(random, usual);
    const restarts = madeUpJpeg(random, { ...usual, restart: 2 });
    const second = restarts.indexOf(Uint8Array.of(0xff, 0xd1));
    const files = {
      progressive: await picture.clone().jpeg({ progressive: true }).toBuffer(),
      turned: await picture.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer(),
      profile: await picture.clone().withIccProfile('p3').jpeg().toBuffer(),
      grey: await picture.clone().toColourspace('b-w').jpeg().toBuffer(),
      cmyk: await picture.clone().toColourspace('cmyk').jpeg().toBuffer(),
      'without an end': made.subarray(0, -2),
      'with something before its end': Buffer.concat([made.subarray(0, -2), Uint8Array.of(1, 2, 0xff, 0xd9)]),
      'with restarts of a wrong number': Buffer.from(restarts).fill(0xd2, second + 1, second + 2),
      'with a restart too many': Buffer.concat([restarts.subarray(0, -2), Uint8Array.of(0xff, 0xd7, 0xff, 0xd9)]),
    };
    expect(await isReduced(made, eighth, 'usual')).toBe(true);
    expect(await isReduced(restarts, eighth, 'restarts')).toBe(true);
    for (const [name, file] of Object.entries(files)) expect(await own(file, eighth), name).toBeUndefined();
  });

  it('that end too early are never decoded, and refused with the words of libvips', async () => {
    const random = new Random(6);
    const file = madeUpJpeg(random, { ...usual, restart: 3 });
    const step = 1 + Math.floor(file.length / 400);
    for (let length = 0; length < file.length - 2; length += step)
      for (const task of tasks) {
        expect(await own(file.subarray(0, length), task)).toBeUndefined();
        const ended = Buffer.concat([file.subarray(0, length), Uint8Array.of(0xff, 0xd9)]);
        expect(await own(ended, task)).toBeUndefined();
      }
    const input = file.subarray(0, file.length >> 1);
    await expect(perform({ input, task: eighth, limits, tolerant: false })).rejects.toThrow(/premature end/i);
  });

  it('of more pixels or bytes than are allowed are refused', async () => {
    const { width, height } = usual;
    const input = madeUpJpeg(new Random(7), usual);
    const ask = (allowed: number) =>
      perform({ input, task: eighth, limits: { ...limits, pixels: allowed }, tolerant: false });
    await expect(ask(width * height - 1)).rejects.toThrow(/more than/);
    expect((await ask(width * height)).data.length).toBe(16 * 16 * 3);
  });

  it('give the same grey values', async () => {
    const file = await pattern(5, 201, 152).jpeg().toBuffer();
    const task = { kind: 'grey', side: 16 } as const;
    const { data } = await perform({ input: file, task, limits, tolerant: false });
    const picture = sharp(file).resize(16, 16, { fit: 'fill' }).greyscale().raw();
    expect(Buffer.compare(data, await picture.toBuffer())).toBe(0);
  });
});

it('mutated large JPEG files have the bytes of libvips, or are left to it', async () => {
  const random = new Random(8);
  const seeds = [
    await pattern(3, 170, 150).jpeg().toBuffer(),
    await pattern(4, 150, 170).jpeg({ chromaSubsampling: '4:4:4', optimiseCoding: false }).toBuffer(),
    madeUpJpeg(random, { ...usual, sampling: half, restart: 5 }),
    madeUpJpeg(random, { ...usual, density: 40, largest: 5 }),
  ];
  const cases = Number(process.env.BOWERBIRD_CASES) || 1000;
  let reduced = 0;
  await fuzzReader(
    'reduced-jpeg',
    seeds,
    async (bytes) => {
      if (await isReduced(bytes, tasks[random.integer(3)], 'mutated')) reduced++;
    },
    { cases },
  );
  expect(reduced).toBeGreaterThan(cases / 40);
});
