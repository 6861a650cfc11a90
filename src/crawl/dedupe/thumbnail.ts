/**
 * Compares two pictures by their pixels: the largest correlation between 32 × 32 grey thumbnails over small crops of
 * either one, so that a re-encoded, resized, slightly cropped or watermarked copy correlates almost perfectly and two
 * different pictures with similar hashes do not.
 */
import sharp from 'sharp';

/** Thumbnails are kept at twice the compared size, so that a crop of one can be resampled. */
const storedSide = 64;
const comparedSide = 32;
/** Parts of the picture, per side, that a crop may leave. */
const scales = [1, 0.975, 0.95, 0.925, 0.9];

export type Thumbnail = Uint8Array;

/** @throws when the file cannot be decoded */
export async function thumbnail(file: string): Promise<Thumbnail> {
  return sharp(file, { sequentialRead: true, pages: 1 })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize(storedSide, storedSide, { fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer();
}

/** 1 for the same picture; near 0 for unrelated ones. */
export function likeness(a: Thumbnail, b: Thumbnail): number {
  const wholeA = resampled(a, 0, 0, 1);
  const wholeB = resampled(b, 0, 0, 1);
  let best = dot(wholeA, wholeB);
  for (const scale of scales.slice(1))
    for (const x of [0, 0.5, 1])
      for (const y of [0, 0.5, 1]) {
        const left = x * (1 - scale);
        const top = y * (1 - scale);
        best = Math.max(best, dot(resampled(a, left, top, scale), wholeB), dot(wholeA, resampled(b, left, top, scale)));
      }
  return best;
}

/** The window with this corner and side (parts of the whole), as 32 × 32 values of mean 0 and length 1. */
function resampled(source: Thumbnail, left: number, top: number, side: number): Float64Array {
  const values = new Float64Array(comparedSide * comparedSide);
  const step = (side * storedSide) / comparedSide;
  let mean = 0;
  for (let y = 0; y < comparedSide; y++)
    for (let x = 0; x < comparedSide; x++) {
      const value = bilinear(
        source,
        left * storedSide + (x + 0.5) * step - 0.5,
        top * storedSide + (y + 0.5) * step - 0.5,
      );
      values[y * comparedSide + x] = value;
      mean += value / values.length;
    }
  let length = 0;
  for (let i = 0; i < values.length; i++) {
    values[i] -= mean;
    length += values[i] ** 2;
  }
  // A picture of one colour correlates with nothing.
  const factor = length > 1 ? 1 / Math.sqrt(length) : 0;
  for (let i = 0; i < values.length; i++) values[i] *= factor;
  return values;
}

function bilinear(source: Thumbnail, x: number, y: number): number {
  const clampedX = Math.max(0, Math.min(storedSide - 1, x));
  const clampedY = Math.max(0, Math.min(storedSide - 1, y));
  const x0 = Math.min(storedSide - 2, Math.floor(clampedX));
  const y0 = Math.min(storedSide - 2, Math.floor(clampedY));
  const fx = clampedX - x0;
  const fy = clampedY - y0;
  const at = y0 * storedSide + x0;
  return (
    (source[at] * (1 - fx) + source[at + 1] * fx) * (1 - fy) +
    (source[at + storedSide] * (1 - fx) + source[at + storedSide + 1] * fx) * fy
  );
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
