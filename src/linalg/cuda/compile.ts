/** Compiles kernels for the GPU at hand and launches them. */
import { BackendError } from '../../errors.js';
import type { Call, CudaCalls } from './calls.js';

/** An argument of a kernel: a device address or whole number (8 bytes), or a double. */
export type KernelArgument = { address: number } | { whole: number } | { real: number };
export const address = (value: number): KernelArgument => ({ address: value });
export const whole = (value: number): KernelArgument => ({ whole: value });
export const real = (value: number): KernelArgument => ({ real: value });

const mostArguments = 24;

export class Launcher {
  readonly #launch: Call;
  readonly #arguments = new DataView(new ArrayBuffer(8 * mostArguments));
  readonly #extra: BigUint64Array;
  /** Over a buffer of its own: the engine moves the elements of small arrays, and this one's address is kept. */
  readonly #size = new BigUint64Array(new ArrayBuffer(8));

  constructor(calls: CudaCalls) {
    const whole = 'unsigned int';
    const sizes = [whole, whole, whole, whole, whole, whole, whole];
    this.#launch = calls.bind('driver', 'cuLaunchKernel_ptsz', ['size_t', ...sizes, 'size_t', 'void *', 'void *']);
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

  launch(kernel: bigint, grid: [number, number], threads: number, values: KernelArgument[]): void {
    values.forEach((value, k) => {
      if ('real' in value) this.#arguments.setFloat64(8 * k, value.real, true);
      else this.#arguments.setBigUint64(8 * k, BigInt('address' in value ? value.address : value.whole), true);
    });
    this.#size[0] = BigInt(8 * values.length);
    this.#launch(kernel, grid[0], grid[1], 1, threads, 1, 1, 0, 0, null, this.#extra);
  }
}

/** The kernels of one source, by name. */
export class Program<Name extends string> {
  readonly #functions = new Map<string, bigint>();

  constructor(calls: CudaCalls, computeCapability: string, source: string, names: readonly Name[]) {
    const loaded = new BigUint64Array(1);
    const binary = compile(calls, `sm_${computeCapability}`, source);
    calls.bind('driver', 'cuModuleLoadData', ['void *', 'void *'])(loaded, binary);
    const find = calls.bind('driver', 'cuModuleGetFunction', ['void *', 'size_t', 'str']);
    for (const name of names) {
      const entry = new BigUint64Array(1);
      find(entry, loaded[0], name);
      this.#functions.set(name, entry[0]);
    }
  }

  kernel(name: Name): bigint {
    const found = this.#functions.get(name);
    if (found === undefined) throw new BackendError(`there is no kernel called ${name}`);
    return found;
  }
}

function compile(calls: CudaCalls, architecture: string, source: string): Uint8Array {
  const { koffi } = calls;
  const bind = (name: string, types: string[]) => calls.bind('compiler', name, types);
  const program = new BigUint64Array(1);
  bind('nvrtcCreateProgram', ['void *', 'str', 'str', 'int', 'void *', 'void *'])(
    program,
    source,
    'bowerbird.cu',
    0,
    null,
    null,
  );
  const option = new Uint8Array(new ArrayBuffer(64));
  option.set(Buffer.from(`--gpu-architecture=${architecture}\0`));
  const options = new BigUint64Array(new ArrayBuffer(8));
  options[0] = BigInt(koffi.address(option));
  const size = new BigUint64Array(1);
  try {
    bind('nvrtcCompileProgram', ['size_t', 'int', 'void *'])(program[0], 1, options);
  } catch (error) {
    bind('nvrtcGetProgramLogSize', ['size_t', 'void *'])(program[0], size);
    const log = Buffer.alloc(Number(size[0]));
    bind('nvrtcGetProgramLog', ['size_t', 'void *'])(program[0], log);
    throw new BackendError(`the GPU kernels did not compile for ${architecture}:\n${log.toString()}`, undefined, error);
  }
  bind('nvrtcGetCUBINSize', ['size_t', 'void *'])(program[0], size);
  const binary = new Uint8Array(Number(size[0]));
  bind('nvrtcGetCUBIN', ['size_t', 'void *'])(program[0], binary);
  bind('nvrtcDestroyProgram', ['void *'])(program);
  return binary;
}
