import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FormatError } from '../../src/errors.js';
import { memoryFile } from '../../src/formats/file.js';
import { numbersText, readWord2vec, readWord2vecHeader, writeWord2vec } from '../../src/formats/word2vec.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { fuzzReader } from '../fuzz.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasFasttext } from '../tools.js';

const folder = temporaryFolder();

const random = new Random(1);
const words = ['the', 'Żółw', 'black-footed', '日本', 'x', ...Array.from({ length: 500 }, (_, i) => `w${i}`)];
const values = Float32Array.from({ length: words.length * 7 }, () => random.normal() * 10 ** (random.integer(12) - 8));
const vectors = { words, vectors: new Matrix(values, words.length, 7) };
const text = (content: string) => readWord2vec(memoryFile(Buffer.from(content), 'test.vec'));

/** The original program's binary layout, written byte by byte. */
function original(entries: [string, number[]][], lineEnds = true): Buffer {
  const parts = [Buffer.from(`${entries.length} ${entries[0][1].length}\n`)];
  for (const [word, row] of entries) {
    const floats = Buffer.alloc(row.length * 4);
    row.forEach((value, k) => {
      floats.writeFloatLE(value, 4 * k);
    });
    parts.push(Buffer.from(`${word} `), floats, Buffer.from(lineEnds ? '\n' : ''));
  }
  return Buffer.concat(parts);
}

describe('word2vec files', () => {
  it.each([true, false])('read back to the same words and numbers (binary: %s)', async (binary) => {
    const path = join(folder, `round-${binary}`);
    await writeWord2vec(path, vectors, { binary });
    const read = await readWord2vec(path);
    expect(read.words).toEqual(words);
    expect(read.vectors.data).toEqual(values);
    expect(await readWord2vecHeader(path)).toMatchObject({ words: words.length, dim: 7, binary });
  });

  it('reads the text of the original program, whose lines end in a blank', async () => {
    const read = await text('2 3\nthe 0.1 -2 3e-2 \ncat 1 2 3 \n');
    expect(read.words).toEqual(['the', 'cat']);
    expect([...read.vectors.data]).toEqual([0.1, -2, 0.03, 1, 2, 3].map(Math.fround));
  });

  it('reads binary with and without line ends between the vectors', async () => {
    const entries: [string, number[]][] = [
      ['a', [1, 2.5, -3]],
      ['</s>', [0, 0, 10]],
    ];
    for (const lineEnds of [true, false]) {
      const read = await readWord2vec(memoryFile(original(entries, lineEnds)));
      expect(read.words).toEqual(['a', '</s>']);
      expect([...read.vectors.data]).toEqual([1, 2.5, -3, 0, 0, 10]);
    }
  });

  it('reads binary of any length, a piece at a time, and says how far it is', async () => {
    const row = (i: number) => Array.from({ length: 500 }, (_, k) => i + k / 512);
    const entries = Array.from({ length: 700 }, (_, i): [string, number[]] => [`word-${i}`, row(i)]);
    const bytes = original(entries, false);
    const told: { done: number; total?: number }[] = [];
    const read = await readWord2vec(memoryFile(bytes), { onProgress: (progress) => told.push(progress) });
    expect(read.words).toEqual(entries.map(([word]) => word));
    for (const i of [0, 1, 350, 699]) expect([...read.vectors.row(i)]).toEqual(row(i));
    expect(told.length).toBeGreaterThan(1);
    expect(told.at(-1)).toMatchObject({ done: bytes.length, total: bytes.length });
    expect(told.map(({ done }) => done)).toEqual(told.map(({ done }) => done).toSorted((a, b) => a - b));
  });

  it('keeps only the words asked for', async () => {
    const path = join(folder, 'kept');
    await writeWord2vec(path, vectors, { binary: true });
    const read = await readWord2vec(path, { keep: (word) => word === 'w300' || word === '日本' });
    expect(read.words).toEqual(['日本', 'w300']);
    expect([...read.vectors.row(0)]).toEqual([...vectors.vectors.row(3)]);
  });

  it('refuses sizes that the file cannot hold, before making room for them', async () => {
    await expect(text('999999999 300\nthe 1 2 3\n')).rejects.toThrow(/need at least \d+ bytes, the file has/);
    await expect(text('1 0\nthe\n')).rejects.toThrow(/dimension is 0/);
    await expect(text('the 1 2 3\n')).rejects.toThrow(/words dimension/);
    await expect(text('')).rejects.toThrow(FormatError);
  });

  it('names the byte of a number that is none, of a line too short, of a missing word', async () => {
    await expect(text('2 2\nab 1 2\ncd 1 x\n')).rejects.toMatchObject({ offset: 16 });
    await expect(text('2 2\nab 1 2\ncd 1\n')).rejects.toMatchObject({ offset: 11 });
    await expect(text('3 2\nab 1 2\ncd 1 22222222\n')).rejects.toThrow(/2 words, expected the 3/);
    await expect(text('1 2\nab 1 2\ncd 1 2\n')).rejects.toThrow(/more than the 1 words/);
  });

  it('names the word at which a binary file is cut short or holds a number that is none', async () => {
    const bytes = original([
      ['aa', [1, 2, 3]],
      ['bb', [4, 5, Number.NaN]],
    ]);
    await expect(readWord2vec(memoryFile(bytes))).rejects.toMatchObject({ offset: 4 + 16 + 3 + 8 });
    await expect(readWord2vec(memoryFile(bytes.subarray(0, bytes.length - 3)))).rejects.toThrow(FormatError);
  });

  it('names the word that is too long, or without a space behind it', async () => {
    const floats = Buffer.alloc(8, 1);
    const file = (word: string, after = ' ') =>
      memoryFile(
        Buffer.concat([Buffer.from('2 2\na '), floats, Buffer.from(word + after), floats, floats]),
        'long.bin',
      );
    expect((await readWord2vec(file('w'.repeat(2 ** 16)))).words[1]).toHaveLength(2 ** 16);
    const error = await readWord2vec(file('w'.repeat(2 ** 16 + 1))).catch((error) => error);
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain('expected word 2 of 2, a space and 8 bytes');
    expect(error.offset).toBe(14);
    await expect(readWord2vec(file('word', ''))).rejects.toThrow('expected word 2 of 2');
  });

  it('takes a first line with a tab, blanks behind it or a carriage return, and no words', async () => {
    for (const line of ['1\t2', '1 2 ', '1 2\r', '1 2\t']) {
      const read = await text(`${line}\nowl 1 2\n`);
      expect(read.words).toEqual(['owl']);
    }
    expect((await text('0 5\n')).vectors).toMatchObject({ rows: 0, cols: 5 });
    for (const line of ['1  2', ' 1 2', '1 2 3', '1,2', '12345678901 2', '1 12345678', 'x 1 2'])
      await expect(text(`${line}\nowl 1 2\n`)).rejects.toThrow('expected a first line "words dimension"');
  });

  it('reads the shortest file there is, and refuses one byte less', async () => {
    expect((await text('2 1\na 1\nb 2')).words).toEqual(['a', 'b']);
    const least = original(
      [
        ['', [1, 2]],
        ['', [3, 4]],
      ],
      false,
    );
    expect((await readWord2vec(memoryFile(least))).vectors.data).toEqual(Float32Array.of(1, 2, 3, 4));
    await expect(readWord2vec(memoryFile(least.subarray(0, -2)))).rejects.toThrow('need at least 17 bytes');
  });

  it('stops between pieces when it is told to', async () => {
    const stopped = { signal: AbortSignal.abort(new Error('stopped')) };
    await expect(readWord2vec(memoryFile(original([['a', [1]]])), stopped)).rejects.toThrow('stopped');
    await expect(readWord2vec(memoryFile(Buffer.from('1 1\na 1\n')), stopped)).rejects.toThrow('stopped');
  });

  it('writes the shortest decimals that give the same number', () => {
    const shortest = [0.1, 1, -0.25, 123456, 1.5e-7, 16777216, 3.4028235e38, 1 / 3].map(Math.fround);
    for (const value of shortest) {
      const written = numbersText(Float32Array.of(value));
      expect(Math.fround(Number(written))).toBe(value);
      expect(written.length).toBeLessThanOrEqual(String(value).length);
    }
    expect(numbersText(Float32Array.of(0.1, -2))).toBe('0.1 -2');
  });

  it('writes more than a piece of words, and as many words as vectors', async () => {
    const path = join(folder, 'many');
    const words = Array.from({ length: 3000 }, (_, i) => `word-${i}`);
    const many = new Matrix(
      Float32Array.from({ length: 3000 * 100 }, (_, i) => i),
      3000,
      100,
    );
    await writeWord2vec(path, { words, vectors: many }, { binary: true });
    const read = await readWord2vec(path);
    expect(read.words).toEqual(words);
    expect(Buffer.from(read.vectors.data.buffer).equals(Buffer.from(many.data.buffer))).toBe(true);
    const less = { words: ['a'], vectors: Matrix.zeros(2, 2, 'float32') };
    await expect(writeWord2vec(path, less)).rejects.toThrow('1 words for 2 vectors');
    for (const word of ['', 'a\nb', 'a b'])
      await expect(writeWord2vec(path, { words: [word], vectors: Matrix.zeros(1, 2, 'float32') })).rejects.toThrow(
        ArgumentError,
      );
  });

  it('does not write words the format cannot hold, and leaves no half file', async () => {
    const bad = { words: ['two words'], vectors: Matrix.zeros(1, 2, 'float32') };
    await expect(writeWord2vec(join(folder, 'bad'), bad)).rejects.toThrow(ArgumentError);
    expect(readdirSync(folder).filter((name) => name.startsWith('bad'))).toEqual([]);
  });

  it('survives mutated files', async () => {
    const seeds = [
      Buffer.from('3 4\nthe 0.1 -2 3e-2 1\ncat 1 2 3 4\ndög 5 6 7 8\n'),
      original([
        ['the', [1, 2, 3, 4]],
        ['cat', [0.1, 0.2, -0.3, 4]],
      ]),
    ];
    const summary = await fuzzReader('word2vec', seeds, (bytes) => readWord2vec(memoryFile(bytes)));
    expect(summary.refused).toBeGreaterThan(0);
    expect(summary.read).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasFasttext)('vectors written by fasttext (skipped where it is not installed)', () => {
  it('are read as word2vec text', async () => {
    const input = join(folder, 'input.txt');
    writeFileSync(input, 'a b c d e f g h\n'.repeat(200));
    const output = join(folder, 'ft');
    const settings = ['-dim', '5', '-minn', '0', '-maxn', '0', '-thread', '1', '-epoch', '1', '-bucket', '1'];
    spawnSync('fasttext', ['skipgram', '-input', input, '-output', output, ...settings]);
    const read = await readWord2vec(`${output}.vec`);
    expect(read.vectors.cols).toBe(5);
    expect([...read.words].sort().slice(0, 4)).toEqual(['</s>', 'a', 'b', 'c']);
    const line = readFileSync(`${output}.vec`, 'utf8').split('\n')[1].trim().split(' ');
    expect(read.words[0]).toBe(line[0]);
    expect(read.vectors.at(0, 0)).toBe(Math.fround(Number(line[1])));
  });
});
