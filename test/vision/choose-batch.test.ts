import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { chooseBatch } from '../../src/vision/choose-batch.js';

const [usual, pixelBytes] = [8, 3];
const pixels = Uint8Array.from({ length: usual * pixelBytes }, (_, i) => i * 7);

/** Networks whose call takes `milliseconds(size)`, and whose feature of a picture is its sum, changed by `change(size)`. */
function pool(milliseconds: (size: number) => number, change: (size: number) => number = () => 0) {
  const sizes: number[] = [];
  return {
    sizes,
    workers: 2,
    async run(batch: Uint8Array<ArrayBuffer>, count: number) {
      sizes.push(count);
      await sleep(milliseconds(count));
      const features = Float32Array.from({ length: count }, (_, i) =>
        batch.subarray(i * pixelBytes, (i + 1) * pixelBytes).reduce((sum, value) => sum + value, change(count)),
      );
      return { features, pixels: batch };
    },
  };
}
const choose = (networks: ReturnType<typeof pool>) => chooseBatch(networks, pixels, usual, usual);

describe('the size of a batch', () => {
  it('grows while larger ones are faster, up to four times the usual', async () => {
    const networks = pool((size) => 60 + size);
    expect(await choose(networks)).toBe(32);
    expect(Math.max(...networks.sizes)).toBe(32);
  });

  it('shrinks where smaller ones are faster', async () => {
    expect(await choose(pool((size) => (size * size) / 2))).toBe(4);
  });

  it('stays where others are not clearly faster', async () => {
    expect(await choose(pool((size) => (size === usual ? 5 : 20 * size)))).toBe(usual);
  });

  it('is never one that changes the features, by whatever little', async () => {
    const networks = pool(
      (size) => 60 + size,
      (size) => (size > usual ? 1e-4 : 0),
    );
    expect(await choose(networks)).toBe(usual);
    expect(networks.sizes).toContain(16);
  });
});
