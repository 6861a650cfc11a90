/**
 * A 63-bit perceptual hash: the signs, relative to their median, of the 63 lowest non-constant frequencies (8 × 8) of
 * the two-dimensional cosine transform of a picture shrunk to 32 × 32 grey values. Re-encoding and resizing change few
 * of the bits.
 */
export const hashSide = 32;
const kept = 8;

/** cosines[k][x] = cos((2x + 1) k π / 64) */
const cosines = Array.from({ length: kept }, (_, k) =>
  Float64Array.from({ length: hashSide }, (_, x) => Math.cos(((2 * x + 1) * k * Math.PI) / (2 * hashSide))),
);

/** @param grey 32 × 32 values, row by row */
export function perceptualHash(grey: Uint8Array): string {
  const rows = new Float64Array(hashSide * kept);
  for (let y = 0; y < hashSide; y++)
    for (let k = 0; k < kept; k++) {
      let sum = 0;
      for (let x = 0; x < hashSide; x++) sum += grey[y * hashSide + x] * cosines[k][x];
      rows[y * kept + k] = sum;
    }
  const frequencies = new Float64Array(kept * kept);
  for (let j = 0; j < kept; j++)
    for (let k = 0; k < kept; k++) {
      let sum = 0;
      for (let y = 0; y < hashSide; y++) sum += rows[y * kept + k] * cosines[j][y];
      frequencies[j * kept + k] = sum;
    }
  const median = Float64Array.from(frequencies.subarray(1)).sort()[(kept * kept - 1) >> 1];
  let bits = 0n;
  for (let i = 1; i < frequencies.length; i++) if (frequencies[i] > median) bits |= 1n << BigInt(i);
  return bits.toString(16).padStart(16, '0');
}
