import { afterEach, describe, expect, it, vi } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import { createBackend, deviceChoices, Matrix } from '../../src/linalg/index.js';
import { nativeLibrary } from './backends.js';
import { gpu } from './gpu.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('createBackend', () => {
  it.each(deviceChoices.filter((device) => (device !== 'native' || nativeLibrary) && (device !== 'cuda' || gpu)))(
    'computes on device %s',
    async (device) => {
      const backend = await createBackend({ device, threads: 1 });
      if (device !== 'auto') expect(backend.device).toBe(device);
      const a = Matrix.from([
        [1, 2],
        [3, 4],
      ]);
      const product = backend.matrix(2, 2);
      backend.gemm(product, a, a, { transposeB: true });
      expect([...product.data]).toEqual([5, 11, 11, 25]);
      backend.dispose();
    },
  );

  it('takes the native backend by default where there is a BLAS, else wasm', async () => {
    const backend = await createBackend({ threads: 1 });
    expect(backend.device).toBe(nativeLibrary ? 'native' : 'wasm');
    backend.dispose();
  });

  it('does not pass over a library that was asked for by name', async () => {
    await expect(createBackend({ library: '/nowhere/libblas.so' })).rejects.toThrow('/nowhere/libblas.so');
    vi.stubEnv('BOWERBIRD_BLAS', '/nowhere/libblas.so');
    await expect(createBackend()).rejects.toThrow('BOWERBIRD_BLAS is no usable BLAS');
  });

  it('names the devices there are when asked for another', async () => {
    const attempt = createBackend({ device: 'abacus' as 'auto' });
    await expect(attempt).rejects.toThrow(ArgumentError);
    await expect(attempt).rejects.toThrow('device is "abacus"; it must be one of auto, wasm, native, cuda');
  });

  it('refuses a number of threads that is not one', async () => {
    await expect(createBackend({ threads: -1 })).rejects.toThrow('threads is -1');
  });
});
