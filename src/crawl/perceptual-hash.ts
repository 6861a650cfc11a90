/**
 * A 63-bit perceptual hash: the signs, relative to their median, of the 63 lowest non-constant frequencies (8 × 8) of
 * the two-dimensional cosine transform of 32 × 32 grey values. Re-encoding and resizing change few of the bits; cropping
 * changes many, so the hashes of five slightly cropped windows are taken as well.
 */
import { windowOf } from './grey.js';

const side = 32;
const kept = 8;

/** Windows of 95 % of each side: the four corners and the middle. */
const crops = [
  [0, 0],
  [0.05, 0],
  [0, 0.05],
  [0.05, 0.05],
  [0.025, 0.025],
];
export const cropCount = crops.length;

/** cosines[k][x] = cos((2x + 1) k π / 64) */
const cosines = Array.from({ length: kept }, (_, k) =>
  Float64Array.from({ length: side }, (_, x) => Math.cos(((2 * x + 1) * k * Math.PI) / (2 * side))),
);

export interface PerceptualHashes {
  /** 16 hexadecimal digits. */
  perceptualHash: string;
  /** Those of the cropped windows, one after another with spaces between. */
  cropHashes: string;
}

/** @param grey 64 × 64 values, as `greyPicture` gives them */
export function perceptualHashes(grey: Uint8Array): PerceptualHashes {
  return {
    perceptualHash: hashOf(windowOf(grey, 0, 0, 1, side)),
    cropHashes: crops.map(([left, top]) => hashOf(windowOf(grey, left, top, 0.95, side))).join(' '),
  };
}

/** @param grey 32 × 32 values */
export function hashOf(grey: ArrayLike<number>): string {
  const rows = new Float64Array(side * kept);
  for (let y = 0; y < side; y++)
    for (let k = 0; k < kept; k++) {
      let sum = 0;
      for (let x = 0; x < side; x++) sum += grey[y * side + x] * cosines[k][x];
      rows[y * kept + k] = sum;
    }
  const frequencies = new Float64Array(kept * kept);
  for (let j = 0; j < kept; j++)
    for (let k = 0; k < kept; k++) {
      let sum = 0;
      for (let y = 0; y < side; y++) sum += rows[y * kept + k] * cosines[j][y];
      frequencies[j * kept + k] = sum;
    }
  const median = Float64Array.from(frequencies.subarray(1)).sort()[(kept * kept - 1) >> 1];
  let bits = 0n;
  for (let i = 1; i < frequencies.length; i++) if (frequencies[i] > median) bits |= 1n << BigInt(i);
  return bits.toString(16).padStart(16, '0');
}
