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

  it('stops at a line that never ends', async () => {
    const endless = memoryFile(Buffer.alloc(20 * 2 ** 20, 'x'));
    await expect(readGlove(endless)).rejects.toThrow(/no line end/);
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
