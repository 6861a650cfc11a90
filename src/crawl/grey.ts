/** Small grey pictures: reading one from a file, and resampling a window of it. */
import { type DecodeOptions, decode } from '../decoding/index.js';

/** Side of the grey picture from which hashes and comparisons are made. */
const greySide = 64;

/** 64 × 64 grey values of a file, row by row, turned upright; transparency becomes white. */
export async function greyPicture(file: string, options: DecodeOptions = {}): Promise<Uint8Array> {
  return (await decode(file, { kind: 'grey', side: greySide }, options)).data;
}

/**
 * The window with this corner and side (parts of the whole), as side × side values.
 * @param grey 64 × 64 values
 */
export function windowOf(grey: Uint8Array, left: number, top: number, part: number, side: number): Float64Array {
  const values = new Float64Array(side * side);
  const step = (part * greySide) / side;
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      values[y * side + x] = bilinear(
        grey,
        left * greySide + (x + 0.5) * step - 0.5,
        top * greySide + (y + 0.5) * step - 0.5,
      );
  return values;
}

function bilinear(grey: Uint8Array, x: number, y: number): number {
  const clampedX = Math.max(0, Math.min(greySide - 1, x));
  const clampedY = Math.max(0, Math.min(greySide - 1, y));
  const x0 = Math.min(greySide - 2, Math.floor(clampedX));
  const y0 = Math.min(greySide - 2, Math.floor(clampedY));
  const fx = clampedX - x0;
  const fy = clampedY - y0;
  const at = y0 * greySide + x0;
  return (
    (grey[at] * (1 - fx) + grey[at + 1] * fx) * (1 - fy) +
    (grey[at + greySide] * (1 - fx) + grey[at + greySide + 1] * fx) * fy
  );
}
