/** A speed figure for a backend: the best rate seen at multiplying square float64 matrices. */
import type { Backend } from './backend.js';
import { Matrix } from './matrix.js';

/** Orders to begin with; a GPU, and many processors, want more to do. */
const firstOrder = { wasm: 512, native: 512, cuda: 4096 };
const lastOrder = 4096;
/** A larger order is tried while it was at least this much quicker than the one before. */
const worthwhile = 1.05;
/** Seconds of a trial, beside which waiting for its end does not count. */
const longEnough = 0.01;

/**
 * 10⁹ floating-point operations a second (2n³ for a product of order n), the best of the trials that fit into
 * `seconds`. The order doubles as long as that makes the backend quicker and a product takes a small part of the time:
 * many threads need large matrices to show what they can do.
 */
export function gemmGigaflops(backend: Backend, seconds: number): number {
  const begun = performance.now();
  const left = () => seconds - (performance.now() - begun) / 1000;
  let best = 0;
  for (let order = firstOrder[backend.device]; ; order *= 2) {
    const rate = rateOf(backend, order, left() / 2);
    const better = rate > worthwhile * best;
    best = Math.max(best, rate);
    // The next one takes eight times as long, twice.
    const next = (2 * 8 * 2 * order ** 3) / (best * 1e9);
    if (!better || 2 * order > lastOrder || next > left()) return best;
  }
}

/** The best of the trials of one order; at least two are made, as the first one warms up. */
function rateOf(backend: Backend, n: number, seconds: number): number {
  const pattern = Matrix.zeros(n, n);
  for (let i = 0; i < n * n; i++) pattern.data[i] = (i % 1009) / 1009 - 0.5;
  const [a, b, c] = [0, 1, 2].map(() => backend.matrix(n, n));
  backend.copy(a, pattern);
  backend.copy(b, pattern);
  let [best, products] = [0, 1];
  const begun = performance.now();
  for (let trial = 0; trial < 2 || performance.now() - begun < 1000 * seconds; trial++) {
    const start = performance.now();
    for (let i = 0; i < products; i++) backend.gemm(c, a, b);
    // A GPU is still at work when the call returns; reading a result waits for it.
    backend.maxAbs(c.view(0, 1, 0, 1));
    const elapsed = (performance.now() - start) / 1000;
    best = Math.max(best, (2 * n ** 3 * products) / (elapsed * 1e9));
    if (elapsed < longEnough) products *= 2;
  }
  for (const matrix of [a, b, c]) backend.release(matrix);
  return best;
}
