import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/errors.js';
import { decompressBzip2 } from '../../../src/language/corpus/bzip2.js';
import { Random } from '../../../src/linalg/random.js';
import { fuzzReader } from '../../fuzz.js';
import { hasBzip2 } from '../../tools.js';

/** "hello hello hello\n" as written by bzip2 1.0.8 -9. */
const hello = Buffer.from('QlpoOTFBWSZTWeW18wkAAARRAAAQQAACRKAAIbUYDAKQacKjC7kinChIctr5hIA=', 'base64');

async function* pieces(bytes: Uint8Array, size: number) {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}
async function decompress(bytes: Uint8Array, size = 1000): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of decompressBzip2(pieces(bytes, size), 'test.bz2')) parts.push(part);
  return Buffer.concat(parts);
}
const compress = (data: Uint8Array, level: number) =>
  spawnSync('bzip2', ['-c', `-${level}`], { input: data, maxBuffer: 2 ** 30 }).stdout;

describe('bzip2', () => {
  it('reads a stream whatever the pieces it arrives in', async () => {
    for (const size of [1, 2, 7, 1000]) expect(String(await decompress(hello, size))).toBe('hello hello hello\n');
  });

  it('reads several streams in one file', async () => {
    expect(String(await decompress(Buffer.concat([hello, hello, hello])))).toBe('hello hello hello\n'.repeat(3));
  });

  it('names the byte where a truncated file ends, wherever it was cut', async () => {
    for (let length = 1; length < hello.length; length++) {
      const error = await decompress(hello.subarray(0, length)).catch((e) => e);
      expect(error).toBeInstanceOf(FormatError);
      if (length > 4) expect(error.offset).toBe(length);
    }
  });

  it('never gives other data for a flipped bit', async () => {
    let refused = 0;
    for (let bit = 0; bit < (hello.length - 1) * 8; bit++) {
      const broken = Buffer.from(hello);
      broken[bit >> 3] ^= 0x80 >> (bit & 7);
      const result = await decompress(broken).catch((e) => e);
      if (result instanceof FormatError) refused++;
      // A few bits decide nothing: the level of a small block, code lengths of symbols that are not used.
      else expect(String(result)).toBe('hello hello hello\n');
    }
    expect(refused).toBeGreaterThan(300);
  });

  it('refuses trailing bytes that are no stream', async () => {
    await expect(decompress(Buffer.concat([hello, Buffer.from('more')]))).rejects.toThrow(/byte 47.*header/);
  });

  it('survives mutated files', async () => {
    const summary = await fuzzReader('bzip2', [hello], (bytes) => decompress(bytes));
    expect(summary.refused).toBeGreaterThan(summary.cases / 2);
  });
});

describe.skipIf(!hasBzip2)('bzip2 against the bzip2 program (skipped where it is not installed)', () => {
  const random = new Random(3);
  const noise = Uint8Array.from({ length: 1_200_000 }, () => random.integer(256));
  const cases: [string, Uint8Array][] = [
    ['nothing', new Uint8Array(0)],
    ['one byte', Uint8Array.of(7)],
    ['long runs of every length', Buffer.concat(Array.from({ length: 600 }, (_, i) => Buffer.alloc(i, i & 255)))],
    ['zeros over many blocks', new Uint8Array(5_000_000)],
    ['noise over several blocks', noise],
    ['text', Buffer.from(Array.from({ length: 300_000 }, (_, i) => `${i % 977} `).join(''))],
  ];
  it.each(cases)('reads %s at levels 1, 5 and 9', async (_, data) => {
    for (const level of [1, 5, 9])
      expect((await decompress(compress(data, level), 65_536)).equals(Buffer.from(data))).toBe(true);
  });
});
