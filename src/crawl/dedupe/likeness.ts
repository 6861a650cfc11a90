/**
 * Compares two pictures by their pixels: the largest correlation of their grey values over small crops of either one, so
 * that a re-encoded, resized, slightly cropped or watermarked copy correlates almost perfectly and two different pictures
 * with similar hashes do not.
 */
import { dot } from '../../numerics/index.js';
import { windowOf } from '../grey.js';

const side = 32;
/** Parts of the picture, per side, that a crop may leave. */
const parts = [0.975, 0.95, 0.925, 0.9];

/** 1 for the same picture, near 0 for unrelated ones. Both are grey pictures of 64 × 64 values. */
export function likeness(a: Uint8Array, b: Uint8Array): number {
  const wholeA = standardized(windowOf(a, 0, 0, 1, side));
  const wholeB = standardized(windowOf(b, 0, 0, 1, side));
  let best = dot(wholeA, wholeB);
  for (const part of parts)
    for (const x of [0, 0.5, 1])
      for (const y of [0, 0.5, 1]) {
        const window = (grey: Uint8Array) => standardized(windowOf(grey, x * (1 - part), y * (1 - part), part, side));
        best = Math.max(best, dot(window(a), wholeB), dot(wholeA, window(b)));
      }
  return best;
}

/** Mean 0 and length 1; a picture of one colour becomes zeros and correlates with nothing. */
function standardized(values: Float64Array): Float64Array {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    values[i] -= mean;
    squares += values[i] ** 2;
  }
  const factor = squares > 1 ? 1 / Math.sqrt(squares) : 0;
  for (let i = 0; i < values.length; i++) values[i] *= factor;
  return values;
}
