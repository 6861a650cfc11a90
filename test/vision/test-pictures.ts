/** Made-up pictures: noise, smooth patterns that differ from one another, and folders of these in several formats and sizes. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Random } from '../../src/linalg/index.js';

export function pattern(seed: number, width = 90, height = 70) {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++)
        data[(y * width + x) * 3 + c] =
          128 +
          120 *
            Math.sin((x * (seed % 7) + y * (seed % 5) + c * seed) / 9 + seed) *
            Math.cos((y - x) / (4 + (seed % 11)));
  return sharp(data, { raw: { width, height, channels: 3 } });
}

export function noise(random: Random, width: number, height: number, contrast: number) {
  const data = Uint8Array.from({ length: width * height * 3 }, () => 128 + random.integer(contrast) - contrast / 2);
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** `folder/category/00.jpg` and so on; `count` pictures over `categories` categories. */
export async function writePictures(folder: string, count: number, categories = 3): Promise<string[]> {
  const paths: string[] = [];
  for (let i = 0; i < count; i++) {
    const category = `category ${i % categories}`;
    await mkdir(join(folder, category), { recursive: true });
    const format = (['jpeg', 'png', 'webp'] as const)[i % 3];
    const path = `${category}/${String(i).padStart(3, '0')}.${format}`;
    await writeFile(
      join(folder, path),
      await pattern(i, 60 + (i % 40), 50 + (i % 30))
        .toFormat(format)
        .toBuffer(),
    );
    paths.push(path);
  }
  return paths.sort();
}
