/**
 * Colours of a picture with a profile become sRGB: values to light by the profile's curves, light to the standard observer's
 * XYZ by its matrix, and from there to sRGB. Phones' profiles (Display P3, Adobe RGB, sRGB itself) are of this kind; grey ones
 * have a curve alone. Profiles with tables for printers are left to the browser.
 */
import { UncommonJpeg } from './errors.js';

/** Changes RGB pixels in place; undefined where a profile asks for nothing. */
export type ColourConversion = (pixels: Uint8ClampedArray) => void;

type Curve = (value: number) => number;

/** XYZ of white D50 to linear sRGB (IEC 61966-2-1, adapted by Bradford's method). */
const toLinear = [3.1338561, -1.6168667, -0.4906146, -0.9787684, 1.9161415, 0.033454, 0.0719453, -0.2289914, 1.4052427];

export function colourConversion(profile: Uint8Array): ColourConversion | undefined {
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength);
  if (profile.length < 132) return undefined;
  const space = letters(profile, 16);
  const tags = new Map<string, number>();
  const count = Math.min(100, view.getUint32(128));
  for (let i = 0; i < count && 144 + 12 * i <= profile.length; i++)
    tags.set(letters(profile, 132 + 12 * i), view.getUint32(136 + 12 * i));
  if (tags.has('A2B0')) throw new UncommonJpeg('a colour profile with tables');
  if (space === 'GRAY') {
    const curve = readCurve(view, tags.get('kTRC'));
    return curve && greyConversion(curve);
  }
  if (space !== 'RGB ') throw new UncommonJpeg(`a colour profile of ${space}`);
  const curves = ['rTRC', 'gTRC', 'bTRC'].map((tag) => readCurve(view, tags.get(tag)));
  const columns = ['rXYZ', 'gXYZ', 'bXYZ'].map((tag) => readXyz(view, tags.get(tag)));
  const known = curves.every((curve) => curve !== undefined) && columns.every((column) => column !== undefined);
  return known ? matrixConversion(curves as Curve[], columns as number[][]) : undefined;
}

function matrixConversion(curves: readonly Curve[], columns: readonly number[][]): ColourConversion {
  const light = curves.map((curve) => Float64Array.from({ length: 256 }, (_, i) => curve(i / 255)));
  const matrix = Float64Array.from({ length: 9 }, (_, i) => {
    const [row, column] = [Math.floor(i / 3), i % 3];
    return [0, 1, 2].reduce((sum, k) => sum + toLinear[row * 3 + k] * columns[column][k], 0);
  });
  return (pixels) => {
    for (let i = 0; i < pixels.length; i += 3) {
      const [r, g, b] = [light[0][pixels[i]], light[1][pixels[i + 1]], light[2][pixels[i + 2]]];
      pixels[i] = encoded(matrix[0] * r + matrix[1] * g + matrix[2] * b);
      pixels[i + 1] = encoded(matrix[3] * r + matrix[4] * g + matrix[5] * b);
      pixels[i + 2] = encoded(matrix[6] * r + matrix[7] * g + matrix[8] * b);
    }
  };
}

function greyConversion(curve: Curve): ColourConversion {
  const table = Uint8ClampedArray.from({ length: 256 }, (_, i) => encoded(curve(i / 255)));
  return (pixels) => {
    for (let i = 0; i < pixels.length; i++) pixels[i] = table[pixels[i]];
  };
}

/** sRGB values, 0…255, of light in 4096 steps; the curve is too costly for every pixel. */
const steps = 4096;
const encodedSteps = Float64Array.from({ length: steps + 2 }, (_, i) => {
  const light = i / steps;
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
});

function encoded(light: number): number {
  if (light <= 0) return 0;
  if (light >= 1) return 255;
  const at = light * steps;
  const step = Math.floor(at);
  return encodedSteps[step] + (at - step) * (encodedSteps[step + 1] - encodedSteps[step]);
}

function letters(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function readXyz(view: DataView, at: number | undefined): number[] | undefined {
  if (at === undefined || at + 20 > view.byteLength) return undefined;
  return [0, 1, 2].map((i) => view.getInt32(at + 8 + 4 * i) / 65536);
}

/** A curve of points, a power, or one of the five formulas of the ICC's parametric type. */
function readCurve(view: DataView, at: number | undefined): Curve | undefined {
  if (at === undefined || at + 12 > view.byteLength) return undefined;
  const type = view.getUint32(at);
  if (type === 0x63757276) return sampledCurve(view, at);
  if (type !== 0x70617261) return undefined;
  const kind = view.getUint16(at + 8);
  const numbers = [1, 3, 4, 5, 7][kind];
  if (numbers === undefined || at + 12 + 4 * numbers > view.byteLength) return undefined;
  const [g, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from(
    { length: numbers },
    (_, i) => view.getInt32(at + 12 + 4 * i) / 65536,
  );
  const power = (x: number) => Math.max(0, a * x + b) ** g;
  if (kind === 0) return (x) => x ** g;
  if (kind === 1) return (x) => (x >= -b / a ? power(x) : 0);
  if (kind === 2) return (x) => (x >= -b / a ? power(x) + c : c);
  if (kind === 3) return (x) => (x >= d ? power(x) : c * x);
  return (x) => (x >= d ? power(x) + e : c * x + f);
}

function sampledCurve(view: DataView, at: number): Curve | undefined {
  const count = view.getUint32(at + 8);
  if (count === 0) return (x) => x;
  if (at + 12 + 2 * count > view.byteLength) return undefined;
  const first = view.getUint16(at + 12);
  if (count === 1) return (x) => x ** (first / 256);
  const points = Float64Array.from({ length: count }, (_, i) => view.getUint16(at + 12 + 2 * i) / 65535);
  return (x) => {
    const place = x * (count - 1);
    const low = Math.min(count - 2, Math.floor(place));
    return points[low] + (place - low) * (points[low + 1] - points[low]);
  };
}
