/**
 * Turns a picture file into pixels of exactly the size a network wants: upright (EXIF), first frame, sRGB with 8 bits,
 * transparency over a background. Whatever cannot be read becomes a PictureError that says why.
 */
import { readFile, stat } from 'node:fs/promises';
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { PictureError } from './errors.js';
import type { Preprocessing } from './preprocessing.js';
import { sniffPicture } from './sniff.js';

export interface DecodeLimits {
  /** Pixels (width × height) above which a picture is refused unread. @default 100 million */
  maxPixels: number;
  /** Bytes of a file. @default 256 MiB */
  maxBytes: number;
  /** Seconds for one picture. @default 30 */
  maxSeconds: number;
}

export const defaultLimits: DecodeLimits = { maxPixels: 100e6, maxBytes: 2 ** 28, maxSeconds: 30 };

export interface DecodedPicture {
  /** Height × width × RGB. */
  readonly pixels: Uint8Array;
  /** Size of the file. */
  readonly bytes: number;
}

// Pictures are decoded side by side, one thread each; results of earlier ones are never asked for again.
sharp.concurrency(1);
sharp.cache(false);

export async function decodePicture(
  file: string,
  preprocessing: Preprocessing,
  limits: DecodeLimits = defaultLimits,
): Promise<DecodedPicture> {
  const bytes = await readBounded(file, limits.maxBytes);
  return { pixels: await decodeBytes(bytes, preprocessing, limits), bytes: bytes.length };
}

export async function decodeBytes(
  bytes: Uint8Array,
  preprocessing: Preprocessing,
  limits: DecodeLimits = defaultLimits,
): Promise<Uint8Array> {
  sniffPicture(bytes);
  const [height, width] = preprocessing.size;
  let decoded: { data: Buffer; info: OutputInfo };
  try {
    const picture = sharp(bytes, {
      // Half a picture is not the picture; warnings about odd metadata are common and harmless.
      failOn: 'error',
      limitInputPixels: limits.maxPixels,
      pages: 1,
      autoOrient: true,
    })
      .timeout({ seconds: limits.maxSeconds })
      .toColourspace('srgb')
      .flatten({ background: colour(preprocessing.background) });
    decoded = await resized(picture, preprocessing).raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  } catch (error) {
    throw decodeFailure(error as Error, limits);
  }
  const { data, info } = decoded;
  if (info.width !== width || info.height !== height)
    throw new PictureError('damaged', `decoded to ${info.width}×${info.height} instead of ${width}×${height}`);
  if (info.channels === 3) return data;
  if (info.channels === 1) return greyToColour(data);
  throw new PictureError('damaged', `decoded to ${info.channels} channels`);
}

/** Resizing is left to one pass of libvips, which then computes only the pixels that are kept. */
function resized(picture: Sharp, preprocessing: Preprocessing): Sharp {
  const { resize, kernel, shorterSide, background } = preprocessing;
  const [height, width] = preprocessing.size;
  if (resize !== 'crop')
    return picture.resize({
      width,
      height,
      fit: resize === 'stretch' ? 'fill' : 'contain',
      background: colour(background),
      kernel,
    });
  const scale = shorterSide / Math.min(height, width);
  const box = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const scaled = picture.resize({ ...box, fit: 'cover', position: 'centre', kernel });
  if (box.width === width && box.height === height) return scaled;
  const left = Math.round((box.width - width) / 2);
  const top = Math.round((box.height - height) / 2);
  return scaled.extract({ left, top, width, height });
}

async function readBounded(file: string, maxBytes: number): Promise<Uint8Array> {
  try {
    // Asked before opening: opening a pipe would wait for somebody to write into it.
    const found = await stat(file);
    if (!found.isFile()) throw new PictureError('not-a-picture', 'it is not a regular file');
    if (found.size > maxBytes)
      throw new PictureError('too-large', `the file has ${found.size} bytes, ${maxBytes} are allowed`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof PictureError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new PictureError('missing', code === 'ENOENT' ? 'there is no such file' : message, error);
  }
}

function decodeFailure(error: Error, limits: DecodeLimits): PictureError {
  const problem = error.message.replace(/\s+/g, ' ').trim();
  if (/pixel limit/i.test(problem))
    return new PictureError('too-large', `the picture has more than ${limits.maxPixels} pixels`, error);
  if (/timeout/i.test(problem))
    return new PictureError('too-slow', `decoding took more than ${limits.maxSeconds} seconds`, error);
  if (/not built in|not built with|unsupported (feature|codec)/i.test(problem))
    return new PictureError('unsupported-format', problem, error);
  return new PictureError('damaged', problem, error);
}

function colour([r, g, b]: readonly [number, number, number]) {
  return { r, g, b };
}

function greyToColour(grey: Uint8Array): Uint8Array {
  const pixels = new Uint8Array(grey.length * 3);
  for (let i = 0; i < grey.length; i++) pixels.fill(grey[i], i * 3, i * 3 + 3);
  return pixels;
}
