import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeCorpus } from '../../../src/language/train/encode.js';
import { WordCounter } from '../../../src/language/train/vocabulary.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-encode-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const corpus = (text: string, name = 'corpus.txt') => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const tokensOf = (path: string) => [...new Int32Array(new Uint8Array(readFileSync(path)).buffer)];

describe('encodeCorpus', () => {
  it('numbers words by falling count, then by their characters, and leaves rare ones out', async () => {
    const path = corpus('b a b\nc a b rare\nrare2\nc d d c');
    const encoded = await encodeCorpus([path], folder, { minCount: 2 });
    expect(encoded.vocabulary.words).toEqual(['b', 'c', 'a', 'd']);
    expect([...encoded.vocabulary.counts]).toEqual([3, 3, 2, 2]);
    // The paragraph that held only a rare word has gone with it.
    expect(tokensOf(encoded.tokensPath)).toEqual([0, 2, 0, -1, 1, 2, 0, -1, 1, 3, 3, 1, -1]);
    expect(encoded).toMatchObject({ length: 13, words: 10 });
  });

  it('reads several files as one corpus and keeps the most frequent words on request', async () => {
    const paths = [corpus('x x y', 'one'), corpus('x y z', 'two')];
    const encoded = await encodeCorpus(paths, folder, { minCount: 1, maxWords: 2 });
    expect(encoded.vocabulary.words).toEqual(['x', 'y']);
    expect(tokensOf(encoded.tokensPath)).toEqual([0, 0, 1, -1, 0, 1, -1]);
  });

  it('does not read the corpus again when nothing changed, and does when something did', async () => {
    const path = corpus('a a b b');
    const first = await encodeCorpus([path], folder, { minCount: 1 });
    const { mtimeMs } = statSync(first.tokensPath);
    expect(await encodeCorpus([path], folder, { minCount: 1 })).toEqual(first);
    expect(statSync(first.tokensPath).mtimeMs).toBe(mtimeMs);
    corpus('a a b b c');
    expect((await encodeCorpus([path], folder, { minCount: 1 })).vocabulary.words).toEqual(['a', 'b', 'c']);
  });

  it('says so when no word is frequent enough, or there is none', async () => {
    await expect(encodeCorpus([corpus('a b c')], folder, { minCount: 2 })).rejects.toThrow(
      /--min-count|occurs 2 times/,
    );
    await expect(encodeCorpus([corpus('... !!!')], folder)).rejects.toThrow(/no words/);
  });
});

describe('WordCounter', () => {
  it('forgets the rarest words when its table is full, and never one that is frequent', () => {
    const counter = new WordCounter(100);
    for (let i = 0; i < 5000; i++) {
      counter.add(`rare${i}`);
      counter.add(`common${i % 10}`);
    }
    const { vocabulary } = counter.choose(50);
    expect([...vocabulary.words].sort()).toEqual(Array.from({ length: 10 }, (_, i) => `common${i}`));
    expect([...vocabulary.counts]).toEqual(new Array(10).fill(500));
  });
});
