import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ArgumentError, InterruptedError, MemoryError } from '../../../src/errors.js';
import { countCooccurrences } from '../../../src/language/train/cooccurrence.js';
import { type EncodedCorpus, encodeCorpus } from '../../../src/language/train/encode.js';
import { trainGlove } from '../../../src/language/train/glove.js';
import { trainWord2vec } from '../../../src/language/train/word2vec.js';
import { Random } from '../../../src/linalg/random.js';
import { temporaryFolder } from '../../temporary-folder.js';

const folder = temporaryFolder();
let corpus: EncodedCorpus;
const topics = 4;

/** Sentences about one of four topics, with some words of the others: words of one topic keep each other's company. */
function topicText(sentences: number, wordsPerTopic: number): string {
  const random = new Random(11);
  const lines = Array.from({ length: sentences }, () => {
    const topic = random.integer(topics);
    const words = Array.from({ length: 12 }, () => {
      if (random.uniform() < 0.2) return `filler${random.integer(20)}`;
      return `t${random.uniform() < 0.8 ? topic : random.integer(topics)}w${random.integer(wordsPerTopic)}`;
    });
    return words.join(' ');
  });
  return lines.join('\n');
}

beforeAll(async () => {
  const path = join(folder, 'corpus.txt');
  writeFileSync(path, topicText(6000, 60));
  corpus = await encodeCorpus([path], folder, { minCount: 5 });
});
const settings = { dim: 20, epochs: 3, threads: 1, subsample: 0 };

/** Mean cosine within topics and across them. */
function separation({ words, vectors }: Awaited<ReturnType<typeof trainWord2vec>>) {
  const topical = words.flatMap((word, i) => (word.startsWith('t') ? [[word.slice(0, 2), i] as const] : []));
  const cosine = (a: number, b: number) => {
    const [x, y] = [vectors.row(a), vectors.row(b)];
    const dot = (u: Float32Array, v: Float32Array) => u.reduce((sum, value, k) => sum + value * v[k], 0);
    return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
  };
  const sums = { within: [0, 0], across: [0, 0] };
  for (const [topicA, a] of topical)
    for (const [topicB, b] of topical) {
      if (a >= b) continue;
      const sum = topicA === topicB ? sums.within : sums.across;
      sum[0] += cosine(a, b);
      sum[1]++;
    }
  return { within: sums.within[0] / sums.within[1], across: sums.across[0] / sums.across[1] };
}

describe('training Word2Vec', () => {
  it.each(['skip-gram', 'cbow'] as const)('brings words of one topic together (%s)', async (architecture) => {
    const { within, across } = separation(await trainWord2vec(corpus, { ...settings, architecture }));
    expect(within - across).toBeGreaterThan(0.4);
  });

  it('works with several threads', async () => {
    const { within, across } = separation(await trainWord2vec(corpus, { ...settings, threads: 3 }));
    expect(within - across).toBeGreaterThan(0.4);
  });

  it('repeats to the bit with one thread, and differs with another seed', async () => {
    const options = { ...settings, subsample: 1e-3 };
    const [first, second, other] = [
      await trainWord2vec(corpus, options),
      await trainWord2vec(corpus, options),
      await trainWord2vec(corpus, { ...options, seed: 2 }),
    ];
    expect(second.vectors.data).toEqual(first.vectors.data);
    expect(other.vectors.data).not.toEqual(first.vectors.data);
  });

  it('continues after an interruption exactly where it was', async () => {
    const checkpoint = { path: join(folder, 'checkpoint') };
    const whole = await trainWord2vec(corpus, settings);
    const abort = new AbortController();
    let interrupted = 0;
    const slowly = trainWord2vec(corpus, {
      ...settings,
      epochs: 3,
      checkpoint,
      signal: abort.signal,
      onProgress: ({ figures }) => {
        interrupted = figures!.rate;
        if (interrupted > 0) abort.abort();
      },
    });
    // Where the machine is so fast that nothing is left to interrupt, there is no checkpoint and nothing to compare.
    const outcome = await slowly.then(
      () => 'finished',
      (error) => error,
    );
    if (outcome !== 'finished') expect(outcome).toBeInstanceOf(InterruptedError);
    expect(interrupted).toBeGreaterThan(0);
    const continued = await trainWord2vec(corpus, { ...settings, checkpoint });
    expect(continued.vectors.data).toEqual(whole.vectors.data);
  });

  it('gives the same vectors however often it pauses for checkpoints', async () => {
    const whole = await trainWord2vec(corpus, settings);
    const checkpoint = { path: join(folder, 'often'), seconds: 0.02 };
    const paused = await trainWord2vec(corpus, { ...settings, checkpoint });
    expect(paused.vectors.data).toEqual(whole.vectors.data);
  });

  it('does not use a checkpoint of other settings or a damaged one', async () => {
    const path = join(folder, 'stale');
    const expected = await trainWord2vec(corpus, settings);
    for (const bytes of [Buffer.from('nonsense'), readFileSync(join(folder, 'checkpoint')).subarray(0, 5000)]) {
      writeFileSync(path, bytes);
      const trained = await trainWord2vec(corpus, { ...settings, checkpoint: { path } });
      expect(trained.vectors.data).toEqual(expected.vectors.data);
    }
  });

  it('reports words a second and a falling loss', async () => {
    const losses: number[] = [];
    let rate = 0;
    await trainWord2vec(corpus, {
      ...settings,
      onProgress: ({ figures }) => {
        losses.push(figures!.loss);
        rate = figures!.rate;
      },
    });
    expect(rate).toBeGreaterThan(1000);
    // Before training every probability is ½: (1 + 5) log 2.
    expect(losses.at(-1)).toBeLessThan(6 * Math.log(2));
  });

  it('refuses impossible settings, and more memory than there can be, saying how much', async () => {
    await expect(trainWord2vec(corpus, { dim: 0 })).rejects.toThrow(ArgumentError);
    await expect(trainWord2vec(corpus, { rate: Number.NaN })).rejects.toThrow(ArgumentError);
    const words = new Array<string>(100_000).fill('');
    const many = { ...corpus, vocabulary: { words, counts: new Float64Array(words.length) } };
    const refused = trainWord2vec(many, { dim: 40_000 });
    await expect(refused).rejects.toThrow(MemoryError);
    await expect(refused).rejects.toThrow(/29\.8\d GiB/);
  });
});

/** X_ij of the encoded corpus, counted from both sides the slow way. */
function bruteForce(encoded: EncodedCorpus, window: number): Map<string, number> {
  const tokens = new Int32Array(new Uint8Array(readFileSync(encoded.tokensPath)).buffer);
  const counts = new Map<string, number>();
  for (let a = 0; a < tokens.length; a++)
    for (let b = a - 1; b >= Math.max(0, a - window) && tokens[a] >= 0 && tokens[b] >= 0; b--)
      for (const key of [`${tokens[a]} ${tokens[b]}`, `${tokens[b]} ${tokens[a]}`])
        counts.set(key, (counts.get(key) ?? 0) + 1 / (a - b));
  return counts;
}

describe('counting co-occurrences', () => {
  const options = { window: 7, xMax: 10, alpha: 0.75, threads: 1, seed: 1 };
  const cases = [
    ['in one table', 1, 2 ** 24],
    ['in many tables that are spilled and merged in several passes', 1, 2 ** 14],
    ['with three threads', 3, 2 ** 18],
  ] as const;

  it.each(cases)('agrees with a brute-force count: %s', async (name, threads, tableBytes) => {
    // A flat distribution over many words makes more different pairs than small tables hold.
    const random = new Random(4);
    const lines = Array.from({ length: 2000 }, () =>
      Array.from({ length: 15 }, () => `w${random.integer(700)}`).join(' '),
    );
    const work = join(folder, name.replaceAll(' ', '-'));
    mkdirSync(work);
    const path = join(work, 'flat.txt');
    writeFileSync(path, lines.join('\n'));
    const flat = await encodeCorpus([path], work, { minCount: 1 });
    const found = await countCooccurrences(flat, work, { ...options, threads, tableBytes });
    const expected = bruteForce(flat, 7);
    const bytes = new Uint8Array(readFileSync(found.path));
    const [ids, reals] = [new Uint32Array(bytes.buffer), new Float32Array(bytes.buffer)];
    const seen = new Map<string, number>();
    let weightGap = 0;
    for (let k = 0; k < found.count; k++) {
      const x = Math.exp(reals[4 * k + 2]);
      seen.set(`${ids[4 * k]} ${ids[4 * k + 1]}`, x);
      weightGap = Math.max(weightGap, Math.abs(reals[4 * k + 3] - Math.min(1, (x / 10) ** 0.75)));
    }
    expect(seen.size).toBe(found.count);
    expect(weightGap).toBeLessThan(1e-5);
    expect(seen.size).toBe(expected.size);
    const gaps = [...expected].map(([key, x]) => Math.abs((seen.get(key) ?? Number.NaN) / x - 1));
    expect(gaps.every((gap) => gap < 1e-6)).toBe(true);
    expect(readdirSync(work).filter((file) => /spill|bucket|part$/.test(file))).toEqual([]);
  });

  it('puts the records in random order', async () => {
    const { path, count } = await countCooccurrences(corpus, folder, options);
    const ids = new Uint32Array(new Uint8Array(readFileSync(path)).buffer);
    // Rank correlation between place and word number, both uniform when independent.
    let sum = 0;
    const mean = corpus.vocabulary.words.length / 2;
    for (let k = 0; k < count; k++) sum += (k / count - 0.5) * (ids[4 * k] - mean);
    expect(Math.abs(sum / count) / mean).toBeLessThan(0.02);
  });

  it('counts once and then reads the finished records', async () => {
    const stages: string[] = [];
    await countCooccurrences(corpus, folder, { ...options, onProgress: ({ stage }) => stages.push(stage!) });
    expect(stages).toEqual([]);
  });

  it('stops when aborted', async () => {
    const signal = AbortSignal.abort();
    const stopped = countCooccurrences(corpus, folder, { ...options, window: 3, signal });
    await expect(stopped).rejects.toThrow(/interrupted/);
  });
});

describe('training GloVe', () => {
  it('brings words of one topic together, repeats to the bit, and continues from a checkpoint', async () => {
    const options = { window: 7, xMax: 10, alpha: 0.75, threads: 1, seed: 1 };
    const records = await countCooccurrences(corpus, folder, options);
    const glove = { dim: 20, epochs: 60, threads: 1 };
    const whole = await trainGlove(corpus, records, glove);
    const { within, across } = separation(whole);
    expect(within - across).toBeGreaterThan(0.3);
    const checkpoint = { path: join(folder, 'glove-checkpoint'), seconds: 0.02 };
    const paused = await trainGlove(corpus, records, { ...glove, checkpoint });
    expect(paused.vectors.data).toEqual(whole.vectors.data);
  });
});
