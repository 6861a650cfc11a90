/**
 * The compiled kernel modules that this engine can run: plain SIMD everywhere, relaxed SIMD (fused multiply-add) where
 * the engine has it or can be asked for it.
 */
import { readFileSync } from 'node:fs';
import v8 from 'node:v8';
import { artefact } from '../../artefact.js';
import { BackendError } from '../../errors.js';

/** `simd` multiplies, then adds; `fma` rounds once. */
export type Family = 'simd' | 'fma';

export interface WasmFeatures {
  readonly simd: boolean;
  readonly relaxedSimd: boolean;
  /** Names accepted by the option `kernel`, besides the families `simd` and `fma`. */
  readonly kernels: string[];
}

/** Tiles too large for 128-bit registers: fast only where the engine pairs vectors, which is still an experiment. */
const pairedTiles = new Set(['fma-6x4']);

const compiled = new Map<Family, WebAssembly.Module | undefined>();

/** What this engine can run. */
export function wasmFeatures(): WasmFeatures {
  const simd = moduleOf('simd');
  const fma = moduleOf('fma');
  return {
    simd: simd !== undefined,
    relaxedSimd: fma !== undefined,
    kernels: [...tileNames('fma', fma), ...tileNames('simd', simd)],
  };
}

/** The module of a family, undefined where the engine refuses it. */
export function moduleOf(family: Family): WebAssembly.Module | undefined {
  if (!compiled.has(family)) compiled.set(family, family === 'fma' ? compileRelaxed() : compile('simd'));
  return compiled.get(family);
}

export function isPaired(kernel: string): boolean {
  return pairedTiles.has(kernel);
}

/** Whether 256-bit pairing was asked for, through BOWERBIRD_WASM_REVECTORIZE=1. */
export function pairingWanted(): boolean {
  return process.env.BOWERBIRD_WASM_REVECTORIZE === '1';
}

function compileRelaxed(): WebAssembly.Module | undefined {
  if (pairingWanted()) v8.setFlagsFromString('--experimental-wasm-revectorize');
  const module = compile('fma');
  if (module) return module;
  // V8 before 11.4 has relaxed SIMD behind a flag, which counts for modules compiled after it is set.
  try {
    v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  } catch {
    return undefined;
  }
  return compile('fma');
}

function compile(family: Family): WebAssembly.Module | undefined {
  const bytes = read(family);
  if (!WebAssembly.validate(bytes)) return undefined;
  return new WebAssembly.Module(bytes);
}

function read(family: Family): Uint8Array<ArrayBuffer> {
  const url = artefact(`assembly/dense-${family}.wasm`);
  try {
    return new Uint8Array(readFileSync(url));
  } catch (cause) {
    throw new BackendError(`the WebAssembly kernels are missing: ${url.pathname}`, 'Run npm run build.', cause);
  }
}

function tileNames(family: Family, module: WebAssembly.Module | undefined): string[] {
  if (!module) return [];
  return WebAssembly.Module.exports(module)
    .map(({ name }) => /^tile_f64_(\d+x\d+)$/.exec(name))
    .filter((match) => match !== null)
    .map((match) => `${family}-${match[1]}`);
}
