/**
 * Turns a picture file into pixels of exactly the size a network wants: upright (EXIF), first frame, sRGB with 8 bits,
 * transparency over a background. Whatever cannot be read becomes a PictureError that says why.
 */
import { decode, type PictureInput, type PixelTask, type TaskAnswer } from '../decoding/index.js';
import { PictureError } from './errors.js';
import type { Preprocessing } from './preprocessing.js';
import { cutOf } from './views.js';

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

/** @param target takes the pixels, where given: height × width × 3 bytes */
export async function decodePicture(
  file: string,
  preprocessing: Preprocessing,
  limits: DecodeLimits = defaultLimits,
  signal?: AbortSignal,
  target?: Uint8Array,
): Promise<DecodedPicture> {
  const { data, bytes } = await decoded(file, preprocessing, limits, signal, target);
  return { pixels: data, bytes };
}

export async function decodeBytes(
  bytes: Uint8Array,
  preprocessing: Preprocessing,
  limits: DecodeLimits = defaultLimits,
  signal?: AbortSignal,
  target?: Uint8Array,
): Promise<Uint8Array> {
  return (await decoded(bytes, preprocessing, limits, signal, target)).data;
}

async function decoded(
  input: PictureInput,
  preprocessing: Preprocessing,
  limits: DecodeLimits,
  signal?: AbortSignal,
  target?: Uint8Array,
): Promise<TaskAnswer> {
  const [height, width] = preprocessing.size;
  const { maxPixels: pixels, maxBytes: bytes, maxSeconds: seconds } = limits;
  const answer = await decode(input, pixelTask(preprocessing), { pixels, bytes, seconds, target, signal });
  if (answer.width !== width || answer.height !== height)
    throw new PictureError('damaged', `decoded to ${answer.width}×${answer.height} instead of ${width}×${height}`);
  if (answer.channels === 3) return answer;
  if (answer.channels === 1) return { ...answer, data: greyToColour(answer.data) };
  throw new PictureError('damaged', `decoded to ${answer.channels} channels`);
}

const fits = { crop: 'cover', stretch: 'fill', pad: 'contain' } as const;

function pixelTask(preprocessing: Preprocessing): PixelTask {
  const { size, resize, kernel, background } = preprocessing;
  const [height, width] = size;
  const { box, left, top, mirror } = cutOf(preprocessing);
  const whole = box.width === width && box.height === height;
  return {
    kind: 'pixels',
    ...{ kernel, background, box },
    fit: fits[resize],
    ...(!whole && { cut: { left, top, width, height } }),
    ...(mirror && { mirror }),
  };
}

function greyToColour(grey: Uint8Array): Uint8Array {
  const pixels = new Uint8Array(grey.length * 3);
  for (let i = 0; i < grey.length; i++) pixels.fill(grey[i], i * 3, i * 3 + 3);
  return pixels;
}
