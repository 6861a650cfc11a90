/**
 * Photographs of 12 megapixels: how fast they are decoded, and how far their features are from those of full decoding.
 *
 * A JPEG that is much too large is decoded at a half, a quarter or an eighth. Compared are that reduction as it is used, by our own
 * decoder where it knows the file, the same by that of libvips, one that leaves at least a factor of two to the kernel, and
 * decoding in full. The first two give the same bytes, or the program ends. Two more lines show what features make of
 * bytes: full decoding with one rounding at the end instead of one a step, and full decoding with one byte in ten changed by one.
 * Pictures are photographs enlarged to 12 megapixels, with sides that are multiples of 16, as cameras have them, or of 1.
 * Trials take turns, and processor time counts, once kernels are compiled. Options: `--model A,B`, `--pictures FOLDER`, `--count N`, `--rounds N`, `--write`
 * (into docs/benchmarks.md).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { perform } from '../src/decoding/perform.js';
import type { PixelTask } from '../src/decoding/task.js';
import { Random } from '../src/linalg/random.js';
import { chooseFeature, findModel, getModel, openPictures } from '../src/vision/index.js';
import { Network } from '../src/vision/network.js';
import { markdownTable, writeSection } from './shared/document.js';

const megapixels = 12;
const warmUps = 5;
const wanted = { width: 256, height: 256, fit: 'cover', kernel: 'linear', position: 'centre' } as const;
const middle = { left: 16, top: 16, width: 224, height: 224 };

interface Photograph {
  bytes: Buffer;
  width: number;
  height: number;
}

const asUsed: PixelTask = {
  kind: 'pixels',
  box: { width: wanted.width, height: wanted.height },
  fit: wanted.fit,
  kernel: wanted.kernel,
  cut: middle,
  background: [255, 255, 255],
};
const limits = { pixels: 100e6, bytes: 2 ** 28, seconds: 30, mebibytes: 1536 };
const [used, byLibvips] = ['reduced as far as it goes (as used)', 'the same by the decoder of libvips'];

const ways: Record<string, (photograph: Photograph) => Promise<Uint8Array>> = {
  'decoded in full': ({ bytes, width, height }) =>
    // What is cut out before scaling is decoded in full.
    pixels(sharp(bytes).extract({ left: 0, top: 0, width, height }).resize(wanted)),
  [used]: async ({ bytes }) => (await perform({ input: bytes, task: asUsed, limits, tolerant: false })).data,
  [byLibvips]: ({ bytes }) => pixels(sharp(bytes).resize(wanted)),
  'reduced by it to twice the size': ({ bytes }) => pixels(sharp(bytes).resize({ ...wanted, fastShrinkOnLoad: false })),
};

/** Not ways to decode, but a measure for the others. */
const yardsticks: Record<string, (photograph: Photograph, full: Uint8Array) => Promise<Uint8Array>> = {
  'decoded in full, rounded once': roundedOnce,
  'decoded in full, one byte in ten changed by one': async (_, full) => {
    const random = new Random(1);
    return full.map((value) => (random.integer(10) > 0 ? value : value + (value < 128 ? 1 : -1)));
  },
};

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', default: 'mobilenet-v2-0.35,resnet50' },
      pictures: { type: 'string', default: '../shared/data/birds-mini/auxiliary' },
      count: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      write: { type: 'boolean', default: false },
    },
  });
  sharp.concurrency(1);
  sharp.cache(false);
  const models = values.model.split(',');
  const networks = await Promise.all(models.map(openNetwork));
  const sections: string[] = [];
  for (const multiple of [16, 1]) {
    const times = new Map<string, number[]>();
    const differences = new Map<string, number[][]>();
    for (const file of await someFiles(values.pictures, Number(values.count))) {
      const photograph = await enlarged(file, multiple);
      // A process that decodes pictures has many of them: what the first ones cost beside is not counted.
      if (times.size === 0)
        for (let i = 0; i < warmUps; i++) for (const decode of Object.values(ways)) await decode(photograph);
      const found = new Map<string, Uint8Array>();
      for (let round = 0; round < Number(values.rounds); round++)
        for (const [name, decode] of Object.entries(ways)) {
          const begun = process.cpuUsage();
          found.set(name, await decode(photograph));
          const { user, system } = process.cpuUsage(begun);
          times.set(name, [...(times.get(name) ?? []), (user + system) / 1000]);
        }
      if (Buffer.compare(found.get(used)!, found.get(byLibvips)!) !== 0) throw new Error(`${file}: other bytes`);
      const full = found.get('decoded in full')!;
      for (const [name, change] of Object.entries(yardsticks)) found.set(name, await change(photograph, full));
      for (const [i, network] of networks.entries()) {
        const reference = await network.run(full, 1);
        for (const [name, seen] of found) {
          const each = differences.get(name) ?? networks.map(() => []);
          each[i].push(relativeDifference(reference, await network.run(seen, 1)));
          differences.set(name, each);
        }
      }
    }
    const fullMs = median(times.get('decoded in full')!);
    const rows = [...differences].map(([name, each]) => {
      const ms = times.has(name) ? median(times.get(name)!) : undefined;
      return [
        name,
        ms?.toFixed(1) ?? '',
        ms ? (fullMs / ms).toFixed(1) : '',
        ...each.map((values) => `${mean(values).toExponential(1)} (${Math.max(...values).toExponential(1)})`),
      ];
    });
    sections.push(
      `Sides that are multiples of ${multiple}:`,
      markdownTable(['', 'ms of processor', 'times full', ...models.map((name) => `${name}, mean (most)`)], rows),
    );
  }
  const text = [
    `${values.count} photographs of ${values.pictures}, enlarged to ${megapixels} megapixels, JPEG of quality 92, scaled and cut as for ImageNet. Differences of features are relative to the length of those of full decoding. Command: \`npm run bench -- large ${args.filter((word) => word !== '--write').join(' ')}\`.`,
    ...sections,
  ].join('\n\n');
  console.log(text);
  if (values.write) writeSection('large', text);
}

async function openNetwork(name: string): Promise<Network> {
  const { network, layer } = await chooseFeature(await getModel(await findModel(name)));
  return Network.open({ ...network, layer, device: 'cpu', threads: 1 });
}

/** Spread over the folder, so that they are of many categories. */
async function someFiles(folder: string, count: number): Promise<string[]> {
  const source = await openPictures(folder);
  const step = Math.max(1, Math.floor(source.count / count));
  const files: string[] = [];
  let at = 0;
  for await (const { path } of source.pictures())
    if (at++ % step === 0 && files.length < count) files.push(join(source.folder, path));
  await source.close();
  return files;
}

async function enlarged(file: string, multiple: number): Promise<Photograph> {
  const { width: w, height: h } = await sharp(file).metadata();
  const growth = Math.sqrt((megapixels * 1e6) / (w * h));
  const [width, height] = [w, h].map((side) => Math.round((side * growth) / multiple) * multiple);
  const bytes = await sharp(file)
    .resize(width, height, { kernel: 'lanczos3', fit: 'fill' })
    .jpeg({ quality: 92 })
    .toBuffer();
  return { bytes, width, height };
}

function pixels(picture: Sharp): Promise<Buffer> {
  return picture.extract(middle).toColourspace('srgb').raw().toBuffer();
}

/** The same steps with 16 bits a channel. */
async function roundedOnce({ bytes }: Photograph): Promise<Uint8Array> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const fine = new Uint16Array(data.length);
  for (let i = 0; i < data.length; i++) fine[i] = data[i] * 256;
  const scaled = await sharp(fine, { raw: { width, height, channels } })
    .toColourspace('rgb16')
    .resize(wanted)
    .extract(middle)
    .raw({ depth: 'ushort' })
    .toBuffer();
  return Uint8Array.from({ length: scaled.length / 2 }, (_, i) =>
    Math.min(255, Math.round(scaled.readUInt16LE(2 * i) / 256)),
  );
}

function relativeDifference(reference: Float32Array, other: Float32Array): number {
  let [difference, length] = [0, 0];
  for (let i = 0; i < reference.length; i++) {
    difference += (reference[i] - other[i]) ** 2;
    length += reference[i] ** 2;
  }
  return Math.sqrt(difference / length);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
