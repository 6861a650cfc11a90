/** Pictures that are no common JPEG, by the browser's own decoder: PNG, WebP, GIF, AVIF, and whatever else it reads. */
import { PictureError } from './pictures/errors.js';
import type { Pixels } from './pictures/jpeg.js';
import { limits, type OtherDecoder } from './pictures/prepare.js';

export const decodeInBrowser: OtherDecoder = async (bytes, background) => {
  const bitmap = await createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>])).catch(() => {
    throw new PictureError('unsupported', 'the browser cannot decode it');
  });
  try {
    const { width, height } = bitmap;
    if (width * height > limits.pixels)
      throw new PictureError('too-large', `${Math.round((width * height) / 1e6)} million pixels`);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context) throw new PictureError('too-large', 'there is no room to draw it');
    context.fillStyle = `rgb(${background.join(' ')})`;
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0);
    return withoutAlpha(context.getImageData(0, 0, width, height));
  } finally {
    bitmap.close();
  }
};

function withoutAlpha({ width, height, data }: ImageData): Pixels {
  const pixels = new Uint8ClampedArray(width * height * 3);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    pixels[to] = data[from];
    pixels[to + 1] = data[from + 1];
    pixels[to + 2] = data[from + 2];
  }
  return { width, height, data: pixels };
}
