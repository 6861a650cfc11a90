/** The factorizations of the WebAssembly backend: Cholesky with its solves, and the symmetric eigenproblem. */
import { createCholesky } from './factor-cholesky.js';
import type { CreateFactor } from './factor-contract.js';
import { eigh } from './factor-eigh.js';
import { instantiateKernels } from './factor-kernels.js';

export const createFactor: CreateFactor = (context) => {
  const kernels = instantiateKernels(context.memory);
  return {
    ...createCholesky(context, kernels),
    eigh: (dtype, n, aPointer, lda, valuesPointer) => eigh(context, kernels, dtype, n, aPointer, lda, valuesPointer),
  };
};
