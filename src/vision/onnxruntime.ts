/**
 * The engine that runs networks: onnxruntime's native build where it is installed and loads, else its WebAssembly build, which
 * comes with this package. The native one is an optional dependency: its install script downloads from outside the npm
 * registry, and npm leaves it out where that fails. BOWERBIRD_ONNXRUNTIME (`native` or `wasm`) decides otherwise.
 */
import './no-telemetry.js';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as Runtime from 'onnxruntime-common';
import { artefact } from '../artefact.js';
import { BackendError } from '../errors.js';

export interface RuntimeChoice {
  readonly kind: 'native' | 'wasm';
  readonly version: string;
  /** Why the native build is not used; nothing where it is, or where the other one was asked for. */
  readonly problem?: string;
}

// Loaded as CommonJS, which both are: waiting for an import here would keep CommonJS programs from loading this package.
const require = createRequire(import.meta.url);

/** Installing without scripts skips the download, which only CUDA needs. */
const remedy = '"npm install onnxruntime-node@1.30.0 --ignore-scripts"';

const { module: engine, choice } = load(process.env.BOWERBIRD_ONNXRUNTIME);

export const runtime: RuntimeChoice = choice;
export const { InferenceSession, Tensor, env } = engine;
export type InferenceSession = Runtime.InferenceSession;
export type Tensor = Runtime.Tensor;

// More threads than one are asked for by the session that wants them; the WebAssembly build would take half of the processors.
if (runtime.kind === 'wasm') env.wasm.numThreads = 1;

/*
 * Where JavaScript has a Float16Array (Node 24), onnxruntime-common hands tensors of half precision to the native part as
 * one, which takes it for empty (microsoft/onnxruntime#32323). It decides so when the first tensor is made; this is it.
 */
const half = Object.getOwnPropertyDescriptor(globalThis, 'Float16Array');
if (half) {
  Reflect.deleteProperty(globalThis, 'Float16Array');
  new Tensor('uint8', new Uint8Array(1), [1]);
  Object.defineProperty(globalThis, 'Float16Array', half);
}

/** One line for people who get the slow engine without having asked for it; nothing otherwise. */
export function runtimeNote(): string | undefined {
  if (runtime.problem === undefined) return undefined;
  return `networks run in WebAssembly, several times slower than natively (${runtime.problem}); ${remedy} gets the native onnxruntime`;
}

/** How a session runs on a device with so many threads, on the engine that is there. */
export function sessionOptions(device: 'cpu' | 'cuda', threads: number): Runtime.InferenceSession.SessionOptions {
  if (device === 'cuda' && runtime.kind === 'wasm')
    throw new BackendError(
      `device cuda needs the native onnxruntime${runtime.problem ? ` (${runtime.problem})` : ''}`,
      `Get it with ${remedy}, or use --device cpu.`,
    );
  if (runtime.kind === 'wasm') env.wasm.numThreads = threads;
  return { executionProviders: [device], intraOpNumThreads: threads, interOpNumThreads: 1 };
}

function load(wish: string | undefined): { module: typeof Runtime; choice: RuntimeChoice } {
  if (wish && wish !== 'native' && wish !== 'wasm')
    throw new BackendError(`BOWERBIRD_ONNXRUNTIME is "${wish}"`, 'It may be native or wasm.');
  if (wish === 'wasm') return loadWasm();
  try {
    const module = require('onnxruntime-node') as typeof Runtime;
    return { module, choice: { kind: 'native', version: module.env.versions.node ?? module.env.versions.common } };
  } catch (error) {
    const problem = reason(error as NodeJS.ErrnoException);
    if (wish === 'native')
      throw new BackendError(`the native onnxruntime cannot be used: ${problem}`, `Get it with ${remedy}.`, error);
    return loadWasm(problem);
  }
}

function loadWasm(problem?: string): { module: typeof Runtime; choice: RuntimeChoice } {
  const module = require(fileURLToPath(artefact('vision/onnxruntime-web/ort.node.min.cjs'))) as typeof Runtime;
  return { module, choice: { kind: 'wasm', version: module.env.versions.web ?? module.env.versions.common, problem } };
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  if (missing && message.includes('onnxruntime_binding'))
    return `onnxruntime-node has no build for ${process.platform} ${process.arch}`;
  if (missing) return 'onnxruntime-node is not installed';
  return `onnxruntime-node does not load: ${message.split('\n')[0]}`;
}
