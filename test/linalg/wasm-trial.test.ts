import { describe, expect, it } from 'vitest';
import { chooseKernel } from '../../src/linalg/wasm/choice.js';
import { type KernelSet, type Kernels, loadKernels } from '../../src/linalg/wasm/kernels.js';
import { wasmFeatures } from '../../src/linalg/wasm/modules.js';
import { computesRight, trialMemory } from '../../src/linalg/wasm/trial.js';

describe('the trial of a kernel', () => {
  const memory = trialMemory();
  const load = (name: string): KernelSet => {
    const { module, tile } = chooseKernel(name);
    return loadKernels(module, memory, tile);
  };

  it.each(wasmFeatures().kernels)('accepts %s', (name) => {
    expect(computesRight(memory, load(name))).toBe(true);
  });

  it('notices one wrong number in any kernel that it tries, in either precision', () => {
    const right = load('simd');
    const spoil = (kernels: Kernels, operation: 'block' | 'timesVector' | 'rowDots' | 'addRows'): Kernels => {
      const compute = kernels[operation] as (...args: number[]) => void;
      // The output pointer's place in each argument list.
      const output = { block: 5, timesVector: 7, rowDots: 6, addRows: 5 }[operation];
      const wrong = (...args: number[]) => {
        compute(...args);
        new Uint8Array(memory.buffer)[args[output] + 3 * kernels.bytes - 1] ^= 4;
      };
      return { ...kernels, [operation]: wrong };
    };
    for (const operation of ['block', 'timesVector', 'rowDots', 'addRows'] as const) {
      expect(computesRight(memory, { ...right, float64: spoil(right.float64, operation) }), operation).toBe(false);
      expect(computesRight(memory, { ...right, float32: spoil(right.float32, operation) }), operation).toBe(false);
    }
  });
});
