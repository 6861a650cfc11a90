/**
 * What the factorizations (Cholesky, symmetric eigenproblem) get from the WebAssembly backend, and what they give it.
 * All pointers are byte offsets into the shared memory; leading dimensions count elements; matrices are row-major.
 */
import type { Dtype } from '../matrix.js';

export interface FactorContext {
  readonly memory: WebAssembly.Memory;
  /** Byte pointer, aligned to 64 bytes, contents undefined. The memory may grow: make typed-array views afterwards. */
  allocate(bytes: number): number;
  free(pointer: number): void;
  /**
   * C ← α op(A) op(B) + β C inside the memory, with every thread of the backend; op(A) is m×k, op(B) k×n. C overlaps
   * neither A nor B. With β = 0 the old C is not read.
   */
  gemm(
    dtype: Dtype,
    m: number,
    n: number,
    k: number,
    alpha: number,
    aPointer: number,
    lda: number,
    transposeA: boolean,
    bPointer: number,
    ldb: number,
    transposeB: boolean,
    beta: number,
    cPointer: number,
    ldc: number,
  ): void;
  /** The lower triangle of C ← α op(A) op(A)' + β C, op(A) being n×k; the strict upper triangle is left as it was. */
  syrkLower?(
    dtype: Dtype,
    n: number,
    k: number,
    alpha: number,
    aPointer: number,
    lda: number,
    transposeA: boolean,
    beta: number,
    cPointer: number,
    ldc: number,
  ): void;
}

export interface Factor {
  /** Lower triangle of A replaced by L; returns 0, or 1 + the failing pivot. */
  cholesky(dtype: Dtype, n: number, aPointer: number, lda: number): number;
  /** Each of the `rhs` rows (or columns) b of B becomes A⁻¹ b, or half of the way L⁻¹ b, given L from `cholesky`. */
  choleskySolve(
    dtype: Dtype,
    n: number,
    lPointer: number,
    ldl: number,
    bPointer: number,
    ldb: number,
    rhs: number,
    layout: 'rows' | 'columns',
    way: 'whole' | 'half',
  ): void;
  /** Eigenvalues ascending into `valuesPointer`; A overwritten by V, row i the i-th eigenvector. */
  eigh(dtype: Dtype, n: number, aPointer: number, lda: number, valuesPointer: number): void;
}

export type CreateFactor = (context: FactorContext) => Factor;
