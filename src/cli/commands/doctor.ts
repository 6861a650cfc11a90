/** `bowerbird doctor`: what this machine offers to the numerical backends, and how fast they are. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, freemem, release, totalmem } from 'node:os';
import type { Backend } from '../../linalg/backend.js';
import {
  createBackend,
  createNativeBackend,
  createWasmBackend,
  findLibrary,
  wasmFeatures,
} from '../../linalg/index.js';
import { loadKoffi } from '../../linalg/native/library.js';
import { gemmGigaflops } from '../../linalg/speed.js';
import { chooseKernel } from '../../linalg/wasm/choice.js';
import { defineCommand } from '../command.js';
import { versions } from '../shared-options.js';

interface Speed {
  backend: string;
  threads: number;
  gigaflops: number;
  description: string;
}

interface Failure {
  backend: string;
  problem: string;
}

export default defineCommand({
  name: 'doctor',
  summary: 'Show what this machine offers and how fast it computes.',
  description:
    'Prints Node, cores and memory, the WebAssembly features and kernels, the BLAS/LAPACK that was found (or everything\n' +
    'that was tried), the graphics card, and the speed of every backend at multiplying float64 matrices.',
  arguments: [],
  options: {
    seconds: {
      type: 'number',
      minimum: 0,
      maximum: 600,
      default: 3,
      placeholder: 'S',
      description: 'Time for measuring speed, shared among the backends.',
    },
  },
  examples: [
    { command: 'bowerbird doctor', explanation: 'The whole examination, in about four seconds.' },
    { command: 'bowerbird doctor --json > machine.json', explanation: 'The same as a document, for a bug report.' },
    {
      command: 'BOWERBIRD_BLAS=/opt/lib/libopenblas.so bowerbird doctor',
      explanation: 'Try a certain BLAS and see whether it works.',
    },
  ],
  async run({ options, print, printJson, progress, signal }) {
    const machine = {
      bowerbird: versions().bowerbird,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch} ${release()}`,
      processor: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      memory: { totalBytes: totalmem(), freeBytes: freemem() },
    };
    const wasm = { ...wasmFeatures(), chosen: chosenKernel() };
    const { library, rejected } = await findLibrary();
    const native = library
      ? {
          found: true,
          family: library.family,
          version: library.version,
          path: library.path,
          lapackPath: library.lapackPath,
          integerBits: library.integerBits,
        }
      : { found: false, tried: rejected };
    const gpu = await findGpu();

    const speeds: Speed[] = [];
    const failures: Failure[] = [];
    const trials = backendsToTry(machine.cores, library !== undefined);
    for (const [i, { name, threads, create }] of trials.entries()) {
      signal.throwIfAborted();
      progress.update({ stage: 'measuring speed', done: i, total: trials.length, detail: name });
      try {
        const backend = await create(threads);
        const gigaflops = gemmGigaflops(backend, options.seconds / trials.length);
        speeds.push({ backend: name, threads: backend.threads, gigaflops, description: backend.description });
        backend.dispose();
      } catch (error) {
        failures.push({ backend: name, problem: (error as Error).message });
      }
      // Signals are handled between the trials, which themselves never wait.
      await new Promise((resolve) => setImmediate(resolve));
    }
    signal.throwIfAborted();
    const chosen = await choice();

    printJson({ ...machine, wasm, native, gpu, backend: chosen, speeds, failures });
    const gibibytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
    const yes = (value: boolean) => (value ? 'yes' : 'no');
    table(print, [
      ['bowerbird', machine.bowerbird],
      ['Node', `${machine.node} on ${machine.platform}`],
      ['processor', `${machine.processor}, ${machine.cores} cores`],
      ['memory', `${gibibytes(machine.memory.totalBytes)}, ${gibibytes(machine.memory.freeBytes)} free`],
      ['WebAssembly', `SIMD ${yes(wasm.simd)}, relaxed SIMD with fused multiply-add ${yes(wasm.relaxedSimd)}`],
      ['kernels', `${wasm.kernels.join(', ')}; chosen: ${wasm.chosen ?? 'none'}`],
      ['BLAS', library ? `${library.version} (${library.integerBits}-bit integers)` : 'none found'],
      ...(library ? [['', library.path]] : rejected.map(({ path, problem }) => ['', `${path}: ${problem}`])),
      ...(library?.lapackPath ? [['LAPACK', library.lapackPath]] : []),
      [
        'GPU',
        gpu.found ? `${gpu.driver ?? 'NVIDIA driver'}${gpu.cuda ? `, CUDA ${gpu.cuda}` : ''}` : 'no NVIDIA driver',
      ],
      ['backend', chosen],
    ]);
    print('');
    print('float64 matrix product, best rate');
    table(print, [
      ...speeds.map(({ backend, threads, gigaflops }) => [
        `  ${backend}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`,
        `${gigaflops.toFixed(1)} GFLOP/s`,
      ]),
      ...failures.map(({ backend, problem }) => [`  ${backend}`, problem]),
    ]);
    if (!library)
      print(
        '\nInstall a BLAS ("apt-get install libopenblas0") or name one with BOWERBIRD_BLAS for the native backend.',
      );
    return speeds.length > 0 ? 0 : 1;
  },
});

interface Trial {
  name: string;
  threads: number;
  create(threads: number): Promise<Backend>;
}

function backendsToTry(cores: number, hasLibrary: boolean): Trial[] {
  const counts = cores > 1 ? [1, cores] : [1];
  const wasm = counts.map((threads) => ({
    name: 'wasm',
    threads,
    create: (n: number) => createWasmBackend({ threads: n }),
  }));
  const native = counts.map((threads) => ({
    name: 'native',
    threads,
    create: (n: number) => createNativeBackend({ threads: n }),
  }));
  return hasLibrary ? [...wasm, ...native] : wasm;
}

/** The fastest kernel of this engine; none where there is no SIMD. */
function chosenKernel(): string | undefined {
  try {
    return chooseKernel(undefined).name;
  } catch {
    return undefined;
  }
}

/** What `auto` takes on this machine, or why it cannot. */
async function choice(): Promise<string> {
  try {
    const backend = await createBackend();
    backend.dispose();
    return `${backend.device}: ${backend.description}`;
  } catch (error) {
    return `none: ${(error as Error).message.split('\n')[0]}`;
  }
}

interface Gpu {
  found: boolean;
  /** First line of what the kernel module says of itself. */
  driver: string | undefined;
  /** The CUDA version that the driver library supports. */
  cuda: string | undefined;
}

/** Looks for NVIDIA's kernel driver and its user-space library; neither is started. */
async function findGpu(): Promise<Gpu> {
  const file = '/proc/driver/nvidia/version';
  const driver = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')[0]
        .replace(/^NVRM version:\s*/, '')
    : undefined;
  let cuda: string | undefined;
  try {
    const koffi = await loadKoffi();
    const handle = koffi.load(process.platform === 'win32' ? 'nvcuda.dll' : 'libcuda.so.1');
    const answer = new Int32Array(1);
    if (handle.func('cuDriverGetVersion', 'int', ['void *'])(answer) === 0)
      cuda = `${Math.floor(answer[0] / 1000)}.${Math.floor((answer[0] % 1000) / 10)}`;
  } catch {
    // No driver library: nothing to report.
  }
  return { found: driver !== undefined || cuda !== undefined, driver, cuda };
}

function table(print: (line: string) => void, rows: string[][]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) print(`${label.padEnd(width)}  ${value}`);
}
