/**
 * Which kernel a backend uses: the one asked for, else the fastest of those timed once per process. All tiles of one
 * family sum in the same order and give the same bits, so noise in the timing cannot change a result; the family, which
 * can, follows from the engine alone.
 */
import { ArgumentError, BackendError } from '../../errors.js';
import { loadKernels } from './kernels.js';
import { type Family, isPaired, moduleOf, pairingWanted, wasmFeatures } from './modules.js';
import { computesRight, timeProduct, trialMemory } from './trial.js';

export interface Kernel {
  /** Such as `fma-6x2`: family, rows and vectors of the tile. */
  readonly name: string;
  readonly family: Family;
  readonly tile: string;
  readonly module: WebAssembly.Module;
}

const fastest = new Map<Family, string>();

/** @param asked a kernel's name, or a family; by default BOWERBIRD_WASM_KERNEL, then fused multiply-add if there is any */
export function chooseKernel(asked: string | undefined): Kernel {
  const { simd, kernels } = wasmFeatures();
  if (!simd)
    throw new BackendError(
      'this JavaScript engine has no WebAssembly SIMD',
      'Use Node 20.19 or newer on a 64-bit machine, or the native backend.',
    );
  const variable = process.env.BOWERBIRD_WASM_KERNEL;
  const wanted = asked ?? (variable ? variable : undefined);
  if (wanted !== undefined && kernels.includes(wanted)) return kernelNamed(wanted);
  const families = [...new Set(kernels.map(familyOf))];
  const family = wanted === undefined ? families[0] : families.find((name) => name === wanted);
  if (family === undefined) {
    const origin = asked === undefined ? 'BOWERBIRD_WASM_KERNEL' : 'kernel';
    throw new ArgumentError(
      `${origin} is "${wanted}"; this engine has ${[...families, ...kernels].join(', ')}`,
      'Leave it out to use the fastest.',
    );
  }
  let name = fastest.get(family);
  if (name === undefined) {
    name = fastestOf(kernels.filter((kernel) => familyOf(kernel) === family));
    fastest.set(family, name);
  }
  return kernelNamed(name);
}

function kernelNamed(name: string): Kernel {
  const family = familyOf(name);
  return { name, family, tile: name.slice(family.length + 1), module: moduleOf(family)! };
}

function familyOf(kernel: string): Family {
  return kernel.startsWith('fma-') ? 'fma' : 'simd';
}

/** The fastest of the candidates that compute right: each has several turns, and its best one counts. */
function fastestOf(candidates: string[]): string {
  const memory = trialMemory();
  const rivals = candidates
    .filter((name) => !isPaired(name) || pairingWanted())
    .map((name) => {
      const { module, tile } = kernelNamed(name);
      return { name, kernels: loadKernels(module, memory, tile), best: Number.POSITIVE_INFINITY };
    });
  // The engine replaces its quick first code by optimized code during the first turns.
  for (let turn = 0; turn < 12; turn++)
    for (const rival of rivals) rival.best = Math.min(rival.best, timeProduct(rival.kernels.float64));
  rivals.sort((first, second) => first.best - second.best);
  // An experiment of the engine is not taken on trust, also not in code that it optimizes later.
  const checks = pairingWanted() ? 50 : 1;
  const right = rivals.find(({ kernels }) => {
    for (let check = 0; check < checks; check++) if (!computesRight(memory, kernels)) return false;
    return true;
  });
  if (!right) throw new BackendError(`the WebAssembly kernels ${candidates.join(', ')} compute wrongly on this engine`);
  return right.name;
}
