/** Tries again what may succeed later, waiting longer each time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FetchFailure } from './failure.js';

export interface RetryOptions {
  attempts: number;
  /** Seconds before the second try. */
  firstBackoff: number;
  signal?: AbortSignal;
}

const longestBackoff = 60;

/** @param onFailure told of every failed try, final or not */
export async function withRetries<T>(
  work: () => Promise<T>,
  options: RetryOptions,
  onFailure?: (failure: FetchFailure) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error;
      onFailure?.(error);
      if (error.final || attempt >= options.attempts) throw error;
      // A throttled host group is already held back by the limiter, for as long as the host asked.
      if (error.kind !== 'throttled')
        await sleep(backoff(attempt, options.firstBackoff), undefined, { signal: options.signal });
    }
  }
}

/** Half of the doubled delay is random, so that requests that failed together do not return together. */
function backoff(attempt: number, first: number): number {
  return 1000 * Math.min(longestBackoff, first * 2 ** (attempt - 1)) * (0.5 + 0.5 * Math.random());
}
