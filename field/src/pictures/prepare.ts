/**
 * From the bytes of a picture to the pixels a network wants, by the steps of the command line and in their order: the decoder's
 * own reduction, colour profile, scaling, turning upright, cutting. `decodeOther` reads what is no JPEG.
 */
import { colourConversion } from './colour-profile.js';
import { PictureError, UncommonJpeg } from './errors.js';
import { decodeJpeg, jpegHeader, type Pixels, type Shrink } from './jpeg.js';
import { type Kernel, resize, transposed } from './resize.js';
import { describeBytes, isJpeg, pixelCount } from './sniff.js';

/** As src/vision keeps it with the features. */
export interface Preprocessing {
  readonly size: readonly [height: number, width: number];
  readonly resize: 'crop' | 'stretch' | 'pad';
  readonly shorterSide: number;
  readonly kernel: Kernel;
  readonly channelOrder: 'RGB' | 'BGR';
  readonly scale: number;
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
  readonly background: readonly [number, number, number];
}

/** As on the command line. */
export const limits = { pixels: 100e6, bytes: 2 ** 28 };

/** Upright sRGB over `background`, by whatever decoder there is. */
export type OtherDecoder = (bytes: Uint8Array, background: Preprocessing['background']) => Promise<Pixels>;

export async function preparePixels(
  bytes: Uint8Array,
  preprocessing: Preprocessing,
  decodeOther: OtherDecoder,
): Promise<Uint8ClampedArray> {
  if (bytes.length === 0) throw new PictureError('empty', 'the file has no bytes');
  if (bytes.length > limits.bytes) throw new PictureError('too-large', 'the file has more than 256 MiB');
  const { picture, name } = describeBytes(bytes);
  if (!picture) throw new PictureError('not-a-picture', name);
  const pixels = pixelCount(bytes);
  if (pixels !== undefined && pixels > limits.pixels)
    throw new PictureError('too-large', `${Math.round(pixels / 1e6)} million pixels`);
  if (isJpeg(bytes))
    try {
      return prepareJpeg(bytes, preprocessing);
    } catch (error) {
      if (!(error instanceof UncommonJpeg)) throw error;
    }
  return arrange(await decodeOther(bytes, preprocessing.background), preprocessing, 1);
}

/** @throws UncommonJpeg for those that are left to the browser */
export function prepareJpeg(bytes: Uint8Array, preprocessing: Preprocessing): Uint8ClampedArray {
  const { width, height, orientation } = jpegHeader(bytes);
  if (width * height > limits.pixels)
    throw new PictureError('too-large', `${Math.round((width * height) / 1e6)} million pixels`);
  const { across, down } = reductions(width, height, orientation, preprocessing);
  const picture = decodeJpeg(bytes, decoderShrink(Math.min(across, down)));
  if (picture.profile) colourConversion(picture.profile)?.(picture.data);
  return arrange(picture, preprocessing, picture.orientation);
}

/** How much of a reduction is left to the decoder; one that would be exact is left to the kernel in half. */
function decoderShrink(factor: number): Shrink {
  const shrink = ([8, 4, 2] as const).find((one) => factor >= one) ?? 1;
  return (shrink > 1 && Math.floor(factor) === shrink ? shrink / 2 : shrink) as Shrink;
}

/** The size to scale to, before anything is cut off. */
function box({ size: [height, width], resize, shorterSide }: Preprocessing): [width: number, height: number] {
  if (resize !== 'crop') return [width, height];
  const scale = shorterSide / Math.min(height, width);
  return [Math.round(width * scale), Math.round(height * scale)];
}

function reductions(width: number, height: number, orientation: number, preprocessing: Preprocessing) {
  const upright = box(preprocessing);
  const [boxWidth, boxHeight] = orientation >= 5 ? [upright[1], upright[0]] : upright;
  let [across, down] = [width / boxWidth, height / boxHeight];
  if (preprocessing.resize === 'crop') across = down = Math.min(across, down);
  if (preprocessing.resize === 'pad') across = down = Math.max(across, down);
  return { across: Math.min(across, width), down: Math.min(down, height) };
}

function arrange(picture: Pixels, preprocessing: Preprocessing, orientation: number): Uint8ClampedArray {
  const { across, down } = reductions(picture.width, picture.height, orientation, preprocessing);
  const scaled = across === 1 && down === 1 ? picture : resize(picture, across, down, preprocessing.kernel);
  const turned = upright(scaled, orientation);
  const [boxWidth, boxHeight] = box(preprocessing);
  const [height, width] = preprocessing.size;
  // Twice in the middle, with the rounding of each.
  const first = (inside: number, wanted: number) =>
    preprocessing.resize === 'pad' ? Math.trunc((inside - wanted) / 2) : Math.trunc((inside - wanted + 1) / 2);
  const left = first(turned.width, boxWidth) + Math.round((boxWidth - width) / 2);
  const top = first(turned.height, boxHeight) + Math.round((boxHeight - height) / 2);
  return cut(turned, left, top, width, height, preprocessing.background);
}

/** EXIF's eight orientations: turned by quarters, then mirrored. */
export function upright(picture: Pixels, orientation: number): Pixels {
  const turn = { 3: 2, 4: 2, 5: 1, 6: 1, 7: 3, 8: 3 }[orientation] ?? 0;
  let current = picture;
  if (turn === 1) current = mirrored(transposed(current));
  if (turn === 2) current = { ...current, data: reversed(current.data) };
  if (turn === 3) current = transposed(mirrored(current));
  return [2, 4, 5, 7].includes(orientation) ? mirrored(current) : current;
}

/** Left for right. */
function mirrored({ width, height, data }: Pixels): Pixels {
  const result = new Uint8ClampedArray(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++) result[(y * width + x) * 3 + c] = data[(y * width + width - 1 - x) * 3 + c];
  return { width, height, data: result };
}

function reversed(data: Uint8ClampedArray): Uint8ClampedArray {
  const result = new Uint8ClampedArray(data.length);
  for (let i = 0; i < data.length; i += 3) for (let c = 0; c < 3; c++) result[i + c] = data[data.length - 3 - i + c];
  return result;
}

function cut(
  picture: Pixels,
  left: number,
  top: number,
  width: number,
  height: number,
  background: readonly number[],
): Uint8ClampedArray {
  const result = new Uint8ClampedArray(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] = [x + left, y + top];
      const inside = column >= 0 && column < picture.width && row >= 0 && row < picture.height;
      const from = (row * picture.width + column) * 3;
      for (let c = 0; c < 3; c++) result[(y * width + x) * 3 + c] = inside ? picture.data[from + c] : background[c];
    }
  return result;
}
