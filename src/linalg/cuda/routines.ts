/** cuBLAS and cuSOLVER for one precision, column-major as they are; the backend does the row-major bookkeeping. */
import type { Dtype, Matrix, RealArray } from '../matrix.js';
import type { Call, CudaCalls } from './calls.js';

const handle = 'size_t';
const device = 'size_t';
const factor = 'void *';

export const operation = { none: 0, transpose: 1 } as const;
export const upper = 1;
export const left = 0;
export const right = 1;

export interface Routines {
  gemm: Call;
  syrk: Call;
  gemv: Call;
  trsm: Call;
  potrf: Call;
  potrfSize: Call;
  potrs: Call;
  syevd: Call;
  syevdSize: Call;
}

export function bindRoutines(calls: CudaCalls, dtype: Dtype): Routines {
  const letter = dtype === 'float64' ? 'D' : 'S';
  const blas = (name: string, types: string[]) => calls.bind('blas', `cublas${letter}${name}_v2`, types);
  const solver = (name: string, types: string[]) => calls.bind('solver', `cusolverDn${letter}${name}`, types);
  const ints = (count: number) => new Array<string>(count).fill('int');
  return {
    // (op, op, m, n, k, α, A, lda, B, ldb, β, C, ldc)
    gemm: blas('gemm', [handle, ...ints(5), factor, device, 'int', device, 'int', factor, device, 'int']),
    // (uplo, op, n, k, α, A, lda, β, C, ldc)
    syrk: blas('syrk', [handle, ...ints(4), factor, device, 'int', factor, device, 'int']),
    // (op, m, n, α, A, lda, x, 1, β, y, 1)
    gemv: blas('gemv', [handle, ...ints(3), factor, device, 'int', device, 'int', factor, device, 'int']),
    // (side, uplo, op, diag, m, n, α, A, lda, B, ldb)
    trsm: blas('trsm', [handle, ...ints(6), factor, device, 'int', device, 'int']),
    potrfSize: solver('potrf_bufferSize', [handle, 'int', 'int', device, 'int', 'void *']),
    potrf: solver('potrf', [handle, 'int', 'int', device, 'int', device, 'int', device]),
    potrs: solver('potrs', [handle, 'int', 'int', 'int', device, 'int', device, 'int', device]),
    syevdSize: solver('syevd_bufferSize', [handle, 'int', 'int', 'int', device, 'int', device, 'void *']),
    syevd: solver('syevd', [handle, 'int', 'int', 'int', device, 'int', device, device, 'int', device]),
  };
}

/** α or β in the precision of the matrix, as cuBLAS reads it. */
export function scalar(like: Matrix, value: number): RealArray {
  return like.dtype === 'float64' ? Float64Array.of(value) : Float32Array.of(value);
}
