import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeCorpus } from '../../../bench/words/corpus.js';
import { cosine } from '../../../src/language/similarity.js';
import { trainWords } from '../../../src/language/train/train-words.js';

const data = '../shared/data/words';
const birds = ['eagle', 'hawk', 'owl', 'duck', 'crane', 'crow', 'swallow', 'albatross'];
const vehicles = ['car', 'truck', 'bus', 'train', 'automobile', 'wagon', 'airplane', 'ship'];

describe.skipIf(!existsSync(data))('vectors trained on real text (skipped where ../shared/data is absent)', () => {
  it('put bird names nearer to each other than to vehicles', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bowerbird-real-'));
    try {
      await writeCorpus(data, join(folder, 'corpus.txt'));
      const options = { dim: 48, epochs: 3, threads: 2 };
      const { vectors } = await trainWords([join(folder, 'corpus.txt')], join(folder, 'work'), options);
      const { words, vectors: rows } = vectors.word2vec!;
      const known = (names: string[]) =>
        names.flatMap((name) => (words.includes(name) ? [rows.row(words.indexOf(name))] : []));
      const [flying, rolling] = [known(birds), known(vehicles)];
      expect(flying.length).toBeGreaterThan(3);
      expect(rolling.length).toBeGreaterThan(3);
      const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const within = mean(flying.flatMap((a, i) => flying.slice(i + 1).map((b) => cosine(a, b))));
      const across = mean(flying.flatMap((a) => rolling.map((b) => cosine(a, b))));
      expect(within).toBeGreaterThan(across + 0.05);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 300_000);
});
