/**
 * Which kernel a backend uses: the one asked for, else the fastest of those timed once per process. All tiles of one
 * family sum in the same order and give the same bits, so noise in the timing cannot change a result; the family, which
 * can, follows from the engine alone.
 */
import { ArgumentError, BackendError } from '../../errors.js';
import { type Kernels, loadKernels } from './kernels.js';
import { type Family, isPaired, moduleOf, pairingWanted, wasmFeatures } from './modules.js';

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
    name = timeKernels(kernels.filter((kernel) => familyOf(kernel) === family));
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

const page = 65536;
const size = 96;
const depth = 256;
const trials = { packedA: 16 * page, packedB: 24 * page, c: 32 * page, tile: 40 * page };

/** The fastest of the candidates: each multiplies small packed blocks in turn, in several rounds, and its best counts. */
function timeKernels(candidates: string[]): string {
  const memory = new WebAssembly.Memory({ initial: 41, maximum: 41, shared: true });
  new Float64Array(memory.buffer, trials.packedA, (8 * page) / 8).fill(1);
  new Float64Array(memory.buffer, trials.packedB, (8 * page) / 8).fill(0.5);
  const rivals = candidates
    .filter((name) => !isPaired(name) || pairingWanted())
    .map((name) => ({ name, best: Number.POSITIVE_INFINITY, kernels: kernelsNamed(name, memory) }))
    .filter(({ kernels }) => computes(kernels, memory));
  // The engine replaces its quick first code by optimised code during the first rounds.
  for (let round = 0; round < 12; round++)
    for (const rival of rivals) rival.best = Math.min(rival.best, timeOnce(rival.kernels));
  if (rivals.length === 0)
    throw new BackendError(`the WebAssembly kernels ${candidates.join(', ')} compute wrong products on this engine`);
  return rivals.reduce((first, second) => (second.best < first.best ? second : first)).name;
}

function kernelsNamed(name: string, memory: WebAssembly.Memory): Kernels {
  const { module, tile } = kernelNamed(name);
  return loadKernels(module, memory, tile).float64;
}

function timeOnce(kernels: Kernels): number {
  const started = performance.now();
  product(kernels);
  return performance.now() - started;
}

function product({ block }: Kernels): void {
  block(size, size, depth, trials.packedA, trials.packedB, trials.c, size * 8, 1, 0, size, trials.tile);
}

/** Whether the product of ones and halves is right: experimental engine features are not taken on trust. */
function computes(kernels: Kernels, memory: WebAssembly.Memory): boolean {
  const c = new Float64Array(memory.buffer, trials.c, size * size).fill(0);
  for (let run = 0; run < 3; run++) product(kernels);
  return c.every((value) => value === depth / 2);
}
