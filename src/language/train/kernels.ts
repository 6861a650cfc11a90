/** The compiled kernels of assembly/words and the shared memory they work in. */
import { readFileSync } from 'node:fs';
import { artefact } from '../../artefact.js';
import { BackendError, MemoryError } from '../../errors.js';

/** What assembly/words/index.ts exports; pointers are byte addresses in the memory. */
export interface Kernels {
  setSeed(high: number, low: number): void;
  seedHigh(): number;
  seedLow(): number;
  drawUniform(out: number, count: number, scale: number): void;
  configureSampler(table: number, count: number): void;
  drawWord(): number;
  configureWord2vec(
    paddedLength: number,
    window: number,
    negatives: number,
    input: number,
    output: number,
    keep: number,
    sigmoid: number,
    sentence: number,
    scratch: number,
    totals: number,
  ): void;
  skipGram(tokens: number, count: number, rate: number): void;
  continuousBag(tokens: number, count: number, rate: number): void;
  updateOutputs(inputWord: number, words: number, count: number, rate: number): number;
  configureGlove(paddedLength: number, words: number, matrices: number, biases: number, totals: number): void;
  trainRecords(records: number, count: number, rate: number): void;
  configureTable(at: number, slotBits: number): void;
  clearTable(): void;
  tableUsed(): number;
  countPairs(tokens: number, from: number, to: number, window: number): number;
  mergeRecords(records: number, count: number, partitionBits: number, part: number, parts: number): number;
  partitionTable(out: number, starts: number, partitionBits: number): void;
}

const largestMemory = 2 ** 32;
const pageBytes = 65_536;

export function instantiateKernels(memory: WebAssembly.Memory): Kernels {
  const url = artefact('assembly/words.wasm');
  try {
    const module = new WebAssembly.Module(new Uint8Array(readFileSync(url)));
    return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels;
  } catch (cause) {
    throw new BackendError(`the WebAssembly kernels cannot be loaded: ${url.pathname}`, 'Run npm run build.', cause);
  }
}

/** Rows are padded with zeros to a multiple of this many floats, so that kernels need no remainder loops. */
export function paddedLength(length: number): number {
  return Math.ceil(length / 8) * 8;
}

/** Addresses handed out one after another; the memory is made once all sizes are known. */
export class MemoryPlan {
  /** The first page holds the kernels' own static data. */
  private end = pageBytes;

  /** The address of `bytes` bytes, aligned to a cache line. */
  reserve(bytes: number): number {
    const at = this.end;
    this.end = Math.ceil((at + bytes) / 64) * 64;
    return at;
  }

  /** @throws MemoryError beyond the 4 GiB a WebAssembly memory can have */
  allocate(what: string, hint: string): WebAssembly.Memory {
    if (this.end > largestMemory) throw new MemoryError(this.end, `${what} (a WebAssembly memory ends at 4 GiB)`, hint);
    const pages = Math.ceil(this.end / pageBytes);
    try {
      return new WebAssembly.Memory({ initial: Math.max(pages, 16), maximum: 65_536, shared: true });
    } catch (cause) {
      throw new MemoryError(this.end, `${what}: this machine refused it; it`, `${hint} (${(cause as Error).message})`);
    }
  }
}
