/**
 * Half precision in software, since this engine has no Float16Array: binary16 has 1 sign, 5 exponent and 10 fraction
 * bits, bfloat16 is the upper half of a float32. Rounding is to nearest, ties to even, as in numpy.
 */
import type { RealArray } from '../linalg/index.js';

let table: Float32Array | undefined;
const float = new Float32Array(1);
const floatBits = new Uint32Array(float.buffer);

function halfValue(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Decodes raw binary16 bits into `target`, which has at least as many elements. */
export function halfToFloats(halves: Uint16Array, target: RealArray): void {
  table ??= Float32Array.from({ length: 65536 }, (_, half) => halfValue(half));
  for (let i = 0; i < halves.length; i++) target[i] = table[halves[i]];
}

/** Decodes raw bfloat16 bits. */
export function bfloatToFloats(halves: Uint16Array, target: Float32Array): void {
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length);
  for (let i = 0; i < halves.length; i++) bits[i] = halves[i] << 16;
}

/** The binary16 bits nearest to a number. */
export function realToHalf(value: number): number {
  float[0] = value;
  let bits = floatBits[0];
  // Rounding twice (to float32, then to float16) can be off by one; rounding to odd first cannot.
  if (float[0] !== value && Number.isFinite(float[0])) {
    if (Math.abs(float[0]) > Math.abs(value)) bits -= 1;
    bits |= 1;
  }
  const sign = (bits >>> 16) & 0x8000;
  const fraction = bits & 0x7fffff;
  const exponent = ((bits >>> 23) & 0xff) - 112;
  if (exponent === 143) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200 | (fraction >>> 13));
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent < -10) return sign;
  if (exponent <= 0) return sign | shiftToEven(fraction | 0x800000, 14 - exponent);
  // A carry out of the fraction moves into the exponent, and from the largest number to infinity, as it should.
  return sign | ((exponent << 10) + shiftToEven(fraction, 13));
}

export function realsToHalves(values: RealArray): Uint16Array {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) halves[i] = realToHalf(values[i]);
  return halves;
}

/** `value / 2^shift`, rounded to the nearest integer, ties to even. */
function shiftToEven(value: number, shift: number): number {
  const quotient = value >>> shift;
  const remainder = value & (2 ** shift - 1);
  const halfway = 2 ** (shift - 1);
  return remainder > halfway || (remainder === halfway && (quotient & 1) === 1) ? quotient + 1 : quotient;
}
