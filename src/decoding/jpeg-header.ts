/**
 * What stands before the pixels of a baseline JPEG file (ITU-T T.81, annex B): sizes, steps and codes. Only the usual is
 * read, so that whatever is said of other files is said by one decoder alone.
 */

export interface JpegComponent {
  /** Blocks in one unit of the scan. */
  readonly columns: number;
  readonly rows: number;
  /** Steps of the coefficients in the order of the file. */
  readonly steps: Uint8Array;
  /** How many codes there are of each length from 1 to 16, then their symbols. */
  readonly firstCodes: Uint8Array;
  readonly otherCodes: Uint8Array;
}

export interface JpegHeader {
  readonly width: number;
  readonly height: number;
  readonly components: readonly JpegComponent[];
  /** Units between restarts; 0 where there are none. */
  readonly restart: number;
  /** Whether there are metadata that may say that the picture has to be turned. */
  readonly exif: boolean;
  /** Where the data of the scan begin. */
  readonly scan: number;
}

interface Frame {
  width: number;
  height: number;
  components: { id: number; columns: number; rows: number; table: number }[];
}

/** Undefined for all that is not as usual. */
export function readJpegHeader(bytes: Uint8Array): JpegHeader | undefined {
  const word = (at: number) => bytes[at] * 256 + bytes[at + 1];
  const steps: Uint8Array[] = [];
  const codes: Uint8Array[] = [];
  let frame: Frame | undefined;
  let jfif = false;
  let adobe = false;
  let exif = false;
  let restart = 0;
  if (word(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    const end = at + 2 + word(at + 2);
    const body = bytes.subarray(at + 4, end);
    if (end < at + 4 || end > bytes.length) return undefined;
    if (marker === 0xdb) {
      if (!readSteps(body, steps)) return undefined;
    } else if (marker === 0xc4) {
      if (!readCodes(body, codes)) return undefined;
    } else if (marker === 0xc0) {
      if (frame) return undefined;
      frame = readFrame(body);
      if (!frame) return undefined;
    } else if (marker === 0xdd) {
      if (body.length !== 2) return undefined;
      restart = word(at + 4);
    } else if (marker === 0xe0) {
      if (begins(body, 'JFIF\0')) {
        if (body.length < 12 || body[5] !== 1) return undefined;
        jfif = true;
      }
    } else if (marker === 0xee) {
      if (body.length < 12 || !begins(body, 'Adobe') || body[11] !== 1) return undefined;
      adobe = true;
    } else if (marker === 0xda) {
      if (!frame || !isUsualScan(body, frame)) return undefined;
      const { width, height } = frame;
      const named = frame.components.every(({ id }, i) => id === i + 1);
      if (!jfif && !adobe && !named) return undefined;
      const components = frame.components.map(({ columns, rows, table }, i) => ({
        ...{ columns, rows },
        steps: steps[table],
        firstCodes: codes[body[2 + 2 * i] >> 4],
        otherCodes: codes[16 + (body[2 + 2 * i] & 15)],
      }));
      if (components.some((each) => !each.steps || !each.firstCodes || !each.otherCodes)) return undefined;
      return { width, height, components, restart, exif, scan: end };
    } else if (marker === 0xe1) {
      exif = true;
    } else if (marker === 0xe2) {
      if (begins(body, 'ICC_PROFILE')) return undefined;
    } else if (!(marker === 0xfe || (marker > 0xe2 && marker <= 0xef))) return undefined;
    at = end;
  }
  return undefined;
}

function begins(body: Uint8Array, letters: string): boolean {
  for (let i = 0; i < letters.length; i++) if (body[i] !== letters.charCodeAt(i)) return false;
  return true;
}

function readSteps(body: Uint8Array, tables: Uint8Array[]): boolean {
  if (body.length % 65 !== 0) return false;
  for (let at = 0; at < body.length; at += 65) {
    if (body[at] > 3) return false;
    tables[body[at]] = body.subarray(at + 1, at + 65);
  }
  return true;
}

/** Those of the first coefficients have the numbers 0 to 3, the others 16 to 19. */
function readCodes(body: Uint8Array, tables: Uint8Array[]): boolean {
  for (let at = 0; at < body.length; ) {
    const number = body[at];
    if ((number & ~16) > 3 || at + 17 > body.length) return false;
    let count = 0;
    let next = 0;
    for (let length = 1; length <= 16; length++) {
      count += body[at + length];
      next = 2 * next + body[at + length];
      // No code consists of ones alone.
      if (body[at + length] > 0 && next >= 1 << length) return false;
    }
    const end = at + 17 + count;
    if (count > 256 || end > body.length) return false;
    tables[number] = body.subarray(at + 1, end);
    if (number < 16) for (const symbol of tables[number].subarray(16)) if (symbol > 15) return false;
    at = end;
  }
  return true;
}

function readFrame(body: Uint8Array): Frame | undefined {
  if (body.length !== 15 || body[0] !== 8 || body[5] !== 3) return undefined;
  const components = [6, 9, 12].map((at) => ({
    id: body[at],
    columns: body[at + 1] >> 4,
    rows: body[at + 1] & 15,
    table: body[at + 2],
  }));
  const [height, width] = [body[1] * 256 + body[2], body[3] * 256 + body[4]];
  return width > 0 && height > 0 ? { width, height, components } : undefined;
}

/** All of every component at once, in the order of the frame. */
function isUsualScan(body: Uint8Array, { components }: Frame): boolean {
  return (
    body.length === 10 &&
    body[0] === 3 &&
    components.every(({ id }, i) => id === body[1 + 2 * i]) &&
    body[7] === 0 &&
    body[8] === 63 &&
    body[9] === 0
  );
}
