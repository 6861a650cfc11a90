/** Large products of single precision on a GPU, which its tensor cores make, against sums in double precision. */
import { afterAll, describe, expect, it } from 'vitest';
import { createCudaBackend } from '../../src/linalg/cuda/index.js';
import { Matrix, Random } from '../../src/linalg/index.js';
import { gpu } from './gpu.js';

describe.skipIf(!gpu)('products on tensor cores', async () => {
  const backend = gpu && (await createCudaBackend());
  afterAll(() => backend?.dispose());
  const random = new Random(3);
  const drawn = (rows: number, cols: number) => {
    const matrix = Matrix.zeros(rows, cols, 'float32');
    for (let k = 0; k < matrix.data.length; k++) matrix.data[k] = random.uniform() - 0.5;
    return matrix;
  };

  it.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])('have nearly single precision, factors transposed: %s, %s', (transposeA, transposeB) => {
    const [m, n, k] = [70_001, 1001, 513];
    const [a, b] = [transposeA ? drawn(k, m) : drawn(m, k), transposeB ? drawn(n, k) : drawn(k, n)];
    const c = Matrix.zeros(m, n, 'float32');
    for (let i = 0; i < m; i++) c.set(i, 5, i % 7);
    backend!.gemm(c, a, b, { transposeA, transposeB, alpha: 0.7, beta: 0.3 });
    for (const i of [0, 777, m >> 1, m - 1])
      for (const j of [0, 5, n - 1]) {
        let [sum, size] = [0, 0];
        for (let q = 0; q < k; q++) {
          const term = (transposeA ? a.at(q, i) : a.at(i, q)) * (transposeB ? b.at(j, q) : b.at(q, j));
          sum += term;
          size += Math.abs(term);
        }
        expect(Math.abs(c.at(i, j) - 0.7 * sum - (j === 5 ? 0.3 * (i % 7) : 0))).toBeLessThan(3e-6 * size);
      }
  });

  // What is left of the other factor may be 0, and infinity times 0 is no number.
  it('are not finite where a factor is not, and right elsewhere', () => {
    const [a, b] = [drawn(40_000, 1000), drawn(1000, 1000)];
    a.fill(1);
    b.fill(1);
    a.set(3, 4, Infinity);
    const c = Matrix.zeros(40_000, 1000, 'float32');
    backend!.gemm(c, a, b);
    expect([c.at(3, 0), c.at(2, 0)].map(Number.isFinite)).toEqual([false, true]);
    expect(c.at(2, 0)).toBe(1000);
  });
});
