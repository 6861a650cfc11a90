/** Whether a fetched file is a picture worth keeping: decodes to its last row, large enough, not too large. */
import { decode, PictureError } from '../decoding/index.js';
import { greyPicture } from './grey.js';
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

export async function checkPicture(
  file: string,
  options: CheckOptions = {},
  signal?: AbortSignal,
): Promise<CheckedPicture> {
  const { minimumSide = 64, maximumPixels: pixels = 100_000_000, decodeTimeout: seconds = 30 } = options;
  // The header alone says how large the picture would be once decoded.
  const { width, height, frames } = await decoding(decode(file, { kind: 'header' }, { seconds, signal }));
  if (width * height > pixels)
    throw new Refusal('too-many-pixels', `${width} × ${height} pixels, at most ${pixels} allowed`);
  if (Math.min(width, height) < minimumSide)
    throw new Refusal('too-small', `${width} × ${height} pixels, the shorter side must have at least ${minimumSide}`);
  const grey = await decoding(greyPicture(file, { pixels, seconds, signal }));
  return { width, height, frames, ...perceptualHashes(grey) };
}

/** Writes the first frame of an animation as a PNG. */
export async function writeFirstFrame(
  file: string,
  target: string,
  options: CheckOptions = {},
  signal?: AbortSignal,
): Promise<void> {
  const { maximumPixels: pixels = 100_000_000, decodeTimeout: seconds = 30 } = options;
  await decoding(decode(file, { kind: 'first-frame', target }, { pixels, seconds, signal }));
}

async function decoding<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // Trouble with our own disk is not the picture's fault.
    if (!(error instanceof PictureError) || error.fault === 'missing') throw error;
    if (error.killedDecoder) throw new Refusal('kills-decoder', error.message);
    // The decoder's own message depends on what its other threads are doing.
    const slow = error.fault === 'too-slow';
    throw new Refusal('does-not-decode', slow ? 'decoding takes too long' : 'the file is damaged or cut short');
  }
}
