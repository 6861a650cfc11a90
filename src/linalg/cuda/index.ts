/** The CUDA backend: NVIDIA GPUs through the driver, cuBLAS, cuSOLVER and NVRTC. */
import { loadKoffi } from '../native/library.js';
import { CudaBackend } from './backend.js';
import { openGpu } from './device.js';

export async function createCudaBackend(): Promise<CudaBackend> {
  return new CudaBackend(openGpu(await loadKoffi()));
}

/** The GPU without a backend on it, for `bowerbird doctor`. @throws BackendError that lists what was tried */
export async function findGpu(): Promise<{ name: string; memoryBytes: number }> {
  const { name, memoryBytes } = openGpu(await loadKoffi());
  return { name, memoryBytes };
}
