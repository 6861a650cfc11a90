// Kernels that others than the backend bring along.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackendError } from '../../src/errors.js';
import type { Backend } from '../../src/linalg/backend.js';
import { createCudaBackend } from '../../src/linalg/cuda/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { gpu } from './gpu.js';

const source = `
extern "C" __global__ void gather(double* out, const double* from, const int* which, long long n, double factor) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * from[which[i]];
}`;

describe.skipIf(!gpu)('kernels (needs an NVIDIA GPU)', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createCudaBackend();
  });
  afterAll(() => backend.dispose());

  it('read and write matrices of the backend, also parts of them', () => {
    const { launch } = backend.compile!(source, ['gather']);
    const [from, out] = [backend.matrix(2, 3), backend.matrix(1, 4)];
    backend.copy(from, new Matrix(Float64Array.of(0, 0, 0, 10, 20, 30), 2, 3));
    for (const which of [Int32Array.of(2, 0, 1, 2), Int32Array.of(0, 0, 0, 1)]) {
      launch('gather', 1, 32, [out, from.view(1, 2), which, { whole: 4 }, { real: 0.5 }]);
      expect([...out.row(0)]).toEqual([...which].map((k) => 5 * (k + 1)));
    }
  });

  it('are refused with what the compiler says', () => {
    expect(() => backend.compile!('extern "C" __global__ void broken() { nonsense }', ['broken'])).toThrow(/nonsense/);
    expect(backend.dot(backend.matrix(2, 2).fill(1), backend.matrix(2, 2).fill(3))).toBe(12);
  });

  it('are not given memory of the host, nor called by a name they do not have', () => {
    const { launch } = backend.compile!(source, ['gather']);
    expect(() => launch('gather', 1, 32, [Matrix.zeros(1, 1)])).toThrow(BackendError);
    expect(() => launch('scatter', 1, 32, [])).toThrow('scatter');
  });
});
