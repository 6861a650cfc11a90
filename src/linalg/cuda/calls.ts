/**
 * The CUDA functions that are used, with every return code checked. Device addresses are plain numbers, host arrays are
 * handed over by pointer.
 */
import type * as Koffi from 'koffi';
import { BackendError } from '../../errors.js';
import type { CudaLibraries } from './libraries.js';

type Foreign = (...values: unknown[]) => number;
export type Call = (...values: unknown[]) => void;

/** Return codes of cuBLAS and cuSOLVER, which have no function that explains them in all versions. */
const statusMeanings: Record<number, string> = {
  1: 'not initialized',
  2: 'no memory for a workspace',
  3: 'invalid value',
  4: 'the architecture is not supported',
  5: 'the device memory cannot be reached',
  6: 'the kernel failed on the device',
  7: 'an internal operation failed',
  8: 'the matrix type is not supported',
  14: 'an internal operation failed',
  15: 'not supported',
};

const copyKinds = { toDevice: 1, toHost: 2, onDevice: 3 } as const;

export class CudaCalls {
  readonly koffi: typeof Koffi;
  readonly #libraries: CudaLibraries;
  readonly #meaningOfRuntime: (code: number) => string;

  constructor(koffi: typeof Koffi, libraries: CudaLibraries) {
    this.koffi = koffi;
    this.#libraries = libraries;
    this.#meaningOfRuntime = libraries.runtime.func('cudaGetErrorString', 'str', ['int']) as unknown as (
      code: number,
    ) => string;
  }

  /** A function of one of the libraries that throws when it does not return 0. */
  bind(library: 'driver' | 'runtime' | 'blas' | 'solver' | 'compiler', name: string, types: string[]): Call {
    const foreign = this.#libraries[library].func(name, 'int', types) as unknown as Foreign;
    return (...values) => {
      const code = foreign(...values);
      if (code !== 0) throw this.#failure(library, name, code);
    };
  }

  /** Asks the runtime for `bytes`; undefined when the device has not that much left. */
  allocator(): (bytes: number) => number | undefined {
    const malloc = this.#libraries.runtime.func('cudaMalloc', 'int', ['void *', 'size_t']) as unknown as Foreign;
    const lastError = this.#libraries.runtime.func('cudaGetLastError', 'int', []) as unknown as Foreign;
    return (bytes) => {
      const address = new BigUint64Array(1);
      const code = malloc(address, bytes);
      if (code === 0) return Number(address[0]);
      lastError();
      if (code === 2) return undefined;
      throw this.#failure('runtime', 'cudaMalloc', code);
    };
  }

  copies() {
    const bind = (types: string[]) => this.bind('runtime', 'cudaMemcpy2D_ptds', types);
    const [toDevice, toHost, onDevice] = [
      bind(['size_t', 'size_t', 'void *', 'size_t', 'size_t', 'size_t', 'int']),
      bind(['void *', 'size_t', 'size_t', 'size_t', 'size_t', 'size_t', 'int']),
      bind(['size_t', 'size_t', 'size_t', 'size_t', 'size_t', 'size_t', 'int']),
    ];
    /** Pitches and width in bytes; rows of `width` bytes. */
    return {
      toDevice: (to: number, toPitch: number, from: ArrayBufferView, fromPitch: number, width: number, rows: number) =>
        toDevice(to, toPitch, from, fromPitch, width, rows, copyKinds.toDevice),
      toHost: (to: ArrayBufferView, toPitch: number, from: number, fromPitch: number, width: number, rows: number) =>
        toHost(to, toPitch, from, fromPitch, width, rows, copyKinds.toHost),
      onDevice: (to: number, toPitch: number, from: number, fromPitch: number, width: number, rows: number) =>
        onDevice(to, toPitch, from, fromPitch, width, rows, copyKinds.onDevice),
    };
  }

  #failure(library: string, name: string, code: number): BackendError {
    const meaning = library === 'runtime' || library === 'driver' ? this.#meaningOfRuntime(code) : statusMeanings[code];
    return new BackendError(
      `${name} failed with code ${code}${meaning ? ` (${meaning})` : ''}`,
      'The process stays usable: another backend (device wasm or native) can be chosen, or the problem made smaller.',
    );
  }
}
