/**
 * The compiled kernels of assembly/factor, instantiated over the memory of one backend. Pointers and leading dimensions
 * whose name ends in Bytes count bytes; everything else counts elements.
 */
import { readFileSync } from 'node:fs';
import { artefact } from '../../artefact.js';
import { BackendError } from '../../errors.js';

type BlockCholesky = (n: number, a: number, ldaBytes: number) => number;
type BlockSolve = (
  n: number,
  l: number,
  ldlBytes: number,
  b: number,
  depthBytes: number,
  laneBytes: number,
  rhs: number,
  backward: boolean,
  strip: number,
) => void;
type LargestMagnitude = (n: number, a: number, ldaBytes: number) => number;
type ImportLower = (
  n: number,
  source: number,
  sourceBytes: number,
  target: number,
  targetBytes: number,
  scale: number,
) => void;
type ExportRow = (n: number, source: number, target: number) => void;

export interface FactorKernels {
  choleskyBlock64: BlockCholesky;
  choleskyBlock32: BlockCholesky;
  solveBlock64: BlockSolve;
  solveBlock32: BlockSolve;
  largestMagnitude64: LargestMagnitude;
  largestMagnitude32: LargestMagnitude;
  importLower64: ImportLower;
  importLower32: ImportLower;
  exportRow64: ExportRow;
  exportRow32: ExportRow;
  gatherRows(
    n: number,
    count: number,
    target: number,
    targetBytes: number,
    source: number,
    sourceBytes: number,
    indices: number,
  ): void;
  rotateRows(n: number, x: number, y: number, c: number, s: number): void;
  tridiagonalPanel(
    n: number,
    order: number,
    count: number,
    a: number,
    ldaBytes: number,
    panel: number,
    panelBytes: number,
    diagonal: number,
    offDiagonal: number,
    tau: number,
    coefficients: number,
  ): void;
  reflectorFactor(count: number, gram: number, tau: number, factor: number): void;
  implicitQl(n: number, d: number, e: number, z: number, ldzBytes: number): number;
  secularRoots(
    k: number,
    rho: number,
    d: number,
    z: number,
    values: number,
    s: number,
    sBytes: number,
    scratch: number,
  ): void;
  secularVectors(k: number, d: number, z: number, s: number, sBytes: number, columns: number, scratch: number): void;
}

let compiled: WebAssembly.Module | undefined;

export function instantiateKernels(memory: WebAssembly.Memory): FactorKernels {
  compiled ??= compile();
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return exports as unknown as FactorKernels;
}

function compile(): WebAssembly.Module {
  const url = artefact('assembly/factor.wasm');
  try {
    return new WebAssembly.Module(new Uint8Array(readFileSync(url)));
  } catch (cause) {
    throw new BackendError(`the WebAssembly kernels cannot be loaded: ${url.pathname}`, 'Run npm run build.', cause);
  }
}
