/** `bowerbird words train`: Word2Vec and GloVe vectors from a corpus. */
import { rm } from 'node:fs/promises';
import {
  type TrainWordsOptions,
  trainWords,
  vectorsExtension,
  type WordsModel,
  writeVectors,
} from '../../language/index.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'words train',
  summary: 'Train word vectors on a corpus.',
  description:
    'Reads plain text (one paragraph a line) or a Wikipedia pages-articles dump, either of them bare, gzip or bzip2, in one ' +
    'pass, and trains Word2Vec, GloVe or both. A run that was stopped continues when the same command is given again. ' +
    'With --threads 1 the vectors repeat to the bit; with more they do not.',
  arguments: [{ name: 'CORPUS', description: 'files of text or Wikipedia dumps, read as one corpus', rest: true }],
  options: {
    out: {
      type: 'string',
      short: 'o',
      placeholder: 'FILE',
      default: 'words.vectors',
      description:
        'Where the vectors go: .vectors (compact), .bin or .vec (word2vec), .txt (GloVe), .npy. With --model both, "-word2vec" and "-glove" are put before the ending.',
    },
    model: {
      type: 'choice',
      choices: ['word2vec', 'glove', 'both'],
      default: 'word2vec',
      description: 'What to train.',
    },
    dim: { type: 'integer', minimum: 1, maximum: 4096, default: 400, description: 'Length of the vectors.' },
    architecture: {
      type: 'choice',
      choices: ['skip-gram', 'cbow'],
      default: 'skip-gram',
      description: 'Word2Vec: predict the words around, or the word from those around.',
    },
    window: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'Words to each side (Word2Vec 5, GloVe 15).',
    },
    epochs: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Passes (Word2Vec 5, GloVe 25).' },
    rate: {
      type: 'number',
      minimum: 1e-6,
      maximum: 9,
      description: 'First learning rate (0.05; 0.25 for cbow).',
    },
    negatives: { type: 'integer', minimum: 1, maximum: 100, default: 5, description: 'Word2Vec: drawn words a step.' },
    subsample: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 1e-4,
      description: 'Word2Vec: threshold t above which frequent words are thinned out; 0 for none.',
    },
    'x-max': { type: 'number', minimum: 1e-3, default: 100, description: 'GloVe: counts from here on weigh 1.' },
    alpha: { type: 'number', minimum: 0, maximum: 2, default: 0.75, description: 'GloVe: exponent of the weights.' },
    'min-count': { type: 'integer', minimum: 1, default: 5, description: 'Rarer words are left out.' },
    'max-words': { type: 'integer', minimum: 1, description: 'Only this many of the most frequent words.' },
    hyphens: {
      type: 'choice',
      choices: ['keep', 'split'],
      default: 'keep',
      description: 'Whether "black-footed" is one word or two.',
    },
    'keep-case': { type: 'flag', description: 'Do not turn words into lower case.' },
    format: {
      type: 'choice',
      choices: ['text', 'wikipedia'],
      description: 'What the corpus is, where its beginning does not tell.',
    },
    threads: { type: 'integer', minimum: 1, maximum: 256, description: 'Worker threads (all cores).' },
    seed: { type: 'integer', minimum: 0, default: 1, description: 'Seed of the random numbers.' },
    'table-memory': {
      type: 'integer',
      minimum: 1,
      maximum: 3500,
      default: 1024,
      placeholder: 'MIB',
      description: 'GloVe: memory for counting; what does not fit goes to disk.',
    },
    checkpoint: {
      type: 'number',
      minimum: 1,
      default: 600,
      placeholder: 'SECONDS',
      description: 'Time between checkpoints.',
    },
    work: { type: 'string', placeholder: 'FOLDER', description: 'Folder for intermediate files (OUT.work).' },
    'keep-work': { type: 'flag', description: 'Do not delete that folder at the end.' },
  },
  examples: [
    {
      command: 'bowerbird words train enwiki-pages-articles.xml.bz2 --model both --out wiki.vectors',
      explanation: 'Vectors of 400 dimensions by both methods from a Wikipedia dump.',
    },
    {
      command: 'bowerbird words train corpus.txt.gz --dim 100 --min-count 2 --out words.vec',
      explanation: 'Word2Vec on plain text, written in the word2vec text format.',
    },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const models: WordsModel[] = options.model === 'both' ? ['word2vec', 'glove'] : [options.model];
    const extension = vectorsExtension(options.out);
    const pathOf = (model: WordsModel) =>
      models.length === 1 ? options.out : `${options.out.slice(0, -extension.length)}-${model}${extension}`;
    const work = options.work ?? `${options.out}.work`;
    const written: { model: WordsModel; path: string; settings: Record<string, unknown> }[] = [];
    const settings: TrainWordsOptions = {
      models,
      ...{ dim: options.dim, window: options.window, epochs: options.epochs, rate: options.rate },
      ...{ threads: options.threads, seed: options.seed, architecture: options.architecture },
      ...{ negatives: options.negatives, subsample: options.subsample, xMax: options['x-max'], alpha: options.alpha },
      ...{ minCount: options['min-count'], maxWords: options['max-words'], hyphens: options.hyphens },
      ...{ lowercase: !options['keep-case'], format: options.format, checkpointSeconds: options.checkpoint },
      tableBytes: options['table-memory'] * 2 ** 20,
      signal,
      onProgress: progress.during('train'),
      onVectors: async (model, vectors, trained) => {
        const path = pathOf(model);
        await writeVectors(path, vectors, {
          title: `${model} vectors of ${vectors.vectors.cols} dimensions`,
          source: args.join(', '),
          settings: trained,
        });
        written.push({ model, path, settings: trained });
      },
    };
    const { corpus } = await trainWords(args, work, settings);
    if (!options['keep-work']) await rm(work, { recursive: true, force: true });
    printJson({ corpus: { words: corpus.words, vocabulary: corpus.vocabulary.words.length }, written });
    print(`${corpus.words} words, ${corpus.vocabulary.words.length} different ones with a vector`);
    for (const { model, path } of written) print(`${model}: ${path}`);
    return 0;
  },
});
