import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeCorpus } from '../../src/demo/corpus.js';
import { aviary } from '../../src/demo/species.js';
import { unequalCounts, writeWorld } from '../../src/demo/world.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

const tiny = { testSpecies: 4, auxiliarySpecies: 4, testPictures: 2, auxiliaryPictures: 2, webPhotos: 6 };

function hashes(path: string): Record<string, string> {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(path, file)).isFile(),
  );
  return Object.fromEntries(
    files.sort().map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(path, file)))
        .digest('hex'),
    ]),
  );
}

describe('the aviary on disk', () => {
  it('is the same file by file from the same seed, and another from another', async () => {
    const first = await writeWorld(join(folder, 'a'), { ...tiny, seed: 3 });
    const second = await writeWorld(join(folder, 'b'), { ...tiny, seed: 3 });
    const other = await writeWorld(join(folder, 'c'), { ...tiny, seed: 4 });
    const files = hashes(join(folder, 'a'));
    // 4 auxiliary species, 4 test species in unequal numbers, 2 strangers, something else, the corpus.
    const listed = [0, 1, 2, 3].map(unequalCounts(4, 2, 3)).reduce((sum, count) => sum + count, 0);
    const expected = 4 * 2 + listed + 2 * 2 + 1 + 1;
    expect(Object.keys(files)).toHaveLength(expected);
    expect(new Set(Object.values(files)).size).toBe(expected);
    expect(Object.keys(files).filter((file) => file.startsWith('test/unlisted/'))).toHaveLength(5);
    expect(hashes(join(folder, 'b'))).toEqual(files);
    expect(second.photos).toEqual(first.photos);
    const differing = Object.entries(hashes(join(folder, 'c'))).filter(([file, hash]) => files[file] !== hash);
    expect(differing).toHaveLength(Object.keys(files).length);
    expect(other.photos).not.toEqual(first.photos);
  });

  it('holds ten times as many pictures of the most frequent species as of the rarest', () => {
    const counts = Array.from({ length: 12 }, (_, c) => unequalCounts(12, 20, 1)(c));
    expect(Math.max(...counts) / Math.min(...counts)).toBeCloseTo(10, 0);
    expect(Math.abs(counts.reduce((sum, count) => sum + count, 0) - 240)).toBeLessThan(6);
    expect(Array.from({ length: 12 }, (_, c) => unequalCounts(12, 20, 2)(c))).not.toEqual(counts);
  });

  it('can be abandoned while it is drawn', async () => {
    const abort = new AbortController();
    const drawing = writeWorld(join(folder, 'd'), {
      ...tiny,
      seed: 3,
      signal: abort.signal,
      onProgress: ({ done }) => done === 2 && abort.abort(),
    });
    await expect(drawing).rejects.toThrow(/abort/i);
  });
});

describe('the corpus', () => {
  const { test, auxiliary } = aviary();
  const corpus = writeCorpus([...test, ...auxiliary], 1);

  it('names every species and every mark often enough for a word vector', () => {
    for (const { name } of [...test, ...auxiliary]) expect(corpus.split(name.toLowerCase()).length).toBeGreaterThan(40);
  });

  it('says of a mark what it means', () => {
    const sentences = corpus.split('\n').filter((line) => line.includes('red-winged'));
    const about = (word: RegExp) => sentences.filter((line) => word.test(line)).length / sentences.length;
    expect(about(/\bred (wing|feathers in the wing|coverts)/)).toBeGreaterThan(0.5);
    expect(about(/\bblue (wing|feathers)/)).toBe(0);
  });
});
