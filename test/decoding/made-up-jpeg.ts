/**
 * JPEG files of any sampling, with random coefficients and random codes: what encoders would not write, and decoders have to
 * read all the same.
 */
import type { Random } from '../../src/linalg/index.js';

/** Samplings with chroma at full size, at half the width, and at half of both sides. */
export const full = [
  [1, 1],
  [1, 1],
  [1, 1],
] as const;
export const half = [
  [2, 1],
  [1, 1],
  [1, 1],
] as const;
export const quarter = [
  [2, 2],
  [1, 1],
  [1, 1],
] as const;

export interface MadeUpJpeg {
  width: number;
  height: number;
  /** Horizontal and vertical sampling factors of each component. */
  sampling: readonly (readonly [number, number])[];
  /** Coefficients of a block that are not 0, and how large they and the steps are at most. */
  density: number;
  largest: number;
  step: number;
  /** @default 1, 2, 3 */
  ids?: readonly number[];
  /** Whole segments before the tables. */
  segments?: readonly Uint8Array[];
  /** Units between restart markers. @default none */
  restart?: number;
}

interface Codes {
  segment: number[];
  code: Map<number, { bits: number; length: number }>;
}

export function segment(marker: number, content: readonly number[] | Uint8Array): Uint8Array {
  const length = content.length + 2;
  return Uint8Array.of(0xff, marker, length >> 8, length & 255, ...content);
}

export const jfif = segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]);

export function madeUpJpeg(random: Random, picture: MadeUpJpeg): Buffer {
  const { width, height, sampling, density, largest, step, restart = 0 } = picture;
  const ids = picture.ids ?? [1, 2, 3];
  const word = (value: number) => [value >> 8, value & 255];
  const first = randomCodes(
    random,
    Array.from({ length: 12 }, (_, i) => i),
  );
  const symbols: number[] = [];
  for (let skipped = 0; skipped < 16; skipped++)
    for (let size = 0; size < 11; size++) if (size > 0 || skipped % 15 === 0) symbols.push(16 * skipped + size);
  const others = randomCodes(random, symbols);
  const columns = Math.max(...sampling.map(([h]) => h));
  const rows = Math.max(...sampling.map(([, v]) => v));
  const units = Math.ceil(width / (8 * columns)) * Math.ceil(height / (8 * rows));
  const bits = new BitWriter();
  const write = ({ code }: Codes, symbol: number) => {
    const { bits: value, length } = code.get(symbol)!;
    bits.write(value, length);
  };
  const number = (value: number, size: number) => bits.write(value < 0 ? value + (1 << size) - 1 : value, size);
  const sizeOf = (value: number) => 32 - Math.clz32(Math.abs(value));
  let last = sampling.map(() => 0);
  for (let unit = 0; unit < units; unit++) {
    if (restart > 0 && unit > 0 && unit % restart === 0) {
      bits.marker(0xd0 + ((unit / restart - 1) & 7));
      last = sampling.map(() => 0);
    }
    for (const [c, [h, v]] of sampling.entries())
      for (let part = 0; part < h * v; part++) {
        const mean = random.integer(2 * largest + 1) - largest;
        const size = sizeOf(mean - last[c]);
        write(first, size);
        number(mean - last[c], size);
        last[c] = mean;
        let skipped = 0;
        for (let k = 1; k < 64; k++) {
          const value = random.integer(64) < density ? random.integer(2 * largest + 1) - largest : 0;
          if (value === 0) {
            skipped++;
            continue;
          }
          for (; skipped > 15; skipped -= 16) write(others, 0xf0);
          write(others, 16 * skipped + sizeOf(value));
          number(value, sizeOf(value));
          skipped = 0;
        }
        if (skipped > 0) write(others, 0);
      }
  }
  return Buffer.concat([
    Uint8Array.of(0xff, 0xd8),
    ...(picture.segments ?? [jfif]),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1 + random.integer(step))]),
    segment(0xc0, [
      8,
      ...word(height),
      ...word(width),
      ids.length,
      ...sampling.flatMap(([h, v], c) => [ids[c], 16 * h + v, 0]),
    ]),
    segment(0xc4, [0, ...first.segment]),
    segment(0xc4, [16, ...others.segment]),
    ...(restart > 0 ? [segment(0xdd, word(restart))] : []),
    segment(0xda, [ids.length, ...ids.flatMap((id) => [id, 0]), 0, 63, 0]),
    bits.end(),
    Uint8Array.of(0xff, 0xd9),
  ]);
}

/** Codes of random lengths, none of more than 16 bits or of ones alone. */
function randomCodes(random: Random, symbols: readonly number[]): Codes {
  const shuffled = [...symbols];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
  }
  const counts: number[] = [];
  const code: Codes['code'] = new Map();
  let next = 0;
  let named = 0;
  for (let length = 1; length <= 16; length++) {
    const free = (1 << length) - next;
    const left = shuffled.length - named;
    let count = random.integer(Math.min(left, free - 1, 1 + length) + 1);
    // The others must find room in what is left.
    while (left - count > ((free - count) << (16 - length)) - 1) count--;
    if (length === 16) count = left;
    for (let i = 0; i < count; i++) code.set(shuffled[named++], { bits: next++, length });
    counts.push(count);
    next *= 2;
  }
  return { segment: [...counts, ...shuffled], code };
}

class BitWriter {
  private readonly bytes: number[] = [];
  private buffer = 0;
  private count = 0;

  write(value: number, length: number): void {
    for (let bit = length - 1; bit >= 0; bit--) {
      this.buffer = 2 * this.buffer + ((value >> bit) & 1);
      if (++this.count < 8) continue;
      this.bytes.push(this.buffer);
      if (this.buffer === 0xff) this.bytes.push(0);
      [this.buffer, this.count] = [0, 0];
    }
  }

  marker(code: number): void {
    while (this.count > 0) this.write(1, 1);
    this.bytes.push(0xff, code);
  }

  end(): Uint8Array {
    while (this.count > 0) this.write(1, 1);
    return Uint8Array.from(this.bytes);
  }
}
