/**
 * Word2Vec (Mikolov et al. 2013): skip-gram or continuous bag of words with negative sampling, trained by stochastic
 * gradient descent without locks over a shared memory. One thread repeats to the bit; several do not, since they
 * update the same rows in an order that nothing fixes.
 */
import { availableParallelism } from 'node:os';
import { ArgumentError } from '../../errors.js';
import type { WordVectors } from '../../formats/index.js';
import { Matrix } from '../../linalg/index.js';
import type { EncodedCorpus } from './encode.js';
import { chunkTokens, type ThreadPlace } from './jobs.js';
import { MemoryPlan, paddedLength } from './kernels.js';
import { fillAliasTable, fillKeepThresholds, fillSigmoidTable, sigmoidCells } from './sampling.js';
import { continuedOrBegun, defined, dividedAmong, runTraining, type TrainControl } from './schedule.js';
import { Team } from './team.js';

export interface Word2vecSettings {
  architecture: 'skip-gram' | 'cbow';
  /** Length of the vectors. */
  dim: number;
  /** Words to each side at most; each position draws its own from 1 to this. */
  window: number;
  negatives: number;
  epochs: number;
  /** First learning rate; it falls linearly to 1/10,000 of itself. */
  rate: number;
  /** Threshold t of the subsampling of frequent words; 0 keeps all. */
  subsample: number;
  /** Negative words are drawn with probability ∝ count^power. */
  power: number;
  threads: number;
  seed: number;
}

/** The original's values, except that rates suit corpora of some million words. */
export function word2vecDefaults(architecture: Word2vecSettings['architecture'] = 'skip-gram'): Word2vecSettings {
  return {
    architecture,
    dim: 400,
    window: 5,
    negatives: 5,
    epochs: 5,
    // The bag's gradient is divided by the number of its words, so it wants larger steps.
    rate: architecture === 'cbow' ? 0.25 : 0.05,
    subsample: 1e-4,
    power: 0.75,
    threads: availableParallelism(),
    seed: 1,
  };
}

/**
 * @example
 * const corpus = await encodeCorpus(['wiki.xml.bz2'], 'work');
 * const { words, vectors } = await trainWord2vec(corpus, { dim: 100 });
 */
export async function trainWord2vec(
  corpus: EncodedCorpus,
  options: Partial<Word2vecSettings> & TrainControl = {},
): Promise<WordVectors> {
  const settings = { ...word2vecDefaults(options.architecture), ...defined(options) };
  checkSettings(settings);
  const { dim, window, negatives, epochs, rate, threads, seed } = settings;
  const { words, counts } = corpus.vocabulary;
  const length = paddedLength(dim);
  const plan = new MemoryPlan();
  const modelBytes = words.length * length * 4;
  const input = plan.reserve(modelBytes);
  const output = plan.reserve(modelBytes);
  const keep = plan.reserve(words.length * 4);
  const sigmoid = plan.reserve(sigmoidCells * 8);
  const sampler = plan.reserve(words.length * 8);
  const pause = plan.reserve(4);
  const places = Array.from(
    { length: threads },
    (): ThreadPlace => ({
      chunk: plan.reserve(chunkTokens * 4),
      sentence: plan.reserve(chunkTokens * 4),
      scratch: plan.reserve((negatives + 1) * 8 + length * 8 + 64),
      totals: plan.reserve(16),
      done: plan.reserve(8),
    }),
  );
  const memory = plan.allocate(
    `two ${words.length}×${dim} matrices of word vectors`,
    'Fewer words (--min-count, --max-words) or a smaller --dim.',
  );
  fillKeepThresholds(new Uint32Array(memory.buffer, keep, words.length), counts, settings.subsample);
  fillSigmoidTable(new Float32Array(memory.buffer, sigmoid, sigmoidCells * 2));
  const drawn = counts.map((count) => count ** settings.power);
  fillAliasTable(new Uint32Array(memory.buffer, sampler, words.length * 2), drawn);

  const model = new Uint8Array(memory.buffer, input, output + modelBytes - input);
  const identity = JSON.stringify({ ...pick(settings), corpus: corpus.identity });
  const state = await continuedOrBegun({ memory, model, identity, seed, ...options }, (kernels, random) => {
    // Output vectors begin at zero, input vectors within ±1/dim: as in fastText, twice the original's range, which is
    // measurably better on small corpora.
    for (let word = 0; word < words.length; word++) kernels.drawUniform(input + word * length * 4, dim, 1 / dim);
    const seeds = places.map(() => [random.uint32(), random.uint32()] as const);
    return dividedAmong(threads, corpus.length, seeds);
  });
  const team = Team.start(memory, threads);
  try {
    await runTraining(
      {
        ...{ memory, team, identity, model, places, pause, epochs },
        total: corpus.length * epochs,
        unit: 'words',
        unitsPerItem: corpus.words / corpus.length,
        makeJob: (threadState, thread) => ({
          kind: 'word2vec',
          kernel: settings.architecture === 'cbow' ? 'continuousBag' : 'skipGram',
          tokensPath: corpus.tokensPath,
          state: threadState,
          place: places[thread],
          total: corpus.length * epochs,
          allDone: places.map((place) => place.done),
          model: [length, window, negatives, input, output, keep, sigmoid],
          sampler: [sampler, words.length],
          ...{ epochs, rate, pause },
        }),
      },
      state,
      options,
    );
  } finally {
    await team.stop();
  }
  const rows = new Matrix(new Float32Array(memory.buffer, input, words.length * length), words.length, dim, length);
  return { words, vectors: rows.copy('float32') };
}

function checkSettings(settings: Word2vecSettings): void {
  const { dim, window, negatives, epochs, threads, rate, subsample } = settings;
  for (const [name, value] of Object.entries({ dim, window, negatives, epochs, threads }))
    if (!Number.isInteger(value) || value < 1 || value > 100_000)
      throw new ArgumentError(`trainWord2vec: ${name} is ${value}, expected a whole number from 1 to 100000`);
  if (!(rate > 0 && rate < 10)) throw new ArgumentError(`trainWord2vec: rate is ${rate}, expected 0 < rate < 10`);
  if (!(subsample >= 0 && subsample <= 1))
    throw new ArgumentError(`trainWord2vec: subsample is ${subsample}, expected 0 to 1`);
}

/** The settings alone, without callbacks. */
function pick(settings: Word2vecSettings): Word2vecSettings {
  const { architecture, dim, window, negatives, epochs, rate, subsample, power, threads, seed } = settings;
  return { architecture, dim, window, negatives, epochs, rate, subsample, power, threads, seed };
}
