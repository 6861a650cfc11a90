/** The WebAssembly backend: creation, and what this engine offers it. */
import { availableParallelism } from 'node:os';
import { ArgumentError } from '../../errors.js';
import type { Backend } from '../backend.js';
import { RowWorkbench } from '../rows/workbench.js';
import { WasmBackend } from './backend.js';
import { chooseKernel } from './choice.js';
import { loadKernels } from './kernels.js';
import { regions } from './layout.js';
import { SharedStorage } from './memory.js';
import { pairingWanted } from './modules.js';
import { Team } from './team.js';

export { type WasmFeatures, wasmFeatures } from './modules.js';

export interface WasmBackendOptions {
  /** @default the number of cores */
  threads?: number;
  /**
   * `simd` (multiply, then add), `fma` (fused), or one tile of `wasmFeatures().kernels`. Results differ in the last bits
   * between the two families, not between tiles.
   * @default BOWERBIRD_WASM_KERNEL, else the fastest, fused where the engine can
   */
  kernel?: string;
}

const mostThreads = 256;

/**
 * A backend that needs nothing but the JavaScript engine.
 *
 * @example
 * ```ts
 * const backend = await createWasmBackend({ threads: 2 });
 * const a = backend.matrix(300, 200);
 * const gram = backend.matrix(200, 200);
 * backend.syrk(gram, a, { transpose: true });
 * backend.dispose();
 * ```
 * @throws BackendError when the engine has no SIMD or the kernels are not built
 */
export async function createWasmBackend(options: WasmBackendOptions = {}): Promise<Backend> {
  const threads = options.threads ?? Math.min(availableParallelism(), mostThreads);
  if (!(Number.isSafeInteger(threads) && threads >= 1 && threads <= mostThreads))
    throw new ArgumentError(`createWasmBackend: threads is ${threads}; it must be from 1 to ${mostThreads}`);
  const { name, module, tile, family } = chooseKernel(options.kernel);
  const places = regions(threads);
  const storage = new SharedStorage(places.heap);
  const { memory } = storage;
  const kernels = loadKernels(module, memory, tile);
  const workbench = threads > 1 ? new RowWorkbench() : undefined;
  const team = await Team.start(
    { module, memory, tile, rows: workbench?.start },
    { ...kernels, rows: workbench },
    threads,
  );
  if (workbench)
    workbench.crew = {
      threads,
      make: (count) => team.run('rowCalls', count, true, []),
      makePieces: (count) => team.run('rowPieces', count, true, []),
    };
  const arithmetic = `${family === 'fma' ? 'relaxed SIMD with fused multiply-add' : 'SIMD'}${pairingWanted() ? ' in pairs' : ''}`;
  const description = `WebAssembly, ${arithmetic}, tile ${name}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
  return new WasmBackend({ storage, kernels, team, regions: places }, description, workbench);
}
