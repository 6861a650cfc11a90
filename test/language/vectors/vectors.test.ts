import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FormatError, UsageError } from '../../../src/errors.js';
import { memoryFile } from '../../../src/formats/file.js';
import { CompactVectors } from '../../../src/language/vectors/compact.js';
import { openVectors } from '../../../src/language/vectors/source.js';
import { writeVectors } from '../../../src/language/vectors/write.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { fuzzReader } from '../../fuzz.js';
import { temporaryFolder } from '../../temporary-folder.js';

const folder = temporaryFolder();

const random = new Random(8);
const words = ['naïve', '日本', 'black-footed', ...Array.from({ length: 5000 }, (_, i) => `word${i}`)];
const values = Float32Array.from({ length: words.length * 6 }, () => random.normal());
const vectors = { words, vectors: new Matrix(values, words.length, 6) };

describe('word vectors, whatever the file', () => {
  const files = [
    ['vectors', 'compact'],
    ['bin', 'word2vec binary'],
    ['vec', 'word2vec text'],
    ['txt', 'glove'],
    ['npy', 'npy'],
  ] as const;

  it.each(files)('.%s is written, recognized as %s, and looked up', async (ending, kind) => {
    const path = join(folder, `all.${ending}`);
    await writeVectors(path, vectors, { licence: 'none' });
    const source = await openVectors(path);
    try {
      expect(source).toMatchObject({ kind, dim: 6, name: path });
      if (kind !== 'glove') expect(source.count).toBe(words.length);
      const found = await source.lookup(['日本', 'word4999', 'nothing', 'naïve', 'word', 'word4999']);
      expect([...found.keys()].sort()).toEqual(['naïve', 'word4999', '日本']);
      for (const [word, vector] of found) expect(vector).toEqual(vectors.vectors.row(words.indexOf(word)).slice());
    } finally {
      await source.close();
    }
  });

  it('asks for the words of a .npy file where they are missing', async () => {
    await writeVectors(join(folder, 'lonely.npy'), vectors);
    rmSync(join(folder, 'lonely.words.txt'));
    await expect(openVectors(join(folder, 'lonely.npy'))).rejects.toThrow(/lonely\.words\.txt/);
    writeFileSync(join(folder, 'lonely.words.txt'), 'too\nfew\n');
    await expect(openVectors(join(folder, 'lonely.npy'))).rejects.toThrow(/does not fit the 2 words/);
  });

  it('names the endings it knows when another is asked for', async () => {
    await expect(writeVectors(join(folder, 'x.foo'), vectors)).rejects.toThrow(UsageError);
  });
});

describe('compact files', () => {
  it('find every word that is there', async () => {
    const path = join(folder, 'every.vectors');
    await writeVectors(path, vectors, { title: 'test', licence: 'CC0' });
    const source = await CompactVectors.open(path);
    expect(source.description).toEqual({ title: 'test', licence: 'CC0' });
    const found = await source.lookup(words);
    expect(found.size).toBe(words.length);
    expect(words.every((word, i) => found.get(word)?.[5] === values[6 * i + 5])).toBe(true);
    await source.close();
  });

  it('hold no words at all when there are none', async () => {
    const path = join(folder, 'empty.vectors');
    await writeVectors(path, { words: [], vectors: Matrix.zeros(0, 3, 'float32') });
    const source = await CompactVectors.open(path);
    expect((await source.lookup(['a'])).size).toBe(0);
    await source.close();
  });

  it('are refused where truncated, naming the file', async () => {
    const path = join(folder, 'cut.vectors');
    await writeVectors(path, vectors);
    const bytes = readFileSync(path);
    for (const length of [0, 30, 64, 1000, bytes.length - 5]) {
      writeFileSync(path, bytes.subarray(0, length));
      await expect(openVectors(path)).rejects.toThrow(FormatError);
    }
  });

  it('survive mutation: look-ups end, and never read outside the file', async () => {
    const path = join(folder, 'seed.vectors');
    const few = ['a', 'bb', 'ccc', 'dddd'];
    await writeVectors(path, { words: few, vectors: new Matrix(values.slice(0, 8), 4, 2) });
    const summary = await fuzzReader('compact vectors', [readFileSync(path)], async (bytes) => {
      const source = await CompactVectors.from(memoryFile(bytes));
      return source.lookup([...few, 'eeeee']);
    });
    expect(summary.refused).toBeGreaterThan(0);
    expect(summary.read).toBeGreaterThan(0);
  });
});
