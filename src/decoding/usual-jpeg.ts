/**
 * Usual JPEG files decoded by the kernels of assembly/pictures, to the bytes that libvips gives: small ones at their size, since
 * setting up its pipeline takes longer than decoding them, and large ones at a half, a quarter or an eighth of it, as its
 * decoder reduces them. Whatever is not quite usual, or not quite as it should be, is left to libvips.
 */
import type { JpegComponent, JpegHeader } from './jpeg-header.js';
import { kernels, type PlacedPixels, places } from './picture-memory.js';

/** How many times narrower and lower a picture becomes by being decoded. */
export type JpegReduction = 1 | 2 | 4 | 8;

/** More would take memory that is not given back. At its size a picture of more pixels is not small, either. */
const mostPixels: Readonly<Record<JpegReduction, number>> = { 1: 2 ** 20, 2: 2 ** 21, 4: 2 ** 21, 8: 2 ** 21 };
const mostBytes: Readonly<Record<JpegReduction, number>> = { 1: 2 ** 22, 2: 2 ** 24, 4: 2 ** 24, 8: 2 ** 24 };

// As assembly/pictures/jpeg-plan.ts has it.
const fieldBytes = 40;
const planBytes = 12 + 3 * fieldBytes;
const stepsBytes = 256;
const countsOfCodes = 2048 + 2 * 17 * 4;
const codesBytes = countsOfCodes + 16 + 256;
const skipsBytes = 6 << 13;
/** Damaged data may be read beyond their end, by one unit. */
const behindData = 2048;

/**
 * As the file has it, which may still have to be turned; undefined where libvips should be asked.
 * @param header of these bytes
 */
export function decodeUsualJpeg(
  bytes: Uint8Array,
  header: JpegHeader,
  reduction: JpegReduction = 1,
): PlacedPixels | undefined {
  if (bytes.length > mostBytes[reduction] || !isKnown(header, reduction)) return undefined;
  // What is left of a pixel on the right and below is left out.
  const width = Math.floor(header.width / reduction);
  const height = Math.floor(header.height / reduction);
  if (width * height > mostPixels[reduction]) return undefined;
  const { components, scan } = header;
  const [luma] = components;
  const across = Math.ceil(header.width / (8 * luma.columns));
  const down = Math.ceil(header.height / (8 * luma.rows));
  const sizes = components.map((component) => samplesOf(component, luma, 8 / reduction));
  // At an eighth libjpeg repeats samples where there are too few in a row.
  const widths = components.map(({ columns }, i) => (reduction === 8 ? luma.columns / columns : sizes[i]));
  const strides = components.map(({ columns }, i) => widths[i] * across * columns);
  const planes = components.map(({ rows }, i) => strides[i] * sizes[i] * down * rows);
  const dataLength = bytes.length - scan;
  const eachCodes = codesBytes + (reduction === 8 ? skipsBytes : 0);
  const [plan, steps, codes, data, first, second, third, rows, at, end] = places([
    planBytes,
    3 * stepsBytes,
    6 * eachCodes,
    dataLength + behindData,
    ...planes,
    4 * strides[0] + 64,
    width * height * 3,
  ]);
  const { memory, prepareCodes, prepareSkips, decodeScan, colours } = kernels();
  const words = new Int32Array(memory.buffer);
  const all = new Uint8Array(memory.buffer);
  all.set(bytes.subarray(scan), data);
  words.set([across, down, header.restart], plan / 4);
  components.forEach((component, i) => {
    const stepsAt = steps + i * stepsBytes;
    const firstAt = codes + 2 * i * eachCodes;
    const otherAt = firstAt + eachCodes;
    const fields = [
      ...[component.columns, component.rows, [first, second, third][i], strides[i]],
      ...[stepsAt, firstAt, otherAt, 0, sizes[i], widths[i]],
    ];
    words.set(fields, plan / 4 + 3 + (i * fieldBytes) / 4);
    writeSteps(words, stepsAt, component);
    all.set(component.firstCodes, firstAt + countsOfCodes);
    prepareCodes(firstAt);
    all.set(component.otherCodes, otherAt + countsOfCodes);
    prepareCodes(otherAt);
    if (sizes[i] === 1) prepareSkips(otherAt);
  });
  const stop = decodeScan(plan, data, data + dataLength);
  if (stop === 0 || all[stop] !== 0xff || all[stop + 1] !== 0xd9 || stop + 2 > data + dataLength) return undefined;
  const wide = strides[0] / strides[1];
  const high = sizes[0] === sizes[1] ? luma.rows : 1;
  colours(at, width, height, plan, Math.ceil(header.width / (wide * reduction)), wide, high, rows);
  return { at, end, width, height };
}

/** Chroma at full size, at half the width, or at half of both. Narrow ones are not interpolated by libjpeg. */
function isKnown({ width, components }: JpegHeader, reduction: number): boolean {
  const [luma, ...chroma] = components;
  if (chroma.some(({ columns, rows }) => columns !== 1 || rows !== 1)) return false;
  if (luma.columns === 1) return luma.rows === 1;
  return luma.columns === 2 && luma.rows >= 1 && luma.rows <= 2 && width > 4 * reduction;
}

/** How many samples a block of a component becomes, in a row: more where that spares enlarging them. */
function samplesOf({ columns, rows }: JpegComponent, luma: JpegComponent, least: number): number {
  const wanted = Math.min(luma.columns / columns, luma.rows / rows) * least;
  return Math.min(8, wanted);
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
