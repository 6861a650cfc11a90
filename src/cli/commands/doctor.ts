/** `bowerbird doctor`: what this machine offers to the numerical backends, and how fast they are. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, freemem, release, totalmem } from 'node:os';
import { BowerbirdError } from '../../errors.js';
import type { Backend } from '../../linalg/index.js';
import {
  chooseKernel,
  createBackend,
  createCudaBackend,
  createNativeBackend,
  createWasmBackend,
  findGpu,
  findLibrary,
  gemmGigaflops,
  wasmFeatures,
} from '../../linalg/index.js';
import { versions } from '../../versions.js';
import { defineCommand } from '../command.js';
import { amount } from '../table.js';

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
    'that was tried), the graphics card, the speed of every backend at multiplying float64 matrices, and which onnxruntime\n' +
    'runs vision models, with its speed at convolutions.',
  arguments: [],
  options: {
    seconds: {
      type: 'number',
      minimum: 0,
      maximum: 600,
      default: 3,
      placeholder: 'S',
      description: 'Time for measuring speed, shared among the backends; a third more for vision models.',
    },
  },
  examples: [
    { command: 'bowerbird doctor', explanation: 'The whole examination, in about five seconds.' },
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
    const gpu = await examineGpu();

    const speeds: Speed[] = [];
    const failures: Failure[] = [];
    const trials = backendsToTry(machine.cores, library !== undefined, gpu.found);
    for (const [i, { name, threads, create }] of trials.entries()) {
      signal.throwIfAborted();
      progress.update({ stage: 'measuring speed', done: i, total: trials.length, detail: name });
      try {
        const backend = await create(threads);
        const gigaflops = gemmGigaflops(backend, options.seconds / trials.length);
        speeds.push({ backend: name, threads: backend.threads, gigaflops, description: backend.description });
        backend.dispose();
      } catch (error) {
        failures.push({ backend: name, problem: reason(error) });
      }
      // Signals are handled between the trials, which themselves never wait.
      await new Promise((resolve) => setImmediate(resolve));
    }
    signal.throwIfAborted();
    const chosen = await choice();
    progress.update({ stage: 'measuring speed', done: trials.length, total: trials.length, detail: 'vision models' });
    const { measureRuntime } = await import('../../vision/index.js');
    const vision = await measureRuntime(options.seconds / 3);

    printJson({ ...machine, wasm, native, gpu, backend: chosen, speeds, failures, vision });
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
      ['GPU', describeGpu(gpu)],
      ['backend', chosen],
      ['vision', `onnxruntime ${vision.version}, ${vision.kind === 'native' ? 'native' : 'WebAssembly'}`],
    ]);
    print('');
    print('float64 matrix product, best rate');
    table(print, [
      ...speeds.map(({ backend, threads, gigaflops }) => [
        `  ${backend}, ${amount(threads, 'thread')}`,
        gigaflops < 10_000 ? `${gigaflops.toFixed(1)} GFLOP/s` : `${(gigaflops / 1000).toFixed(1)} TFLOP/s`,
      ]),
      ...failures.map(({ backend, problem }) => [`  ${backend}`, problem]),
    ]);
    print('');
    print('float32 convolutions of vision models, best rate');
    print(`  onnxruntime ${vision.kind}, 1 thread  ${vision.gigaflops.toFixed(1)} GFLOP/s`);
    if (vision.note) print(`\n${vision.note[0].toUpperCase()}${vision.note.slice(1)}.`);
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

function backendsToTry(cores: number, hasLibrary: boolean, hasGpu: boolean): Trial[] {
  const counts = cores > 1 ? [1, cores] : [1];
  const onCores = (name: string, create: Trial['create']) => counts.map((threads) => ({ name, threads, create }));
  return [
    ...onCores('wasm', (threads) => createWasmBackend({ threads })),
    ...(hasLibrary ? onCores('native', (threads) => createNativeBackend({ threads })) : []),
    ...(hasGpu ? [{ name: 'cuda', threads: 1, create: () => createCudaBackend() }] : []),
  ];
}

/** The fastest kernel of this engine; none where there is no SIMD. */
function chosenKernel(): string | undefined {
  try {
    return chooseKernel(undefined).name;
  } catch (error) {
    reason(error);
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
    return `none: ${reason(error).split('\n')[0].replace(/:$/, '')}`;
  }
}

/** What a typed error says; any other is a defect and goes on. */
function reason(error: unknown): string {
  if (error instanceof BowerbirdError) return error.message;
  throw error;
}

interface GpuFindings {
  found: boolean;
  name?: string;
  memoryBytes?: number;
  /** Version of the kernel's NVIDIA module, where it is loaded. */
  driver?: string;
  /** Why the GPU, if there is one, cannot be used. */
  problem?: string;
}

async function examineGpu(): Promise<GpuFindings> {
  const file = '/proc/driver/nvidia/version';
  const driver = existsSync(file) ? /\b\d+\.\d+[.\d]*/.exec(readFileSync(file, 'utf8'))?.[0] : undefined;
  try {
    return { found: true, ...(await findGpu()), driver };
  } catch (error) {
    return { found: false, driver, problem: reason(error) };
  }
}

function describeGpu({ name, memoryBytes, driver, problem }: GpuFindings): string {
  const found = name
    ? `${name}, ${gibibytes(memoryBytes ?? 0)}`
    : `none to use: ${problem?.split('\n')[0].replace(/\W*Tried:$/, '')}`;
  return driver ? `${found} (driver ${driver})` : found;
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

function table(print: (line: string) => void, rows: string[][]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) print(`${label.padEnd(width)}  ${value}`);
}
