/**
 * Small JPEG files decoded by the kernels of assembly/pictures, to the bytes that libvips gives: setting up its pipeline takes
 * longer than decoding them. Whatever is not quite usual, or not quite as it should be, is left to libvips.
 */
import { type JpegComponent, type JpegHeader, readJpegHeader } from './jpeg-header.js';
import { kernels, type PlacedPixels, places } from './picture-memory.js';

/** More would take memory that is not given back. */
const mostPixels = 2 ** 20;
const mostBytes = 2 ** 22;

// As assembly/pictures/jpeg-plan.ts has it.
const planBytes = 8 + 3 * 32;
const stepsBytes = 256;
const countsOfCodes = 2048 + 2 * 17 * 4;
const codesBytes = countsOfCodes + 16 + 256;

/** Undefined where libvips should be asked, because of more pixels than are allowed too. */
export function decodeSmallJpeg(bytes: Uint8Array, allowedPixels: number): PlacedPixels | undefined {
  if (bytes.length > mostBytes) return undefined;
  const header = readJpegHeader(bytes);
  if (!header || !isKnown(header)) return undefined;
  if (header.width * header.height > Math.min(mostPixels, allowedPixels)) return undefined;
  const { width, height, components, scan } = header;
  const [luma] = components;
  const across = Math.ceil(width / (8 * luma.columns));
  const down = Math.ceil(height / (8 * luma.rows));
  const strides = components.map(({ columns }) => 8 * across * columns);
  const planes = components.map(({ rows }, i) => strides[i] * 8 * down * rows);
  const dataLength = bytes.length - scan;
  const [plan, steps, codes, data, first, second, third, rows, at, end] = places([
    planBytes,
    3 * stepsBytes,
    6 * codesBytes,
    dataLength,
    ...planes,
    4 * strides[0] + 64,
    width * height * 3,
  ]);
  const { memory, prepareCodes, decodeScan, colours } = kernels();
  const words = new Int32Array(memory.buffer);
  const all = new Uint8Array(memory.buffer);
  all.set(bytes.subarray(scan), data);
  words[plan / 4] = across;
  words[plan / 4 + 1] = down;
  components.forEach((component, i) => {
    const stepsAt = steps + i * stepsBytes;
    const firstAt = codes + 2 * i * codesBytes;
    const otherAt = firstAt + codesBytes;
    const fields = [
      component.columns,
      component.rows,
      [first, second, third][i],
      strides[i],
      stepsAt,
      firstAt,
      otherAt,
      0,
    ];
    words.set(fields, plan / 4 + 2 + 8 * i);
    writeSteps(words, stepsAt, component);
    all.set(component.firstCodes, firstAt + countsOfCodes);
    prepareCodes(firstAt);
    all.set(component.otherCodes, otherAt + countsOfCodes);
    prepareCodes(otherAt);
  });
  const stop = decodeScan(plan, data, data + dataLength);
  if (stop === 0 || all[stop] !== 0xff || all[stop + 1] !== 0xd9 || stop + 2 > data + dataLength) return undefined;
  colours(at, width, height, plan, luma.columns, luma.rows, rows);
  return { at, end, width, height };
}

/** Chroma at full size, at half the width, or at half of both. Narrow ones are not interpolated by libjpeg. */
function isKnown({ width, components }: JpegHeader): boolean {
  const [luma, ...chroma] = components;
  if (chroma.some(({ columns, rows }) => columns !== 1 || rows !== 1)) return false;
  if (luma.columns === 1) return luma.rows === 1;
  return luma.columns === 2 && luma.rows >= 1 && luma.rows <= 2 && width > 4;
}

/** Where the coefficients of the file belong in a block of rows, in bytes, 16 bits higher. */
const placesOfBlock = zigzag();

function zigzag(): Int32Array {
  const found = new Int32Array(64);
  let k = 0;
  for (let sum = 0; sum < 15; sum++)
    for (let i = Math.max(0, sum - 7); i <= Math.min(7, sum); i++) {
      const [row, column] = sum % 2 === 0 ? [sum - i, i] : [i, sum - i];
      found[k++] = (2 * (8 * row + column)) << 16;
    }
  return found;
}

function writeSteps(words: Int32Array, at: number, { steps }: JpegComponent): void {
  for (let k = 0; k < 64; k++) words[at / 4 + k] = placesOfBlock[k] + steps[k];
}
