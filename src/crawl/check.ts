/** Whether a fetched file is a picture worth keeping: decodes to its last row, large enough, not too large. */
import { open } from 'node:fs/promises';
import sharp from 'sharp';
import { greyPicture, readingOptions } from './grey.js';
import { Refusal } from './network/failure.js';
import { type PerceptualHashes, perceptualHashes } from './perceptual-hash.js';

export interface CheckOptions {
  /** Of the shorter side, in pixels. @default 64 */
  minimumSide?: number;
  /** Guards against decompression bombs. @default 100 million */
  maximumPixels?: number;
  /** Seconds for decoding one picture. @default 30 */
  decodeTimeout?: number;
}

export interface CheckedPicture extends PerceptualHashes {
  width: number;
  height: number;
  /** More than one for an animation or a file of several pages. */
  frames: number;
}

// Files are read once and may be replaced: a cache by file name would be wrong and would grow.
sharp.cache(false);

export async function checkPicture(
  file: string,
  mediaType: string,
  options: CheckOptions = {},
): Promise<CheckedPicture> {
  const { minimumSide = 64, maximumPixels = 100_000_000, decodeTimeout = 30 } = options;
  if (mediaType === 'image/webp') await checkWebpLength(file);
  // The header alone says how large the picture would be once decoded.
  const header = await decoding(sharp(file, { ...readingOptions, limitInputPixels: false }).metadata());
  const { width, height } = header.autoOrient;
  if (width * height > maximumPixels)
    throw new Refusal('too-many-pixels', `${width} × ${height} pixels, at most ${maximumPixels} allowed`);
  if (Math.min(width, height) < minimumSide)
    throw new Refusal('too-small', `${width} × ${height} pixels, the shorter side must have at least ${minimumSide}`);
  const grey = await decoding(greyPicture(file, { limitInputPixels: maximumPixels }, decodeTimeout));
  return { width, height, frames: header.pages ?? 1, ...perceptualHashes(grey) };
}

/** Writes the first frame of an animation as a PNG. */
export async function writeFirstFrame(file: string, target: string, options: CheckOptions = {}): Promise<void> {
  await decoding(
    sharp(file, { ...readingOptions, limitInputPixels: options.maximumPixels ?? 100_000_000 })
      .autoOrient()
      .png()
      .toFile(target),
  );
}

async function decoding<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Trouble with our own disk is not the picture's fault.
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw error;
    // The decoder's own message depends on what its other threads are doing.
    const slow = /timeout/i.test(message);
    throw new Refusal('does-not-decode', slow ? 'decoding takes too long' : 'the file is damaged or cut short');
  }
}

/** The decoder fills a truncated WebP with grey without a word; its container says how long it should be. */
async function checkWebpLength(file: string): Promise<void> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(8);
    const { size } = await handle.stat();
    await handle.read(head, 0, 8, 0);
    const expected = head.readUInt32LE(4) + 8;
    if (size < expected)
      throw new Refusal('does-not-decode', `the WebP file should have ${expected} bytes, it has ${size}`);
  } finally {
    await handle.close();
  }
}
