/** A small set of labelled pictures, as files. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { DataPicture } from '../../src/datasets/index.js';

export const categoryNames = ['Blue Jay', 'Ovenbird <1>', 'Sooty & "Grey" Albatross'];

/** Seven pictures of three categories with weights, and odd names among them. */
export async function drawnSet(folder: string): Promise<DataPicture[]> {
  mkdirSync(folder, { recursive: true });
  const pictures: DataPicture[] = [];
  for (let i = 0; i < 7; i++) {
    const file = join(folder, `${i}.${i % 3 === 2 ? 'png' : 'jpg'}`);
    const blank = sharp({
      create: { width: 20 + i, height: 30, channels: 3, background: { r: 30 * i, g: 90, b: 200 } },
    });
    writeFileSync(file, await (i % 3 === 2 ? blank.png() : blank.jpeg()).toBuffer());
    pictures.push({
      id: i === 5 ? 'a/b é.jpg' : `picture-${i}`,
      file,
      category: categoryNames[i % 3],
      weight: 1 - i / 10,
      title: i === 0 ? 'Jay, "blue"\nin oak' : `=title ${i}`,
      author: 'Ann Example',
      page: `https://example.org/${i}`,
      address: `https://example.org/${i}.jpg`,
      licence: i % 2 ? 'cc-by' : 'cc0',
      licenceUrl: 'https://creativecommons.org/licenses/by/4.0/',
      content: async () => readFileSync(file),
    });
  }
  return pictures;
}
