/** Finds and opens the CUDA libraries of versions 13, 12 and 11, and says what was tried when there are none. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type * as Koffi from 'koffi';
import { BackendError } from '../../errors.js';

export interface CudaLibraries {
  driver: Koffi.LibraryHandle;
  runtime: Koffi.LibraryHandle;
  blas: Koffi.LibraryHandle;
  solver: Koffi.LibraryHandle;
  compiler: Koffi.LibraryHandle;
  paths: Record<Part, string>;
}

type Part = 'driver' | 'runtime' | 'blas' | 'solver' | 'compiler';

/** Newest first. cuSOLVER counts its versions differently: 12 belongs to CUDA 13, 11 to CUDA 11 and 12. */
const names: Record<Part, string[]> = {
  driver: ['libcuda.so.1', 'libcuda.so', 'nvcuda.dll'],
  runtime: [
    'libcudart.so.13',
    'libcudart.so.12',
    'libcudart.so.11.0',
    'cudart64_13.dll',
    'cudart64_12.dll',
    'cudart64_110.dll',
  ],
  blas: [
    'libcublas.so.13',
    'libcublas.so.12',
    'libcublas.so.11',
    'cublas64_13.dll',
    'cublas64_12.dll',
    'cublas64_11.dll',
  ],
  solver: ['libcusolver.so.12', 'libcusolver.so.11', 'cusolver64_12.dll', 'cusolver64_11.dll'],
  compiler: [
    'libnvrtc.so.13',
    'libnvrtc.so.12',
    'libnvrtc.so.11.2',
    'nvrtc64_130_0.dll',
    'nvrtc64_120_0.dll',
    'nvrtc64_112_0.dll',
  ],
};

const within = (root: string | undefined) => (root ? [root, join(root, 'lib64'), join(root, 'bin')] : []);

/** Folders looked through after the loader's own: those named by CUDA's variables and its usual places. */
function usualFolders(): string[] {
  const found = [process.env.CUDA_HOME, process.env.CUDA_PATH].flatMap(within);
  if (existsSync('/usr/local'))
    for (const name of readdirSync('/usr/local')
      .filter((each) => each.startsWith('cuda'))
      .sort()
      .reverse())
      found.push(join('/usr/local', name, 'lib64'), join('/usr/local', name, 'targets/x86_64-linux/lib'));
  found.push('/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/local/nvidia/lib64');
  return [...new Set(found)];
}

export function openCudaLibraries(koffi: typeof Koffi): CudaLibraries {
  if (process.env.BOWERBIRD_BARE && !process.env.BOWERBIRD_CUDA)
    throw new BackendError('CUDA is not looked for, because BOWERBIRD_BARE is set', 'Unset BOWERBIRD_BARE.');
  const tried: string[] = [];
  const [named, usual] = [within(process.env.BOWERBIRD_CUDA), usualFolders()];
  const opened = {} as Record<Part, { handle: Koffi.LibraryHandle; path: string }>;
  for (const part of Object.keys(names) as Part[]) {
    const inside = (folders: string[], name: string) =>
      folders.map((folder) => join(folder, name)).filter((path) => existsSync(path));
    const candidates = [
      ...names[part].flatMap((name) => inside(named, name)),
      ...names[part].flatMap((name) => [name, ...inside(usual, name)]),
    ];
    for (const path of candidates) {
      try {
        opened[part] = { handle: koffi.load(path), path };
        break;
      } catch (error) {
        tried.push(`${path}: ${(error as Error).message.split('\n')[0]}`);
      }
    }
    if (!opened[part])
      throw new BackendError(
        `CUDA was not found: no ${part} library could be opened. Tried:\n  ${tried.join('\n  ')}`,
        'Install the NVIDIA driver and the CUDA libraries, or name their folder in BOWERBIRD_CUDA; device wasm and native work without them.',
      );
  }
  const handle = (part: Part) => opened[part].handle;
  return {
    driver: handle('driver'),
    runtime: handle('runtime'),
    blas: handle('blas'),
    solver: handle('solver'),
    compiler: handle('compiler'),
    paths: Object.fromEntries(Object.entries(opened).map(([part, { path }]) => [part, path])) as Record<Part, string>,
  };
}
