/** What a thread of the pool and its owner say to each other. */
import type { Progress } from '../progress.js';
import type { JobFailure } from './executor.js';

export interface ThreadStart {
  /** Address of the handler's module. */
  handler: string;
  context: unknown;
}

export type ToThread = { kind: 'job'; job: unknown } | { kind: 'abort' } | { kind: 'close' };

export type FromThread =
  | { kind: 'ready' }
  | { kind: 'unusable'; failure: JobFailure }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'result'; result: unknown }
  | { kind: 'failure'; failure: JobFailure };
