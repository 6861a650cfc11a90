/**
 * onnxruntime in this browser: WebGPU where it is there, else WebAssembly, with threads where the page is isolated from others
 * (two headers of the host, or of the service worker from the second visit on), else with one.
 */
import type * as Runtime from 'onnxruntime-common';
import { largeFile } from './large-files.js';
import type { EngineChoice } from './messages.js';
import type { Site } from './site.js';

export interface Engine extends EngineChoice {
  runtime: typeof Runtime;
  session: Runtime.InferenceSession;
  /** Whether everything large is kept for use without a network. */
  kept: boolean;
}

interface Progress {
  done: number;
  total: number;
}

/** @param wish what the address asks for (`?engine=wasm`), to compare the two */
async function choose(wish: string | undefined): Promise<EngineChoice> {
  const { gpu, hardwareConcurrency } = navigator as Partial<Navigator>;
  // That build waits for the GPU by suspending WebAssembly, which not all browsers that have WebGPU can.
  const able = 'Suspending' in WebAssembly && wish !== 'wasm';
  const adapter = able ? await gpu?.requestAdapter().catch(() => null) : null;
  // A GPU that the processor only plays is slower than the processor itself.
  const played = adapter?.info.isFallbackAdapter;
  if (adapter && (!played || wish === 'webgpu')) return { kind: 'webgpu', threads: 1 };
  return { kind: 'wasm', threads: globalThis.crossOriginIsolated ? Math.min(4, hardwareConcurrency || 1) : 1 };
}

export async function startEngine(
  base: string,
  site: Site,
  wish: string | undefined,
  onProgress: (progress: Progress) => void,
): Promise<Engine> {
  const choice = await choose(wish);
  try {
    return await start(choice, base, site, onProgress);
  } catch (error) {
    if (choice.kind === 'wasm') throw error;
    // A driver that cannot run the network after all.
    return start({ kind: 'wasm', threads: 1 }, base, site, onProgress);
  }
}

async function start(
  choice: EngineChoice,
  base: string,
  site: Site,
  onProgress: (progress: Progress) => void,
): Promise<Engine> {
  const { script, glue, binary } = site.engine[choice.kind];
  const total = binary.bytes + site.model.bytes;
  const done = { engine: 0, model: 0 };
  const report = (part: keyof typeof done) => (bytes: number) => {
    done[part] = bytes;
    onProgress({ done: done.engine + done.model, total });
  };
  const address = (path: string) => new URL(path, base).href;
  const [engine, model, runtime] = await Promise.all([
    largeFile(base, binary, report('engine')),
    largeFile(base, site.model, report('model')),
    import(/* @vite-ignore */ address(script)) as Promise<typeof Runtime>,
  ]);
  runtime.env.logLevel = 'error';
  Object.assign(runtime.env.wasm, {
    wasmBinary: engine.bytes.buffer,
    wasmPaths: { mjs: address(glue) },
    numThreads: choice.threads,
  });
  const session = await runtime.InferenceSession.create(model.bytes, {
    executionProviders: choice.kind === 'webgpu' ? ['webgpu', 'wasm'] : ['wasm'],
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  return { ...choice, runtime, session, kept: engine.kept && model.kept };
}
