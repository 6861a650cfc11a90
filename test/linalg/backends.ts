/** Every backend this machine has; the backend tests run once for each. */
import { availableParallelism } from 'node:os';
import type { Backend } from '../../src/linalg/backend.js';
import { createNativeBackend, findLibrary } from '../../src/linalg/native/index.js';

export interface Present {
  name: string;
  create(threads?: number): Promise<Backend>;
}

export const nativeLibrary = (await findLibrary()).library;

const native: Present[] = nativeLibrary
  ? [{ name: 'native', create: (threads = 1) => createNativeBackend({ threads }) }]
  : [];

export const backends: Present[] = [...native];

/** More threads than one even where there is one core: the answers must be the same. */
export const manyThreads = Math.max(2, Math.min(4, availableParallelism()));
