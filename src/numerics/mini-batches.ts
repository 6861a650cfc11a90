/**
 * The order of stochastic gradient descent: every epoch visits all instances once in a shuffled order of its own, in
 * batches, while the step falls linearly from one to zero.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Random } from '../linalg/index.js';
import type { Progress } from '../progress.js';

export interface MiniBatch {
  /** Instances of this batch. */
  readonly rows: Int32Array;
  /** Counts from 0. */
  readonly epoch: number;
  /** What the learning rate is multiplied by, 1 at the first batch, falling towards 0. */
  readonly step: number;
  /** Whether an epoch ends with this batch. */
  readonly last: boolean;
}

export interface MiniBatchOptions {
  epochs: number;
  /** @default 64, or a hundredth of the instances where there are few, so that an epoch makes some progress */
  size?: number;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export async function* miniBatches(
  count: number,
  random: Random,
  { epochs, size = usualBatchSize(count), signal, onProgress }: MiniBatchOptions,
): AsyncGenerator<MiniBatch> {
  const perEpoch = Math.ceil(count / size);
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = random.permutation(count);
    for (let batch = 0; batch < perEpoch; batch++) {
      signal?.throwIfAborted();
      yield {
        rows: order.subarray(batch * size, Math.min(count, (batch + 1) * size)),
        epoch,
        step: 1 - (epoch * perEpoch + batch) / (epochs * perEpoch),
        last: batch === perEpoch - 1,
      };
      if (batch % 16 === 15) await yieldToEventLoop();
    }
    onProgress?.({ done: epoch + 1, total: epochs, unit: 'epochs' });
    await yieldToEventLoop();
  }
}

export function usualBatchSize(count: number): number {
  return Math.max(1, Math.min(64, Math.floor(count / 100)));
}
