/** What is measured: operations, sizes, and how a backend does them. */
import { type Backend, type Matrix, Random } from 'bowerbird/linalg';

export type Case = { name: string; unit: 'GFLOP/s' | 'GB/s' | 'ms'; work: number } & (
  | { operation: 'gemm' | 'gemmTransposed'; m: number; n: number; k: number }
  | { operation: 'syrk'; n: number; k: number }
  | { operation: 'gemv'; m: number; n: number }
  | { operation: 'cholesky' | 'eigh'; n: number }
);

function gemm(m: number, n: number, k: number): Case {
  return { name: `gemm ${m}×${n}×${k}`, unit: 'GFLOP/s', work: 2 * m * n * k, operation: 'gemm', m, n, k };
}

/** `work` is in floating-point operations, for gemv in bytes; m×n×k means m×n from a sum over k. */
export const cases: Case[] = [
  gemm(1000, 1000, 1000),
  gemm(4096, 200, 2933),
  { ...gemm(2933, 200, 4096), name: 'gemm Aʹ 2933×200×4096', operation: 'gemmTransposed' } as Case,
  { name: 'syrk 1000×4096', unit: 'GFLOP/s', work: 1000 * 1001 * 4096, operation: 'syrk', n: 1000, k: 4096 },
  { name: 'syrk 2933×200', unit: 'GFLOP/s', work: 2933 * 2934 * 200, operation: 'syrk', n: 2933, k: 200 },
  { name: 'gemv 4096×2933', unit: 'GB/s', work: 8 * 4096 * 2933, operation: 'gemv', m: 4096, n: 2933 },
  { name: 'cholesky 200', unit: 'GFLOP/s', work: 200 ** 3 / 3, operation: 'cholesky', n: 200 },
  { name: 'cholesky 800', unit: 'GFLOP/s', work: 800 ** 3 / 3, operation: 'cholesky', n: 800 },
  { name: 'eigh 200', unit: 'ms', work: 1, operation: 'eigh', n: 200 },
  { name: 'eigh 800', unit: 'ms', work: 1, operation: 'eigh', n: 800 },
];

/** How often a case is done per trial, so that a trial takes some hundredths of a second. */
export function repetitions({ work, unit, operation }: Case): number {
  if (operation === 'eigh') return 1;
  return Math.max(1, Math.round((unit === 'GB/s' ? 2e8 : 1e9) / work));
}

export interface Prepared {
  /** Seconds that `count` times the operation took; restoring operands is not counted. */
  trial(count: number): number;
  release(): void;
}

/** Seconds on a clock. */
export type Clock = () => number;

export const wallClock: Clock = () => performance.now() / 1000;

/** Processor time of this process, which does not run on while other programs have the core. */
export const processorClock: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Operands in the backend's own storage, and the operation on them. */
export function prepare(backend: Backend, test: Case, clock: Clock): Prepared {
  const random = new Random(1);
  const owned: Matrix[] = [];
  const matrix = (rows: number, cols: number, fill: boolean) => {
    const result = backend.matrix(rows, cols);
    if (fill) for (let i = 0; i < result.data.length; i++) result.data[i] = random.uniform() - 0.5;
    owned.push(result);
    return result;
  };
  const release = () => {
    for (const each of owned) backend.release(each);
  };
  const timed = (act: () => void, restore?: () => void): Prepared => ({
    trial(count) {
      let seconds = 0;
      for (let i = 0; i < count; i++) {
        restore?.();
        const begun = clock();
        act();
        seconds += clock() - begun;
      }
      return seconds;
    },
    release,
  });

  switch (test.operation) {
    case 'gemm':
    case 'gemmTransposed': {
      const { m, n, k } = test;
      const transposeA = test.operation === 'gemmTransposed';
      const a = transposeA ? matrix(k, m, true) : matrix(m, k, true);
      const [b, c] = [matrix(k, n, true), matrix(m, n, false)];
      return timed(() => backend.gemm(c, a, b, { transposeA }));
    }
    case 'syrk': {
      const [a, c] = [matrix(test.n, test.k, true), matrix(test.n, test.n, false)];
      return timed(() => backend.syrk(c, a));
    }
    case 'gemv': {
      const [a, x, y] = [matrix(test.m, test.n, true), matrix(1, test.n, true), matrix(1, test.m, false)];
      return timed(() => backend.gemv(y.data, a, x.data));
    }
    case 'cholesky':
    case 'eigh': {
      const { n } = test;
      const values = matrix(1, n, false).data;
      const [source, target] = [matrix(n, n, true), matrix(n, n, false)];
      if (test.operation === 'eigh')
        return timed(
          () => backend.eigh(values, target),
          () => target.copyFrom(source),
        );
      // Diagonally dominant, so positive definite; only the lower triangle is read.
      for (let i = 0; i < n; i++) source.set(i, i, n);
      return timed(
        () => backend.cholesky(target),
        () => target.copyFrom(source),
      );
    }
  }
}
