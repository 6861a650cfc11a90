import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FormatError } from '../../src/errors.js';
import { memoryFile } from '../../src/formats/file.js';
import { gloveDimension, readGlove, writeGlove } from '../../src/formats/glove.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { fuzzReader } from '../fuzz.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const text = (content: string) => readGlove(memoryFile(Buffer.from(content), 'glove.txt'));

describe('GloVe files', () => {
  it('read back to the same words and numbers', async () => {
    const random = new Random(2);
    const words = ['the', '. . .', 'naïve', ...Array.from({ length: 3000 }, (_, i) => `w${i}`)];
    const values = Float32Array.from({ length: words.length * 5 }, () => random.normal());
    const path = join(folder, 'round.txt');
    await writeGlove(path, { words, vectors: new Matrix(values, words.length, 5) });
    const read = await readGlove(path);
    expect(read.words).toEqual(words);
    expect(read.vectors.data).toEqual(values);
    expect(await gloveDimension(path)).toBe(5);
  });

  it('takes the last numbers of a line, so that words may hold blanks', async () => {
    const read = await text('the 0.1 0.2\n. . . 1 2\nat name@domain.com 3 4\n');
    expect(read.words).toEqual(['the', '. . .', 'at name@domain.com']);
    expect([...read.vectors.row(2)]).toEqual([3, 4]);
  });

  it('keeps only the words asked for', async () => {
    const read = await readGlove(memoryFile(Buffer.from('a 1\nb 2\nc 3\n')), { keep: (word) => word !== 'b' });
    expect(read.words).toEqual(['a', 'c']);
  });

  it('names the byte where a line is too short or no numbers', async () => {
    await expect(text('the 0.1 0.2\ncat 1\n')).rejects.toMatchObject({ offset: 12 });
    await expect(text('the 0.1 0.2\ncat 1 nan\n')).rejects.toMatchObject({ offset: 18 });
    await expect(text('only words here\n')).rejects.toThrow(FormatError);
    await expect(text('')).rejects.toThrow(/no vectors/);
  });

  it('reads tabs, carriage returns, blank lines, old code pages and a last line without an end', async () => {
    const bytes = Buffer.from('owl\t1  2 \r\n\ncr\xe4he 3\t4\nkauz 5 6', 'latin1');
    const read = await readGlove(memoryFile(bytes));
    expect(read.words).toEqual(['owl', 'crähe', 'kauz']);
    expect([...read.vectors.data]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('says of a first line without numbers that it has none, and where', async () => {
    const error = await text('\n\nword\n').catch((error) => error);
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain('expected a word and its numbers');
    expect(error.offset).toBe(2);
  });

  it('reads lines over the end of a piece, says how far it is, and stops when it is told to', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `word-number-${i} ${i} ${i / 2}`);
    const bytes = Buffer.from(lines.join('\n'));
    const told: number[] = [];
    const read = await readGlove(memoryFile(bytes), { onProgress: ({ done }) => told.push(done) });
    expect(read.words.length).toBe(60_000);
    for (const i of [0, 15, 16, 40_000, 59_999]) expect([...read.vectors.row(i)]).toEqual([i, i / 2]);
    expect(told).toEqual([2 ** 20, bytes.length]);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(readGlove(memoryFile(bytes), { signal })).rejects.toThrow('stopped');
  });

  it('stops at a line that never ends', async () => {
    const endless = memoryFile(Buffer.alloc(20 * 2 ** 20, 'x'));
    await expect(readGlove(endless)).rejects.toThrow(/no line end/);
  });

  it('writes no first word with a blank, no empty word, and as many words as vectors', async () => {
    const write = (words: string[], rows = words.length) =>
      writeGlove(join(folder, 'refused'), { words, vectors: Matrix.zeros(rows, 2, 'float32') });
    await expect(write(['a b', 'c'])).rejects.toThrow('word 0, "a b"');
    await expect(write(['a', ''])).rejects.toThrow('word 1, ""');
    await expect(write(['a'], 2)).rejects.toThrow('1 words for 2 vectors');
  });

  it('does not write a word with a line end', async () => {
    const bad = { words: ['a\nb'], vectors: Matrix.zeros(1, 2, 'float32') };
    await expect(writeGlove(join(folder, 'bad'), bad)).rejects.toThrow(ArgumentError);
  });

  it('survives mutated files', async () => {
    const seeds = [Buffer.from('the 0.1 -2 3e-2\ncat 1 2 3\ndög 5 6 7\n. . . 1 1 1\n')];
    const summary = await fuzzReader('glove', seeds, (bytes) => readGlove(memoryFile(bytes)));
    expect(summary.refused).toBeGreaterThan(0);
    expect(summary.read).toBeGreaterThan(0);
  });
});
