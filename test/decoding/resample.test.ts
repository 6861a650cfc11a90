/** Pictures resampled here against libvips, and against the sum that they are by definition. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { jpegSize } from '../../src/decoding/jpeg-size.js';
import { perform } from '../../src/decoding/perform.js';
import { resample } from '../../src/decoding/resample.js';
import type { PixelTask } from '../../src/decoding/task.js';
import { Random } from '../../src/linalg/index.js';

const limits = { pixels: 100e6, bytes: 2 ** 28, seconds: 30, mebibytes: 4096 };

/** Smooth shapes with some noise, as photographs are. */
function drawn(width: number, height: number): Buffer {
  const random = new Random(width * height);
  const data = Buffer.alloc(width * height * 3);
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
    data[i] = Math.max(
      0,
      Math.min(255, 128 + 90 * Math.sin((8 * x) / width + (i % 3)) * Math.cos((9 * y) / height) + 6 * random.normal()),
    );
  }
  return data;
}

const jpeg = (width: number, height: number) =>
  sharp(drawn(width, height), { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();

const task = (kernel: PixelTask['kernel']): PixelTask => ({
  kind: 'pixels',
  kernel,
  fit: 'cover',
  box: { width: 64, height: 64 },
  cut: { left: 4, top: 4, width: 56, height: 56 },
  background: [0, 0, 0],
});

/** Mean and largest difference. */
function difference(a: Uint8Array, b: Uint8Array) {
  expect(a.length).toBe(b.length);
  const differences = Array.from(a, (value, i) => Math.abs(value - b[i]));
  return { mean: differences.reduce((sum, one) => sum + one, 0) / a.length, largest: Math.max(...differences) };
}

describe('a picture of about the size that is wanted', () => {
  it.each([
    [50, 40],
    [40, 57],
    [64, 64],
    [100, 80],
    [127, 90],
    [110, 300],
  ])('of %d × %d pixels comes out as libvips has it', async (width, height) => {
    for (const kernel of ['linear', 'cubic', 'lanczos3'] as const) {
      const input = await jpeg(width, height);
      const { data } = await perform({ input, task: task(kernel), limits, tolerant: false });
      const { box, cut } = task(kernel);
      const theirs = await sharp(input)
        .resize({ ...box, fit: 'cover', kernel, position: 'centre', fastShrinkOnLoad: false })
        .extract(cut!)
        .raw()
        .toBuffer();
      expect(difference(data, theirs).mean).toBeLessThan(1.5);
    }
  });

  it('is the weighted sum of its neighbours', () => {
    const [width, height, scale] = [9, 7, 0.6];
    const data = new Uint8Array(drawn(width, height));
    const cut = { left: 1, top: 0, width: 4, height: 4 };
    const result = resample({ data, width, height, channels: 3 }, { x: scale, y: scale }, cut, 'linear');
    const weight = (at: number, out: number) => Math.max(0, 1 - Math.abs(at - ((out + 0.5) / scale - 0.5)) * scale);
    for (let y = 0; y < 4; y++)
      for (let x = 0; x < 4; x++) {
        let [sum, weights] = [0, 0];
        // Wide enough for whatever lies beyond the edges, which looks like the edge.
        for (let v = -4; v < height + 4; v++)
          for (let u = -4; u < width + 4; u++) {
            const w = weight(u, x + 1) * weight(v, y);
            const [at, row] = [Math.max(0, Math.min(width - 1, u)), Math.max(0, Math.min(height - 1, v))];
            sum += w * data[(row * width + at) * 3];
            weights += w;
          }
        expect(Math.abs(result[(y * 4 + x) * 3] - sum / weights)).toBeLessThan(1);
      }
  });

  it('is turned upright before it is cut', async () => {
    const upright = await perform({ input: await jpeg(60, 90), task: task('linear'), limits, tolerant: false });
    const turned = await sharp(drawn(60, 90), { raw: { width: 60, height: 90, channels: 3 } })
      .rotate(-90)
      .jpeg({ quality: 92 })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { data } = await perform({ input: turned, task: task('linear'), limits, tolerant: false });
    expect(difference(data, upright.data).mean).toBeLessThan(4);
  });
});

describe('a photograph of twelve megapixels', () => {
  it('is decoded at a part of its size, to the same pixels', async () => {
    const input = await sharp(await jpeg(400, 300))
      .resize(4000, 3000)
      .jpeg({ quality: 92 })
      .toBuffer();
    const { data } = await perform({ input, task: task('linear'), limits, tolerant: false });
    const whole = await sharp(input).raw().toBuffer({ resolveWithObject: true });
    const { box, cut } = task('linear');
    const theirs = await sharp(whole.data, { raw: whole.info })
      .resize({ ...box, fit: 'cover', kernel: 'linear', position: 'centre' })
      .extract(cut!)
      .raw()
      .toBuffer();
    expect(difference(data, theirs).mean).toBeLessThan(1.5);
  });

  it('is refused unread where it has more pixels than allowed', async () => {
    const input = await jpeg(400, 300);
    const asked = perform({ input, task: task('linear'), limits: { ...limits, pixels: 100_000 }, tolerant: false });
    await expect(asked).rejects.toMatchObject({ fault: 'too-large' });
  });
});

describe('the size of a JPEG', () => {
  it('is read from its header, whatever comes before it', async () => {
    expect(jpegSize(await jpeg(123, 45))).toEqual({ width: 123, height: 45 });
    const progressive = await sharp(drawn(50, 60), { raw: { width: 50, height: 60, channels: 3 } })
      .jpeg({ progressive: true })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(jpegSize(progressive)).toEqual({ width: 50, height: 60 });
    for (const cut of [2, 3, 10, 20]) expect(jpegSize(progressive.subarray(0, cut))).toBeUndefined();
  });
});
