/**
 * From corpus files to word vectors, in a work folder that lets a killed run continue: the encoded corpus, the
 * co-occurrence records and the checkpoints lie there, and whatever is finished is not done again.
 */
import { mkdir, rmdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { WordVectors } from '../../formats/index.js';
import type { Progress } from '../../progress.js';
import { countCooccurrences } from './cooccurrence.js';
import { type EncodedCorpus, type EncodeOptions, encodeCorpus } from './encode.js';
import { type GloveSettings, gloveDefaults, trainGlove } from './glove.js';
import { defined } from './schedule.js';
import { trainWord2vec, type Word2vecSettings, word2vecDefaults } from './word2vec.js';

export type WordsModel = 'word2vec' | 'glove';

export interface TrainWordsOptions extends EncodeOptions {
  /** @default ['word2vec'] */
  models?: readonly WordsModel[];
  /** Settings of both models; what is left out takes each model's own default. */
  dim?: number;
  window?: number;
  epochs?: number;
  rate?: number;
  threads?: number;
  seed?: number;
  /** Settings of Word2Vec alone. */
  architecture?: Word2vecSettings['architecture'];
  negatives?: number;
  subsample?: number;
  /** Settings of GloVe alone: counts from xMax on weigh 1, smaller ones (x / xMax)^alpha. @default 100, 0.75 */
  xMax?: number;
  alpha?: number;
  /** Bytes for the tables that count co-occurrences. @default 1 GiB */
  tableBytes?: number;
  /** Seconds between checkpoints. @default 600 */
  checkpointSeconds?: number;
  /** Called with each model's vectors as soon as they are there. */
  onVectors?: (model: WordsModel, vectors: WordVectors, settings: Record<string, unknown>) => Promise<void>;
}

export interface TrainedWords {
  readonly corpus: EncodedCorpus;
  readonly vectors: Partial<Record<WordsModel, WordVectors>>;
}

/** @param work folder for intermediate files; it is made where absent and can be deleted afterwards */
export async function trainWords(
  paths: readonly string[],
  work: string,
  options: TrainWordsOptions = {},
): Promise<TrainedWords> {
  await mkdir(work, { recursive: true });
  const corpus = await encodeCorpus(paths, work, options).catch(async (error) => {
    // Only if it is empty: there is nothing to go on with.
    await rmdir(work).catch(() => {});
    throw error;
  });
  const vectors: TrainedWords['vectors'] = {};
  for (const model of options.models ?? ['word2vec']) {
    const trained = model === 'glove' ? await glove(corpus, work, options) : await word2vec(corpus, work, options);
    vectors[model] = trained.vectors;
    await options.onVectors?.(model, trained.vectors, trained.settings);
  }
  return { corpus, vectors };
}

async function word2vec(corpus: EncodedCorpus, work: string, options: TrainWordsOptions) {
  const { dim, window, negatives, epochs, rate, subsample, threads, seed } = options;
  const given = defined({ dim, window, negatives, epochs, rate, subsample, threads, seed });
  const settings = { ...word2vecDefaults(options.architecture), ...given };
  const vectors = await trainWord2vec(corpus, { ...settings, ...control('word2vec', work, options) });
  return { vectors, settings: { model: 'word2vec', ...settings } };
}

async function glove(corpus: EncodedCorpus, work: string, options: TrainWordsOptions) {
  const { dim, epochs, rate, threads = availableParallelism(), seed = 1 } = options;
  const settings: GloveSettings = { ...gloveDefaults(), ...defined({ dim, epochs, rate, threads, seed }) };
  const counting = { window: options.window ?? 15, xMax: options.xMax ?? 100, alpha: options.alpha ?? 0.75 };
  const records = await countCooccurrences(corpus, work, {
    ...counting,
    ...{ threads, seed, tableBytes: options.tableBytes, signal: options.signal },
    onProgress: ({ stage, ...progress }) => options.onProgress?.({ ...progress, stage: `${stage} co-occurrences` }),
  });
  const vectors = await trainGlove(corpus, records, { ...settings, ...control('glove', work, options) });
  return { vectors, settings: { model: 'glove', ...settings, ...counting, pairs: records.pairs } };
}

function control(model: WordsModel, work: string, options: TrainWordsOptions) {
  return {
    signal: options.signal,
    checkpoint: { path: join(work, `${model}.checkpoint`), seconds: options.checkpointSeconds },
    onProgress: (progress: Progress) => options.onProgress?.({ ...progress, stage: `train ${model}` }),
  };
}
