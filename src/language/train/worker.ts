/** A training thread: loads the kernels over the shared memory and does the jobs it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import { BowerbirdError } from '../../errors.js';
import type { Job } from './jobs.js';
import { instantiateKernels, type Kernels } from './kernels.js';
import type { WorkerAnswer } from './team.js';
import { countPairs, mergePartition, shuffleBucket } from './work-cooccurrence.js';
import { trainGlove, trainWord2vec } from './work-train.js';

const { memory } = workerData as { memory: WebAssembly.Memory };
let kernels: Kernels | undefined;

function work(job: Job): unknown {
  kernels ??= instantiateKernels(memory);
  switch (job.kind) {
    case 'word2vec':
      return trainWord2vec(kernels, memory, job);
    case 'glove':
      return trainGlove(kernels, memory, job);
    case 'count':
      return countPairs(kernels, memory, job);
    case 'merge':
      return mergePartition(kernels, memory, job);
    case 'shuffle':
      return shuffleBucket(job);
  }
}

parentPort?.on('message', (job: Job) => {
  let answer: WorkerAnswer;
  try {
    answer = { result: work(job) };
  } catch (cause) {
    const error = cause as BowerbirdError;
    const ours = error instanceof BowerbirdError;
    answer = {
      error: {
        message: error.message,
        code: ours ? error.code : undefined,
        hint: ours ? error.hint : undefined,
        stack: error.stack,
      },
    };
  }
  parentPort?.postMessage(answer);
});
