// Mutated pictures of every format give pixels or an error with a reason, and never end anything but their own process.
import { expect, it } from 'vitest';
import { decode } from '../../src/decoding/index.js';
import { fuzzReader } from '../fuzz.js';
import { pattern } from '../vision/test-pictures.js';

it.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
  'mutated %s files are decoded or refused',
  async (format) => {
    const seeds = [
      await pattern(3, 60, 45).toFormat(format).toBuffer(),
      await pattern(4, 33, 70).toFormat(format).toBuffer(),
    ];
    const cases = (Number(process.env.BOWERBIRD_CASES) || 240) / 6;
    const { refused } = await fuzzReader(
      format,
      seeds,
      async (bytes) => {
        const { data } = await decode(bytes, { kind: 'grey', side: 8 }, { seconds: 3, pixels: 1e6 });
        expect(data.length).toBe(64);
      },
      { cases: Math.ceil(cases) },
    );
    expect(refused).toBeGreaterThan(0);
  },
);
