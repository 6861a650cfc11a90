/**
 * The passes of a perceptron as kernels (assembly/networks), over float32 matrices in a memory of their own, which BLAS reaches
 * as well as any other. They give the same bits as the loops in perceptron-passes.ts, which branch for every element and take
 * five to ten times as long.
 */
import { readFileSync } from 'node:fs';
import { artefact } from '../artefact.js';
import { BackendError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import type { AdamState, AdamStep, PerceptronPasses } from './perceptron-passes.js';

export class KernelPasses implements PerceptronPasses {
  readonly #kernels = networkMemory();
  #holds = false;

  matrix(rows: number, cols: number): Matrix {
    if (!this.#holds) this.#kernels.users++;
    this.#holds = true;
    return new Matrix(this.#kernels.zeros(rows * cols), rows, cols);
  }

  addAndBend(z: Matrix, intercepts: Matrix, slope: number): void {
    this.#kernels.call('addAndBend', z.rows, z.cols, at(z), at(intercepts), slope);
  }

  bendBack(over: Matrix, under: Matrix, slope: number): void {
    this.#kernels.call('bendBack', over.rows * over.cols, at(over), at(under), slope);
  }

  addRows(sums: Matrix, a: Matrix): void {
    this.#kernels.call('addRows', a.rows, a.cols, at(sums), at(a));
  }

  step({ values, gradients, means, squares }: AdamState, step: AdamStep): void {
    const { keepMean, keepSquare, keep, rate, squareScale, least } = step;
    const places = [values, gradients, means, squares].map(at);
    const numbers = [keepMean, keepSquare, keep, rate, squareScale, least];
    this.#kernels.call('step', values.rows * values.cols, ...places, ...numbers);
  }

  release(): void {
    if (this.#holds) this.#kernels.leave();
    this.#holds = false;
  }
}

/** Where a matrix of the kernels' memory begins. */
const at = ({ data }: Matrix): number => data.byteOffset;

const pageBytes = 65536;
/** The whole lines of a cache that matrices begin at and end with, so that a kernel may read a vector at their end. */
const lineBytes = 64;

type KernelName = 'addAndBend' | 'bendBack' | 'addRows' | 'step';

/** The kernels of a thread and the memory of its networks, which is given back when none is left. */
class NetworkMemory {
  users = 0;
  readonly #memory = new WebAssembly.Memory({ initial: 16, maximum: pageBytes, shared: true });
  readonly #kernels: Record<string, unknown>;
  /** The first page is the kernels' own. */
  #end = pageBytes;

  constructor(module: WebAssembly.Module) {
    this.#kernels = new WebAssembly.Instance(module, { env: { memory: this.#memory } }).exports;
  }

  zeros(length: number): Float32Array {
    const start = this.#end;
    this.#end += Math.ceil((4 * length) / lineBytes) * lineBytes;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes));
    new Uint8Array(this.#memory.buffer, start, this.#end - start).fill(0);
    return new Float32Array(this.#memory.buffer, start, length);
  }

  call(name: KernelName, ...values: number[]): void {
    (this.#kernels[name] as (...values: number[]) => void)(...values);
  }

  leave(): void {
    this.users--;
    if (this.users === 0) this.#end = pageBytes;
  }
}

let opened: NetworkMemory | undefined;

function networkMemory(): NetworkMemory {
  if (opened) return opened;
  const url = artefact('assembly/networks.wasm');
  try {
    opened = new NetworkMemory(new WebAssembly.Module(new Uint8Array(readFileSync(url))));
    return opened;
  } catch (cause) {
    throw new BackendError(`the WebAssembly kernels cannot be loaded: ${url.pathname}`, 'Run npm run build.', cause);
  }
}
