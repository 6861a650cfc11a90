/**
 * Cholesky and the symmetric eigenproblem for matrices anywhere: those outside the shared memory are copied into it for
 * the time of the call.
 */
import { MemoryError } from '../../errors.js';
import { type Dtype, Matrix, type RealArray } from '../matrix.js';
import { createFactor } from './factor.js';
import type { Factor, FactorContext } from './factor-contract.js';
import type { Machine } from './machine.js';
import { multiply } from './product.js';
import { fetchMatrix, stageMatrix } from './staging.js';

/** Right-hand sides outside the memory are solved in groups of about this size. */
const groupBytes = 64 * 2 ** 20;

export class Factorizations {
  readonly #machine: Machine;
  readonly #context: FactorContext;
  readonly #factor: Factor;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#context = contextOf(machine);
    this.#factor = createFactor(this.#context);
  }

  /** 0, or 1 + the failing pivot. */
  cholesky(a: Matrix): number {
    return this.#inside(a, true, (pointer, stride) => this.#factor.cholesky(a.dtype, a.rows, pointer, stride));
  }

  choleskySolve(l: Matrix, b: Matrix, layout: 'rows' | 'columns', way: 'whole' | 'half'): void {
    const n = l.rows;
    const rows = layout === 'rows';
    const count = rows ? b.rows : b.cols;
    const outside = this.#machine.storage.pointerOf(b.data) === undefined;
    const atOnce = outside ? Math.max(1, Math.floor(groupBytes / (n * b.data.BYTES_PER_ELEMENT))) : count;
    this.#inside(l, false, (lPointer, lStride) => {
      for (let start = 0; start < count; start += atOnce) {
        const end = Math.min(start + atOnce, count);
        const group = rows ? b.view(start, end) : b.view(0, n, start, end);
        this.#inside(group, true, (pointer, stride) =>
          this.#factor.choleskySolve(l.dtype, n, lPointer, lStride, pointer, stride, end - start, layout, way),
        );
      }
    });
  }

  eigh(values: RealArray, a: Matrix): void {
    this.#inside(a, true, (pointer, stride) =>
      this.#inside(new Matrix(values, 1, values.length), true, (valuesPointer) =>
        this.#factor.eigh(a.dtype, a.rows, pointer, stride, valuesPointer),
      ),
    );
  }

  /** Calls `compute` with the place of a matrix in the memory; one outside is copied in, and back if it is `written`. */
  #inside<R>(matrix: Matrix, written: boolean, compute: (pointer: number, stride: number) => R): R {
    const { storage } = this.#machine;
    const inside = storage.pointerOf(matrix.data);
    if (inside !== undefined) return compute(inside, matrix.stride);
    const target = this.#context.allocate(matrix.rows * matrix.cols * matrix.data.BYTES_PER_ELEMENT);
    try {
      const { pointer, stride } = stageMatrix(this.#machine, matrix, target);
      const result = compute(pointer, stride);
      if (written) fetchMatrix(this.#machine, matrix, pointer);
      return result;
    } finally {
      storage.free(target);
    }
  }
}

function contextOf(machine: Machine): FactorContext {
  const { storage } = machine;
  const matrixAt = (dtype: Dtype, pointer: number, rows: number, cols: number, stride: number) => {
    const length = (rows - 1) * stride + cols;
    const { buffer } = storage;
    const data =
      dtype === 'float64' ? new Float64Array(buffer, pointer, length) : new Float32Array(buffer, pointer, length);
    return new Matrix(data as RealArray, rows, cols, stride);
  };
  return {
    memory: storage.memory,
    allocate(bytes) {
      const pointer = storage.allocate(bytes);
      if (pointer !== undefined) return pointer;
      throw new MemoryError(
        bytes,
        'the workspace of a factorization in the WebAssembly memory',
        'Release matrices that are no longer used, or use the native backend.',
      );
    },
    free(pointer) {
      storage.free(pointer);
    },
    gemm(dtype, m, n, k, alpha, a, lda, transposeA, b, ldb, transposeB, beta, c, ldc) {
      if (m === 0 || n === 0 || k === 0) return;
      const [aRows, aCols] = transposeA ? [k, m] : [m, k];
      const [bRows, bCols] = transposeB ? [n, k] : [k, n];
      const options = { alpha, beta, transposeA, transposeB, lower: false };
      const cMatrix = matrixAt(dtype, c, m, n, ldc);
      multiply(machine, cMatrix, matrixAt(dtype, a, aRows, aCols, lda), matrixAt(dtype, b, bRows, bCols, ldb), options);
    },
    syrkLower(dtype, n, k, alpha, a, lda, transposeA, beta, c, ldc) {
      if (n === 0 || k === 0) return;
      const [rows, cols] = transposeA ? [k, n] : [n, k];
      const matrix = matrixAt(dtype, a, rows, cols, lda);
      const options = { alpha, beta, transposeA, transposeB: !transposeA, lower: true };
      multiply(machine, matrixAt(dtype, c, n, n, ldc), matrix, matrix, options);
    },
  };
}
