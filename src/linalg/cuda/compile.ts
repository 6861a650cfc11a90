/** Compiles the kernels for the GPU at hand and launches them. */
import { BackendError } from '../../errors.js';
import type { Dtype } from '../matrix.js';
import type { Call, CudaCalls } from './calls.js';
import { type KernelName, kernelNames, kernelSource } from './kernels.js';

/** An argument of a kernel: a device address or whole number (8 bytes), or a double. */
export type KernelArgument = { address: number } | { whole: number } | { real: number };
export const address = (value: number): KernelArgument => ({ address: value });
export const whole = (value: number): KernelArgument => ({ whole: value });
export const real = (value: number): KernelArgument => ({ real: value });

export class Kernels {
  readonly #launch: Call;
  readonly #calls: CudaCalls;
  readonly #functions = new Map<string, bigint>();
  readonly #architecture: string;
  readonly #arguments = new DataView(new ArrayBuffer(8 * 16));
  readonly #extra: BigUint64Array;
  /** Over a buffer of its own: the engine moves the elements of small arrays, and this one's address is kept. */
  readonly #size = new BigUint64Array(new ArrayBuffer(8));

  constructor(calls: CudaCalls, computeCapability: string) {
    this.#calls = calls;
    this.#architecture = `sm_${computeCapability}`;
    const whole = 'unsigned int';
    this.#launch = calls.bind('driver', 'cuLaunchKernel', [
      'size_t',
      whole,
      whole,
      whole,
      whole,
      whole,
      whole,
      whole,
      'size_t',
      'void *',
      'void *',
    ]);
    // Arguments travel as one buffer: pairs of (1, its address), (2, address of its size), end.
    const pointerTo = (value: ArrayBufferView) => BigInt(calls.koffi.address(value));
    this.#extra = BigUint64Array.of(
      1n,
      pointerTo(new Uint8Array(this.#arguments.buffer)),
      2n,
      pointerTo(this.#size),
      0n,
    );
  }

  launch(name: KernelName, dtype: Dtype, grid: [number, number], threads: number, values: KernelArgument[]): void {
    const kernel = this.#function(name, dtype);
    values.forEach((value, k) => {
      if ('real' in value) this.#arguments.setFloat64(8 * k, value.real, true);
      else this.#arguments.setBigUint64(8 * k, BigInt('address' in value ? value.address : value.whole), true);
    });
    this.#size[0] = BigInt(8 * values.length);
    this.#launch(kernel, grid[0], grid[1], 1, threads, 1, 1, 0, 0, null, this.#extra);
  }

  #function(name: KernelName, dtype: Dtype): bigint {
    const found = this.#functions.get(`${name} ${dtype}`);
    if (found !== undefined) return found;
    const loaded = new BigUint64Array(1);
    this.#calls.bind('driver', 'cuModuleLoadData', ['void *', 'void *'])(loaded, this.#compile(dtype));
    const find = this.#calls.bind('driver', 'cuModuleGetFunction', ['void *', 'size_t', 'str']);
    for (const each of kernelNames) {
      const entry = new BigUint64Array(1);
      find(entry, loaded[0], each);
      this.#functions.set(`${each} ${dtype}`, entry[0]);
    }
    return this.#functions.get(`${name} ${dtype}`)!;
  }

  #compile(dtype: Dtype): Uint8Array {
    const { koffi } = this.#calls;
    const bind = (name: string, types: string[]) => this.#calls.bind('compiler', name, types);
    const program = new BigUint64Array(1);
    const source = kernelSource(dtype === 'float64' ? 'double' : 'float');
    bind('nvrtcCreateProgram', ['void *', 'str', 'str', 'int', 'void *', 'void *'])(
      program,
      source,
      'bowerbird.cu',
      0,
      null,
      null,
    );
    const option = new Uint8Array(new ArrayBuffer(64));
    option.set(Buffer.from(`--gpu-architecture=${this.#architecture}\0`));
    const options = new BigUint64Array(new ArrayBuffer(8));
    options[0] = BigInt(koffi.address(option));
    const size = new BigUint64Array(1);
    try {
      bind('nvrtcCompileProgram', ['size_t', 'int', 'void *'])(program[0], 1, options);
    } catch (error) {
      bind('nvrtcGetProgramLogSize', ['size_t', 'void *'])(program[0], size);
      const log = Buffer.alloc(Number(size[0]));
      bind('nvrtcGetProgramLog', ['size_t', 'void *'])(program[0], log);
      throw new BackendError(
        `the GPU kernels did not compile for ${this.#architecture}:\n${log.toString()}`,
        undefined,
        error,
      );
    }
    bind('nvrtcGetCUBINSize', ['size_t', 'void *'])(program[0], size);
    const binary = new Uint8Array(Number(size[0]));
    bind('nvrtcGetCUBIN', ['size_t', 'void *'])(program[0], binary);
    bind('nvrtcDestroyProgram', ['void *'])(program);
    return binary;
  }
}
