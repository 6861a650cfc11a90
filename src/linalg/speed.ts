/** A speed figure for a backend: the best rate seen at multiplying square float64 matrices. */
import type { Backend } from './backend.js';

/** Large enough for packing not to matter, small enough for several trials within a second on slow machines. */
const order = 512;

/**
 * 10⁹ floating-point operations a second (2n³ for a product of order n), the best of the trials that fit into
 * `seconds`; at least two are made, as the first one warms up.
 */
export function gemmGigaflops(backend: Backend, seconds: number): number {
  const [a, b, c] = [0, 1, 2].map(() => backend.matrix(order, order));
  for (let i = 0; i < order * order; i++) {
    a.data[i] = Math.sin(i);
    b.data[i] = Math.cos(i);
  }
  let best = 0;
  const begun = performance.now();
  for (let trial = 0; trial < 2 || performance.now() - begun < 1000 * seconds; trial++) {
    const start = performance.now();
    backend.gemm(c, a, b);
    best = Math.max(best, (2 * order ** 3) / ((performance.now() - start) * 1e6));
  }
  for (const matrix of [a, b, c]) backend.release(matrix);
  return best;
}
