/** The training loops of one thread: read a chunk from disk into the shared memory, let the kernel work, go on. */
import { ChunkFile } from './chunk-file.js';
import { chunkRecords, chunkTokens, type GloveJob, type TrainResult, type Word2vecJob } from './jobs.js';
import type { Kernels } from './kernels.js';

/** The learning rate falls linearly to this fraction of its first value, as in the original program. */
const leastRate = 1e-4;

export function trainWord2vec(kernels: Kernels, memory: WebAssembly.Memory, job: Word2vecJob): TrainResult {
  const { place, state } = job;
  const tokens = new Int32Array(memory.buffer, place.chunk, chunkTokens);
  const done = job.allDone.map((at) => new Float64Array(memory.buffer, at, 1));
  const own = new Float64Array(memory.buffer, place.done, 1);
  const [length, window, negatives, input, output, keep, sigmoid] = job.model;
  const { sentence, scratch, totals } = place;
  kernels.configureSampler(...job.sampler);
  kernels.configureWord2vec(length, window, negatives, input, output, keep, sigmoid, sentence, scratch, totals);
  kernels.setSeed(...state.seed);
  const file = new ChunkFile(job.tokensPath, 4, new Uint8Array(memory.buffer, place.chunk, chunkTokens * 4));
  const end = eachChunk(job, memory, file, (position, to) => {
    const count = wholeParagraphs(tokens, file.read(position, to));
    const worked = done.reduce((sum, one) => sum + one[0], 0);
    kernels[job.kernel](place.chunk, count, job.rate * Math.max(leastRate, 1 - worked / job.total));
    own[0] += count;
    return count;
  });
  return { ...end, state: { ...end.state, seed: [kernels.seedHigh() >>> 0, kernels.seedLow() >>> 0] } };
}

export function trainGlove(kernels: Kernels, memory: WebAssembly.Memory, job: GloveJob): TrainResult {
  const { place } = job;
  const own = new Float64Array(memory.buffer, place.done, 1);
  const [length, words, matrices, biases] = job.model;
  kernels.configureGlove(length, words, matrices, biases, place.totals);
  const file = new ChunkFile(job.recordsPath, 16, new Uint8Array(memory.buffer, place.chunk, chunkRecords * 16));
  return eachChunk(job, memory, file, (position, to) => {
    const count = file.read(position, to);
    kernels.trainRecords(place.chunk, count, job.rate);
    own[0] += count;
    return count;
  });
}

/** Works through the thread's part, epoch after epoch, until it is finished or a pause is asked for. */
function eachChunk(
  job: Word2vecJob | GloveJob,
  memory: WebAssembly.Memory,
  file: ChunkFile,
  work: (position: number, to: number) => number,
): TrainResult {
  const pause = new Int32Array(memory.buffer, job.pause, 1);
  const { from, to } = job.state;
  let { position, epoch } = job.state;
  let finished = true;
  try {
    while (epoch < job.epochs && from < to) {
      if (Atomics.load(pause, 0) !== 0) {
        finished = false;
        break;
      }
      position += work(position, to);
      if (position >= to) {
        position = from;
        epoch++;
      }
    }
  } finally {
    file.close();
  }
  return { state: { ...job.state, position, epoch }, finished };
}

/** How many of the tokens read end with a whole paragraph; all of them where a single one is longer. */
function wholeParagraphs(tokens: Int32Array, count: number): number {
  if (count < tokens.length) return count;
  const end = tokens.lastIndexOf(-1, count - 1);
  return end < 0 ? count : end + 1;
}
