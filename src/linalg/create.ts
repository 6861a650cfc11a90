/** The choice of a backend: a table of devices, and the order in which `auto` tries them. */
import { ArgumentError } from '../errors.js';
import type { Backend } from './backend.js';

export interface BackendOptions {
  /** `auto` takes the fastest that is there: native, else wasm. @default 'auto' */
  device?: 'auto' | AvailableDevice;
  /** @default the number of cores */
  threads?: number;
  /** Path of a BLAS/LAPACK for the native backend. @default BOWERBIRD_BLAS, else the usual places */
  library?: string;
}

type Factory = (options: BackendOptions) => Promise<Backend>;

const factories = {
  wasm: async ({ threads }) => (await import('./wasm/index.js')).createWasmBackend({ threads }),
  native: async ({ threads, library }) => (await import('./native/index.js')).createNativeBackend({ threads, library }),
  cuda: async () => (await import('./cuda/index.js')).createCudaBackend(),
} satisfies Record<string, Factory>;

type AvailableDevice = keyof typeof factories;

/** What `auto` tries, in this order; the last one is always there. */
const preference: readonly AvailableDevice[] = ['native', 'wasm'];

/** Every value `device` may take. */
export const deviceChoices = ['auto', ...(Object.keys(factories) as AvailableDevice[])] as const;

/**
 * A numerical backend.
 *
 * @example
 * ```ts
 * import { createBackend, Matrix } from 'bowerbird/linalg';
 *
 * const backend = await createBackend({ device: 'auto' });
 * const a = Matrix.from([[1, 2], [3, 4]]);
 * const product = backend.matrix(2, 2);
 * backend.gemm(product, a, a, { transposeB: true });
 * console.log(backend.description, product.data);
 * backend.dispose();
 * ```
 * @throws BackendError when the device asked for is not on this machine
 */
export async function createBackend(options: BackendOptions = {}): Promise<Backend> {
  const { device = 'auto', threads } = options;
  if (threads !== undefined && !(Number.isSafeInteger(threads) && threads >= 1))
    throw new ArgumentError(`createBackend: threads is ${threads}; it must be a whole number of at least 1`);
  if (device !== 'auto') {
    const factory = Object.hasOwn(factories, device) ? factories[device] : undefined;
    if (!factory)
      throw new ArgumentError(`createBackend: device is "${device}"; it must be one of ${deviceChoices.join(', ')}`);
    return factory(options);
  }
  // A library that was asked for by name must not be passed over in silence.
  if (options.library !== undefined || process.env.BOWERBIRD_BLAS) return factories.native(options);
  for (const choice of preference.slice(0, -1)) {
    try {
      return await factories[choice](options);
    } catch (error) {
      if ((error as { code?: string }).code !== 'BOWERBIRD_BACKEND') throw error;
    }
  }
  return factories[preference[preference.length - 1]](options);
}
