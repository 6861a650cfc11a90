/** What happens to photographs on their way onto the web: crops, borders, watermarks, filters, repeated compression. */
import sharp, { type Sharp } from 'sharp';
import type { Random } from '../linalg/index.js';
import { between, chance, n, pick } from './geometry.js';

/** Letters as strokes on a grid of 4 by 6, so that watermarks do not depend on the fonts of a machine. */
const letters: Readonly<Record<string, string>> = {
  A: 'M0 6L2 0L4 6M1 4H3',
  B: 'M0 0V6H3L4 5V4L3 3H0M0 0H3L4 1V2L3 3',
  D: 'M0 0V6H2L4 4V2L2 0Z',
  E: 'M4 0H0V6H4M0 3H3',
  H: 'M0 0V6M4 0V6M0 3H4',
  I: 'M2 0V6',
  L: 'M0 0V6H4',
  M: 'M0 6V0L2 3L4 0V6',
  N: 'M0 6V0L4 6V0',
  O: 'M1 0H3L4 1V5L3 6H1L0 5V1Z',
  P: 'M0 6V0H3L4 1V2L3 3H0',
  R: 'M0 6V0H3L4 1V2L3 3H0M2 3L4 6',
  S: 'M4 0H1L0 1V2L1 3H3L4 4V5L3 6H0',
  T: 'M0 0H4M2 0V6',
  W: 'M0 0L1 6L2 3L3 6L4 0',
};
const watermarks = ['PHOTO', 'BIRDS', 'SAMPLE', 'WINDSTILL', 'PRO PRINT', 'ARTISAN'];

function watermark(width: number, height: number, random: Random): Buffer {
  const scale = between(random, 1.6, 4);
  const strokes = [...pick(random, watermarks)].map((letter, i) =>
    letters[letter] ? `<path d="${letters[letter]}" transform="translate(${i * 6},0)"/>` : '',
  );
  const [x, y] = [between(random, 4, width * 0.35), between(random, height * 0.1, height * 0.9)];
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g transform="translate(${n(x)},${n(y)}) rotate(${pick(random, [0, 0, -20])}) scale(${n(scale)})" stroke="#fff" stroke-opacity="${n(between(random, 0.4, 0.9))}" stroke-width=".8" fill="none">${strokes.join('')}</g></svg>`,
  );
}

/** Applies a few of the edits; deterministic in `random`. */
export async function editForWeb(picture: Buffer, random: Random): Promise<Buffer> {
  const { width = 0, height = 0 } = await sharp(picture).metadata();
  const crop = chance(random, 0.6) ? between(random, 0.72, 0.96) : 1;
  const [w, h] = [Math.round(width * crop), Math.round(height * crop * between(random, 0.9, 1))];
  const left = random.integer(width - w + 1);
  const top = random.integer(height - h + 1);
  const side = 160 + random.integer(140);
  let edited = sharp(picture).extract({ left, top, width: w, height: h }).resize({ width: side });
  edited = filtered(edited, random);
  if (chance(random, 0.2)) {
    const width = 4 + random.integer(14);
    const background = pick(random, ['#ffffff', '#000000', '#e8e0d0']);
    edited = edited.extend({ top: width, bottom: width, left: width, right: width, background });
  }
  const flat = await edited.png({ compressionLevel: 1 }).toBuffer({ resolveWithObject: true });
  const marked = chance(random, 0.25)
    ? sharp(flat.data).composite([{ input: watermark(flat.info.width, flat.info.height, random) }])
    : sharp(flat.data);
  return marked.jpeg({ quality: 35 + random.integer(55) }).toBuffer();
}

function filtered(picture: Sharp, random: Random): Sharp {
  const choice = random.uniform();
  if (choice < 0.06) return picture.grayscale();
  if (choice < 0.16) return picture.tint(pick(random, ['#f0d0a0', '#c0d8f0']));
  if (choice < 0.34) return picture.modulate({ saturation: between(random, 1.2, 1.7) });
  if (choice < 0.48) return picture.linear(between(random, 0.7, 1.3), between(random, -25, 20));
  if (choice < 0.56) return picture.sharpen({ sigma: 1.6 });
  return picture;
}

/** The same picture uploaded again: another size and quality, a few pixels off the edges. */
export async function uploadAgain(picture: Buffer, random: Random): Promise<Buffer> {
  const { width = 0, height = 0 } = await sharp(picture).metadata();
  const edge = Math.round(width * between(random, 0, 0.015));
  return sharp(picture)
    .extract({ left: edge, top: edge, width: width - 2 * edge, height: height - 2 * edge })
    .resize({ width: Math.round(width * between(random, 0.7, 1.1)) })
    .jpeg({ quality: 40 + random.integer(50) })
    .toBuffer();
}
