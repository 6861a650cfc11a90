/**
 * GloVe (Pennington, Socher and Manning 2014): main and context vectors fitted to the logarithms of co-occurrence counts
 * by AdaGrad without locks. The vector of a word is the sum of its two, as the authors recommend. One thread repeats
 * to the bit; several do not.
 */
import { availableParallelism } from 'node:os';
import { ArgumentError } from '../../errors.js';
import type { WordVectors } from '../../formats/index.js';
import { Matrix } from '../../linalg/index.js';
import type { CooccurrenceRecords } from './cooccurrence.js';
import type { EncodedCorpus } from './encode.js';
import { chunkRecords, type ThreadPlace } from './jobs.js';
import { MemoryPlan, paddedLength } from './kernels.js';
import { continuedOrBegun, defined, dividedAmong, runTraining, type TrainControl } from './schedule.js';
import { Team } from './team.js';

export interface GloveSettings {
  /** Length of the vectors. */
  dim: number;
  epochs: number;
  /** Learning rate of AdaGrad. */
  rate: number;
  threads: number;
  seed: number;
}

export function gloveDefaults(): GloveSettings {
  return { dim: 400, epochs: 25, rate: 0.05, threads: availableParallelism(), seed: 1 };
}

/** Window, weighting and so on are settings of the records: see `countCooccurrences`. */
export async function trainGlove(
  corpus: EncodedCorpus,
  records: CooccurrenceRecords,
  options: Partial<GloveSettings> & TrainControl = {},
): Promise<WordVectors> {
  const settings = { ...gloveDefaults(), ...defined(options) };
  const { dim, epochs, rate, threads, seed } = settings;
  for (const [name, value] of Object.entries({ dim, epochs, threads }))
    if (!Number.isInteger(value) || value < 1 || value > 100_000)
      throw new ArgumentError(`trainGlove: ${name} is ${value}, expected a whole number from 1 to 100000`);
  if (!(rate > 0 && rate < 10)) throw new ArgumentError(`trainGlove: rate is ${rate}, expected 0 < rate < 10`);
  if (records.count === 0)
    throw new ArgumentError('trainGlove: no two words of the corpus occur together', 'Use a larger corpus.');
  const { words } = corpus.vocabulary;
  const length = paddedLength(dim);
  const plan = new MemoryPlan();
  const matrixFloats = words.length * length;
  const matrices = plan.reserve(matrixFloats * 16);
  const biases = plan.reserve(words.length * 16);
  const end = plan.reserve(0);
  const pause = plan.reserve(4);
  const places = Array.from({ length: threads }, (): ThreadPlace => {
    const chunk = plan.reserve(chunkRecords * 16);
    return { chunk, sentence: 0, scratch: 0, totals: plan.reserve(16), done: plan.reserve(8) };
  });
  const memory = plan.allocate(
    `four ${words.length}×${dim} matrices of word vectors and gradient sums`,
    'Fewer words (--min-count, --max-words) or a smaller --dim.',
  );
  const model = new Uint8Array(memory.buffer, matrices, end - matrices);
  const identity = JSON.stringify({ dim, epochs, rate, threads, seed, corpus: corpus.identity, count: records.count });
  const state = await continuedOrBegun({ memory, model, identity, seed, ...options }, (kernels) => {
    for (let row = 0; row < 2 * words.length; row++) kernels.drawUniform(matrices + row * length * 4, dim, 0.5 / dim);
    kernels.drawUniform(biases, 2 * words.length, 0.5 / dim);
    // AdaGrad's sums of squares begin at 1.
    new Float32Array(memory.buffer, matrices + matrixFloats * 8, 2 * matrixFloats).fill(1);
    new Float32Array(memory.buffer, biases + words.length * 8, 2 * words.length).fill(1);
    const seeds = places.map(() => [0, 0] as const);
    return dividedAmong(threads, records.count, seeds);
  });
  const team = Team.start(memory, threads);
  try {
    await runTraining(
      {
        ...{ memory, team, identity, model, places, pause, epochs },
        total: records.count * epochs,
        unit: 'pairs',
        unitsPerItem: 1,
        makeJob: (threadState, thread) => ({
          kind: 'glove',
          recordsPath: records.path,
          state: threadState,
          place: places[thread],
          model: [length, words.length, matrices, biases],
          ...{ epochs, rate, pause },
        }),
      },
      state,
      options,
    );
  } finally {
    await team.stop();
  }
  const vectors = Matrix.zeros(words.length, dim, 'float32');
  const mains = new Float32Array(memory.buffer, matrices, matrixFloats);
  const contexts = new Float32Array(memory.buffer, matrices + matrixFloats * 4, matrixFloats);
  for (let word = 0; word < words.length; word++) {
    const row = vectors.row(word);
    for (let k = 0; k < dim; k++) row[k] = mains[word * length + k] + contexts[word * length + k];
  }
  return { words, vectors };
}
