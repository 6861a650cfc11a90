/** The first GPU of the machine: name, memory, compute capability. */
import type * as Koffi from 'koffi';
import { BackendError } from '../../errors.js';
import { CudaCalls } from './calls.js';
import { type CudaLibraries, openCudaLibraries } from './libraries.js';

export interface Gpu {
  name: string;
  memoryBytes: number;
  /** Such as `90` for 9.0. */
  computeCapability: string;
  /** Such as 13000 for 13.0. */
  runtimeVersion: number;
  calls: CudaCalls;
  libraries: CudaLibraries;
}

const attributes = { computeMajor: 75, computeMinor: 76 } as const;

/** Opens the libraries and the GPU. @throws BackendError that lists what was tried */
export function openGpu(koffi: typeof Koffi): Gpu {
  const libraries = openCudaLibraries(koffi);
  const calls = new CudaCalls(koffi, libraries);
  calls.bind('driver', 'cuInit', ['unsigned int'])(0);
  const number = new Int32Array(1);
  calls.bind('runtime', 'cudaGetDeviceCount', ['void *'])(number);
  if (number[0] === 0)
    throw new BackendError('CUDA is installed but there is no NVIDIA GPU', 'Use device wasm or native.');
  calls.bind('runtime', 'cudaSetDevice', ['int'])(0);
  // The runtime makes its context current on first use.
  calls.bind('runtime', 'cudaFree', ['size_t'])(0);
  const name = Buffer.alloc(256);
  calls.bind('driver', 'cuDeviceGetName', ['void *', 'int', 'int'])(name, 256, 0);
  const bytes = new BigUint64Array(1);
  calls.bind('driver', 'cuDeviceTotalMem_v2', ['void *', 'int'])(bytes, 0);
  const attribute = calls.bind('driver', 'cuDeviceGetAttribute', ['void *', 'int', 'int']);
  const read = (key: number) => {
    attribute(number, key, 0);
    return number[0];
  };
  calls.bind('runtime', 'cudaRuntimeGetVersion', ['void *'])(number);
  const runtimeVersion = number[0];
  return {
    name: name.toString('utf8').split('\0')[0],
    memoryBytes: Number(bytes[0]),
    computeCapability: `${read(attributes.computeMajor)}${read(attributes.computeMinor)}`,
    runtimeVersion,
    calls,
    libraries,
  };
}
