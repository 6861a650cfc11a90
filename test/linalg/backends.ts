/** Every backend this machine has; the backend tests run once for each. */
import { availableParallelism } from 'node:os';
import type { Backend } from '../../src/linalg/backend.js';
import { createCudaBackend } from '../../src/linalg/cuda/index.js';
import { createNativeBackend, findLibrary } from '../../src/linalg/native/index.js';
import { createWasmBackend, wasmFeatures } from '../../src/linalg/wasm/index.js';
import { gpu } from './gpu.js';

export interface Present {
  name: string;
  /** As many threads as the tests ask for, or 1 where the backend cannot have more. */
  mostThreads: number;
  create(threads?: number): Promise<Backend>;
}

export const nativeLibrary = (await findLibrary()).library;

/** More threads than one even where there is one core: the answers must be the same. */
const manyThreads = Math.max(2, Math.min(4, availableParallelism()));

const native: Present[] = nativeLibrary
  ? [
      {
        name: 'native',
        mostThreads: nativeLibrary.reentrant ? manyThreads : 1,
        create: (threads = 1) => createNativeBackend({ threads }),
      },
    ]
  : [];

const cuda: Present[] = gpu ? [{ name: 'cuda', mostThreads: 1, create: () => createCudaBackend() }] : [];

function wasm(kernel: string): Present {
  return {
    name: `wasm ${kernel}`,
    mostThreads: manyThreads,
    create: (threads = 1) => createWasmBackend({ threads, kernel }),
  };
}

const { kernels } = wasmFeatures();
/** Kernels of one family differ only in the tile of their products: `fma-6x2` and `fma-4x2` are of family `fma`. */
const families = [...new Set(kernels.map((kernel) => kernel.split('-')[0]))];

export const backends: Present[] = [...native, ...cuda, ...families.map(wasm)];

/** Every kernel there is, also those that the timing at start-up does not choose. */
export const everyKernel: Present[] = [...native, ...cuda, ...kernels.map(wasm)];
