/**
 * Large usual JPEG files reduced by our own decoder where libvips would have its decoder reduce them, and to the same bytes: what
 * is left to do is the same as before, on the pixels of the reduced picture.
 */
import sharp, { type Sharp } from 'sharp';
import type { JpegHeader } from './jpeg-header.js';
import { kernels } from './picture-memory.js';
import type { PictureTask, PixelTask } from './task.js';
import { decodeUsualJpeg, type JpegReduction } from './usual-jpeg.js';

type Scaling = Pick<PixelTask, 'box' | 'fit'>;

/**
 * How far the decoder reduces a picture of this size: as far as it can, but where the whole part of what is wanted is a power of
 * two the last half is done by the kernel.
 */
export function reductionOf(
  { width, height }: { width: number; height: number },
  { box, fit }: Scaling,
): JpegReduction {
  const { across, down } = shrinksOf(width, height, { box, fit });
  const shrink = Math.min(across, down);
  const reduction = ([8, 4, 2] as const).find((one) => shrink >= one) ?? 1;
  return (reduction > 1 && Math.floor(shrink) === reduction ? reduction / 2 : reduction) as JpegReduction;
}

function shrinksOf(width: number, height: number, { box, fit }: Scaling): { across: number; down: number } {
  let [across, down] = [width / box.width, height / box.height];
  if (fit === 'cover') across = down = Math.min(across, down);
  if (fit === 'contain') across = down = Math.max(across, down);
  return { across: Math.min(across, width), down: Math.min(down, height) };
}

/** Steps between places where libvips takes other weights or pixels, for a pixel; a place is rounded to every second one. */
const steps = 128;
/** More than sums of steps can be wrong by. */
const doubt = 1e-6;

/**
 * libvips adds up the places of rows from the first row of the part that it computes, and computes other parts of a file than of
 * pixels. Whether that makes no difference: sums are exact, or no place is where a rounding error decides.
 */
function hasCertainRows(
  { width, height }: { width: number; height: number },
  scaling: Scaling,
  reduction: JpegReduction,
): boolean {
  const rows = Math.floor(height / reduction);
  // libvips is told the inverse.
  const factor = 1 / (1 / shrinksOf(Math.floor(width / reduction), rows, scaling).down);
  const wanted = Math.max(1, Math.round(rows / factor));
  const whole = Math.max(1, Math.floor(rows / wanted / 2));
  const step = factor / whole;
  const surplus = (wanted * factor - rows) / 2 / whole;
  if (Number.isInteger(step * 2 ** 24) && Number.isInteger(surplus * 2 ** 24)) return true;
  for (let row = 0; row < wanted; row++) {
    const place = ((row + 0.5) * step - surplus) * steps;
    const nearest = Math.round(place);
    if (Math.abs(place - nearest) < doubt && (nearest % 2 !== 0 || nearest % steps === 0)) return false;
  }
  return true;
}

/** The reduced picture, upright, for what is left to do; undefined where nothing is reduced or libvips should be asked. */
export async function reducedJpeg(
  bytes: Uint8Array,
  header: JpegHeader,
  task: PictureTask,
): Promise<Sharp | undefined> {
  const scaling = scalingOf(task);
  const reduction = scaling ? reductionOf(header, scaling) : 1;
  if (!scaling || reduction === 1 || !hasCertainRows(header, scaling, reduction)) return undefined;
  if (header.exif && !(await isUpright(bytes))) return undefined;
  const found = decodeUsualJpeg(bytes, header, reduction);
  if (!found) return undefined;
  const { at, width, height } = found;
  // A copy, as libvips reads it later, and in other threads.
  const data = new Uint8Array(kernels().memory.buffer, at, 3 * width * height).slice();
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** Of the tasks whose answer has nothing of the file but its pixels. */
function scalingOf(task: PictureTask): Scaling | undefined {
  if (task.kind === 'pixels') return task;
  return task.kind === 'grey' ? { box: { width: task.side, height: task.side }, fit: 'fill' } : undefined;
}

/** As libvips reads the metadata; false where it cannot. */
async function isUpright(bytes: Uint8Array): Promise<boolean> {
  const opened = sharp(bytes, { limitInputPixels: false });
  const { orientation = 1 } = await opened.metadata().catch(() => ({ orientation: 0 }));
  return orientation === 1;
}
