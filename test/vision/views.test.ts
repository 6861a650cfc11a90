import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeBytes } from '../../src/vision/decode.js';
import { checkPreprocessing, type Preprocessing, presets } from '../../src/vision/preprocessing.js';
import { cutOf, type ViewName, viewNames } from '../../src/vision/views.js';

/** A picture whose red says how far right and whose green how far down a pixel lies. */
const side = 200;
let picture: Buffer;
beforeAll(async () => {
  const data = Buffer.alloc(side * side * 3);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      data[(y * side + x) * 3] = x;
      data[(y * side + x) * 3 + 1] = y;
    }
  picture = await sharp(data, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
});

const size = 40;
const preprocessing = (resize: Preprocessing['resize'], shorterSide: number, view: ViewName) =>
  checkPreprocessing({ ...presets.unit, resize, size: [size, size], shorterSide, view });

/** Where in the picture, from 0 to 1, the corner pixels of a view lie: left, right, top, bottom. */
async function seen(resize: Preprocessing['resize'], shorterSide: number, view: ViewName): Promise<number[]> {
  const pixels = await decodeBytes(picture, preprocessing(resize, shorterSide, view));
  const at = (x: number, y: number, channel: number) => pixels[(y * size + x) * 3 + channel] / side;
  const last = size - 1;
  return [at(0, 20, 0), at(last, 20, 0), at(20, 0, 1), at(20, last, 1)];
}

function near(found: readonly number[], expected: readonly number[]) {
  for (const [i, value] of found.entries()) expect(Math.abs(value - expected[i])).toBeLessThan(0.03);
}

describe('a view', () => {
  // Of a shorter side of 50 the middle 40 are seen: from 0.1 to 0.9.
  const [low, high] = [0.1, 0.9];
  // Of the middle 72 %: 0.14 to 0.86, of which again the middle 80 %.
  const [nearLow, nearHigh] = [0.5 - 0.36 * 0.8, 0.5 + 0.36 * 0.8];

  it.each([
    ['plain', [low, high, low, high]],
    ['mirror', [high, low, low, high]],
    ['zoom', [nearLow, nearHigh, nearLow, nearHigh]],
    ['zoom-mirror', [nearHigh, nearLow, nearLow, nearHigh]],
    ['top-left', [0, 0.8, 0, 0.8]],
    ['bottom-right', [0.2, 1, 0.2, 1]],
    ['top-right', [0.2, 1, 0, 0.8]],
    ['bottom-left', [0, 0.8, 0.2, 1]],
  ] as const)('%s shows its part of the picture', async (view, expected) => {
    near(await seen('crop', 50, view), expected);
  });

  it('looks nearer at the corners of a picture that is shown whole', async () => {
    near(await seen('stretch', size, 'plain'), [0, 1, 0, 1]);
    near(await seen('stretch', size, 'zoom'), [0.14, 0.86, 0.14, 0.86]);
    near(await seen('stretch', size, 'top-left'), [0, 0.72, 0, 0.72]);
  });

  it('stays within what was scaled, and is left out of the description where it is plain', () => {
    for (const view of viewNames) {
      const { box, left, top } = cutOf(preprocessing('crop', 41, view));
      expect([left >= 0, top >= 0, left + size <= box.width, top + size <= box.height]).not.toContain(false);
    }
    expect(preprocessing('crop', 50, 'plain')).not.toHaveProperty('view');
    expect(() => preprocessing('crop', 50, 'sideways' as ViewName)).toThrow(/"view" is "sideways"/);
  });
});
